// One generated model through every check.
import { checks } from "./checks.ts";
import { drawModel } from "./draw-model.ts";
import { Finding, type Verdict } from "./finding.ts";
import { describeModel } from "./model.ts";
import { tryModel } from "./trial.ts";

/** What the checks said of a model that the runtime runs. */
export interface Judgement {
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly findings: readonly string[];
}

/** The k-th model of a seed, the n-th that runs; undefined where the runtime itself refuses it. */
export async function judgeModel(seed: string, k: number, n: number): Promise<Judgement | undefined> {
  const model = await drawModel(seed, k);
  const trial = model && (await tryModel(model, `${seed}/${k}/points`));
  if (!trial) return undefined;
  const verdicts: Record<string, Verdict> = {};
  const findings: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      verdicts[name] = await check(trial, n);
    } catch (error) {
      const reason = error instanceof Finding ? error.message : `${(error as Error).stack}`;
      findings.push(`${name}, model ${seed}/${k}: ${reason}\n  ${describeModel(trial.model)}`);
    }
  }
  return { verdicts, findings };
}
