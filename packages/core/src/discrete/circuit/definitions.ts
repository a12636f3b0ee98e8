// A circuit from named definitions in any order, as files have them.
import { DiscreteError } from "../error.ts";
import { CircuitBuilder } from "./builder.ts";
import type { Circuit, Literal } from "./circuit.ts";

/** A signal, where it is defined, what it reads, and the gates that make it. */
export interface Definition {
  readonly name: string;
  /** Such as "line 7". */
  readonly place: string;
  readonly reads: readonly string[];
  make(builder: CircuitBuilder, read: (name: string) => Literal): Literal;
}

export interface Definitions {
  readonly inputs: readonly string[];
  readonly definitions: readonly Definition[];
  readonly outputs: readonly { readonly name: string; readonly of: string; readonly place: string }[];
}

/** The circuit; an error names a signal that is undefined, defined twice, or depends on itself, and where. */
export function assemble({ inputs, definitions, outputs }: Definitions): Circuit {
  const builder = new CircuitBuilder(inputs);
  const literals = new Map<string, Literal>();
  inputs.forEach((name, k) => {
    if (literals.has(name)) throw new DiscreteError(`input ${name} is declared twice`);
    literals.set(name, builder.input(k));
  });
  const defined = new Map<string, Definition>();
  for (const definition of definitions) {
    const { name, place } = definition;
    const before = defined.get(name)?.place ?? (literals.has(name) ? "the list of inputs" : undefined);
    if (before) throw new DiscreteError(`${place}: ${name} is defined already, in ${before}`);
    defined.set(name, definition);
  }
  if (outputs.length === 0) throw new DiscreteError("the circuit has no output");
  const read = (name: string): Literal => literals.get(name)!;
  for (const { of, place } of outputs)
    for (const definition of inOrder(of, place, defined, literals))
      literals.set(definition.name, definition.make(builder, read));
  return builder.finish(outputs.map(({ name, of }) => ({ name, literal: read(of) })));
}

/** The definitions that a signal still needs, each after those it reads: a depth-first walk without recursion. */
function* inOrder(
  signal: string,
  place: string,
  defined: ReadonlyMap<string, Definition>,
  done: ReadonlyMap<string, Literal>,
): Generator<Definition> {
  const open: { readonly definition: Definition; next: number }[] = [];
  const isOpen = new Set<string>();
  const visit = (name: string, from: string): void => {
    if (done.has(name)) return;
    const definition = defined.get(name);
    if (!definition) throw new DiscreteError(`${from}: nothing defines ${name}`);
    if (isOpen.has(name)) {
      const names = open.map((entry) => entry.definition.name);
      const cycle = [...names.slice(names.indexOf(name)), name];
      const shown = cycle.length > 6 ? [...cycle.slice(0, 3), "...", ...cycle.slice(-2)] : cycle;
      throw new DiscreteError(`${definition.place}: the circuit is cyclic: ${shown.join(" reads ")}`);
    }
    isOpen.add(name);
    open.push({ definition, next: 0 });
  };
  visit(signal, place);
  while (open.length > 0) {
    const top = open.at(-1)!;
    const read = top.definition.reads[top.next++];
    if (read !== undefined) visit(read, top.definition.place);
    else {
      open.pop();
      isOpen.delete(top.definition.name);
      yield top.definition;
    }
  }
}
