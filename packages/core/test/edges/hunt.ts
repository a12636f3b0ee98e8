// Runs every check on generated models and collects what is false.
import type { Verdict } from "./finding.ts";
import type { JudgeProcess } from "./process.ts";

export interface Hunt {
  readonly models: number;
  /** Models that the runtime itself refuses. */
  readonly refusedByRuntime: number;
  /** Models on which the runtime's process ended: skipped. */
  readonly deaths: readonly string[];
  readonly verdicts: Readonly<Record<string, Record<Verdict, number>>>;
  readonly findings: readonly string[];
}

/** Models until `count` of them ran. */
export async function hunt(judge: JudgeProcess, seed: string, count: number): Promise<Hunt> {
  const verdicts: Record<string, Record<Verdict, number>> = {};
  const findings: string[] = [];
  const deaths: string[] = [];
  let [models, refusedByRuntime] = [0, 0];
  for (let k = 0; models < count; k++) {
    const found = await judge.ask({ seed, k, n: models + 1 });
    if ("end" in found) {
      (found.isOfRuntime ? deaths : findings).push(`model ${seed}/${k}: ${found.end}`);
      continue;
    }
    if (!found.judgement) {
      refusedByRuntime++;
      continue;
    }
    models++;
    findings.push(...found.judgement.findings);
    for (const [name, verdict] of Object.entries(found.judgement.verdicts)) {
      verdicts[name] ??= { agrees: 0, refused: 0 };
      verdicts[name][verdict]++;
    }
  }
  return { models, refusedByRuntime, deaths, verdicts, findings };
}
