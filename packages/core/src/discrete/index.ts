export {
  type LearnedPolynomial,
  learnLowDegree,
  lowDegreeSets,
  predict,
} from "./boolean/low-degree.ts";
export {
  bitCount,
  degreeOf,
  influences,
  lowDegreeError,
  monomialCount,
  noiseStability,
  weightByDegree,
} from "./boolean/spectrum.ts";
export { signsOf, valuesFrom, variablesOf, walshCoefficients, walshSums } from "./boolean/walsh.ts";
export { adder, lessThan, multiplier } from "./circuit/arithmetic.ts";
export { CircuitBuilder } from "./circuit/builder.ts";
export { certifiedCircuit } from "./circuit/certified.ts";
export type { Circuit, CountGate, Cube, CubesGate, Gate, Literal, Output } from "./circuit/circuit.ts";
export { type Equality, type EqualityOptions, equality } from "./circuit/equality.ts";
export { nodeWords, outputWords, pointWords, truthTables } from "./circuit/evaluate.ts";
export { type Table, type TableForm, tableCircuit } from "./circuit/from-table.ts";
export { type CircuitNetwork, type CircuitNetworkOptions, circuitNetwork } from "./circuit/network.ts";
export { readAiger } from "./circuit/read/aiger.ts";
export { readBlif } from "./circuit/read/blif.ts";
export { readDimacs } from "./circuit/read/dimacs.ts";
export { readFormulas } from "./circuit/read/formula.ts";
export { readCircuit } from "./circuit/read/index.ts";
export { readTables } from "./circuit/read/table.ts";
export { DiscreteError } from "./error.ts";
export { certifiedMachine } from "./machine/certified.ts";
export { exampleMachines } from "./machine/examples.ts";
export { type Configuration, type Machine, type Rule, readMachine, simulate } from "./machine/machine.ts";
export {
  type MachineLoop,
  type MachineNetwork,
  machineLoop,
  machineNetwork,
  oneHotTape,
  type Tape,
  tapeFor,
} from "./machine/network.ts";
export { unitsPerCell } from "./machine/step.ts";
export {
  type BeliefNetwork,
  greatestParameter,
  samplingGraph,
  unitsOf,
} from "./stochastic/belief-network.ts";
export {
  certifiedKernel,
  compileKernel,
  couplingBound,
  type KernelDepth,
  type KernelNetwork,
  type KernelShape,
  kernelShapes,
} from "./stochastic/certified-kernel.ts";
export { deepNetwork, type SharingMode } from "./stochastic/deep.ts";
export { exactKernel } from "./stochastic/exact-kernel.ts";
export { type Fit, type FitOptions, fitNetwork, fitShallow } from "./stochastic/fit.ts";
export { freeOutputNetwork, freeOutputUnits, generativeNetwork } from "./stochastic/generative.ts";
export { grayCode, overlayBits, partialGrayCodes } from "./stochastic/gray.ts";
export { greatestDifference, type Kernel, kernelOf, totalVariation } from "./stochastic/kernel.ts";
export { type KernelLaw, randomKernel } from "./stochastic/random-kernel.ts";
export { largestIndexLaw, shallowNetwork, stickBreaking } from "./stochastic/shallow.ts";
export { leastDistance, parities, twoUnitNetwork } from "./stochastic/two-units.ts";
export type { StochasticUnit } from "./stochastic/unit.ts";
export { type Reading, workedExample } from "./stochastic/worked-example.ts";
