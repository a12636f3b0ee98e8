// Layers that are too large to write out row by row: convolutions and scalings, which know how to multiply.
import type { Layer, Network } from "../linear/network.ts";

export type Floats = Float32Array | Float64Array;
export type Precision = "float32" | "float64";

export const floatsOf = (precision: Precision, count: number): Floats =>
  precision === "float32" ? new Float32Array(count) : new Float64Array(count);

/** Where the rows of a layer are in a picture: row k is in channel floor(k / area), at place k % area. */
export interface Field {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** Along one axis, row y reads from y * stride - before to that + reach. */
export interface Reading {
  readonly stride: number;
  readonly before: number;
  readonly reach: number;
}

/** A linear map W of consecutive slots; plus the layer's constants its values are the layer's rows. */
export interface Operator {
  readonly inputs: number;
  readonly outputs: number;
  readonly field: Field;
  /** Along both axes. */
  readonly reading: readonly [Reading, Reading];
  /** How many products meet in one value, and in one coefficient on the way back. */
  readonly terms: number;
  readonly termsBack: number;
  /** Products, of one image. */
  readonly products: number;
  /** W x for several x, one after the other; or |W| x. */
  forward(x: Float64Array, count: number, isMagnitude: boolean): Promise<Float64Array>;
  /** W^T g for several g, in their own precision. */
  back(g: Floats, count: number): Promise<Floats>;
}

/** What a linear layer without written rows does, and where. */
export interface Operated {
  readonly operator: Operator;
  /** The first slot that it reads. */
  readonly source: number;
  /** |constant| + what was cancelled in it, by row. */
  readonly constantSizes: Float64Array;
}

export type OperatorLayer = Layer & Operated;

export type TensorLayer = Layer | OperatorLayer;

export const isOperated = (layer: TensorLayer): layer is OperatorLayer => "operator" in layer;

/** As `Network`, with layers of both kinds: nothing that reads written rows alone may be given one. */
export interface TensorNetwork {
  readonly isWritten: false;
  readonly inputs: number;
  readonly slots: number;
  readonly rows: number;
  readonly layers: readonly TensorLayer[];
  /** The last layer is linear: its slots are the outputs. */
  readonly firstOutput: number;
  readonly outputNames: readonly string[];
  readonly isExact: boolean;
  /** Where the inputs are in a picture, if they are one. */
  readonly inputField: Field | undefined;
}

export type AnyNetwork = Network | TensorNetwork;

/** Products of one evaluation, about. */
export const productsOf = ({ layers }: { readonly layers: readonly TensorLayer[] }): number =>
  layers.reduce((n, layer) => n + (isOperated(layer) ? layer.operator.products : layer.weights.length), 0);
