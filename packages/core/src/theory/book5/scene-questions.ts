// Questions about small scenes, from templates after those of CLEVR (Johnson et al. 2017): a scene is a list of objects with
// four attributes each, and the answer is computed from it.
import type { Random } from "../../numbers/random.ts";

export const attributes = {
  color: ["red", "green", "blue", "gray"],
  shape: ["cube", "sphere", "cylinder"],
  size: ["small", "large"],
  material: ["rubber", "metal"],
} as const;
export const objectsPerScene = 2;

type AttributeName = keyof typeof attributes;
const attributeNames = Object.keys(attributes) as readonly AttributeName[];
/** All values of all attributes. */
export const attributeValues: readonly string[] = Object.values(attributes).flat();

export type SceneObject = Readonly<Record<AttributeName, string>>;
export type QuestionType = `query_${AttributeName}` | "count" | "exist" | "equal_shape";
export const questionTypes: readonly QuestionType[] = [
  ...attributeNames.map((name) => `query_${name}` as const),
  ...(["count", "exist", "equal_shape"] as const),
];

export interface Question {
  readonly type: QuestionType;
  readonly scene: readonly SceneObject[];
  readonly words: readonly string[];
  readonly answer: string;
}

/** X stands for an object, Xs for several, A for the attribute that is asked for. */
const templates = {
  query: ["what A is the X", "the X is what A", "there is a X ; what is its A", "what is the A of the X"],
  count: ["how many Xs are there", "what number of Xs are there", "there are Xs ; how many"],
  exist: ["is there a X", "are there any Xs", "there is a X ; is it so"],
  equal_shape: [
    "do the things have the same shape",
    "is the shape of the objects the same",
    "are the things of the same shape",
  ],
} as const;

/** Of each type, the words that say what is asked for, whatever the scene: Figure 5.4 has such words in green. */
export const tellingWords: Readonly<Record<QuestionType, readonly string[]>> = {
  query_color: ["color"],
  query_shape: ["shape"],
  query_size: ["size"],
  query_material: ["material"],
  count: ["how", "many", "number"],
  exist: ["any", "is", "so"],
  equal_shape: ["same", "shape"],
};

const generic = ["thing", "object"] as const;
/** Things that have this value: "cubes", "red things". */
const phrase = (value: string, noun: string, plural: string): string =>
  (attributes.shape as readonly string[]).includes(value) ? `${value}${plural}` : `${value} ${noun}${plural}`;

const wordsOf = (text: string): readonly string[] => text.split(/[ ;]+/);
const plain = Object.values(templates).flat().flatMap(wordsOf);
const nouns = [...generic, ...attributes.shape];
/** Number 0 is for no word. */
export const vocabulary: readonly string[] = [
  "",
  ...new Set([
    ...plain.filter((word) => !/^(Xs?|A)$/.test(word)),
    ...[...attributeNames, ...attributeValues, ...nouns, ...nouns.map((noun) => `${noun}s`)],
  ]),
];
/** X may be two words. */
export const longest = Math.max(
  ...Object.values(templates)
    .flat()
    .map((text) => wordsOf(text).length + (/X/.test(text) ? 1 : 0)),
);

export const answers: readonly string[] = [
  ...attributeValues,
  ...Array.from({ length: objectsPerScene + 1 }, (_, k) => String(k)),
  ...["yes", "no"],
];

const picked = <T>(items: readonly T[], random: Random): T => items[random.integer(0, items.length - 1)]!;

const drawObject = (random: Random): SceneObject =>
  Object.fromEntries(attributeNames.map((name) => [name, picked(attributes[name], random)])) as SceneObject;

/** What is asked: which template, about which value, and for which attribute. */
interface Asked {
  readonly template: keyof typeof templates;
  readonly answer: string;
  readonly value?: string;
  readonly attribute?: string;
}

const yesOrNo = (is: boolean): string => (is ? "yes" : "no");

/** Undefined where the scene has no object that one value tells from the others. */
function asked(type: QuestionType, scene: readonly SceneObject[], random: Random): Asked | undefined {
  if (type === "equal_shape")
    return { template: type, answer: yesOrNo(scene.every(({ shape }) => shape === scene[0]!.shape)) };
  if (type === "count" || type === "exist") {
    const name = picked(attributeNames, random);
    // From the scene, or any: so that no answer is rare.
    const value = random.uniform() < 0.5 ? picked(scene, random)[name] : picked(attributes[name], random);
    const count = scene.filter((object) => object[name] === value).length;
    return { template: type, answer: type === "count" ? String(count) : yesOrNo(count > 0), value };
  }
  const attribute = attributeNames.find((name) => type === `query_${name}`)!;
  const object = picked(scene, random);
  const telling = attributeNames.filter(
    (name) => name !== attribute && scene.filter((other) => other[name] === object[name]).length === 1,
  );
  if (telling.length === 0) return undefined;
  return { template: "query", answer: object[attribute], value: object[picked(telling, random)], attribute };
}

/** A question of this type and a scene in which it has an answer. */
export function drawQuestion(type: QuestionType, random: Random): Question {
  const scene = Array.from({ length: objectsPerScene }, () => drawObject(random));
  const found = asked(type, scene, random);
  if (!found) return drawQuestion(type, random);
  const { template, answer, value = "", attribute = "" } = found;
  const noun = picked(generic, random);
  const text = (picked(templates[template], random) as string)
    .replace(/\bA\b/, attribute)
    .replace(/\bX(s?)\b/, (_, plural: string) => phrase(value, noun, plural));
  return { type, scene, words: wordsOf(text), answer };
}

/** The types in turn. */
export const drawQuestions = (count: number, random: Random): readonly Question[] =>
  Array.from({ length: count }, (_, k) => drawQuestion(questionTypes[k % questionTypes.length]!, random));
