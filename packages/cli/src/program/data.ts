// What a user with data can ask.
import type { Command } from "commander";
import { add, collect, examples, integer, lazily, real, reals } from "./options.ts";

export function dataCommands(program: Command): void {
  examples(
    trainOptions(
      add(program, "train", "train a network; the whole loop runs inside of ONNX Runtime").argument(
        "<net>",
        'an ONNX file, a JSON specification, or one line: "784-256-relu-10", "1x28x28-conv16k5-relu-flatten-10"; vae:20-500-500, gan:..., autoencoder:..., flow:... train a generator, inversion:... and unrolled:... what undoes an --operator',
      ),
    ),
    'lemmata train "784-256-relu-256-relu-10" --data mnist --loss cross-entropy --optimizer adam --epochs 5',
    'lemmata train "2-32-tanh-1" --data two-moons --loss logistic --out moons.onnx --svg curve.svg',
    "lemmata train net.onnx --data points.csv --loss square --steps 2000 --checkpoint run.npz",
    'lemmata train "784-300-relu-100-relu-10" --data mnist --epochs 3 --prune 0.95 --prune-rounds 8 --out ticket.onnx',
    "lemmata train vae:20-500-500 --data mnist --examples 10000 --epochs 20 --out decoder.onnx",
    "lemmata train unrolled:5-16 --data mnist --operator gaussian:m=100 --noise 0.01 --examples 5000 --out u.onnx",
    'lemmata train "16x8-positions-residual(layernorm-attention(2))-flatten-10" --data sequences.npz',
  ).action(lazily(() => import("../commands/train.ts")));

  examples(
    add(
      program,
      "audit",
      "what is known of a trained model: norms, margins, sharpness, and every bound on its true error that can be stated",
    )
      .argument("<net.onnx...>", "one model, or several on the same data: side by side")
      .requiredOption(
        "--data <set>",
        "what it was trained on: mnist, two-moons, spirals, circles, or a .npz or .csv file",
      )
      .option(
        "--test <set>",
        "examples that it was not trained on (default: the test part of the data, if it has one)",
      )
      .option("--delta <d>", "each bound fails with at most this probability", real("delta"), 0.05)
      .option("--html <file>", "write the report as one HTML file")
      .option("--initial <net.onnx>", "the model before its training: for distances from the start")
      .option(
        "--pac-bayes",
        "train a PAC-Bayes posterior of this architecture, however long it takes (default: if it seems short)",
      )
      .option("--no-pac-bayes", "do not train one")
      .option("--radius <r>", "the greatest norm that an input can have, if it is known", real("a radius"))
      .option("--task <name>", "classification or regression (default: by the data and the outputs)")
      .option(
        "--test-fraction <f>",
        "share of a file to test with, split as train does with the same seed (default: 0)",
        real("test-fraction"),
      )
      .option(
        "--count <n>",
        "how many points to draw (two-moons, spirals, circles)",
        integer("count", 1),
        1000,
      )
      .option("--noise <s>", "their noise", real("noise")),
    "lemmata audit net.onnx --data mnist",
    "lemmata audit net.onnx --data train.npz --test test.npz --html report.html",
    "lemmata audit a.onnx b.onnx c.onnx --data mnist --json",
  ).action(lazily(() => import("../commands/audit.ts")));

  examples(
    kernelOptions(
      add(
        program,
        "kernel",
        "the kernel of a network on data, infinitely wide or as it is, and what training with it predicts",
      ).argument(
        "<net>",
        'an ONNX file, a JSON specification, or one line: "784-512-relu-512-relu-10", "1x28x28-conv16k5-relu-flatten-10"',
      ),
    ).addHelpText(
      "after",
      `
ntk        the tangent kernel of infinitely wide networks: what gradient descent on all weights follows
nngp       the covariance of their outputs at the start: a Gaussian process, with its posterior
empirical  the tangent kernel of the network with its weights (of an architecture: drawn with --seed, as wide as it is), and
           what each of its weights contributes

The loss is the mean squared error, as train has it: f(X) = (1 - e^(-2 K t / n)) y at time t, from f = 0. With
--optimizer-rate it is gradient descent, and t counts its steps. K.npz holds k (n x n) and k_test (m x n).`,
    ),
    'lemmata kernel "784-512-relu-512-relu-10" --data mnist --count 1000',
    'lemmata kernel "64-256-relu-10" --data digits.npz --kind nngp --ridge 0.01 --predictions p.npz --json',
    'lemmata kernel "784-512-relu-10" --data mnist --count 20000 --out K.npz      # stopped? the same with --resume',
    "lemmata kernel net.onnx --data train.npz --test test.npz --kind empirical --time 100",
  ).action(lazily(() => import("../commands/kernel.ts")));

  examples(
    landscapeOptions(
      add(
        program,
        "landscape",
        "where the weights of a network stand: loss, gradient, curvature, the kind of point, slices; the way to another one",
      )
        .argument("<net.onnx>")
        .argument(
          "[other.onnx]",
          "a network of the same layout: paths between the two and how high they climb",
        ),
    ).addHelpText(
      "after",
      `
minimum        the gradient counts as 0, and every eigenvalue of the Hessian is above the tolerance
strict saddle  the gradient counts as 0, and an eigenvalue is below minus the tolerance
degenerate     the gradient counts as 0, and second derivatives do not decide
not critical   the gradient does not count as 0

Up to 300 weights all eigenvalues are computed; above, both ends by Lanczos' iteration with their residuals, the trace, the
count of negative ones and the density by stochastic quadrature. Hessian-vector products are ONNX graphs.

Of two networks: the straight line between them, the line to the second one with its units in the order of the first one's,
a Bézier curve and a polygon whose bends are trained, and (two-layer ReLU networks; square, logistic or cross-entropy loss)
the path through halves of their neurons, with a bound that no place of it exceeds. A barrier is the highest place that was
looked at above the higher end.

--certify (square, logistic or cross-entropy loss) prints the objective, a lower bound for networks of any width, and
globally optimal  the gap between them is within the tolerance: the lower bound is proved, rounding included
not optimal       a neuron to add, or a factor for all of them, lowers the objective; exit code 1
unknown           none of these was shown with so many cones; exit code 3`,
    ),
    "lemmata landscape net.onnx --data train.npz",
    "lemmata landscape net.onnx --data two-moons --decay 1e-3 --svg landscape.svg --zooms 3",
    "lemmata landscape net.onnx --data mnist --samples 10000 --probes 2 --steps 30 --json",
    "lemmata landscape net.onnx --data table.csv --loss square --certify --decay 0.01",
    "lemmata landscape a.onnx b.onnx --data two-moons --svg paths.svg",
  ).action(lazily(() => import("../commands/landscape.ts")));

  examples(
    scatterOptions(
      add(
        program,
        "scatter",
        "the scattering transform of signals or pictures: wavelets, modulus, averages, as an ONNX graph",
      ).argument("<x.npy>", "signals: the last axis, or the last two, are the signal, all others count them"),
    ).addHelpText(
      "after",
      `
Coefficients and padding are those of Kymatio. s.npz holds s (..., paths, time or space), and of each path its order, scales,
angles (meta has these three side by side, -1 where there is none), wavelets and centre frequencies (cycles a sample). The frame bounds are exact on the grid of the padded signal.`,
    ),
    "lemmata scatter sounds.npy --dimension 1 --scale 8 --quality 8 --out s.npz",
    "lemmata scatter digits.npy --dimension 2 --scale 3 --angles 8 --out s.npz --graph scattering.onnx",
    "lemmata scatter brick.npy --dimension 2 --scale 4 --synthesize --png brick.png",
    "lemmata scatter brick.npy --dimension 2 --scale 5 --synthesize --statistics all --png figure-8.16.png",
    "lemmata scatter digits.npy --dimension 2 --scale 3 --stability network.onnx",
    "lemmata scatter opinions.npy --dimension 1 --scale 4 --edges karate-club.csv --out s.npz",
  ).action(lazily(() => import("../commands/scatter.ts")));

  examples(
    pursueOptions(
      add(
        program,
        "pursue",
        "sparse codes of signals in one dictionary or in several layers of them, with what is proved of them",
      ).argument("<y.npy>", "a signal, or a matrix with one in each row"),
    ).addHelpText(
      "after",
      `
lasso     |y - D x|^2 / 2 + lambda |x|_1, with its duality gap          omp, iht, subspace  at most --sparsity nonzeros
forward   thresholds layer by layer, as a network does                layered             lasso layer by layer
ml-ista, ml-fista  all layers together: |y - D1 ... DL xL|^2 / 2 + sum of lambda_i |x_i|_1, x_(i-1) = D_i x_i
ml-bp     the same by alternating directions, with its duality gap (that of ml-ista and ml-fista is found by it, too)
holistic, projection  --sparsity for each layer: zeros of inner codes one by one, or a code of D1 ... DL cut down

A dictionary is a matrix with atoms as columns, a linear network D.onnx of codes, or filters [f, channels, (height,) width],
whose atoms are at all places of a periodic signal: y.npy then is that signal, [(channels,) (rows,) columns].
codes.npz holds x1, x2, ..., a row a signal. A code is called unique where it has fewer nonzeros than half the spark.`,
    ),
    "lemmata pursue y.npy --dictionary D.npy --lambda 0.1 --out codes.npz",
    "lemmata pursue y.npy --dictionary D.npy --sparsity 5 --json",
    "lemmata pursue y.npy --dictionary D.npy --path 50 --lambda 0.01 --out path.npz",
    "lemmata pursue y.npy --dictionary D1.npy --dictionary D2.npy --lambda 0.1,0.05 --graph unrolled.onnx",
    "lemmata pursue y.npy --dictionary D1.npy --dictionary D2.npy --method holistic --sparsity 30,8",
  ).action(lazily(() => import("../commands/pursue.ts")));

  examples(
    recoverOptions(
      add(
        program,
        "recover",
        "a signal from few or damaged measurements y = A x + e: by sparsity, a generator or an untrained network",
      ).argument("<y.npy>", "the measurements; with --measure the signal itself (bytes: 255 is 1)"),
    ).addHelpText(
      "after",
      `
Operators: A.npy (a matrix), graph.onnx (linear; it is read, not tried), mask:m.npy (what is not 0 is seen), or
identity   gaussian:m=...,seed=1   dct:m=...,seed=1,decay=2   fourier:frequencies=...,seed=1,decay=2   pixels:keep=...,seed=1
hide:top=...,bottom=...,left=...,right=...   blur:sigma=...   downsample:factor=...   radon:angles=...

tv            |A x - y|^2 / 2 + lambda TV(x), with a duality gap
dct, wavelet  |A x - y|^2 / 2 + lambda |s|_1, x made of the code s, with a duality gap
dip           a convolutional network with a fixed random input is fitted to y; --noise says when to stop
deep-decoder  the same with so few weights that it fits little noise
--generator   an ONNX network G: |A G(z) - y|^2 is descended from --restarts starts at once
--network     x = N(y); \`train inversion:...\` and \`unrolled:...\` make such networks for one operator
--denoiser    |A x - y|^2 + lambda |x - D(x')|^2 with x' the x before, again and again (regularization by denoising);
              \`train inversion:... --operator identity --noise s\` makes one

y.npy may be one of many signals: mnist:3 (the fourth of MNIST's test images), photos.npy:3, digits.npz:x_test:3.

The certificate bounds |x - x*| by (|A x - y| + |e|) / gamma, where |A (x - x')| >= gamma |x - x'| for all signals, for all
that a generator makes (checked by all pairs of its linear pieces for ReLU networks of one or two latent numbers; estimated for others),
or for all codes so sparse.`,
    ),
    "lemmata recover y.npy --operator gaussian:m=200 --shape 28x28 --generator decoder.onnx --out x.npy",
    "lemmata recover photo.npy --measure --operator pixels:keep=0.4 --prior tv --lambda 0.02 --png panels.png",
    "lemmata recover y.npy --operator A.npy --shape 32x32 --prior wavelet --noise 0.01 --json",
    "lemmata recover photo.npy --measure --noise 0.05 --operator identity --prior dip --steps 2000 --png panels.png",
    "lemmata recover mnist:3 --measure --operator hide:top=8,bottom=18,left=8,right=20 --denoiser d.onnx --png panels.png",
  ).action(lazily(() => import("../commands/recover.ts")));
}

