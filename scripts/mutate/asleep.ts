// The switch that instrumented files ask: does the damage with this number happen? Loaded before everything else. It is
// asked millions of times: each question is a small function of its own, which the engine puts where it is called.
const active = { id: Number(process.env["LEMMATA_MUTANT"] ?? -1) };
/** 1 at the numbers of places that were reached. */
const seen = new Uint8Array(2 ** 20);
const happens = (id: number): boolean => {
  seen[id] = 1;
  return id === active.id;
};

type Operation = (id: number, a: never, b: never) => unknown;
const operations = new Map<string, Operation>();

/** `a + b`, or `a - b` when the damage happens. */
function operation(operator: string, other: string): Operation {
  const code = `return (id, a, b) => { seen[id] = 1; return id === active.id ? a ${other} b : a ${operator} b; }`;
  return new Function("seen", "active", code)(seen, active) as Operation;
}

const $m = {
  active,
  forget: (): void => void seen.fill(0),
  reached: (): number[] => [...seen.keys()].filter((id) => seen[id] === 1),
  /** By operator and what it becomes, one file after the other. */
  operation(operator: string, other: string): Operation {
    const key = `${operator} ${other}`;
    const known = operations.get(key) ?? operation(operator, other);
    operations.set(key, known);
    return known;
  },
  constant: (id: number, value: number, other: number) => (happens(id) ? other : value),
  minus: (id: number, value: number) => (happens(id) ? value : -value),
  sign: (id: number, value: unknown) => (happens(id) && typeof value === "number" ? -value : value),
  choose: <F>(id: number, function_: F, other: F): F => (happens(id) ? other : function_),
};
export type Switch = typeof $m;
Object.assign(globalThis, { $m });
