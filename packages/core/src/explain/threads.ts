// Small networks run on one thread: others would only wait for them, and wait busily.
import type { SessionOptions } from "../engine/session.ts";
import type { Graph } from "../graph/graph.ts";

const smallWeights = 2 ** 20;

export function threadsFor({ initializers }: Graph): SessionOptions {
  const weights = [...initializers.values()].reduce(
    (sum, { dims }) => sum + dims.reduce((n, d) => n * d, 1),
    0,
  );
  return weights < smallWeights ? { threads: 1 } : {};
}