const landscapeOptions = (command: Command): Command =>
  command
    .requiredOption(
      "--data <set>",
      "what it is trained on: mnist, two-moons, spirals, circles, or a .npz or .csv file",
    )
    .option(
      "--loss <name>",
      "square, logistic, exponential, hinge, ramp or cross-entropy (default: by the data)",
    )
    .option(
      "--decay <l>",
      "weight decay: (l / 2) |w|^2 is added to the loss, as train does",
      real("decay"),
      0,
    )
    .option("--samples <n>", "so many examples, the first ones (default: all)", integer("samples", 1))
    .option("--count <n>", "how many points to draw (two-moons, spirals, circles)", integer("count", 1), 1000)
    .option("--noise <s>", "their noise", real("noise"))
    .option(
      "--test-fraction <f>",
      "share of the data that was kept for testing, split as train does with the same seed (default: 0)",
      real("test-fraction"),
      0,
    )
    .option("--probes <n>", "random vectors for the density of the spectrum", integer("probes", 1), 4)
    .option("--steps <n>", "Hessian-vector products for each of them", integer("steps", 2), 60)
    .option(
      "--gradient-tolerance <t>",
      "a gradient of no greater norm counts as 0",
      real("a tolerance"),
      1e-4,
    )
    .option(
      "--curvature-tolerance <t>",
      "an eigenvalue no larger than this part of the largest counts as 0",
      real("a tolerance"),
      1e-6,
    )
    .option(
      "--certify",
      "of a two-layer ReLU network with --decay: is it globally optimal, over all widths? bounds from both sides",
    )
    .option(
      "--cones <n>",
      "of --certify: pieces of the space of neurons to look at, at most",
      integer("cones", 1),
      20_000,
    )
    .option(
      "--out <file>",
      "of --certify: write a network that is certified, or as near to it as was found, as ONNX",
    )
    .option(
      "--gap-tolerance <t>",
      "of --certify: a gap up to this part of the objective counts as none",
      real("a tolerance"),
      1e-6,
    )
    .option("--places <n>", "of two networks: steps along each path", integer("places", 2), 40)
    .option("--bends <n>", "of two networks: bends of the curves that are trained", integer("bends", 1), 2)
    .option(
      "--curve-steps <n>",
      "of two networks: steps of training, 0 for no curves",
      integer("curve-steps", 0),
      4000,
    )
    .option("--curve-rate <r>", "of two networks: their rate", real("a rate"), 0.01)
    .option(
      "--svg <file>",
      "draw slices along two random directions, and the density of the spectrum; or the paths between two networks",
    )
    .option("--grid <n>", "points along a side of a slice", integer("grid", 3), 21)
    .option("--radius <r>", "half of a side, in lengths of the weights of a neuron", real("a radius"), 1)
    .option("--zooms <n>", "slices, each a quarter as wide as the one before", integer("zooms", 1), 1);

