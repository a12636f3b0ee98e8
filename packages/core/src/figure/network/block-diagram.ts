import type { Node } from "../../graph/graph.ts";

export interface NetworkBlock {
  readonly kind: "input" | "output" | "nodes" | "folded";
  /** What it is called, such as "Conv + Relu". */
  readonly label: string;
  /** Shape of what leaves it, such as "N × 16 × 8 × 8". */
  readonly shape?: string;
  readonly parameters: number;
  /** Nodes of the graph that it stands for, folded constants included. */
  readonly nodes: readonly Node[];
}

/** Blocks and which reads from which, by their places in the list. */
export interface BlockDiagram {
  readonly blocks: readonly NetworkBlock[];
  readonly edges: readonly (readonly [from: number, to: number])[];
}
