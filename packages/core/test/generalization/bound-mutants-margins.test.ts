// Bounds by margins, norms and covering numbers, and damages to them.
import { describe } from "vitest";
import { agrees, type Bounds, base, delta, n, noticesDamage, type Trial } from "./bound-mutants.ts";
import { levelFor, twiceMcDiarmid } from "./bounds-by-hand.ts";
import { damages } from "./damaged-module.ts";

const margins = Float64Array.from({ length: n }, (_, k) => -0.2 + (2.4 * ((k * 37) % n)) / n);
const lossAt = (margin: number): number => margins.filter((t) => t <= margin).length / n;
const norms = {
  ...{ spectralNorms: [1.7, 2.3, 0.9], frobeniusNorms: [2.4, 3.1, 1.3], rowNormSums: [6, 8, 2.2] },
  ...{ widths: [7, 11, 5, 3], dataNorm: 40, inputRadius: 2.5, biasFree: true, homogeneous: true, relu: true },
};
const at = { margin: 1.3, marginLoss: lossAt(1.3) };
const product = (v: readonly number[]): number => v.reduce((p, q) => p * q, 1);

/** Certified covering numbers: how far outputs move with the parameters, cells of the grid, sorted biases. */
function logCover(widths: readonly number[], B: number, radius: number, eps: number): number {
  let [largest, moved] = [radius, 0];
  widths.slice(1).forEach((_, l) => {
    const fan = l === 0 ? Math.sqrt(widths[0]!) : widths[l]!;
    [moved, largest] = [fan * B * moved + fan * largest + 1, fan * B * largest + B];
  });
  const cells = Math.max(1, Math.ceil((B * moved) / eps));
  const hidden = widths.slice(1, -1);
  const parameters = widths.slice(1).reduce((s, d, l) => s + d * (widths[l]! + 1), 0);
  const multisets = (d: number): number => {
    let log = 0;
    for (let k = 1; k <= d; k++) log += Math.log((cells + k - 1) / k);
    return log;
  };
  const free = parameters - hidden.reduce((a, b) => a + b, 0);
  return free * Math.log(cells) + hidden.reduce((s, d) => s + multisets(d), 0);
}

