// One layer as it is written in a specification: `256`, `conv16k5s2`, `maxpool2`, `relu`.
import { quote } from "../../data/error.ts";
import { TrainError } from "../error.ts";
import { activationNames, spelledActivation } from "./activation.ts";
import type { LayerSpec } from "./layer-spec.ts";

/** Far above what fits in memory: what is longer is a slip. */
const greatest = 1e9;

const known =
  "a number of units (256, 256nobias), conv16k5 (then s2, p2 or same, g4, d2, nobias), maxpool2, avgpool2, " +
  "globalavgpool, flatten, residual(...), attention(4) (heads), tokens(...) (layers for each token), layernorm, positions";

/** A whole number of at least 1, or a line that says what it is for. */
export function wholeNumber(digits: string, what: string, where: string): number {
  const value = Number(digits);
  if (Number.isInteger(value) && value >= 1 && value <= greatest) return value;
  throw new TrainError(`${where}: ${what} is a whole number from 1 to 1e9, not ${quote(digits)}`);
}

/** The letters behind a layer's size: what they are called, and whether a number follows. */
const suffixNames = {
  s: "stride",
  p: "padding",
  g: "groups",
  d: "dilation",
  same: "padding",
  nobias: "bias",
} as const;
type Suffix = keyof typeof suffixNames;
const suffixPattern = /same|nobias|[spgd]\d+/gy;

/** `s2p1nobias` as { stride: "2", padding: "1", bias: "nobias" }. */
function suffixes(
  text: string,
  allowed: readonly Suffix[],
  where: string,
): Partial<Record<(typeof suffixNames)[Suffix], string>> {
  const found: Partial<Record<(typeof suffixNames)[Suffix], string>> = {};
  const parts = text.match(suffixPattern) ?? [];
  for (const part of parts) {
    const letters = (/^[a-z]\d/.test(part) ? part[0] : part) as Suffix;
    const name = suffixNames[letters];
    if (!allowed.includes(letters))
      throw new TrainError(`${where}: this layer takes no ${part}; it takes ${allowed.join(", ")}`);
    if (found[name] !== undefined) throw new TrainError(`${where}: the ${name} is given twice`);
    found[name] = part.replace(/^[spgd](?=\d)/, "");
  }
  const read = parts.join("").length;
  if (read < text.length)
    throw new TrainError(
      `${where}: ${quote(text.slice(read))} is not understood here; ${allowed.join(", ")} may stand here`,
    );
  return found;
}

const padding = (digits: string, where: string): number =>
  digits === "0" ? 0 : wholeNumber(digits, "a padding", where);

function conv(channels: string, size: string, rest: string, where: string): LayerSpec {
  const given = suffixes(rest, ["s", "p", "same", "g", "d", "nobias"], where);
  return {
    layer: "conv",
    channels: wholeNumber(channels, "the number of channels", where),
    size: wholeNumber(size, "the size of a kernel", where),
    stride: wholeNumber(given.stride ?? "1", "a stride", where),
    dilation: wholeNumber(given.dilation ?? "1", "a dilation", where),
    padding: given.padding === "same" ? "same" : padding(given.padding ?? "0", where),
    groups: wholeNumber(given.groups ?? "1", "the number of groups", where),
    bias: given.bias === undefined,
  };
}

function pool(layer: "maxpool" | "avgpool", size: string, rest: string, where: string): LayerSpec {
  const given = suffixes(rest, ["s", "p"], where);
  return {
    layer,
    size: wholeNumber(size, "the size of a window", where),
    stride: wholeNumber(given.stride ?? size, "a stride", where),
    padding: padding(given.padding ?? "0", where),
  };
}

/**
 * The layer that a piece of a specification describes; `where` starts the message of an error.
 * @example parseLayer("conv16k5s2same", "here").padding // "same"
 */
export function parseLayer(written: string, where: string): LayerSpec {
  const text = written.toLowerCase();
  const dense = /^(\d+)(nobias)?$/.exec(text);
  if (dense)
    return {
      layer: "dense",
      units: wholeNumber(dense[1]!, "the number of units", where),
      bias: dense[2] === undefined,
    };
  const convolution = /^conv(\d+)k(\d+)(.*)$/s.exec(text);
  if (convolution) return conv(convolution[1]!, convolution[2]!, convolution[3]!, where);
  const pooling = /^(maxpool|avgpool)(\d+)(.*)$/s.exec(text);
  if (pooling) return pool(pooling[1] as "maxpool" | "avgpool", pooling[2]!, pooling[3]!, where);
  if (text === "flatten" || text === "globalavgpool" || text === "layernorm" || text === "positions")
    return { layer: text };
  const attention = /^attention(?:\s*\(\s*(\S*)\s*\))?$/.exec(text);
  if (attention)
    return { layer: "attention", heads: wholeNumber(attention[1] ?? "1", "the number of heads", where) };
  if (text.startsWith("conv"))
    throw new TrainError(
      `${where}: ${quote(written)} is not understood; write conv<channels>k<size>, as in conv16k5s2`,
    );
  if (/^(max|avg)pool/.test(text))
    throw new TrainError(
      `${where}: ${quote(written)} is not understood; write the window's size, as in maxpool2`,
    );
  const activation = spelledActivation(text, where);
  if (activation) return { layer: "activation", activation };
  throw new TrainError(
    `${where}: no layer is called ${quote(written)}; there are ${known}, and the activations ${activationNames.join(", ")}`,
  );
}
