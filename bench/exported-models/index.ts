// `npx tsx bench/exported-models/index.ts FOLDER`: writes some 130 small models into FOLDER, as PyTorch's two exporters and
// skl2onnx write them; `LEMMATA_MODELS=FOLDER npm test` then reads them too. Python with venv and pip is needed; PyTorch
// and the rest (5 GB) go into a virtual environment in the folder for caches.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const repository = resolve(here, "../..");
const packages = ["torch", "onnx", "onnxscript", "numpy", "scikit-learn", "skl2onnx"];

function stop(reason: string): never {
  console.error(`exported-models: ${reason}`);
  process.exit(2);
}

function call(program: string, words: readonly string[]): void {
  const { status, error } = spawnSync(program, words, { stdio: "inherit" });
  if (error || status !== 0) stop(`${program} ${words[0]} failed: ${error?.message ?? `code ${status}`}`);
}

/** The Python of a virtual environment with the packages in it. */
function python(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const environment = process.env["LEMMATA_EXPORTERS"] ?? join(cache, "lemmata", "exporters");
  const program = join(environment, "bin", "python");
  if (!existsSync(program)) call("python3", ["-m", "venv", environment]);
  const has = spawnSync(program, ["-c", "import torch, onnxscript, skl2onnx"]);
  if (has.status !== 0) call(program, ["-m", "pip", "install", "--quiet", ...packages]);
  return program;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) stop("say where to write: npx tsx bench/exported-models/index.ts FOLDER");
if (!relative(repository, resolve(folder)).startsWith(".."))
  stop("models are not kept in the repository: name a folder outside of it");
mkdirSync(folder, { recursive: true });
call(python(), [join(here, "export.py"), resolve(folder)]);
