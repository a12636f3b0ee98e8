// Text that may hold names from a file, made safe to print: one line, no control characters, no endless names.

/** Control characters, lone surrogates, separators of lines, and what turns text around. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const longestName = 100;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, 0.7 * length)} ... ${text.slice(-0.3 * length)}` : text;

/**
 * A name on one line that shows what is in it and moves no cursor; a long one is cut in its middle.
 * @example printableName("a\nb") // "a\\u000ab"
 */
export const printableName = (name: string, length = longestName): string =>
  shortened(name, length).replace(unprintable, escaped);

/**
 * A message on one line; long names in quotes are cut.
 * @example printableLine("no input \"\x1b[2J\"") // "no input \"\\u001b[2J\""
 */
export const printableLine = (message: string): string =>
  message
    .replace(/"[^"]{101,}"/g, (quoted) => `"${shortened(quoted.slice(1, -1), longestName)}"`)
    .replace(unprintable, escaped);

/** Lines of text or JSON: all but their ends is escaped, in the way of JSON. */
export const printableText = (text: string): string =>
  text.replace(unprintable, (character) => (character === "\n" ? character : escaped(character)));
