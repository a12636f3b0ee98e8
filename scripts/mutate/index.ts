// `npm run mutate [-- --folder networks --sample 60 --seed 1 --no-tests]`: damages the mathematics at random places and
// asks whether the lemmata, and then the tests, notice. Prints a score per folder, and every damage that nobody noticed.
import { parseArgs } from "node:util";
import { createRandom } from "../../packages/core/src/numbers/random.ts";
import { filesOfLemmata } from "../lemma-code.ts";
import { noChange } from "./no-change.ts";
import { Prover } from "./prover.ts";
import type { TestCourse } from "./record.ts";
import { testsNotice, undamagedTests } from "./tests.ts";
import { type Mutant, type Workbench, workbench } from "./workbench.ts";

const everyFolder = [
  ...[
    "approximate",
    "bounds",
    "discrete",
    "dynamics",
    "equivalence",
    "functions",
    "generalization",
    "landscape",
    "linear-algebra",
    "measures",
  ],
  ...["networks", "numbers", "passes", "scattering", "train"],
];
const { values: options } = parseArgs({
  options: {
    folder: { type: "string", multiple: true, default: everyFolder },
    sample: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    trials: { type: "string", default: "8" },
    lemmata: { type: "string", default: "6" },
    "no-tests": { type: "boolean", default: false },
  },
});
const [sampleSize, trials, mostLemmata] = [options.sample, options.trials, options.lemmata].map(Number) as [
  number,
  number,
  number,
];
const longestTrials = 15_000;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Course {
  readonly id: string;
  readonly milliseconds: number;
  readonly reached: ReadonlySet<number>;
}

/** What each lemma that imports something of these folders reaches when nothing is damaged, and how long it takes. */
async function undamaged({ core }: Workbench): Promise<Course[]> {
  const prover = new Prover(core);
  const courses: Course[] = [];
  const imported = new RegExp(`^packages/core/src/(${options.folder.join("|")})[/.]`);
  for (const [id, files] of await filesOfLemmata()) {
    if (![...files].some((file) => imported.test(file))) continue;
    const reply = await prover.ask({ mutant: -1, lemmata: [id], trials }, 600_000);
    if (!reply || reply.caughtBy) throw new Error(`${id} fails undamaged: ${reply?.caughtBy ?? "no answer"}`);
    courses.push({ id, milliseconds: reply.milliseconds, reached: new Set(reply.reached) });
    say(`${id}: reaches ${reply.reached?.length} places in ${Math.round(reply.milliseconds)} ms`);
  }
  prover.end();
  return courses.toSorted((a, b) => a.milliseconds - b.milliseconds);
}

/** The first courses (they are sorted), as many as are allowed and take no more than the longest together; at least one. */
function quickest(courses: readonly Course[]): [Course[], number] {
  const chosen: Course[] = [];
  let sum = 0;
  for (const course of courses.slice(0, mostLemmata)) {
    if (chosen.length > 0 && sum + course.milliseconds > longestTrials) break;
    chosen.push(course);
    sum += course.milliseconds;
  }
  return [chosen, sum];
}

const isNoChange = ({ file, code, says }: Mutant): boolean =>
  noChange.some((known) => known.file === file && code.includes(known.code) && known.says === says);

/** Who notices: a lemma, a test file that reaches the place, or nobody. */
async function whoNotices(mutant: Mutant) {
  const [near, milliseconds] = quickest(courses.filter((c) => c.reached.has(mutant.id)));
  const patience = 5000 + 4 * milliseconds;
  const reply = await prover.ask({ mutant: mutant.id, lemmata: near.map((c) => c.id), trials }, patience);
  if (!reply) return `no answer in ${Math.round(patience / 1000)} s`;
  if (reply.caughtBy) return reply.caughtBy;
  return testsNotice(bench, mutant, tests) ? "a test" : undefined;
}

const bench = workbench(options.folder);
process.on("exit", bench.remove);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
say(`${bench.mutants.length} places that can be damaged in ${options.folder.join(", ")}`);
const courses = await undamaged(bench);
const tests: readonly TestCourse[] = options["no-tests"] ? [] : undamagedTests(bench, options.folder);
const random = createRandom(`mutate/${options.seed}`);
const prover = new Prover(bench.core);
const rows: string[] = [];
for (const folder of options.folder) {
  const reachable = bench.mutants.filter(
    (m) => m.folder === folder && !isNoChange(m) && courses.some((c) => c.reached.has(m.id)),
  );
  const chosen = random.shuffle(reachable).slice(0, sampleSize);
  const survivors: Mutant[] = [];
  for (const [k, mutant] of chosen.entries()) {
    const noticed = await whoNotices(mutant);
    if (!noticed) survivors.push(mutant);
    say(
      `${folder} ${k + 1}/${chosen.length} ${mutant.file}:${mutant.line} ${mutant.says}: ${noticed ?? "SURVIVES"}`,
    );
  }
  const caught = chosen.length - survivors.length;
  rows.push(
    `${folder.padEnd(14)} ${caught} of ${chosen.length} caught (${Math.round((100 * caught) / chosen.length)} %)`,
  );
  for (const m of survivors) rows.push(`  survives: ${m.file}:${m.line} ${m.says}`);
}
prover.end();
console.log(rows.join("\n"));
process.exit(0);
