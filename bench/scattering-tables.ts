// Tables 8.1 to 8.3 and Figure 8.9 of the book, chapter 8, on pictures that are at hand in place of Caltech-101 and Brodatz:
// the textures and the photograph of ../shared/data, with the unitary spline bank, K = 6, on paths of decreasing frequency.
// `npm run bench scattering-tables`, with SIDE=128 for more (the pictures are averaged down to it).
import { existsSync, readFileSync } from "node:fs";
import { readNpy } from "@lemmata/core/data";
import { numbers } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { discrimination, energy, polarBank, propagate } from "@lemmata/core/scattering";

const side = Number(process.env.SIDE ?? 64);
const most = Math.log2(side);
const folder = new URL("../../shared/data/", import.meta.url);

/** A picture of 512 x 512 in squares that are averaged, with mean 0 and variance 1. */
function picture(name: string): Float64Array {
  const given = readNpy(readFileSync(new URL(`${name}.npy`, folder)));
  const [pixels, width, factor] = [numbers(given), given.dims[1]!, given.dims[0]! / side];
  const x = Float64Array.from({ length: side * side }, (_, k) => {
    const [row, column] = [Math.floor(k / side) * factor, (k % side) * factor];
    let sum = 0;
    for (let a = 0; a < factor; a++)
      for (let b = 0; b < factor; b++) sum += Number(pixels[(row + a) * width + column + b]);
    return sum / factor ** 2;
  });
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const centred = x.map((v) => v - mean);
  const deviation = Math.sqrt(energy(centred) / x.length);
  return centred.map((v) => v / deviation);
}

const percent = (value: number): string => (100 * value).toFixed(2).padStart(6);

/** Shares of the energy by order, and of the variance over places, with averages over 2^J. */
function shares(x: Float64Array, J: number, order: number) {
  const energies = new Float64Array(order + 1);
  let variance = 0;
  for (const { wavelets, averaged } of propagate(x, polarBank({ shape: [side, side], scale: J }), {
    order,
  })) {
    const own = energy(averaged) / energy(x);
    const mean = averaged.reduce((sum, v) => sum + v, 0) / averaged.length;
    energies[wavelets.length]! += own;
    variance += own - mean ** 2;
  }
  return { energies, variance };
}

if (!existsSync(folder)) {
  console.log("there is no ../shared/data: nothing to measure");
  process.exit(0);
}
const printed = [85, 65, 45, 26, 14, 7, 2.5];
for (const name of ["brick", "grass", "gravel", "camera"]) {
  const x = picture(name);
  console.log(
    `\n${name}, ${side} x ${side}: percent of the energy in orders 0, 1, 2 (Table 8.1); total variance (Table 8.2)`,
  );
  for (let J = 1; J <= most; J++) {
    const { energies, variance } = shares(x, J, 2);
    console.log(
      `  J ${J}: ${Array.from(energies, percent).join(" ")} | ${percent(variance)}, printed ${printed[J - 1] ?? "-"}`,
    );
  }
  // Expected coefficients are averages over everything: means of U[p] x, orders 0 to 3.
  const squares = new Float64Array(4);
  for (const { wavelets, propagated } of propagate(x, polarBank({ shape: [side, side], scale: most }), {
    order: 3,
  }))
    squares[wavelets.length]! += (propagated.reduce((sum, v) => sum + v, 0) / propagated.length) ** 2;
  console.log(
    `  expected scattering by order (Table 8.3: 0, 74, 19, 3): ${Array.from(squares, percent).join(" ")}`,
  );
  const { index, relative } = await discrimination(
    x,
    { shape: [side, side], scale: most, angles: 6, bank: "spline", padding: "none" },
    { draws: 8, random: createRandom("tables") },
  );
  console.log(
    `  against Gaussian fields (Figure 8.9: 1, 5): rho(1) ${index[1]!.toFixed(2)}, rho(2) ${index[2]!.toFixed(2)}; relative ${percent(relative[1]!)} and ${percent(relative[2]!)} %`,
  );
}
