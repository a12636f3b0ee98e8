// What scikit-learn and its like are exported to: the domain ai.onnx.ml.
import type { DataType } from "../tensor.ts";
import { formatShape, sameAsFirst } from "./dims.ts";
import { operator } from "./operator.ts";
import {
  float,
  floats,
  type Inferred,
  int,
  ints,
  required,
  string,
  strings,
  tensorAttribute,
} from "./spec.ts";

const domain = "ai.onnx.ml";

/** Numbers of any type come out as 32-bit floats. */
const asFloats = ([x]: readonly (Inferred | undefined)[]): Inferred => ({ type: "float32", shape: x?.shape });

/** Rows of features give rows of `count` numbers each. */
const rows = (x: Inferred | undefined, type: DataType, count?: number): Inferred => ({
  type,
  shape:
    x?.shape &&
    (x.shape.length < 2 ? [x.shape.length === 1 ? 1 : undefined] : [x.shape[0]]).concat(
      count === undefined ? [] : [count],
    ),
});

const treeNodes = {
  aggregate_function: string("SUM"),
  base_values: floats(),
  base_values_as_tensor: tensorAttribute(),
  nodes_falsenodeids: ints(),
  nodes_featureids: ints(),
  nodes_hitrates: floats(),
  nodes_hitrates_as_tensor: tensorAttribute(),
  nodes_missing_value_tracks_true: ints(),
  nodes_modes: strings(),
  nodes_nodeids: ints(),
  nodes_treeids: ints(),
  nodes_truenodeids: ints(),
  nodes_values: floats(),
  nodes_values_as_tensor: tensorAttribute(),
  post_transform: string("NONE"),
} as const;

export const learning = {
  /** (x - offset) scale, feature by feature. */
  Scaler: operator({
    domain,
    inputs: [1, 1],
    attributes: { offset: floats(), scale: floats() },
    shape: asFloats,
  }),
  /** 1 above the threshold, else 0. */
  Binarizer: operator({ domain, inputs: [1, 1], attributes: { threshold: float(0) }, shape: sameAsFirst }),
  /** Each row by its greatest magnitude, its sum, or its length. */
  Normalizer: operator({ domain, inputs: [1, 1], attributes: { norm: string("MAX") }, shape: asFloats }),
  /** The entries of the last axis that the indices say. */
  ArrayFeatureExtractor: operator({
    domain,
    inputs: [2, 2],
    shape: ([x, indices]) => {
      const count = indices?.shape?.reduce<number | undefined>(
        (n, d) => (n !== undefined && typeof d === "number" ? n * d : undefined),
        1,
      );
      const shape = x?.shape;
      return {
        type: x?.type ?? "undefined",
        shape: shape && [...(shape.length === 1 ? [1] : shape.slice(0, -1)), count],
      };
    },
  }),
  LinearRegressor: operator({
    domain,
    inputs: [1, 1],
    attributes: {
      coefficients: floats(),
      intercepts: floats(),
      post_transform: string("NONE"),
      targets: int(1),
    },
    shape: ([x], { targets }) => rows(x, "float32", targets),
  }),
  LinearClassifier: operator({
    domain,
    inputs: [1, 1],
    outputs: [1, 2],
    attributes: {
      classlabels_ints: ints(),
      classlabels_strings: strings(),
      coefficients: required(floats()),
      intercepts: floats(),
      multi_class: int(0),
      post_transform: string("NONE"),
    },
    shape: ([x], { classlabels_ints, classlabels_strings }, { fail }) => {
      const count = classlabels_ints?.length || classlabels_strings?.length || 0;
      if (x?.shape && x.shape.length > 2) fail(`needs rows of features, not ${formatShape(x.shape)}`);
      const scores = rows(x, "float32", Math.max(2, count));
      return [
        rows(x, classlabels_strings?.length ? "string" : "int64"),
        count > 0 ? scores : { type: "float32" },
      ];
    },
  }),
  TreeEnsembleRegressor: operator({
    domain,
    inputs: [1, 1],
    attributes: {
      ...treeNodes,
      n_targets: int(1),
      target_ids: ints(),
      target_nodeids: ints(),
      target_treeids: ints(),
      target_weights: floats(),
      target_weights_as_tensor: tensorAttribute(),
    },
    shape: ([x], { n_targets }) => rows(x, "float32", n_targets),
  }),
  TreeEnsembleClassifier: operator({
    domain,
    inputs: [1, 1],
    outputs: [2, 2],
    attributes: {
      ...treeNodes,
      class_ids: ints(),
      class_nodeids: ints(),
      class_treeids: ints(),
      class_weights: floats(),
      class_weights_as_tensor: tensorAttribute(),
      classlabels_int64s: ints(),
      classlabels_strings: strings(),
    },
    shape: ([x], { classlabels_int64s, classlabels_strings }) => {
      const count = classlabels_int64s?.length || classlabels_strings?.length || 0;
      return [
        rows(x, classlabels_strings?.length ? "string" : "int64"),
        count > 0 ? rows(x, "float32", Math.max(2, count)) : { type: "float32" },
      ];
    },
  }),
};
