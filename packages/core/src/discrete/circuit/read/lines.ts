// The lines of a text file with their numbers.

export interface Line {
  readonly number: number;
  readonly words: readonly string[];
}

/** Lines that have words, without comments; a backslash at the end joins the next line. */
export function linesOf(text: string, comment: RegExp): readonly Line[] {
  const found: Line[] = [];
  let [joined, start] = ["", 0];
  text.split(/\r\n|\n|\r/).forEach((raw, k) => {
    const line = raw.replace(comment, "");
    if (joined === "") start = k + 1;
    if (/\\\s*$/.test(line)) {
      joined += `${line.replace(/\\\s*$/, "")} `;
      return;
    }
    const words = (joined + line).trim().split(/\s+/);
    joined = "";
    if (words[0] !== "") found.push({ number: start, words });
  });
  return found;
}
