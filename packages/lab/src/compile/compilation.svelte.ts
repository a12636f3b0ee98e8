// The state of the page: the problem as it is being edited, and the newest result that there is.
import { Cancelled, work } from "../worker/client.ts";
import type { Measured } from "../worker/jobs/compile-measure.ts";
import type { CompiledView } from "./compiled-view.ts";
import { latest } from "./latest.ts";
import { boxFor, boxTrouble, type Precision, type Problem, type Side, type Trouble } from "./problem.ts";
import type { Slice, Surface } from "./surface.ts";

/** What runs at the moment. */
export interface Progress {
  readonly note: string;
  /** Unknown while it compiles. */
  readonly fraction?: number;
}

/** How long a formula waits for the next key, in milliseconds. */
const pause = 250;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The usual slice: the first one or two free variables, all others in the middle. */
export function sliceOf(
  box: readonly Side[],
  wanted: readonly string[] = [],
  at: Slice["at"] = {},
): Slice | undefined {
  const free = box.filter(({ lower, upper }) => upper > lower).map((side) => side.name);
  const chosen = [...new Set([...wanted.filter((name) => free.includes(name)), ...free])].slice(0, 2);
  if (chosen.length === 0) return undefined;
  const middles = box.map(({ name, lower, upper }) => {
    const given = at[name] ?? Number.NaN;
    return [name, given >= lower && given <= upper ? given : lower / 2 + upper / 2] as const;
  });
  return { axes: chosen, at: Object.fromEntries(middles) };
}

/** A compilation that follows what is typed and dragged. */
export function createCompilation(first: Problem, firstSlice: Partial<Slice>) {
  let formula = $state(first.formula);
  let box = $state.raw<readonly Side[]>(first.box);
  let eps = $state(first.eps);
  let dtype = $state<Precision>(first.dtype);
  let tex = $state("");
  let trouble = $state.raw<Trouble>();
  let failure = $state<string>();
  let result = $state.raw<CompiledView>();
  let measured = $state.raw<Measured & { readonly of?: CompiledView }>({});
  let slice = $state.raw<Slice>();
  let progress = $state.raw<Progress>();
  let [isCompiling, isMeasuring] = [false, false];
  let isCancelled = $state(false);
  let wantedAxes = firstSlice.axes ?? [];
  let wantedAt = firstSlice.at ?? {};

  /** Intervals of variables that were there: one that comes back has its own again. */
  const seen = new Map<string, Side>();

  const fail = (error: unknown): void => {
    if (!(error instanceof Cancelled)) failure = messageOf(error);
  };

  /** Reads the formula, then compiles it; its variables are on the page before the compilation is done. */
  async function compileNow(text: string, signal: AbortSignal): Promise<void> {
    try {
      const reading = await work("compileRead", text, { signal });
      if (text !== formula) return; // another was loaded meanwhile, and its box is not this one's
      failure = undefined;
      if ("trouble" in reading) {
        trouble = reading.trouble;
        return;
      }
      tex = reading.tex;
      const names = reading.variables;
      if (names.length !== box.length || names.some((name, k) => box[k]!.name !== name))
        box = boxFor(names, [...seen.values(), ...box]);
      for (const side of box) seen.set(side.name, side);
      const wrong = boxTrouble(box);
      if (wrong || !(eps > 0)) {
        trouble = wrong ?? { where: "eps", message: "eps is a positive number" };
        return;
      }
      const problem = { formula: text, box, eps, dtype };
      const compiled = await work("compileFormula", problem, { signal });
      trouble = "trouble" in compiled ? compiled.trouble : undefined;
      if ("trouble" in compiled) return;
      show(compiled);
    } catch (error) {
      fail(error);
    }
  }

  function show(compiled: CompiledView): void {
    result = compiled;
    slice = sliceOf(compiled.problem.box, wantedAxes, wantedAt);
    isMeasuring = true;
    measure.push({ compiled, isSampled: true });
  }

  async function measureNow(
    { compiled, isSampled }: { readonly compiled: CompiledView; readonly isSampled: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { problem, bytes: network, units, nodes } = compiled;
    const input = { problem, network, units, nodes: nodes.length, isSampled, ...(slice && { slice }) };
    const publish = (found: Measured): void => {
      if (result !== compiled) return;
      measured = { ...(measured.of === compiled && measured), ...found, of: compiled };
    };
    try {
      const found = await work("compileMeasure", input, {
        signal,
        onPartial: (value) => publish(value as Measured),
        onProgress: (fraction, note = "") => {
          if (!isCompiling) progress = { note, fraction };
        },
      });
      publish(found);
    } catch (error) {
      fail(error);
    }
  }

  const compile = latest(compileNow, {
    delay: 80,
    patience: 500,
    onBusy: (isBusy) => {
      isCompiling = isBusy;
      progress = isBusy ? { note: "compiling" } : isMeasuring ? { note: "measuring" } : undefined;
    },
  });
  const measure = latest(measureNow, {
    delay: 0,
    patience: 150,
    onBusy: (isBusy) => {
      isMeasuring = isBusy;
      if (!isCompiling) progress = isBusy ? { note: "measuring" } : undefined;
    },
  });

  let typing: ReturnType<typeof setTimeout> | undefined;
  const start = (): void => {
    clearTimeout(typing);
    isCancelled = false;
    compile.push(formula);
  };
  start();

  return {
    get formula() {
      return formula;
    },
    set formula(value: string) {
      formula = value;
      clearTimeout(typing);
      typing = setTimeout(start, pause); // half a word is no mistake
    },
    get box() {
      return box;
    },
    set box(value: readonly Side[]) {
      box = value;
      start();
    },
    get eps() {
      return eps;
    },
    set eps(value: number) {
      eps = value;
      start();
    },
    get dtype() {
      return dtype;
    },
    set dtype(value: Precision) {
      dtype = value;
      start();
    },
    /** All at once. */
    load(problem: Problem, wanted: Partial<Slice> = {}): void {
      ({ formula, box, eps, dtype } = problem);
      wantedAxes = wanted.axes ?? [];
      wantedAt = wanted.at ?? {};
      seen.clear();
      start();
    },
    get problem(): Problem {
      return { formula, box, eps, dtype };
    },
    get tex() {
      return tex;
    },
    get trouble() {
      return trouble;
    },
    get failure() {
      return failure;
    },
    get result() {
      return result;
    },
    get surface(): Surface | undefined {
      return measured.surface;
    },
    /** Of this result; that of the one before is none. */
    get sampled() {
      return measured.of === result ? measured.sampled : undefined;
    },
    get slice() {
      return slice;
    },
    set slice(value: Slice | undefined) {
      slice = value;
      wantedAxes = value?.axes ?? [];
      wantedAt = value?.at ?? {};
      if (result)
        measure.push({ compiled: result, isSampled: !(measured.of === result && measured.sampled) });
    },
    get progress() {
      return progress;
    },
    get isCancelled() {
      return isCancelled;
    },
    cancel(): void {
      isCancelled = true;
      clearTimeout(typing);
      isMeasuring = false;
      compile.cancel();
      measure.cancel();
    },
    restart: start,
  };
}
export type Compilation = ReturnType<typeof createCompilation>;
