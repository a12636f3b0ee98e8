// Numbers that are made of earlier ones: when each can be made, and how much each counts at the end.

/**
 * The earliest stage of each value: so many stages after all that it reads. `order` has each value after those.
 * @example earliestStages([0, 1, 2], (id) => [[], [0], [0, 1]][id], (id) => id && 1) // [0, 1, 2]
 */
export function earliestStages(
  order: Iterable<number>,
  reads: (id: number) => readonly number[],
  takes: (id: number) => number,
): number[] {
  const stages: number[] = [];
  for (const id of order)
    stages[id] = reads(id).reduce((latest, read) => Math.max(latest, stages[read]!), 0) + takes(id);
  return stages;
}

/** A value that another one reads, and a bound of the slope in it. */
export type Slope = readonly [read: number, slope: number];

/**
 * L_i = d_i + sum over the values j that read i of |d j / d i| L_j, where d_i says how much i itself counts: an error
 * e_i of each value changes the end by sum_i L_i e_i at most, to first order. `slopes` may ask what is known of L_j.
 * @example sensitivities([0, 1], [0, 1], (id) => (id === 1 ? [[0, 3]] : [])) // [3, 1]
 */
export function sensitivities(
  order: readonly number[],
  own: readonly number[],
  slopes: (id: number, L: number) => Iterable<Slope>,
): number[] {
  const L = [...own];
  for (const id of order.toReversed())
    if (L[id] !== 0) for (const [read, slope] of slopes(id, L[id]!)) L[read]! += L[id]! * slope;
  return L;
}
