// Random orders that a graph computes by itself, from a seed and the number of the epoch: the same in Node, in a browser
// and after a restart.
import { tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";

/** 2^31 - 1: products of two residues fit in 64-bit integers, and x -> x^5 is one to one, as 5 does not divide p - 1. */
const prime = 2147483647;
/** Any numbers without pattern: here, digits of pi, e and the golden ratio. */
const keys = [
  [314159265, 271828182, 161803398],
  [358979323, 845904523, 874989484],
  [846264338, 536028747, 820458683],
] as const;

const integer = (like: Value, value: number): Value =>
  like.builder.lift(tensor(value, { type: "int64" }), "int64");
const residue = (x: Value): Value => x.op("Mod", [integer(x, prime)]);

/** x^5 mod p */
function fifthPower(x: Value): Value {
  const square = residue(x.mul(x));
  return residue(residue(square.mul(square)).mul(x));
}

/** What rounds x -> (x + key)^5 mod p make of 0..count-1. Each round is one to one on the residues: no two numbers tie. */
function scramble(count: Value, seed: Value, epoch: Value): Value {
  const zero = integer(count, 0);
  const start = zero.op("Range", [count, integer(count, 1)]);
  return keys.reduce((x, [a, b, c]) => {
    const key = fifthPower(
      residue(
        residue(seed)
          .mul(integer(count, a))
          .add(epoch.mul(integer(count, b)))
          .add(integer(count, c)),
      ),
    );
    return fifthPower(residue(x.add(key)));
  }, start);
}

/** Signs are drawn where no epoch is. */
const afterAllEpochs = 1e9;

/** -1 or 1 for each of 0..count-1, from a seed and the number of the step. */
export function signs(count: Value, seed: Value, step: Value): Value {
  const drawn = scramble(count, seed, step.add(integer(step, afterAllEpochs)));
  const isUpper = drawn.op("Greater", [integer(drawn, (prime - 1) / 2)]);
  return isUpper.op("Where", [integer(drawn, 1), integer(drawn, -1)]);
}

/** A permutation of 0..count-1: the order of the scrambled numbers. */
export function shuffled(count: Value, seed: Value, epoch: Value): Value {
  const scrambled = scramble(count, seed, epoch);
  const [, order] = scrambled.builder.apply(
    "TopK",
    [scrambled, count.reshape([1])],
    { largest: 0, sorted: 1 },
    2,
  );
  return order!;
}

/**
 * The same permutation without a graph.
 * @example permutation(5, 1, 0) // the order of five examples in epoch 0
 */
export function permutation(count: number, seed: number, epoch: number): readonly number[] {
  const p = BigInt(prime);
  const fifth = (x: bigint): bigint => x ** 5n % p;
  const rounds = keys.map(([a, b, c]) =>
    fifth(((BigInt(seed) % p) * BigInt(a) + BigInt(epoch) * BigInt(b) + BigInt(c)) % p),
  );
  const scrambled = Array.from({ length: count }, (_, i) =>
    Number(rounds.reduce((x, key) => fifth((x + key) % p), BigInt(i))),
  );
  return scrambled.map((_, i) => i).sort((i, j) => scrambled[i]! - scrambled[j]!);
}
