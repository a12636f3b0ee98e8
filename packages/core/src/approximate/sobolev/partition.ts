// The partition of unity by products of hats, with truly local supports.

import type { Graph } from "../../graph/graph.ts";
import { form } from "../../networks/circuit/form.ts";
import { SobolevError } from "./error.ts";
import { runStage } from "./gate-stage.ts";
import { LayerWriter, type UnitRow } from "./layer-writer.ts";
import { BumpProducts } from "./layout-products.ts";
import { stageOf } from "./monomial-tasks.ts";

export interface PartitionOfUnity {
  readonly network: Graph;
  readonly units: number;
  /** |sum of all outputs - 1| is at most this in real arithmetic. */
  readonly sumError: number;
  /** Each output is off by at most this when the network runs in doubles, besides its own error. */
  readonly rounding: number;
}

/**
 * Hats h(x_1 - v_1) ... h(x_d - v_d) around all v of {0, 1/s, ..., 1}^d, one output each, the last axis first to change.
 * The products are exactly zero where a factor is, so an output vanishes off |x - v| <= 1/s; their sum is
 * within 2^d (d - 1) 4^-(levels+1) of 1.
 * @example partitionOfUnity(2, 4, 3).network.name // "partition_of_unity"
 */
export function partitionOfUnity(dimension: number, s: number, levels: number): PartitionOfUnity {
  if (!(s >= 1 && dimension >= 1 && (s + 1) ** dimension <= 2 ** 16))
    throw new SobolevError(`a partition has from 2 to ${2 ** 16} elements, not (${s} + 1)^${dimension}`);
  const writer = new LayerWriter(Array.from({ length: dimension }, () => ({ lower: 0, upper: 1 })));
  const nodes = Array.from({ length: s + 1 }, (_, i) => i);
  const first = Array.from({ length: dimension }, (_, k) =>
    nodes.flatMap((i): UnitRow[] => [
      { of: form([[k, s]], -i), most: s },
      { of: form([[k, -s]], i), most: s },
    ]),
  );
  writer.push(first.flat());
  const hats = Array.from({ length: dimension }, (_, k) =>
    nodes.map((i): UnitRow => {
      const place = 2 * (k * nodes.length + i);
      return {
        of: form(
          [
            [place, -1],
            [place + 1, -1],
          ],
          1,
        ),
        most: 1,
        local: true,
      };
    }),
  );
  const units = writer.push(hats.flat(), { count: 3 * dimension, total: dimension });
  const bumps = new BumpProducts(hats.map((own, k) => own.map((_, i) => units[k * nodes.length + i]!)));
  const tuples = Array.from({ length: nodes.length ** dimension }, (_, t) =>
    Array.from(
      { length: dimension },
      (_, k) => Math.floor(t / nodes.length ** (dimension - 1 - k)) % nodes.length,
    ),
  );
  for (let stage = 1; stage <= stageOf(dimension); stage++)
    runStage(
      writer,
      bumps.tasks(tuples, dimension, stage),
      new Set(bumps.blocksAfter(tuples, dimension, stage)),
      levels,
    );
  const outputs = tuples.map((tuple) => bumps.valueOf(tuple, 0, dimension).form);
  return {
    network: writer.network(outputs, "partition_of_unity"),
    units: writer.units,
    sumError: 2 ** dimension * (dimension - 1) * 4 ** -(levels + 1),
    rounding: Math.max(...outputs.map((f) => writer.rounding(f))),
  };
}
