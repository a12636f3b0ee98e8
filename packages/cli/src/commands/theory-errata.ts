import { allLemmata, errataMarkdown } from "@lemmata/core/theory";
import { type CommonOptions, printJson } from "../output.ts";
import { interruptSignal, progressBar } from "../progress.ts";

/** `lemmata theory errata` */
export default async function theoryErrata(options: CommonOptions): Promise<void> {
  const bar = progressBar("errata", options);
  const markdown = await errataMarkdown(await allLemmata(), {
    signal: interruptSignal(),
    onProgress: bar.update,
  });
  bar.done();
  if (options.json) return printJson({ markdown });
  process.stdout.write(markdown);
}
