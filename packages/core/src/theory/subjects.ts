// The subjects of the theory, in the order of its index. A lemma's subject is the room of the library whose mathematics
// it states.

export interface Subject {
  /** Short, for addresses. */
  readonly key: string;
  readonly title: string;
}

interface SubjectOfRooms extends Subject {
  /** What a lemma of it imports; the first subject that fits is a lemma's own. */
  readonly rooms: RegExp;
}

const list: readonly SubjectOfRooms[] = [
  {
    key: "barron",
    title: "Barron's class: sampling and greedy networks",
    rooms: /approximate\/barron/,
  },
  {
    key: "smooth-functions",
    title: "Smooth functions in many variables: local polynomials, sparse grids, rates",
    rooms: /approximate\/(sobolev|sparse-grid|rates)/,
  },
  {
    key: "ridge",
    title: "Ridge functions, radial functions, manifolds",
    rooms: /approximate\/(ridge|radial|manifold)/,
  },
  {
    key: "smooth-activations",
    title: "Smooth activations: polynomials from differences and exponentials",
    rooms: /approximate\/smooth-activation/,
  },
  {
    key: "interpolation",
    title: "Interpolation and pruning on data",
    rooms: /approximate\/(interpolation|pruning)/,
  },
  {
    key: "shattering",
    title: "What cannot be approximated: shattering",
    rooms: /approximate\/shattering/,
  },
  {
    key: "local-kernels",
    title: "Local kernels and convolutions",
    rooms: /generalization\/local-kernels/,
  },
  {
    key: "double-descent",
    title: "Double descent and benign overfitting",
    rooms: /generalization\/double-descent/,
  },
  {
    key: "memorization",
    title: "Memorization and noise",
    rooms: /generalization\/memorization/,
  },
  {
    key: "covering",
    title: "Covering numbers, volumes and permutations",
    rooms: /generalization\/(covering|tiny-class|complexity-table|risk-from-covering)/,
  },
  {
    key: "generalization",
    title: "Generalization: VC dimension, Rademacher complexity, margins, PAC-Bayes",
    rooms: /generalization\/bounds/,
  },
  {
    key: "risk",
    title: "Risk and its parts",
    rooms: /generalization\/(error-decomposition|no-free-lunch)|measures\/|audit\//,
  },
  {
    key: "kernels",
    title: "Kernels: infinitely wide networks, and those near initialization",
    rooms: /kernels\/(limit|empirical)/,
  },
  {
    key: "landscape",
    title: "The landscape of the risk: critical points, certificates, paths",
    rooms: /landscape\//,
  },
  {
    key: "gradient-flow",
    title: "Gradient flow, margins and minimum norm",
    rooms: /dynamics\//,
  },
  {
    key: "explanation",
    title: "Explanation: relevance, Taylor expansions, removal",
    rooms: /explain\/|passes\/relevance/,
  },
  {
    key: "equivalence",
    title: "Equivalence: symmetries, canonical forms, alignment",
    rooms: /equivalence\/|bounds\/difference/,
  },
  {
    key: "compositional-sparsity",
    title: "Compositional sparsity: function graphs and certified compilation",
    rooms: /compile\/|formula\//,
  },
  {
    key: "inverse-problems",
    title: "Inverse problems: operators, classical priors, generators, untrained networks",
    rooms: /inverse\//,
  },
  {
    key: "sparse-learning",
    title: "Sparse learning: memories, attention, graphs that are found or given, pruning",
    rooms: /sparse\//,
  },
  {
    key: "discrete",
    title: "Discrete machines: Boolean functions, circuits, Turing machines, tables of probabilities",
    rooms: /discrete\//,
  },
  {
    key: "scattering",
    title: "Scattering: wavelets, invariants, deformations, processes, graphs",
    rooms: /scattering\//,
  },
  {
    key: "products",
    title: "Squares, products, polynomials and quotients",
    rooms: /networks\/(square|product|circuit|monomial|polynomial|rational)/,
  },
  {
    key: "thresholds",
    title: "Thresholds, splines, bits and gates",
    rooms: /networks\/(spline|threshold|trapezoid|gates|bits|parity|table-tree)/,
  },
  {
    key: "depth",
    title: "Sawtooths, linear pieces and the worth of depth",
    rooms: /networks\/(triangle|takagi|trajectory)|passes\/(pieces|piece-bounds|regions|region-bounds)/,
  },
  {
    key: "training",
    title: "Training: losses, gradients, descent",
    rooms: /train\/|passes\/(gradient|hessian|jacobian)/,
  },
  {
    key: "networks",
    title: "Networks: layers, paths, the calculus",
    rooms: /./,
  },
];

/** All subjects, in the order of the index. */
export const subjects: readonly Subject[] = list.map(({ key, title }) => ({ key, title }));

/** The key of the subject of a lemma that imports these files; one that needs no room is of the last. */
export const subjectByImports = (paths: readonly string[]): string =>
  (list.find(({ rooms }) => paths.some((path) => rooms.test(path))) ?? list.at(-1)!).key;
