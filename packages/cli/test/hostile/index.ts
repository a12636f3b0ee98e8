// Hostile models of under 10 KB: each asks for too much, or is not what it says.
import { forms } from "./forms.ts";
import type { Files } from "./model.ts";
import { sizes } from "./sizes.ts";
import { work } from "./work.ts";

export const hostileModels: Readonly<Record<string, Files>> = { ...sizes, ...work, ...forms };
