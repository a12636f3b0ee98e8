export { type Assignment, linearAssignment } from "../../linear-algebra/assignment.ts";
export { alignByActivations } from "./activations.ts";
export { type Alignment, type AlignOptions, alignByWeights } from "./align.ts";
export { type Barrier, between, lossBarrier } from "./barrier.ts";
