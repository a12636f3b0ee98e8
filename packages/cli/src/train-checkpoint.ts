// A training run in a file: its state, and the settings that it must be continued with.
import { readNpz, writeNpz } from "@lemmata/core/data";
import { numbers, type Tensor, tensor } from "@lemmata/core/graph";
import type { Training, TrainingState } from "@lemmata/core/train";
import { readBytes, writeWhole } from "./files.ts";
import { UsageError } from "./usage-error.ts";

/** What must not change between the parts of a run. */
export type RunSettings = Readonly<Record<string, string | number | boolean | null>>;

const [settingsKey, stepKey] = ["run", "step"];

export function saveCheckpoint(
  path: string,
  { step, seed, tensors }: TrainingState,
  settings: RunSettings,
): void {
  const text = new TextEncoder().encode(JSON.stringify({ ...settings, seed }));
  writeWhole(
    path,
    writeNpz({
      ...tensors,
      [stepKey!]: tensor([step], { type: "int64", dims: [] }),
      [settingsKey!]: { type: "uint8", dims: [text.length], data: text } as Tensor,
    }),
  );
}

/** The state in a checkpoint; it must be of this run. */
export function loadCheckpoint(path: string, training: Training, settings: RunSettings): TrainingState {
  const { [settingsKey!]: text, [stepKey!]: step, ...tensors } = readNpz(readBytes(path), { file: path });
  if (!text || !step) throw new UsageError(`${path} is not a checkpoint of lemmata train`);
  const kept = parsed(path, text);
  for (const [name, value] of Object.entries(settings)) {
    if (kept[name] !== value)
      throw new UsageError(
        `${path} is of a run with ${name} ${kept[name]}, not ${value}: go on with the same settings`,
      );
  }
  const missing = training.stateNames.find((name) => !tensors[name]);
  if (missing) throw new UsageError(`${path} lacks ${missing}`);
  const wrong = training.stateNames.find((name) => {
    const wanted = training.graph.inputs.find((i) => i.name === name)!.type as { shape?: readonly unknown[] };
    return tensors[name]!.dims.join() !== wanted.shape?.join();
  });
  if (wrong) throw new UsageError(`${path}: ${wrong} has another shape than in this network`);
  const state = Object.fromEntries(training.stateNames.map((name) => [name, tensors[name]!]));
  return { step: numbers(step)[0]!, seed: Number(kept.seed), tensors: state };
}

function parsed(path: string, text: Tensor): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(text.data as Uint8Array)) as Record<string, unknown>;
  } catch {
    throw new UsageError(`${path}: its settings cannot be read`);
  }
}
