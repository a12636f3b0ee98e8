// `lemmata supports --arithmetic-complexity-theories`
import { boundedOperators } from "@lemmata/core/bounds";
import { type CommonOptions, print, printJson } from "../output.ts";
import { capabilities } from "../program/capabilities.ts";
import { UsageError } from "../usage-error.ts";

/** --hidden-node-theories is options.hiddenNodeTheories. */
const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The answers to what is asked; with --json to everything where nothing is. */
export default async function supports(options: CommonOptions): Promise<void> {
  const given = options as unknown as Readonly<Record<string, unknown>>;
  const asked = capabilities.filter(({ name }) => given[camelCase(name)] === true);
  if (asked.length === 0 && !options.json)
    throw new UsageError(`say what to tell: ${capabilities.map(({ name }) => `--${name}`).join(", ")}`);
  const answers = (asked.length > 0 ? asked : capabilities).map(
    ({ name, lines }) => [name, lines ?? boundedOperators()] as const,
  );
  if (options.json) printJson(Object.fromEntries(answers));
  else for (const [, lines] of answers) print(lines.join("\n"));
}