const scatterOptions = (command: Command): Command =>
  command
    .requiredOption("--dimension <d>", "1 or 2", integer("dimension", 1))
    .requiredOption("--scale <J>", "averages are 2^J samples wide", integer("scale", 1))
    .option("--quality <Q>", "wavelets an octave, with --dimension 1 (default: 1)", integer("quality", 1))
    .option("--angles <L>", "angles in half a turn, with --dimension 2 (default: 8)", integer("angles", 1))
    .option("--order <m>", "how many times a modulus is taken: 0, 1 or 2", integer("order", 0), 2)
    .option("--average <T>", "over how many samples to average (default: 2^J)", integer("average", 1))
    .option("--frontend <name>", "complex: the modulus of complex wavelets", "complex")
    .option("--bank <name>", "morlet, or spline: wavelets that keep norms exactly", "morlet")
    .option(
      "--padding <how>",
      "reflect, or none: the signal is periodic (default: reflect, with --synthesize none: a texture has no border)",
    )
    .option("--out <file>", "write the coefficients and what their paths are (.npz)")
    .option("--graph <file>", "write the transform as ONNX")
    .option(
      "--synthesize",
      "another signal with the same averages over everything, from noise: --out has it as x",
    )
    .option(
      "--statistics <which>",
      "what it imitates: scattering, harmonics (phases across scales), gaussian (the spectrum), or all to compare",
      "scattering",
    )
    .option(
      "--start <what>",
      "where that descent begins: white noise, or the gaussian field of the signal's spectrum",
      "noise",
    )
    .option("--iterations <n>", "steps of that descent", integer("iterations", 1), 100)
    .option(
      "--png <file>",
      "with --synthesize and --dimension 2: the picture and what was made, side by side",
    )
    .option(
      "--edges <file>",
      "signals on the vertices of a graph: its edges as a .csv of a, b and perhaps a weight",
    )
    .option(
      "--stability [model.onnx]",
      "how much noise and deformations change the coefficients, the Fourier modulus, the samples and a model's outputs",
    );

