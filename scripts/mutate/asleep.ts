// The switch that instrumented files ask: does the damage with this number happen? Loaded before everything else.
const active = { id: Number(process.env["LEMMATA_MUTANT"] ?? -1) };
const reached = new Set<number>();

const operations: Readonly<Record<string, (a: never, b: never) => unknown>> = {
  "+": (a: number, b: number) => a + b,
  "-": (a: number, b: number) => a - b,
  "*": (a: number, b: number) => a * b,
  "/": (a: number, b: number) => a / b,
  "**": (a: number, b: number) => a ** b,
  "%": (a: number, b: number) => a % b,
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
  "===": (a: unknown, b: unknown) => a === b,
  "!==": (a: unknown, b: unknown) => a !== b,
};
const happens = (id: number): boolean => {
  reached.add(id);
  return id === active.id;
};

const $m = {
  active,
  reached,
  binary: (id: number, operator: string, other: string, a: never, b: never) =>
    operations[happens(id) ? other : operator]!(a, b),
  constant: (id: number, value: number, other: number) => (happens(id) ? other : value),
  minus: (id: number, value: number) => (happens(id) ? value : -value),
  sign: (id: number, value: unknown) => (happens(id) && typeof value === "number" ? -value : value),
  choose: <F>(id: number, function_: F, other: F): F => (happens(id) ? other : function_),
};
export type Switch = typeof $m;
Object.assign(globalThis, { $m });
