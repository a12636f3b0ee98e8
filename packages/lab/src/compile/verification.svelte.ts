// One run of the checker at a time.
import { Cancelled, work } from "../worker/client.ts";
import type { Verdict, VerifyInput } from "../worker/jobs/verify-certificate.ts";

/** A checker whose verdict the page shows. */
export function createVerification() {
  let verdict = $state.raw<Verdict>();
  let abort = $state.raw<AbortController>();

  function forget(): void {
    abort?.abort();
    abort = undefined;
    verdict = undefined;
  }

  return {
    get verdict() {
      return verdict;
    },
    get isRunning() {
      return abort !== undefined;
    },
    async verify(input: () => Promise<VerifyInput>): Promise<void> {
      forget();
      const own = new AbortController();
      abort = own;
      try {
        const found = await work("verifyCertificate", await input(), { signal: own.signal });
        if (abort === own) verdict = found;
      } catch (error) {
        if (abort === own && !(error instanceof Cancelled))
          verdict = { kind: "unreadable", reason: error instanceof Error ? error.message : String(error) };
      } finally {
        if (abort === own) abort = undefined;
      }
    },
    /** Stops, and takes the verdict back. */
    forget,
  };
}