const pursueOptions = (command: Command): Command =>
  command
    .requiredOption(
      "--dictionary <D.npy>",
      "atoms as columns, or filters, or a linear network; once for each layer",
      collect,
    )
    .option(
      "--method <name>",
      "lasso, omp, iht, subspace, forward, layered, ml-ista, ml-fista, ml-bp, holistic or projection",
    )
    .option(
      "--lambda <l>",
      "weight of |x|_1, or a threshold; one for each layer, or for all (default: a tenth of the least whose code is 0)",
      reals("lambda"),
    )
    .option(
      "--sparsity <k>",
      "nonzeros at most, for omp, iht and subspace; one for each layer for holistic and projection",
      reals("sparsity"),
    )
    .option(
      "--path <n>",
      "lasso for n lambdas, from the greatest useful one down to --lambda",
      integer("path", 1),
    )
    .option(
      "--iterations <n>",
      "iterations at most, and those that --graph writes out",
      integer("iterations", 1),
    )
    .option("--nonnegative", "codes that are not negative: thresholds are ReLUs")
    .option("--out <file>", "write the codes (.npz)")
    .option("--graph <file>", "write the iterations as an ONNX network of y");

const recoverOptions = (command: Command): Command =>
  command
    .requiredOption("--operator <spec>", "how y was measured: see below")
    .option("--prior <name>", "tv, dct, wavelet, dip or deep-decoder")
    .option("--generator <g.onnx>", "a network from latent vectors to signals")
    .option("--network <n.onnx>", "a network from measurements to signals, trained for this operator")
    .option("--denoiser <d.onnx>", "a network from noisy signals to signals")
    .option(
      "--shape <s>",
      "784, 28x28 or 3x64x64 (default: that of the truth, the operator or the generator)",
    )
    .option("--measure", "the file is the signal: measure it first, and compare")
    .option("--noise <s>", "deviation of the noise e, that --measure adds", real("noise"))
    .option("--truth <x.npy>", "the true signal, to compare with")
    .option("--out <file>", "write the signal (.npy)")
    .option("--measurements <file>", "write y (.npy)")
    .option("--png <file>", "draw the truth, A^T y and what was recovered, side by side")
    .option(
      "--range <low,high>",
      "the values that a pixel may have (default: any; for networks 0,1)",
      reals("range"),
    )
    .option(
      "--lambda <l>",
      "of tv, dct, wavelet and --denoiser: weight of the prior (default: by the measurements; of a denoiser 0.1)",
      real("lambda"),
    )
    .option("--wavelet <name>", "haar, db2 or db3", "db2")
    .option("--restarts <r>", "of a generator: starts", integer("restarts", 1), 10)
    .option(
      "--steps <n>",
      "steps (default: 500 of a generator, 1000 of dip and deep-decoder, 2000 or 3000 of others)",
      integer("steps", 1),
    )
    .option(
      "--rate <r>",
      "rate of Adam (default: 0.1 of a generator, 0.01 of dip and deep-decoder)",
      real("a rate"),
    )
    .option("--latent-weight <w>", "of a generator: |z|^2 counts so much", real("a weight"), 0)
    .option("--negation <n>", "of a generator: every n steps -z is tried", integer("negation", 1))
    .option(
      "--deviations <l>",
      "of a generator: x = G(z) + nu with few nonzeros, |nu|_1 counts so much",
      real("a weight"),
    )
    .option("--layerwise", "of a ReLU generator, --operator identity: layer by layer with linear programs")
    .option(
      "--intermediate <n>",
      "of a generator: after z, descend in the values of its first n layers too, near those of z",
      integer("intermediate", 1),
    )
    .option(
      "--nearness <share>",
      "of --intermediate: how near, as a part of their length",
      real("nearness"),
      0.1,
    )
    .option("--posterior", "of a flow, with --noise: the most probable signal")
    .option("--modulus", "of a generator: only |A x| was measured (phase retrieval)")
    .option("--radius <r>", "of a generator: the certificate is for |z_j| <= r", real("a radius"), 3)
    .option("--width <n>", "of dip and deep-decoder: channels", integer("width", 1), 32)
    .option("--variation <w>", "of dip and deep-decoder: weight of the total variation", real("a weight"), 0);

