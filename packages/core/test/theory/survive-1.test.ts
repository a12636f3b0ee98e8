import { survivalTests } from "./survive.ts";

await survivalTests(0);
