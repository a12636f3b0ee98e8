// Local polynomials: time and memory to build and certify a network for a smooth function, against accuracy and
// dimension, in both layouts; and by which power of 1/eps the weights grow from one accuracy to the next (theory: d/r).
import { type SobolevLayout, sobolevApproximation } from "@lemmata/core/approximate";

interface Case {
  readonly formula: string;
  readonly names: readonly string[];
  readonly layout: SobolevLayout;
  readonly order: number;
  readonly errors: readonly number[];
}

const cases: readonly Case[] = [
  { formula: "sin(4*x)", names: ["x"], layout: "table", order: 3, errors: [1e-2, 1e-4, 1e-6, 1e-8] },
  { formula: "sin(4*x)", names: ["x"], layout: "products", order: 3, errors: [1e-2, 1e-4, 1e-6] },
  {
    formula: "exp(-x^2-y^2)",
    names: ["x", "y"],
    layout: "table",
    order: 2,
    errors: [1e-1, 1e-2, 1e-3, 1e-4],
  },
  {
    formula: "exp(-x^2-y^2)",
    names: ["x", "y"],
    layout: "table",
    order: 4,
    errors: [1e-2, 1e-3, 1e-4, 1e-5],
  },
  { formula: "exp(-x^2-y^2)", names: ["x", "y"], layout: "products", order: 4, errors: [1e-1, 1e-2, 1e-3] },
  {
    formula: "sin(x+y)*cos(z)",
    names: ["x", "y", "z"],
    layout: "table",
    order: 3,
    errors: [1e-1, 1e-2, 1e-3],
  },
  {
    formula: "sin(x+y)*cos(z+w)",
    names: ["x", "y", "z", "w"],
    layout: "table",
    order: 3,
    errors: [1, 1e-1, 3e-2],
  },
];

const megabytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

for (const { formula, names, layout, order, errors } of cases) {
  console.log(`${formula} on [0, 1]^${names.length}, ${layout}, order ${order}`);
  const box = names.map((name) => ({ name, lower: 0, upper: 1 }));
  let before: { readonly eps: number; readonly nonzeros: number } | undefined;
  for (const eps of errors) {
    const [start, used] = [performance.now(), megabytes()];
    const { certificate, cells, levels, units, depth, nonzeros } = sobolevApproximation({
      formula,
      box,
      eps,
      layout,
      order,
    });
    const seconds = ((performance.now() - start) / 1000).toFixed(2);
    const growth = before ? Math.log(nonzeros / before.nonzeros) / Math.log(before.eps / eps) : Number.NaN;
    console.log(
      [
        `  eps ${eps.toExponential(0)}`,
        `certified ${certificate.runError.toExponential(2)}`,
        `cells ${cells}, levels ${levels}`,
        `${units} units, ${depth} layers, ${nonzeros} weights`,
        `${seconds} s`,
        `${Math.max(0, megabytes() - used).toFixed(0)} MB`,
        ...(before ? [`growth ${growth.toFixed(2)} (theory ${(names.length / order).toFixed(2)})`] : []),
      ].join("; "),
    );
    before = { eps, nonzeros };
  }
}
