// An architecture in one line: `784-256-relu-256-relu-10`, `1x28x28-conv16k5s2-relu-flatten-10`.

import { quote } from "../../data/error.ts";
import { TrainError } from "../error.ts";
import type { LayerSpec, NetworkSpec, Places } from "./layer-spec.ts";
import { parseLayer, wholeNumber } from "./layers.ts";
import { planLayers } from "./plan.ts";

/** Blocks in blocks: a walk that calls itself on each must not run out of stack. */
export const deepestNesting = 20;

/** A piece of a specification and the character at which it starts, from 1. */
interface Token {
  readonly text: string;
  readonly at: number;
}

/**
 * The architecture that a line describes: the input's shape, then the layers, separated by hyphens.
 * @example parseSpec("784-256-relu-10").layers.length // 3
 */
export function parseSpec(text: string): NetworkSpec {
  const place = (at: number): string => `${quote(text)}, character ${at}`;
  const places: Places = new Map();
  const layersOf = (tokens: readonly Token[]): LayerSpec[] =>
    tokens.map((token) => {
      const block = /^(residual|tokens)\s*\((.*)\)$/is.exec(token.text);
      const inside = block ? token.at + token.text.indexOf("(") + 1 : 0;
      const layer: LayerSpec = block
        ? {
            layer: block[1]!.toLowerCase() as "residual" | "tokens",
            layers: layersOf(tokensOf(block[2]!, inside, place)),
          }
        : parseLayer(token.text, place(token.at));
      places.set(layer, place(token.at));
      return layer;
    });
  const [first, ...rest] = tokensOf(text, 1, place);
  const input = parseInput(first!.text, place(first!.at));
  if (rest.length === 0)
    throw new TrainError(
      `${place(text.length + 1)}: no layer comes after the input; write for example 784-256-relu-10`,
    );
  const spec = { input, layers: layersOf(rest) };
  planLayers(spec, places);
  return spec;
}

/** The pieces between the hyphens; a hyphen in parentheses belongs to its piece, as in leakyrelu(1e-3). */
function tokensOf(text: string, start: number, place: (at: number) => string): readonly Token[] {
  const tokens: Token[] = [];
  let [depth, from] = [0, 0];
  for (let k = 0; k <= text.length; k++) {
    const character = text[k];
    if (character === "(" && ++depth > deepestNesting)
      throw new TrainError(`${place(start + k)}: more than ${deepestNesting} parentheses are open`);
    if (character === ")" && --depth < 0)
      throw new TrainError(`${place(start + k)}: this parenthesis closes nothing`);
    if (k < text.length && (character !== "-" || depth > 0)) continue;
    const piece = text.slice(from, k);
    tokens.push({ text: piece.trim(), at: start + from + (piece.length - piece.trimStart().length) });
    if (piece.trim() === "")
      throw new TrainError(`${place(start + from)}: nothing stands here; write for example 784-256-relu-10`);
    from = k + 1;
  }
  if (depth > 0) throw new TrainError(`${place(start + text.length)}: a parenthesis is not closed`);
  return tokens;
}

/** `784`, `16x100` (tokens x features, or channels x length) or `1x28x28`. */
export function parseInput(text: string, where: string): readonly number[] {
  const sides = text.split("x");
  if (sides.length > 3 || !sides.every((side) => /^\d+$/.test(side)))
    throw new TrainError(
      `${where}: ${quote(text)} is no shape of an input; write 784 for vectors, 16x8 for tokens x features, 1x28x28 for channels x height x width`,
    );
  return sides.map((side) => wholeNumber(side, "a side of the input", where));
}
