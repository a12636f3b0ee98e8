import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { bestInput, bestOutput, criticalResiduals } from "../../landscape/linear/alternating.ts";
import { type Covariances, covariancesOf, regression } from "../../landscape/linear/covariances.ts";
import { criticalWeights } from "../../landscape/linear/critical-points.ts";
import { type Chain, linearRisk } from "../../landscape/linear/linear-risk.ts";
import { doubles, type MatrixOf, matrixAlgebra, rationals } from "../../linear-algebra/matrix-algebra.ts";
import { abs, add, compare, div, type Exact, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { rationalProblem, wholeGauge } from "./rational-problem.ts";

const algebra = matrixAlgebra(rationals);

export default lemma({
  id: "C4-02",
  covers: ["C4-02", "C4-03"],
  kind: "algorithm",
  title: "The risk of a linear network by three covariances, its gradient and its Hessian form",
  source: "Book, chapter 4, (4.14), Lemma 4.1, (4.27)",
  statement: String.raw`\mathcal R = \operatorname{tr}(\Sigma_{yy} - 2 \Sigma_{yx} V U^\top + U V^\top \Sigma_{xx} V U^\top), \quad \nabla^2 \mathcal R[\Delta, \Delta] = 2 \|(U \Delta_V^\top + \Delta_U V^\top) \Sigma_{xx}^{1/2}\|_F^2 + 4 \langle \Delta_U \Delta_V^\top, U V^\top \Sigma_{xx} - \Sigma_{yx} \rangle`,
  parameters: {
    n1: integer({ min: 1, max: 3, default: 2, label: "hidden units" }),
    more: integer({ min: 0, max: 2, default: 1, label: "outputs more than hidden units" }),
    free: integer({ min: 0, max: 1, default: 0, label: "inputs more than outputs" }),
    m: integer({ min: 12, max: 20, default: 12, label: "examples" }),
  },
  claims: {
    "mean of |y - U Vᵀ x|² on ONNX Runtime": equals(
      String.raw`\operatorname{tr}(\Sigma_{yy} - 2 \Sigma_{yx} V U^\top + U V^\top \Sigma_{xx} V U^\top)`,
    ),
    "slope along Δ, from values of the risk": equals(String.raw`\langle \nabla \mathcal R, \Delta \rangle`),
    "second derivative along Δ, from values of the risk": equals(
      String.raw`2 \|(U \Delta_V^\top + \Delta_U V^\top) \Sigma_{xx}^{1/2}\|_F^2 + 4 \langle \Delta_U \Delta_V^\top, U V^\top \Sigma_{xx} - \Sigma_{yx} \rangle`,
    ),
    "the Hessian-vector product, times Δ": equals("the second derivative along Δ"),
    "risk after U C, V C⁻ᵀ": equals("that before"),
    "residuals of (4.16) at a critical point": equals("0"),
    "|Σ P_U - P_U Σ| at a critical point": equals("0"),
    "rise of the risk in ten half steps of alternating least squares": atMost("0"),
    "distance of the columns of U after a sweep from those of Σ U": equals("0"),
    "second derivative, as printed": equals(
      String.raw`\|(U \Delta_V^\top + \Delta_U V^\top) \Sigma_{xx}^{1/2}\|_F^2 + 2 \langle \Delta_U \Delta_V^\top, U V^\top \Sigma_{xx} - \Sigma_{yx} \rangle`,
    ).printed({
      where: "(4.27), with footnote 8 and the risk of (4.13)",
      printed: String.raw`\nabla^2 \mathcal{R}(\mathbf{U}, \mathbf{V})[\Delta, \Delta] = \|(\mathbf{U} \Delta_{\mathbf{V}}^\top + \Delta_{\mathbf{U}} \mathbf{V}^\top) \Sigma_{\mathbf{xx}}^{1/2}\|_F^2 + 2 \langle \Delta_{\mathbf{U}} \Delta_{\mathbf{V}}^\top, \mathbf{U} \mathbf{V}^\top \Sigma_{\mathbf{xx}} - \Sigma_{\mathbf{yx}} \rangle.`,
      corrected: "twice that; the signs, which the proof needs, are the same",
    }),
    "(4.23), its left side against its right": equals("0").printed({
      where: "(4.23)",
      printed: String.raw`\mathbf{P}_\mathbf{U} \Sigma_{\mathbf{yx}} \Sigma_{\mathbf{xx}}^{-1} \Sigma_{\mathbf{xx}} \Sigma_{\mathbf{xy}}^{-1} \mathbf{P}_\mathbf{U} = \Sigma_{\mathbf{yx}} \Sigma_{\mathbf{xx}}^{-1} \Sigma_{\mathbf{xy}} \mathbf{P}_\mathbf{U}`,
      corrected: String.raw`$\Sigma_{xx}^{-1} \Sigma_{xy}$ for $\Sigma_{xy}^{-1}$, which need not even be square`,
    }),
    "|Z Σxx - Σyx| where U and V have full column rank": equals("0").printed({
      where: "sect. 4.3.1, before Lemma 4.1",
      printed: String.raw`When there is no constraint on  $\mathbf{Z}$  (e.g. when  $\mathbf{U}$  and  $\mathbf{V}$  are full column rank), the risk is a convex function of  $\mathbf{Z}$  and the first-order condition for optimality is given by  $\mathbf{Z} \Sigma_{\mathbf{xx}} = \Sigma_{\mathbf{yx}}$ .`,
      corrected: String.raw`there is no constraint on $Z$ where $n_1 \ge \min(n_0, n_2)$; full column rank of $U$ and $V$ with fewer hidden units is one`,
    }),
  },
  mutants: {
    "the form of (4.27)": {
      "second derivative along Δ, from values of the risk": (_, { theory }) => theory / 2,
    },
    "the slope without its 2": {
      "slope along Δ, from values of the risk": (_, { theory }) => theory / 2,
    },
  },
  async run({ n1, more, free, m }, { random, scale, budget }) {
    const n2 = n1 + more;
    const n0 = n2 + free;
    const draw = (rows: number, columns: number, label: string) =>
      Array.from({ length: rows }, (_, i) =>
        Array.from({ length: columns }, (__, j) => random.split(`${label} ${i} ${j}`).integer(-3, 3)),
      );
    const [x, y] = [draw(m, n0, "x"), draw(m, n2, "y")];
    const exact = exactCovariances(x, y);
    const risk = linearRisk(algebra, exact);
    const weights: Chain<Exact> = [draw(n1, n0, "first"), draw(n2, n1, "second")];
    const along: Chain<Exact> = [draw(n1, n0, "along first"), draw(n2, n1, "along second")];
    const { slope, second } = taylor((t) => risk.value(shifted(weights, along, t)));
    const gauge = wholeGauge(n1, random.split("gauge"));
    const turned = [
      algebra.product(algebra.inverse(gauge), weights[0]!),
      algebra.product(weights[1]!, gauge),
    ];
    const form = hessianForm(exact, weights, along);
    return {
      ...(budget !== "cheap" && { figure: await figure({ x, y, weights, along }, toNumber(form)) }),
      claims: {
        "mean of |y - U Vᵀ x|² on ONNX Runtime": checked(
          await meanSquare(weights, x, y),
          risk.value(weights),
          // Whole numbers below 2^20, but for the mean.
          { tolerance: 1e-12 * (1 + toNumber(risk.value(weights))) },
        ),
        "slope along Δ, from values of the risk": proved(slope, innerChain(risk.gradient(weights), along)),
        "second derivative along Δ, from values of the risk": proved(second, form),
        "the Hessian-vector product, times Δ": proved(risk.form(weights, along), second),
        "risk after U C, V C⁻ᵀ": proved(risk.value(turned), risk.value(weights)),
        "second derivative, as printed": proved(second, div(form, 2)),
        ...atCriticalPoint(n0, n1, n2, random),
        ...alternating(covariancesOf(spread(x, random), y), n1, random, scale(10)),
      },
    };
  },
});

/** Both sides of a point, so that the slope drops out: the risk on ONNX Runtime beside the form, and as it is printed. */
async function figure(
  {
    x,
    y,
    weights,
    along,
  }: Readonly<Record<"x" | "y", MatrixOf<number>>> & Readonly<Record<"weights" | "along", Chain<Exact>>>,
  form: number,
): Promise<Figure> {
  const plain = (chain: Chain<Exact>): Chain => chain.map((w) => w.map((row) => row.map(toNumber)));
  const [at, by] = [plain(weights), plain(along)];
  const moved = (t: number): Promise<number> =>
    meanSquare(
      at.map((w, l) => w.map((row, i) => row.map((v, j) => v + t * by[l]![i]![j]!))),
      x,
      y,
    );
  const here = await moved(0);
  const steps = Array.from({ length: 11 }, (_, k) => k / 200);
  const points: (readonly [number, number])[] = [];
  for (const t of steps) points.push([t, ((await moved(t)) + (await moved(-t))) / 2 - here]);
  const parabola = (second: number) => steps.map((t) => [t, (second * t * t) / 2] as const);
  const name = "half of the Hessian form";
  return {
    title: "The risk of a linear network to second order",
    panels: [
      {
        title: "Mean of the risk at W ± t Δ, less that at W",
        x: { label: "t" },
        y: { label: "difference of risks" },
        series: [
          { name, mark: "line", role: "theory", points: parabola(form) },
          { name: "on ONNX Runtime", mark: "dots", like: name, points },
          { name: "half of (4.27) as printed", mark: "line", role: "theory", points: parabola(form / 2) },
        ],
      },
    ],
  };
}

const exactCovariances = (x: MatrixOf<number>, y: MatrixOf<number>): Covariances<Exact> => {
  const { transpose, product, times } = algebra;
  const mean = (a: MatrixOf<Exact>, b: MatrixOf<Exact>) => times(div(1, x.length), product(transpose(a), b));
  return { xx: mean(x, x), yx: mean(y, x), yy: mean(y, y) };
};

const shifted = (weights: Chain<Exact>, along: Chain<Exact>, t: Exact): Chain<Exact> =>
  weights.map((w, l) => algebra.plus(w, algebra.times(t, along[l]!)));

const innerChain = (a: Chain<Exact>, b: Chain<Exact>): Exact =>
  a.map((w, l) => algebra.inner(w, b[l]!)).reduce(add);

/** Derivatives at 0 of a polynomial of degree 4, from five of its values: exact. */
function taylor(value: (t: Exact) => Exact): { readonly slope: Exact; readonly second: Exact } {
  const [a, b, c, d, e] = [-2, -1, 0, 1, 2].map(value) as [Exact, Exact, Exact, Exact, Exact];
  const slope = div(sub(mul(8, sub(d, b)), sub(e, a)), 12);
  const second = div(sub(mul(16, add(b, d)), add(add(a, e), mul(30, c))), 12);
  return { slope, second };
}

/** 2 |(U D_V^T + D_U V^T) Sxx^(1/2)|^2 + 4 <D_U D_V^T, E>, as it is written. */
function hessianForm({ xx, yx }: Covariances<Exact>, weights: Chain<Exact>, along: Chain<Exact>): Exact {
  const { product, plus, minus, inner } = algebra;
  const [[vt, u], [dvt, du]] = [weights, along] as unknown as [MatrixOf<Exact>[], MatrixOf<Exact>[]];
  const moving = plus(product(u!, dvt!), product(du!, vt!));
  const residual = minus(product(u!, vt!, xx), yx);
  return add(mul(2, inner(product(moving, xx), moving)), mul(4, inner(product(du!, dvt!), residual)));
}

async function meanSquare(weights: Chain<Exact>, x: MatrixOf<number>, y: MatrixOf<number>): Promise<number> {
  const net = denseNetwork(
    weights.map((w) => ({ W: w.map((row) => row.map(toNumber)) })),
    "linear",
  );
  const found = numbers((await run(net, { x: tensor(x) }, { threads: 1 }))["y"]!);
  return y.flat().reduce((sum, t, k) => sum + (t - found[k]!) ** 2, 0) / x.length;
}

/** Lemma 4.1 and what is printed around it, at the second class of a rational problem. */
function atCriticalPoint(n0: number, n1: number, n2: number, random: Random) {
  const { covariances, vectors } = rationalProblem(n0, n2, random.split("critical"));
  const rows = vectors.slice(n2 - n1);
  const gauge = wholeGauge(n1, random.split("critical gauge"));
  const [vt, u] = criticalWeights(algebra, covariances, { vectors: rows, gauge }) as [
    MatrixOf<Exact>,
    MatrixOf<Exact>,
  ];
  const { xx, yx } = covariances;
  const { product, minus, transpose, inverse } = algebra;
  const [v, ut, xy] = [transpose(vt), transpose(u), transpose(yx)];
  const projector = product(u, inverse(product(ut, u)), ut);
  const sigma = product(regression(algebra, covariances), xy);
  const residuals = [
    minus(product(u, vt, xx, v), product(yx, v)),
    minus(product(xx, v, ut, u), product(xy, u)),
  ];
  const both =
    n0 === n2 ? minus(product(projector, yx, inverse(xy), projector), product(sigma, projector)) : undefined;
  return {
    "residuals of (4.16) at a critical point": proved(residuals.map(largest).reduce(add), 0),
    "|Σ P_U - P_U Σ| at a critical point": proved(
      largest(minus(product(sigma, projector), product(projector, sigma))),
      0,
    ),
    "|Z Σxx - Σyx| where U and V have full column rank": proved(largest(minus(product(u, vt, xx), yx)), 0),
    ...(both && { "(4.23), its left side against its right": proved(largest(both), 0) }),
  };
}

const largest = (a: MatrixOf<Exact>): Exact =>
  a.flat().reduce<Exact>((most, x) => (compare(abs(x), most) > 0 ? abs(x) : most), 0);

/** Inputs with a covariance that is far from singular: small whole numbers may be anything. */
const spread = (x: MatrixOf<number>, random: Random): MatrixOf<number> =>
  x.map((row, i) => row.map((v, j) => v + 4 * random.split(`spread ${i} ${j}`).normal()));

function alternating(covariances: Covariances, n1: number, random: Random, sweeps: number) {
  const { product, transpose, inverse, minus } = matrixAlgebra(doubles);
  const risk = linearRisk(matrixAlgebra(doubles), covariances);
  const start = Array.from({ length: covariances.yy.length }, () => [...random.split("als").normal(n1)]);
  const second = start.map((row, i) => row.map((u, k) => u + (i === k ? 2 : 0)));
  let weights: Chain = bestInput(covariances, [[[]], second]);
  let [rise, last] = [Number.NEGATIVE_INFINITY, risk.value(weights)];
  const projector = (u: MatrixOf<number>) => product(u, inverse(product(transpose(u), u)), transpose(u));
  const sigma = product(regression(matrixAlgebra(doubles), covariances), transpose(covariances.yx));
  const swept = bestOutput(covariances, weights)[1]!;
  const distance = Math.hypot(...minus(projector(swept), projector(product(sigma, second))).flat());
  for (let k = 0; k < Math.max(5, Math.min(10, sweeps)); k++) {
    for (const step of [bestOutput, bestInput]) {
      weights = step(covariances, weights);
      const value = risk.value(weights);
      rise = Math.max(rise, value - last);
      last = value;
    }
  }
  const total = covariances.yy.reduce((sum, row, i) => sum + row[i]!, 0);
  const condition = criticalResiduals(covariances, weights).output;
  return {
    "rise of the risk in ten half steps of alternating least squares": checked(rise, 0, {
      tolerance: 1e-10 * total,
    }),
    // Two inversions of small matrices: their condition is not bounded, hence the room.
    ...(Number.isFinite(condition) && {
      "distance of the columns of U after a sweep from those of Σ U": checked(distance, 0, {
        tolerance: 1e-6,
      }),
    }),
  };
}