const byMargins: Trial<Bounds> = {
  entry: "generalization/bounds/index.ts",
  check: ({
    normMarginBound,
    depthFreeFactor,
    exponentialDepthFactor,
    spectralMarginBound,
    pacBayesMarginBound,
    coveringMarginBound,
    rademacherMarginBound,
    bestOverMargins,
    tightestBound,
  }) => {
    agrees(
      rademacherMarginBound({ ...base, ...at, complexity: 0.02 }).value,
      at.marginLoss + 0.04 / 1.3 + twiceMcDiarmid(n, delta),
    );
    for (const outputs of [1, 3]) {
      const { level, cost } = levelFor(product(norms.frobeniusNorms) / 1.3, "all");
      const complexity = (level * 40) / n;
      const factor = outputs === 1 ? 2 : 4 * outputs;
      const rest = at.marginLoss + twiceMcDiarmid(n, delta / cost);
      const o = { ...norms, ...base, ...at, outputs };
      agrees(
        normMarginBound({ ...o, depthFactor: exponentialDepthFactor }).value,
        rest + factor * 4 * complexity,
      );
      const free = 1 + Math.sqrt(2 * Math.log(2) * 2);
      agrees(
        normMarginBound({ ...o, depthFactor: depthFreeFactor }).value,
        rest + factor * free * complexity,
      );
      agrees(normMarginBound(o).value, rest + factor * Math.min(4, free) * complexity);
    }
    const scale = levelFor(product(norms.spectralNorms) / 1.3, "all");
    const ratios = norms.rowNormSums.map((b, i) => levelFor(b / norms.spectralNorms[i]!, "one"));
    const R = scale.level * ratios.reduce((s, r) => s + Math.cbrt(r.level ** 2), 0) ** 1.5;
    const cost = scale.cost * product(ratios.map((r) => r.cost));
    agrees(
      spectralMarginBound({ ...norms, ...base, ...at }).value,
      at.marginLoss +
        8 / n +
        (24 * Math.sqrt(10) * Math.log(n) * 40 * Math.sqrt(Math.log(2 * 11 * 11)) * R) / n +
        twiceMcDiarmid(n, delta / cost),
    );
    const ranks = norms.frobeniusNorms.reduce((s, f, i) => s + (f / norms.spectralNorms[i]!) ** 2, 0);
    const reach = (42 * Math.E * 3 * 2.5 * product(norms.spectralNorms)) / 1.3;
    const K = (reach * reach * 11 * Math.log(4 * 3 * 11) * ranks) / 2;
    const levels = Math.ceil(3 * n ** (1 / 6));
    agrees(
      pacBayesMarginBound({ ...norms, ...base, ...at }).value,
      at.marginLoss + 4 * Math.sqrt((K + Math.log((6 * n * levels) / delta)) / (n - 1)),
    );
    // Great spectral norms hide the second term: once more with tiny ones.
    const small = { ...norms, spectralNorms: [1e-3, 1e-3, 1e-3], frobeniusNorms: [1e-3, 1e-3, 1e-3] };
    agrees(
      pacBayesMarginBound({ ...small, ...base, ...at }).value,
      at.marginLoss +
        4 *
          Math.sqrt(
            (K * (1e-9 / product(norms.spectralNorms)) ** 2 * (3 / ranks) +
              Math.log((6 * n * levels) / delta)) /
              (n - 1),
          ),
    );
    for (const outputs of [1, 3]) {
      const widths = [2, 3, outputs];
      const networks = { widths, B: 1.4, inputRadius: 2.5, activation: "relu" as const };
      const [size, steep] = [levelFor(1.4, "all"), levelFor(1 / 1.3, "all")];
      const share = Math.log((size.cost * steep.cost) / delta);
      const L = (outputs === 1 ? 1 : 2) * steep.level;
      let least = Number.POSITIVE_INFINITY;
      for (let k = -80; k <= 8; k++) {
        const eps = Math.sqrt(2) ** k / L;
        least = Math.min(
          least,
          2 * L * eps + Math.sqrt((logCover(widths, size.level, 2.5, eps) + share) / (2 * n)),
        );
      }
      agrees(coveringMarginBound({ ...base, ...at, networks }).value, at.marginLoss + least, 1e-6);
    }
    // The least of what the margins of the sample allow, which all hold at once.
    const bound = (m: { margin: number; marginLoss: number }) =>
      normMarginBound({ ...norms, ...base, ...m, dataNorm: 0.1, outputs: 1 });
    const counted: number[] = [];
    const tried: number[] = [];
    const best = bestOverMargins(margins, (m) => {
      counted.push(m.marginLoss - lossAt(m.margin));
      tried.push(bound(m).value!);
      return bound(m);
    }).value;
    agrees(best, Math.min(...tried));
    if (counted.some((c) => Math.abs(c) > 1e-12)) throw new Error("a margin loss is not that of its margin");
    const made = [0.3, 0.2].map((value) => ({ ...bound(at), value, delta: 0.01 }));
    const chosen = tightestBound(made)!;
    agrees(chosen.delta, 0.02);
    agrees(chosen.value, 0.2);
  },
  mutants: [
    ...damages(
      "generalization/bounds/margin.ts",
      ["3 * Math.sqrt(Math.log(2 / delta) / (2 * n))", "Math.sqrt(Math.log(2 / delta) / (2 * n))"],
      ["3 * Math.sqrt(Math.log(2 / delta) / (2 * n))", "3 * Math.sqrt(Math.log(1 / delta) / (2 * n))"],
      ["(2 / o.margin) * o.complexity", "(1 / o.margin) * o.complexity"],
      ["(2 / o.margin) * o.complexity", "2 * o.margin * o.complexity"],
      ["gridLevel(product / o.margin)", "gridLevel(product)"],
      ["o.outputs === 1 ? 2 : 4 * o.outputs", "2"],
      ["o.outputs === 1 ? 2 : 4 * o.outputs", "o.outputs === 1 ? 2 : 4"],
      ["o.marginLoss + factor * complexity", "factor * complexity"],
      ["empiricalDeviation(o.n, o.delta / cost)", "empiricalDeviation(o.n, o.delta)"],
    ),
    ...damages(
      "generalization/bounds/rademacher-norm.ts",
      ["2 ** (depth - 1)", "2 ** depth"],
      ["(absolute ? depth : depth - 1)) + 1", "(absolute ? depth : depth - 1))"],
      ["2 * Math.LN2 * (absolute", "2 * (absolute"],
      ["normProduct * dataNorm) / n", "normProduct * dataNorm) / Math.sqrt(n)"],
      ["Math.min(exponentialDepthFactor(depth), depthFreeFactor(depth))", "1"],
    ),
    ...damages(
      "generalization/bounds/union-grid.ts",
      ["cost: 1.5 * (size + 1) * (size + 2)", "cost: 1"],
      ["cost: 1.5 * (size + 1) * (size + 2)", "cost: (size + 1) * (size + 2)"],
      ["cost: (k + 1) * (k + 2)", "cost: 1"],
      ["return { level: gridRatio ** k, cost: 1.5", "return { level: value, cost: 1.5"],
    ),
    ...damages(
      "generalization/bounds/spectral-margin.ts",
      ["24 * Math.SQRT2 * Math.sqrt(5)", "24 * Math.sqrt(5)"],
      ["sum + r ** (2 / 3), 0) ** 1.5", "sum + r, 0)"],
      ["8 / o.n + complexity", "complexity"],
      ["Math.sqrt(Math.log(2 * W * W))", "Math.log(2 * W * W)"],
      ["* Math.log(o.n) * o.dataNorm", "* o.dataNorm"],
      ["gridLevel(product / o.margin)", "gridLevel(product)"],
      ["o.delta / cost", "o.delta"],
      ["o.marginLoss + 8", "8"],
      ["gridLevelFromOne(b / o.spectralNorms[i]!)", "gridLevelFromOne(b)"],
    ),
    ...damages(
      "generalization/bounds/pac-bayes-margin.ts",
      ["42 * Math.E * L", "42 * L"],
      ["/ o.margin;", ";"],
      ["reach ** 2 * h", "reach * h"],
      ["Math.log(4 * L * h)", "Math.log(4 * h)"],
      ["(f / o.spectralNorms[i]!) ** 2", "f ** 2"],
      ["* ranks) / 2", "* ranks)"],
      ["Math.ceil(L * o.n ** (1 / (2 * L)))", "1"],
      ["/ (o.n - 1))", "/ o.n)"],
      ["4 * Math.sqrt((K", "Math.sqrt((K"],
      ["(6 * o.n * levels) / o.delta", "levels / o.delta"],
      ["* o.inputRadius * product", "* product"],
    ),
    ...damages(
      "generalization/bounds/covering-bound.ts",
      ["Math.log((size.cost * steepness.cost) / delta)", "Math.log(1 / delta)"],
      ["=== 1 ? 1 : 2) * steepness.level", "=== 1 ? 1 : 1) * steepness.level"],
      ["2 * lipschitz * eps + deviation", "deviation"],
      ["+ share) / (2 * n)", "+ share) / n"],
      ["return marginLoss + least;", "return least;"],
      ["{ ...networks, B: size.level }", "networks"],
    ),
    ...damages(
      "generalization/covering.ts",
      ["Math.sqrt(widths[0]!) : widths[l]!;\n    const isLast", "1 : widths[l]!;\n    const isLast"],
      ["fan * (B * moved + largest) + 1", "fan * (B * moved + largest)"],
      ["(S - units) * Math.log(cells) + sorted", "(S - units) * Math.log(cells)"],
      ["Math.ceil(((B * lipschitz) / eps) * roundedUp)", "Math.ceil((lipschitz / eps) * roundedUp)"],
    ),
    ...damages(
      "generalization/bounds/classifier-bounds.ts",
      [
        "{ margin, marginLoss: countBelow(sorted, (t) => t <= margin) / n }",
        "{ margin, marginLoss: countBelow(sorted, (t) => t < 0) / n }",
      ],
      [
        "{ margin, marginLoss: countBelow(sorted, (t) => t <= margin) / n }",
        "{ margin, marginLoss: countBelow(sorted, (t) => t < margin) / n }",
      ],
      ["marginLoss: countBelow(sorted, (t) => t <= margin * (1 - 2 ** -40)) / n", "marginLoss: 0"],
    ),
    ...damages("generalization/bounds/bound.ts", ["sum + bound.delta, 0", "Math.max(sum, bound.delta), 0"]),
  ],
};

describe("margins, norms and covering numbers", () => noticesDamage(byMargins));
