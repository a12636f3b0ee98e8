// The environments of the peers that know tangent kernels.
import { pythonWith } from "./python.ts";

export const neuralTangents = (): string =>
  pythonWith(
    "kernels",
    [
      ...["neural-tangents==0.6.5", "jax==0.4.25", "jaxlib==0.4.25"],
      ...["numpy<2", "scipy<1.13", "ml_dtypes<0.5"],
    ],
    ["neural_tangents"],
  );

export const torchPython = (): string => pythonWith("torch", ["torch", "numpy"]);
