// Compiles a formula to a network with its certificate.

import { compile } from "@lemmata/core/compile";
import { CompileError, functionGraph, rangesOf } from "@lemmata/core/formula";
import { type CompiledView, compiledView } from "../../compile/compiled-view.ts";
import { boxTrouble, type Problem, type Trouble } from "../../compile/problem.ts";
import type { Job } from "../protocol.ts";
import { formulaTrouble } from "./compile-read.ts";

/** At which part of the problem a compilation failed: the first step that fails by itself. */
function troubleOf({ formula, box }: Problem, message: string): Trouble {
  const step = (run: () => unknown): string | undefined => {
    try {
      run();
      return undefined;
    } catch (error) {
      return error instanceof CompileError ? error.message : undefined;
    }
  };
  const names = box.map((side) => side.name);
  const inFormula = step(() => functionGraph(formula, names));
  if (inFormula !== undefined) return formulaTrouble(inFormula);
  const onBox = step(() => rangesOf(functionGraph(formula, names), box));
  return onBox === undefined ? { where: "eps", message } : { where: "box", message: onBox };
}

export const compileFormula: Job<Problem, CompiledView | { readonly trouble: Trouble }> = async (problem) => {
  const wrong = boxTrouble(problem.box);
  if (wrong) return { trouble: wrong };
  const start = performance.now();
  try {
    const compiled = await compile(problem);
    return compiledView(compiled, problem, (performance.now() - start) / 1000);
  } catch (error) {
    if (error instanceof CompileError) return { trouble: troubleOf(problem, error.message) };
    throw error;
  }
};
