export { square } from "./square.ts";
