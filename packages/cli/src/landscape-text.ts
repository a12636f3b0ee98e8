// A point of the landscape as a page of text.
import type { LandscapePoint } from "@lemmata/core/landscape";
import { counted, number, table } from "./output.ts";

const digits = (value: number): string => number(Number(value.toPrecision(4)));

const traceNote = ({ method, traceError }: LandscapePoint["hessian"]): string =>
  method === "whole"
    ? ""
    : traceError === undefined
      ? " (one probe)"
      : ` ± ${digits(traceError)} (standard error)`;

export function landscapeText(
  { weights, examples, loss, gradientNorm, hessian, kind, tolerances, kinkDistance }: LandscapePoint,
  { loss: name, decay }: { readonly loss: string; readonly decay: number },
): string {
  const penalty = decay > 0 ? ` + ${digits(decay)}/2 |w|²` : "";
  const { min, max, residual, trace, negative, negativeAtLeast, method, products } = hessian;
  const isWhole = method === "whole";
  const rows = [
    [`${name} loss${penalty}`, digits(loss)],
    ["norm of the gradient", `${digits(gradientNorm)} (0 up to ${digits(tolerances.gradient)})`],
    ["least eigenvalue", `${digits(min)} ± ${digits(residual.min)}`],
    ["greatest eigenvalue", `${digits(max)} ± ${digits(residual.max)}`],
    ["trace", `${digits(trace)}${traceNote(hessian)}`],
    [
      `eigenvalues below ${digits(-tolerances.curvature)}`,
      isWhole ? number(negative) : `about ${number(negative)}, at least ${number(negativeAtLeast)}`,
    ],
    ...(kinkDistance === undefined
      ? []
      : [["nearest switch of a ReLU", `|pre-activation| ${digits(kinkDistance)}`]]),
  ];
  const how = isWhole
    ? `the whole Hessian, ${counted(products, "product")}`
    : `Lanczos' iteration, ${counted(products, "product")} with vectors`;
  return [
    `${counted(weights, "weight")}, ${counted(examples, "example")}; ${how}`,
    table(["", ""], rows).split("\n").slice(2).join("\n"),
    `kind: ${kind}`,
  ].join("\n\n");
}
