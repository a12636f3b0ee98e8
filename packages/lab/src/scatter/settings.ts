// What is asked of the page of scattering, and how its link says it.
import { type SignalName, signalNames } from "./source.ts";

export interface Settings {
  readonly kind: "signal" | "picture";
  readonly signal: SignalName;
  /** J: averages are 2^J wide. */
  readonly scale: number;
  /** The greatest slope of the deformation, in percent; its waves; a shift in samples; noise in percent of the signal. */
  readonly slope: number;
  readonly waves: number;
  readonly shift: number;
  readonly noise: number;
  readonly averages: "local" | "global";
}

export const defaults: Settings = {
  ...{
    kind: "signal",
    signal: "packet",
    scale: 4,
    slope: 15,
    waves: 1,
    shift: 0,
    noise: 0,
    averages: "local",
  },
};

export const scales = { signal: { min: 1, max: 6 }, picture: { min: 1, max: 4 } } as const;
export const ranges = {
  slope: { min: 0, max: 60 },
  waves: { min: 1, max: 4 },
  shift: { min: 0, max: 16 },
  noise: { min: 0, max: 50 },
} as const;

const within = (
  text: string | undefined,
  { min, max }: { min: number; max: number },
  usual: number,
): number => {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : usual;
};

export function fromQuery(query: Readonly<Record<string, string>>): Settings {
  const kind = query["kind"] === "picture" ? "picture" : "signal";
  return {
    kind,
    signal: signalNames.find((name) => name === query["signal"]) ?? defaults.signal,
    scale: within(query["J"], scales[kind], kind === "picture" ? 3 : defaults.scale),
    slope: within(query["slope"], ranges.slope, defaults.slope),
    waves: within(query["waves"], ranges.waves, defaults.waves),
    shift: within(query["shift"], ranges.shift, defaults.shift),
    noise: within(query["noise"], ranges.noise, defaults.noise),
    averages: query["averages"] === "global" ? "global" : "local",
  };
}

/** What is not as usual. */
export function toQuery(settings: Settings): Record<string, string> {
  const usual = fromQuery({ kind: settings.kind });
  const said = (name: keyof Settings, key: string): Record<string, string> =>
    settings[name] === usual[name] ? {} : { [key]: String(settings[name]) };
  return {
    ...(settings.kind === "picture" ? { kind: "picture" } : said("signal", "signal")),
    ...said("scale", "J"),
    ...said("slope", "slope"),
    ...said("waves", "waves"),
    ...said("shift", "shift"),
    ...said("noise", "noise"),
    ...said("averages", "averages"),
  };
}
