// Runs in a process of its own, which ONNX Runtime may end: numbers of models come in, judgements go out.
import { judgeModel } from "./judge-model.ts";
import type { Answer, Question } from "./process.ts";

process.on("disconnect", () => process.exit());
process.on("message", async ({ seed, k, n }: Question) => {
  const answer: Answer = { judgement: (await judgeModel(seed, k, n)) ?? null };
  process.send?.(answer);
});
