import { allLemmata, errataMarkdown, findLemma } from "@lemmata/core/theory";
import { proseText } from "../formula-text.ts";
import { type CommonOptions, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";

interface Options extends CommonOptions {
  readonly latex?: boolean;
}

/** `lemmata theory errata [T-27] [--latex]` */
export default async function theoryErrata(id: string | undefined, options: Options): Promise<void> {
  const bar = progressBar("errata", options);
  const markdown = await errataMarkdown(id === undefined ? await allLemmata() : [await findLemma(id)], {
    signal: interruptSignal(),
    onProgress: bar.update,
  });
  bar.done();
  if (options.json) return printJson({ markdown });
  process.stdout.write(options.latex ? markdown : proseText(markdown));
}
