// Runs every check on generated models and collects what is false.

import { checks } from "./checks.ts";
import { drawModel } from "./draw-model.ts";
import { Finding, type Verdict } from "./finding.ts";
import { describeModel } from "./model.ts";
import { tryModel } from "./trial.ts";

export interface Hunt {
  readonly models: number;
  /** Models that the runtime itself refuses. */
  readonly refusedByRuntime: number;
  readonly verdicts: Readonly<Record<string, Record<Verdict, number>>>;
  readonly findings: readonly string[];
}

export interface HuntOptions {
  readonly from?: number;
  /** Checks to run; default: all. */
  readonly only?: RegExp;
  readonly onModel?: (k: number) => void;
  readonly onCheck?: (name: string, milliseconds: number) => void;
}

/** Models until `count` of them ran. */
export async function hunt(
  seed: number | string,
  count: number,
  { from = 0, only = /./, onModel, onCheck }: HuntOptions = {},
): Promise<Hunt> {
  const verdicts: Record<string, Record<Verdict, number>> = {};
  const findings: string[] = [];
  let [models, refusedByRuntime] = [0, 0];
  for (let k = from; models < count; k++) {
    onModel?.(k);
    const model = await drawModel(seed, k);
    const trial = model && (await tryModel(model, `${seed}/${k}/points`));
    if (!trial) {
      refusedByRuntime++;
      continue;
    }
    models++;
    for (const [name, check] of Object.entries(checks)) {
      if (!only.test(name)) continue;
      verdicts[name] ??= { agrees: 0, refused: 0 };
      const tally = verdicts[name];
      const start = performance.now();
      try {
        tally[await check(trial, models)]++;
      } catch (error) {
        const reason = error instanceof Finding ? error.message : `${(error as Error).stack}`;
        findings.push(`${name}, model ${seed}/${k}: ${reason}\n  ${describeModel(trial.model)}`);
      }
      onCheck?.(name, performance.now() - start);
    }
  }
  return { models, refusedByRuntime, verdicts, findings };
}
