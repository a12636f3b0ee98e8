// Prose with formulas, as runs of words and runs of TeX: words wrap and are read as words, formulas are typeset.

export interface TextRun {
  readonly kind: "words" | "tex";
  readonly text: string;
}

const words = (text: string): TextRun => ({ kind: "words", text });
const tex = (text: string): TextRun => ({ kind: "tex", text });
const isEmpty = ({ text }: TextRun): boolean => text.trim() === "" && text !== " ";

/**
 * Formulas are between dollars, or all is one formula whose \text{...} is prose, or there is no formula at all.
 * Prose that has TeX commands without dollars is cut where words end and symbols begin.
 */
export function textRuns(source: string): readonly TextRun[] {
  if (source.includes("$"))
    return source
      .split("$")
      .map((part, k) => (k % 2 === 1 ? tex(part) : words(part)))
      .filter((run) => run.text !== "");
  const bare = source.replace(/\\(text|operatorname|mathrm|begin|end)\{[^}]*\}|\\[a-zA-Z]+/g, "");
  const isProse = /[A-Za-zÀ-ž]{4,}/.test(bare) || /[≲≳→ε]/.test(bare);
  if (!isProse) return formulaRuns(source);
  return source.includes("\\") ? cutProse(source) : [words(source)];
}

/** A formula with every \text{...} that is in no other group taken out of it. */
export const formulaRuns = (source: string): readonly TextRun[] =>
  splitProse(source).filter((run) => !isEmpty(run));

function splitProse(source: string): readonly TextRun[] {
  const runs: TextRun[] = [];
  let [depth, from] = [0, 0];
  for (let k = 0; k < source.length; k++) {
    const rest = source.slice(k);
    if (/^\\(left|begin|bigl|Bigl|biggl|Biggl)\b/.test(rest)) depth++;
    else if (/^\\(right|end|bigr|Bigr|biggr|Biggr)\b/.test(rest)) depth--;
    const prose = depth === 0 ? /^\\text\{([^{}$]*)\}/.exec(rest) : null;
    const before = source.slice(0, k).trimEnd().at(-1);
    if (prose && before !== "_" && before !== "^") {
      runs.push(...punctuated(source.slice(from, k), runs.length > 0), words(prose[1]!));
      k += prose[0].length - 1;
      from = k + 1;
    } else if (source[k] === "\\") k++;
    else if (source[k] === "{") depth++;
    else if (source[k] === "}") depth--;
  }
  runs.push(...punctuated(source.slice(from), runs.length > 0));
  return runs;
}

/** A comma that follows words is one of them: a formula would not leave a space after it. */
function punctuated(formula: string, followsWords: boolean): readonly TextRun[] {
  const [, mark, rest] = /^\s*([,;:.]?)\s*(.*)$/s.exec(formula)!;
  return followsWords && mark ? [words(`${mark} `), tex(spaced(rest!))] : [tex(spaced(formula))];
}

/** A relation at an end of a formula keeps its distance from the words next to it. */
const spaced = (formula: string): string =>
  formula
    .replace(/^\s*(?=[<>=]|\\(le|ge|ne|in|sim|to)(?![a-zA-Z]))/, "{} ")
    .replace(/([<>=]|\\(le|ge|ne|in|sim|to))\s*$/, "$1 {}");

const matrix = /\\begin\{.*?\\end\{\w+\}/s;

/** "only if \rho(1) = 1; else ..." has words, then symbols, then words. */
function cutProse(source: string): readonly TextRun[] {
  const pieces = new RegExp(`(${matrix.source}|[^\\s]*\\\\[^\\s]*(?:\\s*[=<>/+-]\\s*[^\\s;,:]+)*)`, "s");
  return source
    .split(pieces)
    .flatMap((part, k) => {
      if (k % 2 === 0) return [words(part)];
      const [, formula, end] = /^(.*?)([;,:.]?)$/s.exec(part)!;
      return [tex(formula!), ...(end ? [words(end)] : [])];
    })
    .filter((run) => run.text !== "");
}

/** The parts of a formula that may stand on lines of their own: cut at \quad and \qquad outside of groups. */
export function formulaParts(source: string): readonly string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let k = 0; k < source.length; k++) {
    const rest = source.slice(k);
    if (/^\\(left|begin)\b/.test(rest)) depth++;
    else if (/^\\(right|end)\b/.test(rest)) depth--;
    const space = depth === 0 ? /^\\q?quad(?![a-zA-Z])/.exec(rest) : null;
    if (space) {
      parts.push(source.slice(from, k));
      k += space[0].length - 1;
      from = k + 1;
    } else if (source[k] === "\\") k++;
    else if (source[k] === "{") depth++;
    else if (source[k] === "}") depth--;
  }
  return [...parts, source.slice(from)].map((p) => p.trim()).filter(Boolean);
}
