// Random shapes and attributes at which gradient rules are held against central differences.
import fc from "fast-check";
import { expect } from "vitest";
import { release } from "../../src/engine/session.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { elementCount, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { gridPoints } from "./gradient-cases.ts";
import { checkGradient } from "./gradient-check.ts";

export const runs = { numRuns: 25, seed: 20260 };
export const integers = (values: readonly number[], dims: readonly number[] = [values.length]) =>
  tensor(values, { type: "int64", dims });

/** Central differences agree at numbers of a grid without ties, between low and high. */
export async function agrees(
  shapes: readonly (readonly number[])[],
  f: (...x: Value[]) => Value,
  [low, high]: readonly [number, number] = [-2.2, 2.3],
): Promise<void> {
  const names = shapes.map((_, k) => `x${k}`);
  const types = Object.fromEntries(names.map((name, k) => [name, float64(...shapes[k]!)]));
  const net = graph(types, (given) => ({ y: f(...names.map((name) => given[name]!)) }));
  const counts = shapes.map(elementCount);
  const points = gridPoints(
    counts.reduce((a, b) => a + b, 0),
    [low, high],
    7,
  );
  const inputs = names.map((name, k) => {
    const dims = shapes[k]!;
    return [name, tensor(points.splice(0, counts[k]!), { type: "float64", dims })] as const;
  });
  const { error, gradient } = await checkGradient(net, Object.fromEntries(inputs), { directions: 1 });
  await Promise.all([release(net), release(gradient)]);
  expect(error).toBeLessThan(1e-6);
}

export const shapeOf = (min: number, max: number) =>
  fc.array(fc.integer({ min: 1, max: 4 }), { minLength: min, maxLength: max });
/** A shape and one of its axes, counted from either end. */
export const shapeAndAxis = shapeOf(1, 3).chain((shape) =>
  fc.tuple(fc.constant(shape), fc.integer({ min: -shape.length, max: shape.length - 1 })),
);
export const indicesInto = (size: number, count: number) =>
  fc.array(fc.integer({ min: -size, max: size - 1 }), { minLength: count, maxLength: count });
export const at = <T>(list: readonly T[], k: number): T => list.at(k)!;
