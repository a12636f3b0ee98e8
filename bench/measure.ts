// Side-by-side measurement: the contenders take turns, so that a noisy machine disturbs them alike.

export interface Contender {
  readonly name: string;
  run(): void | Promise<void>;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Median milliseconds of each contender over interleaved rounds; the first round warms up and does not count. */
export async function compare(
  contenders: readonly Contender[],
  rounds: number,
): Promise<Map<string, number>> {
  const times = new Map<string, number[]>(contenders.map((c) => [c.name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const start = performance.now();
      await contender.run();
      if (round > 0) times.get(contender.name)!.push(performance.now() - start);
    }
  }
  return new Map([...times].map(([name, t]) => [name, median(t)]));
}

/** Prints the times and, as what counts, the ratio of the first contender to each other one. */
export async function report(title: string, contenders: readonly Contender[], rounds: number): Promise<void> {
  const medians = await compare(contenders, rounds);
  const [[ours, own]] = [...medians] as [[string, number], ...[string, number][]];
  console.log(`\n${title} (median of ${rounds})`);
  for (const [name, time] of medians) {
    const ratio = name === ours ? "" : `   ratio ${(own / time).toFixed(2)} (${ours} / ${name})`;
    console.log(`  ${name.padEnd(34)} ${time.toFixed(3).padStart(10)} ms${ratio}`);
  }
}
