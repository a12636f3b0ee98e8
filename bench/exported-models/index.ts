// `npx tsx bench/exported-models/index.ts FOLDER`: writes some 130 small models into FOLDER, as PyTorch's two exporters and
// skl2onnx write them; `LEMMATA_MODELS=FOLDER npm test` then reads them too. Python with venv and pip is needed; PyTorch
// and the rest (5 GB) go into a virtual environment in the folder for caches.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonWith } from "../python.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const repository = resolve(here, "../..");
const packages = ["torch", "onnx", "onnxscript", "numpy", "scikit-learn", "skl2onnx"];

function stop(reason: string): never {
  console.error(`exported-models: ${reason}`);
  process.exit(2);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) stop("say where to write: npx tsx bench/exported-models/index.ts FOLDER");
if (!relative(repository, resolve(folder)).startsWith(".."))
  stop("models are not kept in the repository: name a folder outside of it");
mkdirSync(folder, { recursive: true });
const python = pythonWith("exporters", packages, ["torch", "onnxscript", "skl2onnx"]);
const { status } = spawnSync(python, [join(here, "export.py"), resolve(folder)], { stdio: "inherit" });
if (status !== 0) stop(`the exporters ended with code ${status}`);
