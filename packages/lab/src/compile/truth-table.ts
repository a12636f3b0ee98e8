// The text of a truth table: a line of 0 and 1 for each output, perhaps with its name before a colon.

/** Nothing but names before colons, zeros, ones and remarks: else the text is formulas. */
export const isTable = (text: string): boolean =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/#.*$/, "").trim())
    .every((line) => line === "" || /^(?:[^:\s=]+\s*:)?[\s01_]+$/.test(line) || /^[^:\s=]+\s*:$/.test(line));

/** Tables as text, in groups of four: what is read again is the same. */
export const tableText = (
  tables: readonly { readonly name: string; readonly bits: ArrayLike<number> }[],
): string =>
  tables
    .map(
      ({ name, bits }) =>
        `${name}: ${Array.from(bits)
          .join("")
          .replace(/(.{4})(?=.)/g, "$1 ")}`,
    )
    .join("\n");

export const tableExamples: readonly { readonly label: string; readonly text: string }[] = [
  { label: "parity", text: "parity: 0110 1001" },
  { label: "majority", text: "maj(a, b, c, d, e)" },
  { label: "full adder", text: "s = a ^ b ^ c\ncarry = maj(a, b, c)" },
  { label: "multiplexer", text: "if(s, if(t, a, b), if(t, c, d))" },
  {
    label: "seven segments",
    text: [
      "# digits 0 ... 9 on a display, x1 is the lowest bit",
      "top: 1011 0111 1100 0000",
      "middle: 0011 1110 1100 0000",
      "bottom: 1011 0110 1100 0000",
    ].join("\n"),
  },
];
