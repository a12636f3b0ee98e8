// Trains in a worker, for as long as the page is there: hears it between chunks of steps.
import { Conductor } from "../../train/conductor.ts";
import type { TrainReport, TrainTell } from "../../train/messages.ts";
import type { Settings } from "../../train/settings.ts";
import type { Job } from "../protocol.ts";

export interface TrainInput {
  readonly settings: Settings;
  readonly running: boolean;
  /** The address of the folder with MNIST's files. */
  readonly digitsAt: string;
}

export const train: Job<TrainInput, undefined> = async (input, { signal, partial, onTell }) => {
  const say = (report: TrainReport): void => partial(report);
  const conductor = new Conductor({ ...input, say });
  const inbox: TrainTell[] = [];
  let wake = (): void => {};
  onTell((message) => {
    inbox.push(message as TrainTell);
    wake();
  });
  signal.addEventListener("abort", () => wake());
  /** What goes wrong is said, and the job lives on. */
  const guarded = async (act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      conductor.stop();
      say({ kind: "problem", message: error instanceof Error ? error.message : String(error) });
    }
  };
  await guarded(() => conductor.open());
  while (!signal.aborted) {
    for (const message of latest(inbox.splice(0))) await guarded(() => conductor.hear(message));
    if (conductor.isRunning) await guarded(async () => pause(await conductor.turn()));
    else if (inbox.length === 0 && !signal.aborted)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await conductor.close();
  return undefined;
};

/** Of settings only the last matter, and of questions only the last is still open. */
function latest(messages: readonly TrainTell[]): readonly TrainTell[] {
  const from = messages.findLastIndex(({ kind }) => kind === "configure");
  const rest = messages.slice(Math.max(0, from));
  const question = rest.findLast(({ kind }) => kind === "ask");
  return rest.filter((message) => message.kind !== "ask" || message === question);
}

/** Lets messages in; without a wait, by a channel: timers of a worker wait 4 ms at least. */
function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) return new Promise((resolve) => setTimeout(resolve, milliseconds));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
