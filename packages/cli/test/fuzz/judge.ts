// What a command may do with any file at all: a result and exit code 0, 1 or 3, or one clear line and exit code 2.

/** What one command did. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command did, and the greatest memory of its process so far. */
export interface Finding {
  readonly outcome: Outcome;
  readonly peakBytes: number;
}

/** A process beyond this is replaced, and its file goes to the real command. */
export const mostBytes = 1e9;
/** Far beyond all limits, on a busy machine too: a guard that has not seen them. */
export const [endlessSeconds, boundlessBytes] = [90, 5e9];
/** Done, a negative verdict, undecided; and what is wrong with the input. */
const verdicts = new Set([0, 1, 3]);
const [badInput, undecided] = [2, 3];
/** A line that a terminal shows without scrolling for long. */
const longestLine = 800;

/** What is wrong with an outcome, in words; undefined if nothing. */
export function complaint({ exitCode, stdout, stderr }: Outcome): string | undefined {
  if (exitCode === 0 && stderr !== "") return `exit code 0, but on stderr: ${shown(stderr)}`;
  const isUndecided = exitCode === undecided && stdout === "" && stderr !== "";
  if (verdicts.has(exitCode) && !isUndecided && !isJsonLine(stdout))
    return `stdout is not one JSON value: ${shown(stdout)}`;
  if (verdicts.has(exitCode) && stderr === "") return undefined;
  if (exitCode !== badInput && !verdicts.has(exitCode)) return `exit code ${exitCode}: ${shown(stderr)}`;
  if (exitCode === badInput && stdout !== "") return `exit code 2, but on stdout: ${shown(stdout)}`;
  const line = stderr.replace(/\n$/, "");
  if (!line.startsWith("lemmata: ")) return `an unexpected line: ${shown(line)}`;
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line)) return `not one printable line: ${shown(line)}`;
  if (/internal error/.test(line)) return shown(line);
  if (/\bat .*:\d+:\d+|\.cc:\d+|\.h:\d+|\/onnxruntime_src|\[ONNXRuntimeError\]/.test(line))
    return `innards in the line: ${shown(line)}`;
  if (line.length > longestLine) return `a line of ${line.length} characters: ${shown(line)}`;
  if (/undefined|NaN GB|\[object/.test(line.replace(/type undefined/g, "")))
    return `a gap in the line: ${shown(line)}`;
  return undefined;
}

function isJsonLine(text: string): boolean {
  try {
    JSON.parse(text);
    return text.endsWith("\n");
  } catch {
    return false;
  }
}

const shown = (text: string): string => JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}...` : text);
