// The words that matter by type of question, as a table and as a figure after Figure 5.4.
import { wordFrequencies } from "../../explain/word-relevance.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { LemmaTable } from "../lemma.ts";
import { type Question, type QuestionType, questionTypes, tellingWords } from "./scene-questions.ts";

export interface ExplainedQuestion {
  readonly question: Question;
  /** Of each word. */
  readonly relevance: readonly number[];
  /** The places of the three words with the most. */
  readonly top: readonly number[];
}

/** By method. */
export type Explained = Readonly<Record<string, readonly ExplainedQuestion[]>>;

const mean = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0) / values.length;
export const part = (all: readonly boolean[]): number => mean(all.map(Number));

const chosenWords = ({ question, top }: ExplainedQuestion): readonly string[] =>
  top.map((place) => question.words[place]!);

/** Whether one of the three says what is asked for. */
export const hasTellingWord = (explained: ExplainedQuestion): boolean =>
  chosenWords(explained).some((word) => tellingWords[explained.question.type].includes(word));

/** Words that the document calls generic: they belong to questions of all types. */
const generic = new Set("the thing things object objects".split(" "));

export const genericPart = (all: readonly ExplainedQuestion[]): number =>
  part(all.flatMap(chosenWords).map((word) => generic.has(word)));

export const isQuery = ({ question }: ExplainedQuestion): boolean => question.type.startsWith("query");

/** Whether the word that says what is asked for stands in the first half of the question. */
export const isToldEarly = ({ question: { words, type } }: ExplainedQuestion): boolean =>
  words.findIndex((word) => tellingWords[type].includes(word)) < words.length / 2;

/** Where the three words stand: 0 is the first place of a question, 1 the last. */
export const meanPlace = (all: readonly ExplainedQuestion[]): number =>
  mean(all.flatMap(({ question, top }) => top.map((place) => place / (question.words.length - 1))));

const isOf =
  (type: QuestionType) =>
  ({ question }: ExplainedQuestion): boolean =>
    question.type === type;

const rounded = (v: number): number => Number(v.toFixed(2));

/** Questions that are counted together. */
const kinds: Readonly<Record<string, (q: ExplainedQuestion) => boolean>> = {
  ...Object.fromEntries(questionTypes.map((type) => [type, isOf(type)])),
  "query_*, noun in the first half": (q) => isQuery(q) && isToldEarly(q),
  "query_*, noun in the second half": (q) => isQuery(q) && !isToldEarly(q),
  all: () => true,
};

/** A row for each kind of question and method. */
export const statisticTable = (explained: Explained, accuracy: number): LemmaTable => ({
  title: `The three most relevant words of each question; ${Math.round(100 * accuracy)}% of the answers are right`,
  columns: ["type", "method", "with a telling word", "generic words", "mean place", "most frequent words"],
  rows: Object.entries(kinds).flatMap(([kind, isIn]) =>
    Object.entries(explained).map(([method, all]) => {
      const own = all.filter(isIn);
      const frequent = wordFrequencies(own.flatMap(chosenWords)).slice(0, 5);
      return [
        ...[kind, method],
        ...[part(own.map(hasTellingWord)), genericPart(own), meanPlace(own)].map(rounded),
        frequent.map(([word, count]) => `${word} ${count}`).join(", "),
      ];
    }),
  ),
});

/** For a type, how many of its questions have each word among the three. */
function frequencies(explained: Explained, type: QuestionType): Panel {
  const words = Object.values(explained).flatMap((all) => all.filter(isOf(type)).flatMap(chosenWords));
  const names = wordFrequencies(words)
    .slice(0, 10)
    .map(([word]) => word)
    .toReversed();
  return {
    title: `${type}: words among the three`,
    x: { label: "part of the questions" },
    y: { label: "word", names },
    series: Object.entries(explained).map(([name, all]) => {
      const own = all.filter(isOf(type)).map((q) => new Set(chosenWords(q)));
      return {
        ...{ name, mark: "dots" },
        points: names.map((word, k) => [part(own.map((chosen) => chosen.has(word))), k]),
      };
    }),
  };
}

/** The mean part of |relevance| that each place has, counted from the end, over the questions that have it. */
function byPlace(explained: Explained): Panel {
  const most = Math.max(...Object.values(explained)[0]!.map(({ relevance }) => relevance.length));
  const places = [...Array(most).keys()];
  const shareAt = ({ relevance }: ExplainedQuestion, place: number): readonly number[] => {
    const sizes = relevance.map(Math.abs);
    return place < sizes.length ? [sizes.at(-1 - place)! / sizes.reduce((s, v) => s + v, 0)] : [];
  };
  return {
    title: "Relevance by the number of words behind a word",
    x: { label: "words behind it", names: places.map(String) },
    y: { label: "mean part of the relevance" },
    series: Object.entries(explained).map(([name, all]) => ({
      ...{ name, mark: "line" },
      points: places.map((k) => [k, mean(all.flatMap((q) => shareAt(q, k)))]),
    })),
  };
}

export const statisticFigure = (explained: Explained): Figure => ({
  title: "The most relevant words of questions about scenes, by three methods",
  panels: [frequencies(explained, "query_color"), frequencies(explained, "count"), byPlace(explained)],
});
