// What `lemmata recover` says and draws of an answer.
import {
  type Certificate,
  meanSquaredError,
  peakSignalToNoise,
  pictureOf,
  squaredNormOf,
  structuralSimilarity,
} from "@lemmata/core/inverse";
import { pngBytes } from "../images.ts";
import { number } from "../output.ts";
import { panels } from "./picture.ts";
import { type Found, type Problem, residualOf } from "./problem.ts";

export function reported(problem: Problem, prior: string, { x, facts, certificate }: Found) {
  const { map, shape, truth, range } = problem;
  const peak = range ? range[1] - range[0] : 1;
  const { rows, columns } = pictureOf(shape);
  const errors = truth && {
    error: Math.sqrt(x.length * meanSquaredError(x, truth.values)),
    perPixelError: meanSquaredError(x, truth.values),
    psnr: peakSignalToNoise(x, truth.values, peak),
    ...(rows >= 7 && columns >= 7 ? { ssim: structuralSimilarity(x, truth.values, shape, peak) } : {}),
  };
  return {
    ...{ prior, numbers: map.inputs, measurements: map.outputs, measurementError: residualOf(problem, x) },
    ...(errors ?? {}),
    ...(facts as Record<string, unknown>),
    certificate,
  };
}

export type Report = ReturnType<typeof reported>;

export function drawn({ map, y, shape, truth, range = [0, 1] }: Problem, x: Float64Array): Uint8Array {
  // What the measurements show by themselves: A^T y, as large as it fits them best.
  const back = map.transpose(y);
  const norm = squaredNormOf(map);
  const naive = back.map((v) => v / (norm || 1));
  return pngBytes(panels([...(truth ? [truth.values] : []), naive, x], shape, range));
}

export function reportText(report: Report): string {
  const { prior, numbers, measurements, measurementError, certificate } = report;
  const facts = report as unknown as Record<string, unknown>;
  const short = (v: unknown): string => number(Number((v as number).toPrecision(5)));
  const line = (label: string, value: string): string => `${label.padEnd(13)} ${value}`;
  const lines = [
    line("prior", prior),
    line("measured", `${measurements} numbers of a signal of ${number(numbers)}`),
    line("misfit", `|A x - y| = ${short(measurementError)}`),
  ];
  if (typeof facts["objective"] === "number")
    lines.push(
      line(
        "objective",
        `${short(facts["objective"])}${typeof facts["dualityGap"] === "number" ? `, within ${facts["dualityGap"].toExponential(1)} of the least` : ""}${typeof facts["lambda"] === "number" ? `, lambda ${short(facts["lambda"])}` : ""}`,
      ),
    );
  if (typeof facts["nonzeros"] === "number")
    lines.push(line("code", `${facts["nonzeros"]} nonzeros of ${number(numbers)}`));
  if (typeof facts["weights"] === "number")
    lines.push(
      line(
        "network",
        `${number(facts["weights"])} weights, ${facts["steps"]} steps${facts["ended"] === "floor" ? ": what is left is as large as the noise" : ""}`,
      ),
    );
  if (typeof facts["change"] === "number")
    lines.push(
      line("denoiser", `${facts["steps"]} steps, the last changed ${facts["change"].toExponential(1)} of x`),
    );
  if (Array.isArray(facts["objectives"]))
    lines.push(
      line("layers", `|A x - y|^2 after each ${(facts["objectives"] as number[]).map(short).join(", ")}`),
    );
  if (typeof facts["logDensity"] === "number")
    lines.push(line("flow", `ln p(x) = ${short(facts["logDensity"])}`));
  if (Array.isArray(facts["restarts"]) && facts["restarts"].length > 0) {
    const sorted = (facts["restarts"] as number[]).toSorted((a, b) => a - b);
    lines.push(
      line("restarts", `${sorted.length}, objectives ${short(sorted[0])} to ${short(sorted.at(-1))}`),
    );
  }
  if (typeof facts["lipschitz"] === "number")
    lines.push(line(prior, `Lipschitz constant at most ${short(facts["lipschitz"])}`));
  if (report.psnr !== undefined)
    lines.push(
      line(
        "truth",
        `|x - x*| = ${short(report.error)}, ${report.psnr.toFixed(2)} dB${report.ssim === undefined ? "" : `, SSIM ${report.ssim.toFixed(4)}`}`,
      ),
    );
  return [...lines, ...certificateText(certificate, short)].join("\n");
}

function certificateText(
  { kind, gamma, provenance, bound, perDistance, assumes }: Certificate,
  short: (v: unknown) => string,
): string[] {
  if (kind === "none") return ["certificate   none: nothing is known of signals that measure alike"];
  const head = `certificate   ${kind}, gamma ${short(gamma)} (${provenance})`;
  const says =
    bound === undefined
      ? "  no bound: signals of this kind may measure alike"
      : `  |x - x*| <= ${short(bound)}${perDistance === undefined ? "" : `, and ${short(perDistance)} times its distance if the truth is no such signal`}`;
  return [head, says, ...assumes.map((a) => `  assumes ${a}`)];
}
