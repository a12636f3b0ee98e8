// How a measure orders models that differ in one hyperparameter only (Jiang et al. 2020), which a common cause cannot fake.

/** A model's hyperparameters, by name. */
export type ModelSetting = Readonly<Record<string, number>>;

export interface GranulatedTau {
  /** Of the pairs that differ in this hyperparameter alone: those ordered alike less those ordered otherwise, as a share. */
  readonly axes: Readonly<Record<string, number>>;
  /** The mean over the hyperparameters. */
  readonly mean: number;
}

/**
 * Kendall's coefficient along each hyperparameter by itself, and their mean; pairs of equal values count as neither. There
 * is none where no two models differ in one hyperparameter only.
 * @example granulatedTau([{ width: 1 }, { width: 2 }], [3, 4], [0.1, 0.2], ["width"]).mean // 1
 */
export function granulatedTau(
  settings: readonly ModelSetting[],
  x: readonly number[],
  y: readonly number[],
  hyperparameters: readonly string[],
): GranulatedTau | undefined {
  const axes: [string, number][] = [];
  for (const axis of hyperparameters) {
    let [agreement, pairs] = [0, 0];
    for (let i = 0; i < settings.length; i++)
      for (let j = 0; j < i; j++) {
        if (!differOnlyIn(axis, settings[i]!, settings[j]!)) continue;
        agreement += order(x[i]!, x[j]!) * order(y[i]!, y[j]!);
        pairs++;
      }
    if (pairs > 0) axes.push([axis, agreement / pairs]);
  }
  if (axes.length === 0) return undefined;
  return { axes: Object.fromEntries(axes), mean: axes.reduce((sum, [, t]) => sum + t, 0) / axes.length };
}

const differOnlyIn = (axis: string, a: ModelSetting, b: ModelSetting): boolean =>
  Object.keys(a).every((name) => (a[name] === b[name]) !== (name === axis));

const order = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
