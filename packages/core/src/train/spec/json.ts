// The same architecture as JSON: { "input": [1, 28, 28], "layers": ["conv16k5s2", "relu", { "layer": "dense", "units": 10 }] }.
import { z } from "zod";
import { TrainError } from "../error.ts";
import { spelledActivation } from "./activation.ts";
import type { LayerSpec, NetworkSpec, Places } from "./layer-spec.ts";
import { parseLayer } from "./layers.ts";
import { planLayers } from "./plan.ts";
import { deepestNesting, parseInput } from "./spec.ts";

const whole = z.number().int().min(1).max(1e9);
const padding = z.number().int().min(0).max(1e9);
const pool = { size: whole, stride: whole.optional(), padding: padding.default(0) };

const networkSchema = z.strictObject({
  input: z.union([z.string(), whole, z.array(whole).min(1).max(3)], {
    error: 'write 784, [1, 28, 28] or "1x28x28"',
  }),
  layers: z.array(z.unknown()).min(1),
});

const layerSchemas = {
  dense: z.strictObject({ layer: z.literal("dense"), units: whole, bias: z.boolean().default(true) }),
  conv: z.strictObject({
    layer: z.literal("conv"),
    channels: whole,
    size: whole,
    stride: whole.default(1),
    dilation: whole.default(1),
    padding: z
      .union([padding, z.literal("same")], { error: 'write a number of zeros, or "same"' })
      .default(0),
    groups: whole.default(1),
    bias: z.boolean().default(true),
  }),
  maxpool: z.strictObject({ layer: z.literal("maxpool"), ...pool }),
  avgpool: z.strictObject({ layer: z.literal("avgpool"), ...pool }),
  globalavgpool: z.strictObject({ layer: z.literal("globalavgpool") }),
  flatten: z.strictObject({ layer: z.literal("flatten") }),
  activation: z.strictObject({ layer: z.literal("activation"), activation: z.string() }),
  residual: z.strictObject({ layer: z.literal("residual"), layers: z.array(z.unknown()).min(1) }),
  tokens: z.strictObject({ layer: z.literal("tokens"), layers: z.array(z.unknown()).min(1) }),
  attention: z.strictObject({ layer: z.literal("attention"), heads: whole.default(1) }),
  layernorm: z.strictObject({ layer: z.literal("layernorm") }),
  positions: z.strictObject({ layer: z.literal("positions") }),
};
type Kind = keyof typeof layerSchemas;

/** The value, or one line with the place of the first thing that is wrong. */
function checked<T>(schema: z.ZodType<T>, value: unknown, prefix: string, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const inside = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  throw new TrainError(
    `${prefix}${`${where}${inside}`.replace(/^\./, "") || "the specification"}: ${message}`,
  );
}

function layerOf(value: unknown, where: string, places: Places, prefix: string): LayerSpec {
  const layer =
    typeof value === "string"
      ? parseLayer(value, prefix + where)
      : layerOfObject(value, where, places, prefix);
  places.set(layer, prefix + where);
  return layer;
}

function layerOfObject(value: unknown, where: string, places: Places, prefix: string): LayerSpec {
  const kind = (value as { layer?: unknown } | null)?.layer;
  if (typeof kind !== "string" || !Object.hasOwn(layerSchemas, kind))
    throw new TrainError(
      `${prefix}${where}: write a layer as "conv16k5", or as an object whose "layer" is one of ${Object.keys(layerSchemas).join(", ")}`,
    );
  const layer = checked<z.output<(typeof layerSchemas)[Kind]>>(
    layerSchemas[kind as Kind],
    value,
    prefix,
    where,
  );
  switch (layer.layer) {
    case "residual":
    case "tokens":
      if (where.split(".").length > deepestNesting)
        throw new TrainError(`${prefix}${where}: more than ${deepestNesting} blocks are nested`);
      return {
        layer: layer.layer,
        layers: layer.layers.map((each, k) => layerOf(each, `${where}.layers[${k}]`, places, prefix)),
      };
    case "activation": {
      const activation = spelledActivation(layer.activation, prefix + where);
      if (activation !== undefined) return { layer: "activation", activation };
      return parseLayer(layer.activation, prefix + where); // says which names there are
    }
    case "maxpool":
    case "avgpool":
      return { ...layer, stride: layer.stride ?? layer.size };
    default:
      return layer;
  }
}

/**
 * The architecture that a parsed JSON value describes; layers are objects, or text as in `parseSpec`.
 * @example specFromJson({ input: 784, layers: ["256", "relu", { layer: "dense", units: 10 }] }).input // [784]
 */
export function specFromJson(value: unknown, { file }: { readonly file?: string } = {}): NetworkSpec {
  const prefix = file === undefined ? "" : `${file}: `;
  const { input, layers } = checked(networkSchema, value, prefix, "");
  const places: Places = new Map();
  const spec: NetworkSpec = {
    input:
      typeof input === "string"
        ? parseInput(input, `${prefix}input`)
        : typeof input === "number"
          ? [input]
          : input,
    layers: layers.map((each, k) => layerOf(each, `layers[${k}]`, places, prefix)),
  };
  planLayers(spec, places);
  return spec;
}

/**
 * The architecture in the text of a JSON file.
 * @example parseSpecJson('{"input": [1, 8, 8], "layers": ["conv4k3", "flatten", "2"]}').layers.length // 3
 */
export function parseSpecJson(text: string, options: { readonly file?: string } = {}): NetworkSpec {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const prefix = options.file === undefined ? "" : `${options.file}: `;
    throw new TrainError(`${prefix}the specification is not JSON: ${(error as Error).message}`);
  }
  return specFromJson(value, options);
}
