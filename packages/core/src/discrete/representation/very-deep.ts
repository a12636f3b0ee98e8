// Very deep networks for Lipschitz functions (Yarotsky 2018): the increments of f on a grid of N^2 points are digits of N
// weights, which N steps decode. Error N^-2 from O(N) weights, where weights that depend continuously on f give N^-1.
import type { Graph } from "../../graph/graph.ts";
import { DiscreteError } from "../error.ts";
import { constant, type Form, FormNetwork, minus, plus, times, unit } from "./forms.ts";

export interface VeryDeepOptions {
  /** Width of the ramps between two pieces of length 1 / N. */
  readonly ramp?: number;
  /** Values of f on the grid go to multiples of N^-2. */
  readonly rounding?: "nearest" | "down";
}

/** What a copy of the decoder carries: the code that is left, the place N^2 (x - k/N), and the sum so far, shifted. */
interface State {
  readonly code: Form;
  readonly place: Form;
  readonly sum: Form;
}

/** Pieces k = 0 ... N - 1: the first value in units of N^-2, and increments -1, 0, 1 as digits 0, 1, 2 to the base 4. */
function encoded(f: (x: number) => number, N: number, rounding: "nearest" | "down") {
  const value = (k: number): number =>
    Math.floor(f(k / N ** 2) * N ** 2 + (rounding === "nearest" ? 1 / 2 : 0));
  return Array.from({ length: N }, (_, k) => {
    const digits = Array.from({ length: N }, (_, j) => value(k * N + j + 1) - value(k * N + j) + 1);
    const steep = digits.findIndex((g) => g < 0 || g > 2);
    if (steep >= 0)
      throw new DiscreteError(`f is no Lipschitz function of constant 1 near ${(k * N + steep) / N ** 2}`);
    return { first: value(k * N), code: digits.reduceRight((sum, g) => (sum + g) / 4, 0) };
  });
}

/** y_0 + sum_k (y_k - y_{k-1}) ramp_k, ramp_k the difference of two units. */
const staircase = (values: readonly number[], ramps: readonly Form[]): Form =>
  plus(constant(values[0]!), ...ramps.map((ramp, k) => times(ramp, values[k + 1]! - values[k]!)));

/**
 * The network of a function on [0, 1] with Lipschitz constant 1: error N^-2 + 2 ramp at most, 2 N + 6 hidden layers. The
 * median of three shifted copies is right where one of them is on a ramp.
 * @example sizes(veryDeep((x) => x / 2, 4)).depth // 14
 */
export function veryDeep(
  f: (x: number) => number,
  N: number,
  { ramp = 2 ** -7 / N ** 2, rounding = "nearest" }: VeryDeepOptions = {},
): Graph {
  if (!(ramp > 0 && 5 * ramp < 1 / N))
    throw new DiscreteError(`ramps of width ${ramp} are no ramps of 1/${N}`);
  const pieces = encoded(f, N, rounding);
  const shift = N - Math.min(...pieces.map(({ first }) => first));
  const net = new FormNetwork(1);
  const x = unit(0);
  const [left, middle, right] = net.relu([
    minus(x, constant(2 * ramp)),
    x,
    minus(constant(1 - 2 * ramp), x),
  ]) as [Form, Form, Form];
  const copies = [left, middle, minus(constant(1), right)];
  let states = collected(net, copies, pieces, shift, ramp);
  for (let j = 0; j < N; j++) states = decoded(net, states, j);
  const result = median(net, states.map(({ sum }) => sum) as [Form, Form, Form]);
  return net.finish([times(minus(result, constant(shift)), N ** -2)], "very_deep");
}

/** Codes, places and first values of each copy's piece. */
function collected(
  net: FormNetwork,
  copies: readonly Form[],
  pieces: readonly { readonly first: number; readonly code: number }[],
  shift: number,
  ramp: number,
): State[] {
  const N = pieces.length;
  const steps = Array.from({ length: N - 1 }, (_, k) => (k + 1) / N);
  const units = net.relu(
    copies.flatMap((x) => [
      x,
      ...steps.flatMap((at) => {
        const z = times(minus(x, constant(at)), 1 / ramp);
        return [plus(z, constant(1)), z];
      }),
    ]),
  );
  const perCopy = 2 * N - 1;
  const forms = copies.flatMap((_, c) => {
    const own = units.slice(c * perCopy, (c + 1) * perCopy);
    const ramps = steps.map((_, k) => minus(own[1 + 2 * k]!, own[2 + 2 * k]!));
    const begins = staircase([0, ...steps], ramps);
    return [
      staircase(
        pieces.map(({ code }) => code),
        ramps,
      ),
      times(minus(own[0]!, begins), N ** 2),
      staircase(
        pieces.map(({ first }) => first + shift),
        ramps,
      ),
    ];
  });
  const held = net.relu(forms);
  return copies.map((_, c) => ({ code: held[3 * c]!, place: held[3 * c + 1]!, sum: held[3 * c + 2]! }));
}

/**
 * Step j of all copies: bits b_t = clip(3 (4 code - t) + 1) of the first digit, the part w = clip(place - j) of its cell,
 * and (digit - 1) w = relu(w + b_2 - 1) - relu(w - b_1).
 */
function decoded(net: FormNetwork, states: readonly State[], j: number): State[] {
  const first = net.relu(
    states.flatMap(({ code, place, sum }) => [
      ...[2, 3, 5, 6].map((t) => minus(times(code, 12), constant(t))),
      ...[minus(place, constant(j)), minus(place, constant(j + 1))],
      ...[code, place, sum],
    ]),
  );
  const second = net.relu(
    states.flatMap((_, c) => {
      const [p1, p2, q1, q2, w0, w1, code, place, sum] = first.slice(9 * c, 9 * c + 9) as Form[];
      const [b1, b2, w] = [minus(p1!, p2!), minus(q1!, q2!), minus(w0!, w1!)];
      return [plus(w, b2, constant(-1)), minus(w, b1), minus(minus(times(code!, 4), b1), b2), place!, sum!];
    }),
  );
  return states.map((_, c) => {
    const [up, down, code, place, sum] = second.slice(5 * c, 5 * c + 5) as Form[];
    return { code: code!, place: place!, sum: plus(sum!, minus(up!, down!)) };
  });
}

/** max(min(a, b), min(max(a, b), c)) of three numbers that are not negative. */
function median(net: FormNetwork, [a, b, c]: readonly [Form, Form, Form]): Form {
  const [over, a1, b1, c1] = net.relu([minus(a, b), a, b, c]) as [Form, Form, Form, Form];
  const [excess, low, c2] = net.relu([minus(c1, plus(b1, over)), minus(a1, over), c1]) as [Form, Form, Form];
  const upper = minus(c2, excess);
  const [lift, upper1] = net.relu([minus(low, upper), upper]) as [Form, Form];
  return plus(upper1, lift);
}
