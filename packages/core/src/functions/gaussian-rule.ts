// Expectations over a standard normal number by quadrature, together with the normalized Hermite polynomials at its nodes.

/** Nodes beyond this carry less than 1e-21 of the weight. */
const reach = 9.6;
/** The ends of the panels on the right of 0: finer where a steep function turns. */
const ends = [0.004, 0.02, 0.08, 0.24, 0.6, ...Array.from({ length: 15 }, (_, k) => 1.2 + 0.6 * k)];

type NodesAndWeights = readonly (readonly [number, number])[];
const known = new Map<number, NodesAndWeights>();

/**
 * Nodes and weights of Gauss and Legendre on [-1, 1], by Newton's method on the Legendre polynomial.
 * @example gaussLegendre(2).map(([x]) => (3 * x * x).toFixed(12)) // ["1.000000000000", "1.000000000000"]
 */
export function gaussLegendre(order: number): NodesAndWeights {
  const found = known.get(order) ?? legendre(order);
  known.set(order, found);
  return found;
}

function legendre(order: number): NodesAndWeights {
  return Array.from({ length: order }, (_, k) => {
    let x = Math.cos((Math.PI * (k + 0.75)) / (order + 0.5));
    let slope = 1;
    for (let step = 0; step < 100; step++) {
      let [last, value] = [1, x];
      for (let m = 1; m < order; m++) [last, value] = [value, ((2 * m + 1) * x * value - m * last) / (m + 1)];
      slope = (order * (x * value - last)) / (x * x - 1);
      const change = value / slope;
      x -= change;
      if (Math.abs(change) < 1e-16) break;
    }
    return [x, 2 / ((1 - x * x) * slope * slope)] as const;
  });
}

export interface GaussianRule {
  readonly nodes: Float64Array;
  /** Times the density: they sum to 1. */
  readonly weights: Float64Array;
}

/**
 * Nodes and weights for E f(x), x ~ N(0, 1): panels of Gauss and Legendre that end where f has a kink.
 * @example gaussianRule([], 16).weights.reduce((a, b) => a + b) // 1
 */
export function gaussianRule(kinks: readonly number[], order: number): GaussianRule {
  const inside = kinks.filter((x) => Math.abs(x) < reach);
  const edges = [...new Set([...ends.map((x) => -x), 0, ...ends, ...inside])].sort((a, b) => a - b);
  const base = gaussLegendre(order);
  const nodes = new Float64Array((edges.length - 1) * order);
  const weights = new Float64Array(nodes.length);
  for (let e = 0; e + 1 < edges.length; e++) {
    const [centre, radius] = [(edges[e]! + edges[e + 1]!) / 2, (edges[e + 1]! - edges[e]!) / 2];
    base.forEach(([x, w], k) => {
      const node = centre + radius * x;
      nodes[e * order + k] = node;
      weights[e * order + k] = (radius * w * Math.exp((-node * node) / 2)) / Math.sqrt(2 * Math.PI);
    });
  }
  return { nodes, weights };
}

/**
 * The normalized Hermite polynomials h_0 .. h_(terms - 1) at the nodes, times the weights, a row a node:
 * sqrt(k + 1) h_(k+1) = x h_k - sqrt(k) h_(k-1).
 */
export function weightedHermite({ nodes, weights }: GaussianRule, terms: number): Float64Array {
  const rows = new Float64Array(nodes.length * terms);
  for (let q = 0; q < nodes.length; q++) {
    let [last, value] = [0, weights[q]!];
    for (let k = 0; k < terms; k++) {
      rows[q * terms + k] = value;
      [last, value] = [value, (nodes[q]! * value - Math.sqrt(k) * last) / Math.sqrt(k + 1)];
    }
  }
  return rows;
}
