// Paths between two networks, as text, as JSON and as a figure.
import type { Figure } from "@lemmata/core/figure";
import type { LandscapePaths, PathProfile } from "@lemmata/core/landscape";
import { directedNumber } from "@lemmata/core/numbers";
import { counted, number, table } from "./output.ts";

const digits = (value: number): string => number(Number(value.toPrecision(4)));
const curveNames = { bezier: "trained Bézier curve", polygon: "trained polygon" } as const;

/** Each path with its name. */
const named = ({ line, aligned, curves, constructive }: LandscapePaths): readonly [string, PathProfile][] => [
  ["straight line", line],
  ["line, units in the same order", aligned],
  ...(["bezier", "polygon"] as const).flatMap((kind): [string, PathProfile][] =>
    curves[kind] ? [[curveNames[kind], curves[kind]]] : [],
  ),
  ...(constructive ? [["through halves of the neurons", constructive] as [string, PathProfile]] : []),
];

export function pathsRecord(paths: LandscapePaths) {
  const { line, aligned, curves, constructive, ...rest } = paths;
  const found = Object.values(curves).map(({ barrier }) => barrier);
  return {
    barrier: {
      line: line.barrier,
      aligned: aligned.barrier,
      ...(found.length > 0 ? { curve: Math.min(...found) } : {}),
      ...(constructive ? { constructive: constructive.barrier } : {}),
    },
    ...(constructive ? { certificate: constructive.certificate } : {}),
    ...rest,
    profiles: {
      line: line.points,
      aligned: aligned.points,
      ...Object.fromEntries(Object.entries(curves).map(([kind, { points }]) => [kind, points])),
      ...(constructive ? { constructive: constructive.points } : {}),
    },
    strength: "sampled",
  };
}

export function pathsText(
  paths: LandscapePaths,
  { loss, decay }: { readonly loss: string; readonly decay: number },
): string {
  const { weights, examples, ends, distance, constructive } = paths;
  const penalty = decay > 0 ? ` + ${digits(decay)}/2 |w|²` : "";
  const rows = named(paths).map(([name, { barrier, points, isMonotone }]) => [
    name,
    digits(barrier),
    digits(Math.max(...points.map(([, value]) => value))),
    isMonotone ? "never rises" : "",
  ]);
  const bound = constructive
    ? [
        `through halves of the neurons no place is above ${directedNumber(constructive.certificate.greatest, "up", 4)}: a barrier of at most ${directedNumber(constructive.certificate.barrier, "up", 4)}`,
      ]
    : [];
  return [
    `${counted(weights, "weight")}, ${counted(examples, "example")}; ${loss} loss${penalty} ${digits(ends[0])} and ${digits(ends[1])} at the ends`,
    `distance of the weights ${digits(distance.line)}, ${digits(distance.aligned)} with units in the same order`,
    "",
    table(["path", "barrier", "highest", ""], rows, [1, 2]),
    ...(bound.length > 0 ? ["", ...bound] : []),
  ].join("\n");
}

/** Profiles side by side; on a logarithmic axis where one is much higher than the others. */
export function pathsFigure(paths: LandscapePaths): Figure {
  const all = named(paths);
  const values = all.flatMap(([, { points }]) => points.map(([, value]) => value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return {
    title: "From one network to the other",
    panels: [
      {
        title: `Ends at ${digits(paths.ends[0])} and ${digits(paths.ends[1])}`,
        x: { label: "way from the first network to the second" },
        y: { label: "objective", ...(low > 0 && high > 20 * low ? { scale: "log" as const } : {}) },
        series: all.map(([name, { points, barrier }]) => ({
          name: `${name}, barrier ${digits(barrier)}`,
          mark: "line",
          points,
        })),
      },
    ],
  };
}
