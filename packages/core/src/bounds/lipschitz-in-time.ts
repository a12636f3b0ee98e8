// Lipschitz bounds in every norm, within a time: what is there when it is over stands.

import { Clock, type SearchOptions } from "../engine/clock.ts";
import { EngineError } from "../engine/error.ts";
import { TimeOver } from "../engine/time-over.ts";
import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import type { NormOrder } from "../linear-algebra/matrix-norm.ts";
import { boxTensors, type NamedBox } from "../passes/interval.ts";
import { checkContinuous } from "../passes/lipschitz/continuity.ts";
import { boundingJacobian, jacobianNorm } from "../passes/lipschitz/jacobian.ts";
import { exactLipschitzConstant, lipschitzBound } from "../passes/lipschitz.ts";
import { hasNoTimeLeft } from "./linear.ts";

/** In one norm, everywhere and on a box; undefined where nothing is known. */
export interface LipschitzBounds {
  readonly order: NormOrder;
  readonly global: number | undefined;
  readonly local: number | undefined;
}

export interface LipschitzInTime {
  readonly bounds: readonly LipschitzBounds[];
  /** Of a piecewise-linear network of one variable. */
  readonly exact: number | undefined;
  /** Why there are no bounds where there are none. */
  readonly reasons: readonly string[];
  /** False: with more time they might be smaller, or there at all. */
  readonly complete: boolean;
}

const orders: readonly NormOrder[] = [1, 2, Number.POSITIVE_INFINITY];

/**
 * Bounds in the norms 1, 2 and infinity. What holds everywhere comes first and holds on the box too, so that it stands
 * there while the derivatives on the box are bounded, one output after the other. An error if the network is not
 * continuous.
 * @example (await lipschitzBoundsInTime(net, { x: { lower: 0, upper: 1 } }, { seconds: 5 })).complete // true
 */
export async function lipschitzBoundsInTime(
  graph: Graph,
  box: NamedBox,
  options: SearchOptions = {},
): Promise<LipschitzInTime> {
  checkContinuous(graph);
  const clock = new Clock(options);
  const trial = new Trial();
  const isOver = (): boolean => clock.isOver;
  const everywhere: (number | undefined)[] = [];
  for (const order of orders) {
    everywhere.push(await trial.of(() => lipschitzBound(graph, order, new Map(), hasNoTimeLeft(clock))));
    await clock.rest();
  }
  const exact = await trial.of(() => exactOnLine(graph, box, isOver), { reason: false });
  const derivatives = await trial.of(
    () => clock.finish(boundingJacobian(graph, box, isOver)).then((found) => found ?? outOfTime()),
    { reason: everywhere.includes(undefined) },
  );
  const bounds = orders.map((order, k) => {
    const global = everywhere[k];
    const local = derivatives && jacobianNorm(derivatives, order);
    return { order, global, local: local === undefined ? global : Math.min(local, global ?? local) };
  });
  return { bounds, exact, reasons: [...trial.reasons], complete: trial.isInTime };
}

function outOfTime(): never {
  throw new TimeOver();
}

/** The constant itself, where there is one number in and one out; undefined elsewhere. */
function exactOnLine(graph: Graph, box: NamedBox, isOver: () => boolean): number | undefined {
  const [input, ...others] = boxTensors(graph, box).values();
  const [from, to] = [input?.lower[0], input?.upper[0]];
  const isLine = others.length === 0 && input?.lower.length === 1 && from! < to!;
  return isLine ? exactLipschitzConstant(graph, from!, to!, isOver) : undefined;
}

/** What cannot be found is left out, and the reason kept. */
class Trial {
  readonly reasons = new Set<string>();
  isInTime = true;

  async of<T>(find: () => T | Promise<T>, { reason = true } = {}): Promise<T | undefined> {
    try {
      return await find();
    } catch (error) {
      if (error instanceof TimeOver) this.isInTime = false;
      else if (!(error instanceof GraphError || error instanceof EngineError || error instanceof RangeError))
        throw error;
      else if (reason) this.reasons.add(error.message);
      return undefined;
    }
  }
}
