// The checker with a weakness planted in it.
import { type Change, planted } from "../../planted.ts";
import type { Checker } from "./persuade.ts";

/** What is weak, and how: files of src/check. */
export interface Weakness {
  readonly what: string;
  /** A seed with which it is found within some hundred forgeries; with "forger" all are, within ten thousand. */
  readonly soon?: string;
  readonly changes: readonly Change[];
}

export async function weakened({ changes }: Weakness): Promise<Checker> {
  const own = changes.map(([file, from, to]): Change => [`check/${file}`, from, to]);
  const { checkCertificate } = await planted<{ checkCertificate: Checker }>("check/check.ts", own);
  return checkCertificate;
}
