// The run as the page sees it: two jobs, what they last said, and what they are told.
import { download } from "../parts/download.ts";
import { Cancelled, work } from "../worker/client.ts";
import { type Course, emptyCourse, extended } from "./history.ts";
import type {
  LiveMeasures,
  Opened,
  RegionPicture,
  Snapshot,
  TrainReport,
  TrainTell,
  WatchReport,
  WatchTell,
} from "./messages.ts";
import { fileName, isPiecewiseLinear } from "./run-plan.ts";
import { needsNewRun, type Settings } from "./settings.ts";

export interface LossPoint {
  readonly step: number;
  readonly train: number;
  readonly test: number;
  readonly trainAccuracy: number;
  readonly testAccuracy: number;
}

export interface MeasurePoint extends LiveMeasures {
  readonly step: number;
}

export interface RegionPoint {
  readonly step: number;
  readonly count: number;
}

/** Milliseconds between two looks of the second worker: as long as one took, within these. */
const watchPause = { least: 100, most: 500 };

export type Playground = ReturnType<typeof createPlayground>;

export function createPlayground(initial: Settings) {
  let settings = $state.raw(initial);
  let isRunning = $state.raw(false);
  let isLoading = $state.raw(true);
  let opened = $state.raw<Opened>();
  let snapshot = $state.raw<Snapshot>();
  let trouble = $state.raw<string>();
  let losses = $state.raw<Course<LossPoint>>(emptyCourse);
  let measures = $state.raw<Course<MeasurePoint>>(emptyCourse);
  let lastMeasures = $state.raw<LiveMeasures>();
  let regions = $state.raw<RegionPicture>();
  let regionsReason = $state.raw<string>();
  let regionsStep = $state.raw<number>();
  let regionCounts = $state.raw<Course<RegionPoint>>(emptyCourse);

  const stop = new AbortController();
  const trainer = mailbox<TrainTell>();
  const watcher = mailbox<WatchTell>();
  /** What the second worker looks at, and the snapshot that it has seen. */
  let looking: { readonly id: number; readonly at: Snapshot; readonly since: number } | undefined;
  let seen: Snapshot | undefined;
  let lastId = 0;
  let isFollowed = true; // false while reports are still of a run that was given up
  let expected: boolean | undefined; // running or not, as the worker was told and has not yet shown
  const answers = new Map<number, (scores: Float32Array) => void>();
  let onModel: ((bytes: Uint8Array) => void) | undefined;

  function forget(): void {
    [losses, measures, regionCounts] = [emptyCourse, emptyCourse, emptyCourse];
    [lastMeasures, regions, regionsStep, regionsReason] = [undefined, undefined, undefined, undefined];
    [looking, seen, trouble] = [undefined, undefined, undefined];
  }

  function hear(report: TrainReport): void {
    trainer.open();
    if (report.kind === "loading") isLoading = true;
    else if (report.kind === "opened") {
      forget();
      [opened, snapshot, isFollowed] = [report, undefined, true];
    } else if (report.kind === "snapshot") {
      if (isFollowed) take(report);
    } else if (report.kind === "answer") {
      answers.get(report.id)?.(report.scores);
      answers.delete(report.id);
    } else if (report.kind === "model") onModel?.(report.bytes);
    else if (report.kind === "diverged") {
      [isRunning, trouble] = [false, divergence(report)];
    } else [isRunning, isLoading, trouble] = [false, false, report.message];
  }

  function take(report: Snapshot): void {
    isLoading = false;
    if (expected === undefined || expected === report.running)
      [isRunning, expected] = [report.running, undefined];
    if (report.step < (snapshot?.step ?? 0)) forget();
    const isNew = report.step !== snapshot?.step || losses.seen === 0;
    snapshot = report;
    const { step, train, test } = report;
    const accuracies = { trainAccuracy: train.accuracy, testAccuracy: test.accuracy };
    if (isNew) losses = extended(losses, { step, train: train.loss, test: test.loss, ...accuracies });
    watch();
    requestAnimationFrame(() => trainer.tell({ kind: "shown" }));
  }

  /** Hands the newest network to the second worker, if that has nothing to do. */
  function watch(): void {
    if (looking || !snapshot || !opened || snapshot.step === seen?.step) return;
    looking = { id: ++lastId, at: snapshot, since: performance.now() };
    const box = isPiecewiseLinear(settings) ? opened.plane?.box : undefined;
    const { id, at } = looking;
    const { spec } = opened;
    watcher.tell({ id, spec, seed: settings.seed, weights: at.weights, ...(box ? { box } : {}) });
  }

  function hearWatch(report: WatchReport): void {
    watcher.open();
    // What was forgotten meanwhile belongs to another run.
    if (report.kind === "ready" || report.id !== looking?.id) return;
    const { step } = looking.at;
    if (report.kind === "seen") {
      const took = performance.now() - looking.since;
      [looking, seen] = [undefined, looking.at];
      setTimeout(watch, Math.min(watchPause.most, Math.max(watchPause.least, took)));
    } else if (report.kind === "measures") {
      lastMeasures = report.measures;
      measures = extended(measures, { step, ...report.measures }, 150);
    } else {
      [regions, regionsReason, regionsStep] = [report.regions, report.reason, step];
      if (report.regions) regionCounts = extended(regionCounts, { step, count: report.regions.count }, 150);
    }
  }

  const failed = (error: unknown): void => {
    if (error instanceof Cancelled) return;
    [isRunning, isLoading] = [false, false];
    trouble = error instanceof Error ? error.message : String(error);
  };
  const { signal } = stop;
  const digitsAt = new URL("digits/", document.baseURI).href;
  work(
    "train",
    { settings: initial, running: false, digitsAt },
    { signal, onPartial: (value) => hear(value as TrainReport), onStart: trainer.connect },
  ).catch(failed);
  work("trainWatch", undefined, {
    signal,
    onPartial: (value) => hearWatch(value as WatchReport),
    onStart: watcher.connect,
  }).catch(failed);

  return {
    get settings() {
      return settings;
    },
    get isRunning() {
      return isRunning;
    },
    get isLoading() {
      return isLoading;
    },
    get opened() {
      return opened;
    },
    get snapshot() {
      return snapshot;
    },
    get trouble() {
      return trouble;
    },
    get losses() {
      return losses.points;
    },
    get measures() {
      return measures.points;
    },
    get lastMeasures() {
      return lastMeasures;
    },
    get regions() {
      return regions;
    },
    get regionsReason() {
      return regionsReason;
    },
    get regionsStep() {
      return regionsStep;
    },
    get regionCounts() {
      return regionCounts.points;
    },
    /** Takes settings over: while the run goes if it can, else by a new one. */
    set(next: Settings): void {
      const before = settings;
      settings = next;
      if (needsNewRun(before, next)) {
        isFollowed = false;
        trainer.tell({ kind: "configure", settings: next, running: isRunning });
      } else trainer.tell({ kind: "change", settings: next });
    },
    run(): void {
      [isRunning, expected, trouble] = [true, true, undefined];
      trainer.tell({ kind: "run" });
    },
    pause(): void {
      [isRunning, expected] = [false, false];
      trainer.tell({ kind: "pause" });
    },
    step(): void {
      [isRunning, expected] = [false, false];
      trainer.tell({ kind: "step" });
    },
    reset(): void {
      [isRunning, expected, trouble] = [false, false, undefined];
      trainer.tell({ kind: "reset" });
    },
    /** The network's scores for one input. */
    ask(input: Float32Array): Promise<Float32Array> {
      return new Promise((resolve) => {
        answers.clear(); // only the last question is answered
        answers.set(++lastId, resolve);
        trainer.tell({ kind: "ask", id: lastId, input });
      });
    },
    /** The trained network as a file. */
    download(): void {
      onModel = (bytes) => download(fileName(settings), bytes, "application/octet-stream");
      trainer.tell({ kind: "model" });
    },
    close: (): void => stop.abort(),
  };
}

/** Keeps what is told until the job listens, which is when it first says something. */
function mailbox<Message>() {
  let send: ((message: Message) => void) | undefined;
  let isOpen = false;
  const waiting: Message[] = [];
  return {
    connect: (say: (message: unknown) => void): void => {
      send = say;
    },
    open(): void {
      isOpen = true;
      for (const message of waiting.splice(0)) send?.(message);
    },
    tell(message: Message): void {
      if (isOpen) send?.(message);
      else waiting.push(message);
    },
  };
}

const divergence = ({ loss, badStep, kept }: TrainReport & { readonly kind: "diverged" }): string =>
  `The loss became ${loss} in step ${badStep}: paused with the weights of step ${kept}. Try a smaller learning rate.`;