const kernelOptions = (command: Command): Command =>
  command
    .requiredOption("--data <set>", "mnist, two-moons, spirals, circles, or a .npz or .csv file")
    .option("--test <set>", "examples to test with (default: the test part of the data, if it has one)")
    .option("--kind <name>", "ntk, nngp or empirical", "ntk")
    .option(
      "--parameterization <name>",
      "ntk (weights of variance 1, scaled in the layer) or standard (default: ntk)",
    )
    .option("--w-std <s>", "deviation of the weights, before the fan-in (default: 1)", real("w-std"))
    .option("--b-std <s>", "deviation of the biases (default: 0)", real("b-std"))
    .option("--output <k>", "of --kind empirical: the kernel of this output alone (default: their mean)")
    .option("--ridge <r>", "added to the diagonal: a penalty, or the variance of noise", real("a ridge"), 0)
    .option("--time <t>", "how long training goes on, or inf", "inf")
    .option(
      "--optimizer-rate <eta>",
      "the rate of gradient descent, whose steps --time counts (default: gradient flow)",
      real("a rate"),
    )
    .option("--no-prediction", "the kernel and its spectrum alone")
    .option("--out <file>", "write the kernel as .npz; one that does not fit memory is kept there")
    .option("--predictions <file>", "write what is predicted, and its variance (.npz, .json)")
    .option("--variance", "the variance on disk, too, where each test example takes a solve of its own")
    .option("--on-disk", "keep the kernel in the file of --out, even if it fits memory")
    .option("--resume", "go on with a kernel on disk that was not finished")
    .option("--count <n>", "so many examples: the first ones, or points to draw", integer("count", 1))
    .option("--test-count <n>", "test with so many: the first ones", integer("test-count", 1))
    .option("--task <name>", "classification or regression (default: by the data)")
    .option(
      "--test-fraction <f>",
      "share of a file to test with, split as train does with the same seed (default: 0)",
      real("test-fraction"),
    )
    .option("--noise <s>", "noise of points that are drawn", real("noise"));

