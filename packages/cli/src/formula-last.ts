/** A formula may begin with a minus, which is no option: it goes to the end, behind "--". */
export function formulaLast([command, ...rest]: readonly string[]): string[] {
  const all = command === undefined ? [] : [command, ...rest];
  const at = rest.findIndex((word, k) => /^-[^-]/.test(word) && !/^--/.test(rest[k - 1] ?? ""));
  if (command !== "compile" || at < 0 || rest[at] === "-h" || rest.includes("--")) return all;
  return [command, ...rest.slice(0, at), ...rest.slice(at + 1), "--", rest[at]!];
}
