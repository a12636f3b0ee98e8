import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { frozenGates } from "../../train/frozen-gates.ts";
import { initialNetwork } from "../../train/network.ts";
import { planLayers, weightLayers } from "../../train/spec/plan.ts";
import { recipes } from "../../train/spec/recipes.ts";
import { parseSpec } from "../../train/spec/spec.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C2-24",
  covers: ["C2-24"],
  kind: "construction",
  title: "The network of the chapter's experiments on MNIST",
  source: "Book, chapter 2, appendix B",
  statement: String.raw`\text{conv } 5 \times 5 \times 32, \text{ pool } 2 \times 2, \text{ ReLU, twice; } 1024, \text{ ReLU; } 10: \quad \operatorname{ReLU}(\max_{j \in W} z_j) = \max_{j \in W} \operatorname{ReLU}(z_j)`,
  parameters: {
    side: integer({ min: 16, max: 40, default: 28, label: "side of the images" }),
    filters: integer({ min: 1, max: 4, default: 2, label: "filters of a layer, of the small copy" }),
    units: integer({ min: 2, max: 12, default: 6, label: "units, of the small copy" }),
  },
  claims: {
    "parameters, images of side 28": equals("562026"),
    "parameters, crops of side 24": equals("332650"),
    "parameters of the small copy": equals(
      String.raw`26 n + (25 n + 1) n + (n s^2 + 1) u + 10 (u + 1), \; s = \lfloor (\lfloor (d - 4)/2 \rfloor - 4) / 2 \rfloor`,
    ),
    "ReLU after pooling less pooling after ReLU": equals("0"),
    "the same with gates frozen": equals("0"),
  },
  mutants: {
    "padded convolutions": {
      "parameters of the small copy": ({ side, filters: n, units: u }) => {
        const s = Math.floor(Math.floor(side / 2) / 2);
        return 26 * n + (25 * n + 1) * n + (n * s * s + 1) * u + 10 * (u + 1);
      },
    },
    "no biases": { "parameters, images of side 28": (_, { theory }) => theory - (32 + 32 + 1024 + 10) },
  },
  async run({ side, filters: n, units: u }, { random }) {
    const seed = random.integer(0, 1e6);
    const small = (order: string): Graph =>
      initialNetwork(`1x${side}x${side}-conv${n}k5-${order}-conv${n}k5-${order}-flatten-${u}-relu-10`, {
        seed,
        type: "float64",
      });
    const [before, after] = [small("maxpool2-relu"), small("relu-maxpool2")];
    const x = drawnImages(side, random);
    const [pooled, opened] = [await outputs(before, x), await outputs(after, x)];
    const frozen = await outputs(frozenGates(before), x);
    const apart = (a: readonly number[], b: readonly number[]): number =>
      Math.max(...a.map((v, i) => Math.abs(v - b[i]!)));
    const s = Math.floor((Math.floor((side - 4) / 2) - 4) / 2);
    return {
      graph: before,
      table: {
        title: "Recipes of appendix B that the library has by name",
        columns: ["name", "network", "parameters"],
        rows: Object.entries(recipes).map(([name, { network }]) => [
          name,
          network,
          plannedParameters(network),
        ]),
      },
      claims: {
        "parameters, images of side 28": checked(plannedParameters(recipes["darc-mnist"].network), 562_026),
        "parameters, crops of side 24": checked(
          plannedParameters(recipes["darc-mnist-crop"].network),
          332_650,
        ),
        "parameters of the small copy": checked(
          storedParameters(before),
          26 * n + (25 * n + 1) * n + (n * s * s + 1) * u + 10 * (u + 1),
        ),
        "ReLU after pooling less pooling after ReLU": checked(apart(pooled, opened), 0),
        "the same with gates frozen": checked(apart(pooled, frozen), 0),
      },
    };
  },
});

const plannedParameters = (spec: string): number =>
  weightLayers(planLayers(parseSpec(spec))).reduce(
    (sum, { weight, bias }) => sum + elementCount(weight) + bias,
    0,
  );

const storedParameters = ({ initializers }: Graph): number =>
  [...initializers].reduce(
    (sum, [name, w]) => sum + (name.startsWith("layer") ? elementCount(w.dims) : 0),
    0,
  );

const drawnImages = (side: number, random: Random): Tensor =>
  tensor(random.normal(2 * side * side), { dims: [2, 1, side, side] });

async function outputs(model: Graph, x: Tensor): Promise<readonly number[]> {
  return Array.from(numbers((await run(model, { [model.inputs[0]!.name]: x }, { threads: 1 })).y!));
}
