// The layers of a specification.

export interface DenseSpec {
  readonly layer: "dense";
  readonly units: number;
  readonly bias: boolean;
}

export interface ConvSpec {
  readonly layer: "conv";
  readonly channels: number;
  /** The side of the kernel; likewise in every direction. */
  readonly size: number;
  readonly stride: number;
  readonly dilation: number;
  /** Zeros on each side; "same": as many as make the output ceil(input / stride) long. */
  readonly padding: number | "same";
  readonly groups: number;
  readonly bias: boolean;
}

export interface PoolSpec {
  readonly layer: "maxpool" | "avgpool";
  readonly size: number;
  readonly stride: number;
  readonly padding: number;
}

export interface ActivationSpec {
  readonly layer: "activation";
  /** In the spelling of the table: "relu", "leakyrelu(0.1)". */
  readonly activation: string;
}

/** x + layers(x). */
export interface ResidualSpec {
  readonly layer: "residual";
  readonly layers: readonly LayerSpec[];
}

/** Every token looks at all tokens: softmax(Q K^T / sqrt(d_k)) V in each head, then a matrix that mixes the heads. */
export interface AttentionSpec {
  readonly layer: "attention";
  readonly heads: number;
}

/** The same layers for each token alone. */
export interface TokensSpec {
  readonly layer: "tokens";
  readonly layers: readonly LayerSpec[];
}

export type LayerSpec =
  | DenseSpec
  | ConvSpec
  | PoolSpec
  | ActivationSpec
  | ResidualSpec
  | AttentionSpec
  | TokensSpec
  | { readonly layer: "layernorm" }
  | { readonly layer: "positions" }
  | { readonly layer: "flatten" }
  | { readonly layer: "globalavgpool" };

export interface NetworkSpec {
  /** [features], [tokens, features], [channels, length] or [channels, height, width], without the batch. */
  readonly input: readonly number[];
  readonly layers: readonly LayerSpec[];
}

/** Where the layers stand, for messages. */
export type Places = Map<LayerSpec, string>;
