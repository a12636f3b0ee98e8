// What the units of a chain can be on the box: linear relaxation, and branch and bound where there is time for it.

import { BoxBounder } from "../../bounds/linear/box-bounds.ts";
import { networkOf } from "../../bounds/linear.ts";
import { splitBounds } from "../../bounds/split.ts";
import { Clock, type SearchOptions } from "../../engine/clock.ts";
import { finished } from "../../engine/steps.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { graphOf } from "../../networks/layers/layers.ts";
import { keepUnits, type UnitChain } from "./unit-chain.ts";
import { imageRange, readRange } from "./unit-ranges.ts";

const plain = ({ weights, bias }: Layer): Layer => ({ weights, bias });

/** The chain with bounds of all its rows on its box, by linear relaxation; what time is too short for, by intervals. */
export async function boundUnits(chain: UnitChain, options: SearchOptions): Promise<UnitChain> {
  if (!chain.box) return chain;
  const network = networkOf(graphOf({ ...chain, layers: chain.layers.map(plain) }));
  const fits =
    network.layers.length === chain.layers.length &&
    network.layers.every(({ rows }, l) => rows === chain.layers[l]!.weights.rows);
  // An activation that is written in several operators has rows of its own kind.
  if (!fits) return chain;
  const bounder = new BoxBounder(network);
  const bounding = bounder.bounding(chain.box);
  const found = await new Clock(options).finish(bounding, () => options.onProgress?.(bounder.share, 1));
  bounder.hurried = found === undefined;
  const { rowLower, rowUpper } = found ?? finished(bounding);
  const layers = chain.layers.map((layer, l) => {
    const { firstRow, rows } = network.layers[l]!;
    return {
      ...layer,
      lower: rowLower.slice(firstRow, firstRow + rows),
      upper: rowUpper.slice(firstRow, firstRow + rows),
    };
  });
  return chain.activation === "relu" ? tightened({ ...chain, layers }) : { ...chain, layers };
}

/** Relaxation takes off a little for rounding; intervals do not where nothing is rounded: what touches 0 is then dead. */
function tightened(chain: UnitChain): UnitChain {
  const layers = [...chain.layers];
  chain.layers.forEach(({ weights, bias }, l) => {
    const range = imageRange(weights, bias, readRange({ ...chain, layers }, l));
    layers[l] = {
      ...layers[l]!,
      lower: layers[l]!.lower.map((v, k) => Math.max(v, range.lower[k]!)),
      upper: layers[l]!.upper.map((v, k) => Math.min(v, range.upper[k]!)),
    };
  });
  return { ...chain, layers };
}

/** The chain with tighter bounds of the rows whose sign is not known: the network up to them, by branch and bound. */
export async function refineUnits(
  chain: UnitChain,
  seconds: number,
  options: SearchOptions,
): Promise<UnitChain> {
  const hidden = chain.layers.slice(0, -1);
  const open = hidden.map(({ lower, upper }) =>
    [...lower.keys()].filter((k) => lower[k]! < 0 && upper[k]! > 0),
  );
  const total = open.reduce((n, units) => n + units.length, 0);
  const layers = [...chain.layers];
  for (const [l, units] of open.entries()) {
    if (units.length === 0 || l === 0) continue; // the bounds of an affine map are exact
    const before = layers.slice(0, l).map(plain);
    const rows = plain(keepUnits(layers[l]!, units));
    const graph = graphOf({ ...chain, layers: [...before, rows] });
    const share = (seconds * units.length) / total;
    const bounds = await splitBounds(graph, chain.box!, { ...options, seconds: share });
    const [lower, upper] = [layers[l]!.lower.slice(), layers[l]!.upper.slice()];
    units.forEach((unit, k) => {
      lower[unit] = Math.max(lower[unit]!, bounds.lower[k]!);
      upper[unit] = Math.min(upper[unit]!, bounds.upper[k]!);
    });
    layers[l] = { ...layers[l]!, lower, upper };
  }
  return { ...chain, layers };
}
