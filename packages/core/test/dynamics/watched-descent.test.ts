// Descent that watches balances, against the same descent in plain numbers: R = (v u - y)^2 at x = 1.
import { describe, expect, it } from "vitest";
import { curvatureAtStart, watchedDescent } from "../../src/dynamics/watched-descent.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";
import { empiricalRisk } from "../../src/train/empirical-risk.ts";

const risk = empiricalRisk(denseNetwork([{ W: [[2]] }, { W: [[3]] }], "linear"), "square", {
  x: tensor([[1]]),
  target: tensor([[5]]),
});
const slopes = (u: number, v: number): [number, number] => [2 * (v * u - 5) * v, 2 * (v * u - 5) * u];

describe("watched descent", () => {
  it("is plain descent, with all that is summed up on the way", async () => {
    const [steps, eta] = [6, 0.02];
    const found = await watchedDescent(risk, [1, 1, 1], { time: steps * eta, steps });
    let [u, v, dissipated, explained, bounded, bend] = [2, 3, 0, 0, 0, 0];
    let before: [number, number] | undefined;
    const track = [{ t: 0, norms: [4, 9], balances: [5] }];
    for (let k = 1; k <= steps; k++) {
      const [g, h] = slopes(u, v);
      dissipated += eta * (g * g + h * h);
      explained += eta ** 2 * (h * h - g * g);
      bounded += eta ** 2 * Math.max(g * g, h * h);
      if (before)
        bend = Math.max(
          bend,
          Math.hypot(g - before[0], h - before[1]) / Math.max(Math.hypot(g, h), Math.hypot(...before)),
        );
      before = [g, h];
      [u, v] = [u - eta * g, v - eta * h];
      track.push({ t: k * eta, norms: [u * u, v * v], balances: [v * v - u * u] });
    }
    const near = (value: number) => expect.closeTo(value, 12);
    const drift = v * v - u * u - 5;
    expect(found).toEqual({
      eta: near(eta),
      steps,
      track: track.map(({ t, norms, balances }) => ({
        t: near(t),
        norms: norms.map(near),
        balances: balances.map(near),
      })),
      drift: near(Math.abs(drift)),
      explained: [[near(drift), near(explained)]],
      bounded: [[near(drift), near(bounded)]],
      dissipated: near(dissipated),
      bend: near(bend),
      size: near(Math.max(13, u * u + v * v)),
    });
    expect(explained).toBeCloseTo(drift, 12); // the formula explains all of it, with one neuron
  });

  it("knows how fast the gradient turns at the start", async () => {
    const [g, h] = slopes(2, 3);
    // H g with the Hessian [[2 v^2, 4 u v - 10], [4 u v - 10, 2 u^2]] at (2, 3).
    const turned = Math.hypot(18 * g + 14 * h, 14 * g + 8 * h) / Math.hypot(g, h);
    expect(await curvatureAtStart(risk)).toBeCloseTo(turned, 2);
  });
});
