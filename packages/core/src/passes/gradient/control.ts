// The gradient of If: the branch that was taken is computed once more and differentiated, inside of a new If.
// Loop and Scan have none.
import { Builder } from "../../graph/builder.ts";
import { finish } from "../../graph/finish.ts";
import type { Graph } from "../../graph/graph.ts";
import { isFloat } from "../../graph/tensor.ts";
import { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Step } from "../backward.ts";
import { reshapeLike, zerosLike } from "./shapes.ts";

/** A branch that gives what comes back to each of the wanted values around it. */
function branchBackwards(branch: Graph, step: Step, wanted: readonly string[]): Graph {
  const builder = new Builder(step.builder);
  const inside = ({ name, type }: Value) => new Value(builder, name, type);
  const given = new Map([...step.captured].map(([name, value]) => [name, inside(value)]));
  const inputs = [...given].map(([name, { type }]) => ({ name, type }));
  const closed: Graph = { ...branch, inputs: [...branch.inputs, ...inputs] };
  const body = () => {
    const values = builder.trace(closed, Object.fromEntries(given));
    const seeds = branch.outputs.flatMap(({ name }, k) => {
      const back = step.back[k];
      return back ? [[name, inside(back)] as const] : [];
    });
    const found = step.pass(closed, values, new Map(seeds), new Set(wanted));
    const shares = wanted.map((name) => {
      const [x, g] = [given.get(name)!, found.get(name)];
      return [`back_${name}`, g ? reshapeLike(g, x) : zerosLike(x)] as const;
    });
    return Object.fromEntries(shares);
  };
  return finish(builder, {}, body, { name: branch.name, nested: true });
}

const choice: BackwardRule<"If"> = (step, { then_branch, else_branch }) => {
  const { builder, captured, wants } = step;
  const wanted = [...captured.keys()].filter((name) => wants(name) && isFloat(captured.get(name)!.type.type));
  let shares: readonly Value[] | undefined;
  const backwards = (): readonly Value[] => {
    shares ??= builder.apply(
      "If",
      [step.x[0]],
      {
        then_branch: branchBackwards(then_branch, step, wanted),
        else_branch: branchBackwards(else_branch, step, wanted),
      },
      wanted.length,
    );
    return shares;
  };
  const condition = undefined;
  return [
    condition,
    ...[...captured.keys()].map((name) => {
      const k = wanted.indexOf(name);
      return k < 0 ? undefined : () => backwards()[k]!;
    }),
  ];
};

export const control: BackwardRules = { If: choice };
