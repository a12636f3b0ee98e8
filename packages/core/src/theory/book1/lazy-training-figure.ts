// The panels of Fig. 1.16, and how what they show depends on the width.

import type { Figure, Panel, Series } from "../../figure/figure.ts";
import type { LemmaTable } from "../lemma.ts";
import { inputs, type LazilyTrained, labels } from "./lazily-trained.ts";

/** At most about 200 points a curve. */
const thinned = (values: readonly number[]): readonly (readonly [number, number])[] => {
  const every = Math.max(1, Math.floor(values.length / 200));
  return values.map((v, k) => [k, v] as const).filter(([k]) => k % every === 0 || k === values.length - 1);
};

/** Four networks of those that were trained, from the narrowest to the widest. */
const chosen = (all: readonly LazilyTrained[]): readonly LazilyTrained[] =>
  all.length <= 4 ? all : [0, 1, 2, 3].map((k) => all[Math.round((k * (all.length - 1)) / 3)]!);

export const lazyTrainingFigure = (all: readonly LazilyTrained[], y: number): Figure => ({
  title: "Lazy training: the wider the network, the less it moves",
  panels: [relative(all), functions(all, y), risks(all), byWidth(all)],
});

const relative = (all: readonly LazilyTrained[]): Panel => ({
  title: "Relative distance",
  x: { label: "step" },
  y: { label: "‖Θ(k) - Θ‖ / ‖Θ‖", scale: "log" },
  series: chosen(all).map(({ n, relative: distances }) => ({
    name: `${n} neurons`,
    mark: "line",
    role: "measured",
    points: thinned(distances).filter(([, v]) => v > 0),
  })),
});

const functions = (all: readonly LazilyTrained[], y: number): Panel => ({
  title: "Trained networks",
  x: { label: "x" },
  y: { label: "Φ(x)" },
  series: [
    ...chosen(all).map(
      ({ n, curve }): Series => ({ name: `${n} neurons`, mark: "line", role: "measured", points: curve }),
    ),
    {
      name: `tangent kernel of the start, ${all.at(-1)!.n} neurons`,
      mark: "line",
      role: "theory",
      points: all.at(-1)!.regression,
    },
    { name: "data", mark: "dots", points: labels(y).map((v, i) => [inputs[i]!, v]) },
  ],
});

function risks(all: readonly LazilyTrained[]): Panel {
  const last = all.at(-1)!;
  const promised = last.certificate?.promised;
  return {
    title: "Risk",
    x: { label: "step" },
    y: { label: "r(k)", scale: "log" },
    series: [
      ...chosen(all).map(
        ({ n, risks: values }): Series => ({
          name: `${n} neurons`,
          mark: "line",
          role: "measured",
          points: thinned(values),
        }),
      ),
      ...(promised
        ? [
            {
              name: `certified, ${last.n} neurons`,
              mark: "line" as const,
              role: "theory" as const,
              points: thinned(last.risks.map((_, k) => last.risks[0]! * promised.factor ** k)),
            },
          ]
        : []),
    ],
  };
}

function byWidth(all: readonly LazilyTrained[]): Panel {
  const certified = all.flatMap(({ n, certificate }) =>
    certificate?.promised ? [[n, certificate.promised.radius] as const] : [],
  );
  return {
    title: "Distance by width",
    x: { label: "neurons n", scale: "log" },
    y: { label: "distance", scale: "log" },
    series: [
      {
        name: "gradient descent",
        mark: "dots",
        role: "measured",
        points: all.map(({ n, travel }) => [n, travel]),
      },
      {
        name: "the linear model",
        mark: "line",
        role: "theory",
        points: all.map(({ n, travel, travelOverLinear }) => [n, travel / travelOverLinear]),
      },
      ...(certified.length > 0
        ? [{ name: "certified radius", mark: "line" as const, role: "theory" as const, points: certified }]
        : []),
      {
        name: "greatest distance of functions to the linear model",
        mark: "dots",
        role: "measured",
        points: all.map(({ n, gap }) => [n, gap]),
      },
    ],
  };
}

export const lazyTrainingTable = (all: readonly LazilyTrained[]): LemmaTable => ({
  title: "By width",
  columns: [
    "neurons",
    "steps",
    "risk left",
    "relative distance",
    "distance",
    "of the linear model's",
    "certified radius",
    "to the linear model",
  ],
  rows: all.map(({ n, risks: values, relative: distances, travel, travelOverLinear, gap, certificate }) => [
    n,
    values.length - 1,
    (values.at(-1)! / values[0]!).toPrecision(2),
    distances.at(-1)!.toPrecision(3),
    travel.toPrecision(3),
    travelOverLinear.toPrecision(3),
    certificate?.promised?.radius.toPrecision(3) ?? "-",
    gap.toPrecision(2),
  ]),
});
