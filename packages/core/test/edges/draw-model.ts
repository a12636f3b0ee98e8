// The k-th model of a seed: an operator of the table at its edges, a few operators, or a branch or loop.

import type { OperatorName } from "../../src/graph/operators/index.ts";
import { operators } from "../../src/graph/operators/index.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { operatorCases } from "../graph/operators-cases.ts";
import { since } from "../graph/operators-runtime.ts";
import { drawControl } from "./control-flow.ts";
import { oneOf } from "./edge-values.ts";
import { drawChain } from "./few-operators.ts";
import { type Model, modelOf } from "./model.ts";
import { mutated, usageOf } from "./mutate.ts";
import { inOpset } from "./older-forms.ts";

/** What is drawn at random anew at each run has no value to compare. */
const isRandom = /^(Random|Bernoulli|Multinomial)/;
const names = (Object.keys(operators) as OperatorName[]).filter((op) => !isRandom.test(op));

const drawOpset = (random: Random): number =>
  random.uniform() < 0.5 ? oneOf(random, [18, 20, 20, 21, 22, 23]) : random.integer(7, 19);

/** Of ten models, six are single operators, in turn; undefined where nothing could be drawn. */
export async function drawModel(seed: number | string, k: number): Promise<Model | undefined> {
  const random = createRandom(`${seed}/${k}`);
  const opset = drawOpset(random);
  const kind = k % 10;
  if (kind === 9) return drawControl(random, Math.max(opset, 11));
  if (kind >= 6) return drawChain(random, opset);
  const op = names[(6 * Math.floor(k / 10) + kind) % names.length]!;
  const usage = mutated(random, usageOf(op, oneOf(random, operatorCases[op])));
  const least = since[op] ?? opset;
  return modelOf(inOpset(usage, Math.max(opset, least)), Math.max(opset, least));
}
