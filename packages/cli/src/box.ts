// Boxes as --on takes them.

import * as passes from "@lemmata/core/bounds";
import type { Graph } from "@lemmata/core/graph";

export type { InputBox, NamedInterval } from "@lemmata/core/bounds";

/** The entries of a box, in the order in which they are written. */
export const parseIntervals = (text: string): readonly passes.NamedInterval[] =>
  passes.parseIntervals(text, "--on");

/** The box that --on describes for a model's inputs. */
export const inputBox = (graph: Graph, text: string): passes.InputBox => passes.inputBox(graph, text, "--on");