const trainOptions = (command: Command): Command =>
  command
    .option("--data <set>", "mnist, two-moons, spirals, circles, or a .npz or .csv file", "mnist")
    .option(
      "--loss <name>",
      "square, logistic, exponential, hinge, ramp or cross-entropy (default: by the data)",
    )
    .option("--optimizer <name>", "gd, sgd, momentum, nesterov, adam or adamw", "adam")
    .option("--rate <r>", "learning rate (default: by the optimizer)", real("a rate"))
    .option("--schedule <name>", "constant, linear, cosine, inverse-sqrt, inverse or staircase", "constant")
    .option("--warmup <n>", "steps in which the rate grows from 0", integer("warmup", 0))
    .option("--momentum <m>", "of momentum and nesterov (default: 0.9)", real("momentum"))
    .option("--epochs <n>", "passes over the data", integer("epochs", 1), 5)
    .option("--steps <n>", "steps, instead of epochs", integer("steps", 1))
    .option("--batch <n>", 'examples a step, or "full" (default: 128; for gd "full")')
    .option("--init <name>", "initialization of a specification (default: he-normal)")
    .option("--type <type>", "float32 or float64, for a specification", "float32")
    .option("--weight-decay <l>", "weight decay", real("weight decay"))
    .option("--l1 <l>", "l1 penalty, by its subgradient", real("l1"))
    .option(
      "--proximal-l1 <l>",
      "l1 penalty, by its proximal step (weights become exactly 0)",
      real("proximal l1"),
    )
    .option(
      "--penalty <name=lambda>",
      "penalty on the outputs of a batch: darc1=LAMBDA, or darc=LAMBDA with random signs",
    )
    .option(
      "--sparsity-graph <file>",
      'the connections that there are: the zeros of an .onnx file (or "zeros": of the network itself), lists in .json, masks in .npz',
    )
    .option(
      "--prune <share>",
      "cut this share of the weights, the smallest first, in rounds; each round trains again",
      real("the share to prune"),
    )
    .option(
      "--prune-rounds <n>",
      "cuts, each of the same share of what is left (default: 5)",
      integer("prune-rounds", 1),
    )
    .option(
      "--prune-restart <how>",
      "rewind (from the first weights: lottery tickets) or continue (default: rewind)",
    )
    .option("--prune-scope <where>", "layer (the same share of each) or global (default: layer)")
    .option("--prune-by <what>", "magnitude, or random for comparison (default: magnitude)")
    .option("--clip <norm>", "scale gradients of a greater norm down to this", real("clip"))
    .option("--average <decay>", 'average the iterates: "mean", or a decay below 1')
    .option("--stop-below <loss>", "end when a batch's loss is at or below this", real("stop-below"))
    .option(
      "--patience <n>",
      "end after this many epochs without a lower test loss; keep the best weights",
      integer("patience", 1),
    )
    .option(
      "--test-fraction <f>",
      "share of the data kept for testing, if it has no test part",
      real("test-fraction"),
      0.2,
    )
    .option("--count <n>", "how many points to draw (two-moons, spirals, circles)", integer("count", 1), 1000)
    .option("--noise <s>", "their noise; that of flow:, inversion: and unrolled:", real("noise"))
    .option("--operator <spec>", "of inversion: and unrolled:, what they learn to undo: as in recover")
    .option("--examples <n>", "train with the first n alone", integer("examples", 1))
    .option(
      "--label-noise <share>",
      "throw this share of the training labels anew, all classes alike (1: random labels)",
      real("label-noise"),
    )
    .option("--threads <n>", "threads to use", integer("threads", 1))
    .option("--out <file>", "write the trained network as ONNX")
    .option("--log <file>", "write loss, accuracy and rate of every step as CSV")
    .option("--svg <file>", "draw the course of the training")
    .option("--checkpoint <file>", "keep the run's state in this .npz file, to go on with it later")
    .option("--resume", "go on with the run in the checkpoint file");
