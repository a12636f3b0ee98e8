// What a command may do with any file at all: a result and exit code 0, or one clear line and exit code 2.

/** What one command did. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What both commands did with one file. */
export interface Finding {
  readonly info: Outcome;
  readonly run: Outcome;
  readonly peakBytes: number;
  readonly milliseconds: number;
}

export const mostSeconds = 5;
export const mostBytes = 1e9;
/** A line that a terminal shows without scrolling for long. */
const longestLine = 800;

/** What is wrong with an outcome, in words; undefined if nothing. */
export function complaint({ exitCode, stdout, stderr }: Outcome): string | undefined {
  if (exitCode === 0) {
    if (stderr !== "") return `exit code 0, but on stderr: ${shown(stderr)}`;
    return isJsonLine(stdout) ? undefined : `stdout is not one JSON value: ${shown(stdout)}`;
  }
  if (exitCode !== 2) return `exit code ${exitCode}: ${shown(stderr)}`;
  if (stdout !== "") return `exit code 2, but on stdout: ${shown(stdout)}`;
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
