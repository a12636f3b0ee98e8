// Models that others wrote: those of ../shared/models, and of the folder that LEMMATA_MODELS names.
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const shared = fileURLToPath(new URL("../../../../../shared/models/", import.meta.url));
const given = process.env["LEMMATA_MODELS"];

const modelsIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(".onnx"))
        .map((file) => join(folder, file))
    : [];

/** Where the models of ../shared/models are looked for. */
export const folders = ["exported", "zoo", ""].map((name) => join(shared, name));
export const isShared = existsSync(shared);
if (!isShared) console.warn("tests on ../shared/models left out: no such folder");
if (given && modelsIn(given).length === 0) throw new Error(`LEMMATA_MODELS: no .onnx file in ${given}`);

/** The four ACAS Xu networks are of one kind: one of them does. */
const isRepeated = (path: string): boolean => /ACASXU/.test(path) && !/1_1_batch/.test(path);

/** How many points or cases the long run takes instead of a test's own few; undefined: the short run. */
export const hunt = process.env["LEMMATA_HUNT"] ? Number(process.env["LEMMATA_HUNT"]) : undefined;
/** Left to the long run: the second export of the same weights, and one with bounds that take half a minute. */
const isSlow = (path: string): boolean => /vit_dyn|Convnet_maxpool/.test(path);

/** The paths of all models, with what to call them. */
export const models: readonly (readonly [name: string, path: string])[] = [
  ...folders.flatMap(modelsIn),
  ...(given ? modelsIn(given) : []),
]
  .filter((path) => !isRepeated(path) && !(hunt === undefined && isSlow(path)))
  .map((path) => [basename(path, ".onnx"), path] as const);

/** Fixed, but in the long run a fresh one, which failures print. */
export const seed: string =
  process.env["LEMMATA_SEED"] ?? (hunt === undefined ? "1" : String(Date.now() % 1e9));
