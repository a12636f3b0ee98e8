// Climbing to neurons that the data ask for: from a vector up, and on along kinks, where maxima of concave bends are.

type Vector = Float64Array;

export const dot = (a: Vector, b: Vector): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
};
export const norm = (a: Vector): number => Math.sqrt(dot(a, a));
/** Of length 1, however small: 0 stays 0. */
export const unit = (a: Vector): Vector => {
  const most = a.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  if (most === 0) return a;
  const near = a.map((v) => v / most);
  const length = norm(near);
  return near.map((v) => v / length);
};

/** sum_i Q_ki relu(<v, x_i>) for each output k. */
export function responseOf(x: readonly Vector[], q: readonly Vector[], v: Vector): Vector {
  const active = x.map((row) => Math.max(0, dot(row, v)));
  return Float64Array.from(q, (row) => active.reduce((sum, z, i) => sum + row[i]! * z, 0));
}

type Basis = readonly Vector[];
const without = (v: Vector, basis: Basis): Vector =>
  basis.reduce((rest, b) => {
    const share = dot(rest, b);
    return rest.map((w, c) => w - share * b[c]!);
  }, v);

/** A few steps v <- sum of what is active, kept while they rise, orthogonal to the basis of what is held. */
export function climbed(x: readonly Vector[], q: readonly Vector[], start: Vector, held: Basis = []): Vector {
  let [v, value] = [start, norm(responseOf(x, q, start))];
  for (let step = 0; step < 40; step++) {
    const response = unit(responseOf(x, q, v));
    const pull = new Float64Array(v.length);
    x.forEach((row, i) => {
      if (dot(row, v) <= 0) return;
      const weight = q.reduce((sum, out, k) => sum + response[k]! * out[i]!, 0);
      for (let c = 0; c < pull.length; c++) pull[c]! += weight * row[c]!;
    });
    const whole = unit(without(pull, held));
    let [next, better] = [v, value];
    for (let share = 1; share > 0.05 && !(better > value * (1 + 1e-15)); share /= 2) {
      next = unit(v.map((w, c) => (1 - share) * w + share * whole[c]!));
      better = norm(responseOf(x, q, next));
    }
    if (!(better > value * (1 + 1e-15))) break;
    [v, value] = [next, better];
  }
  return v;
}

/** Kinks this near, as an angle, are tried, the nearest ones first; so many that do not help are passed by. */
const near = 0.1;
const passed = 3;

/** Turned onto one kink <v, x_i> = 0 after the other and climbed along it, as long as that rises. */
export function onKinks(x: readonly Vector[], q: readonly Vector[], start: Vector): Vector {
  let [v, value] = [start, norm(responseOf(x, q, start))];
  const held: Vector[] = [];
  for (let rises = true; rises && held.length < v.length - 1; ) {
    rises = false;
    for (const kink of nearestKinks(x, v, held)) {
      const turned = unit(without(v, [...held, kink]));
      const tried = climbed(x, q, turned, [...held, kink]);
      const reached = norm(responseOf(x, q, tried));
      if (!(reached > value)) continue;
      held.push(kink);
      [v, value, rises] = [tried, reached, true];
      break;
    }
  }
  return v;
}

/** Directions of the nearest kinks that are not held, of length 1 and orthogonal to those that are. */
function nearestKinks(x: readonly Vector[], v: Vector, held: Basis): readonly Vector[] {
  const found: { readonly angle: number; readonly row: Vector }[] = [];
  for (const row of x) {
    const angle = Math.abs(dot(row, v)) / norm(row);
    if (angle < near) found.push({ angle, row });
  }
  return found
    .sort((a, b) => a.angle - b.angle)
    .map(({ row }) => ({ row, rest: without(row, held) }))
    .filter(({ row, rest }) => norm(rest) > 1e-6 * norm(row))
    .slice(0, passed)
    .map(({ rest }) => unit(rest));
}
