# Kernels by neural-tangents, in float64: reads one request a line, answers one line each.
import json
import os
import re
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import neural_tangents as nt
import numpy as np
from neural_tangents import stax

folder = sys.argv[1]
DEGREE = 100  # of the quadrature where there is no closed form


def numerical(f):
    return lambda: stax.ElementwiseNumerical(f, deg=DEGREE)


activations = {
    "relu": stax.Relu,
    "erf": stax.Erf,
    "gelu": stax.Gelu,
    "abs": stax.Abs,
    "sin": stax.Sin,
    "cos": stax.Cos,
    "exp": stax.Exp,
    "gaussian": lambda: stax.Gaussian(1.0, -0.5),
    "square": lambda: stax.Monomial(2),
    "cube": lambda: stax.Monomial(3),
    "tanh": numerical(jnp.tanh),
    "sigmoid": numerical(jax.nn.sigmoid),
    "silu": numerical(jax.nn.silu),
    "softplus": numerical(jax.nn.softplus),
}


def pieces(text):
    depth, piece = 0, ""
    for c in text + "-":
        depth += (c == "(") - (c == ")")
        if c == "-" and depth == 0:
            yield piece
            piece = ""
        else:
            piece += c


def layer(text, options):
    numbers = options(True)
    if re.fullmatch(r"\d+(nobias)?", text):
        return stax.Dense(int(re.match(r"\d+", text)[0]), **options("nobias" not in text))
    conv = re.fullmatch(r"conv(\d+)k(\d+)(?:s(\d+))?(same)?(nobias)?", text)
    if conv:
        c, k, s, same, nobias = conv.groups()
        stride = int(s or 1)
        return stax.Conv(int(c), (int(k),) * 2, (stride,) * 2, "SAME" if same else "VALID", **options(not nobias))
    pool = re.fullmatch(r"avgpool(\d+)", text)
    if pool:
        size = (int(pool[1]),) * 2
        return stax.AvgPool(size, strides=size)
    block = re.fullmatch(r"residual\((.*)\)", text)
    if block:
        inner = stax.serial(*[layer(t, options) for t in pieces(block[1])])
        return stax.serial(stax.FanOut(2), stax.parallel(stax.Identity(), inner), stax.FanInSum())
    leaky = re.fullmatch(r"leakyrelu\((.*)\)", text)
    if leaky:
        return stax.LeakyRelu(float(leaky[1]))
    if text == "globalavgpool":
        return stax.GlobalAvgPool()
    if text == "flatten":
        return stax.Flatten()
    if text == "layernorm":
        return stax.LayerNorm(axis=-1, eps=1e-5)
    return activations[text]()


def network(request):
    def options(bias):
        return {
            "W_std": request["wStd"],
            "b_std": request["bStd"] if bias else None,
            "parameterization": request["parameterization"],
        }

    texts = list(pieces(request["spec"]))[1:]
    texts = [t for k, t in enumerate(texts) if not (t == "flatten" and k and texts[k - 1] == "globalavgpool")]
    return stax.serial(*[layer(t, options) for t in texts])


known = {}


def functions(request):
    key = json.dumps({k: request[k] for k in ("spec", "wStd", "bStd", "parameterization", "batch", "kind")})
    if key not in known:
        init, apply, kernel = network(request)
        if request["kind"] == "empirical":
            # The fastest of its ways for such networks, and the one that does not store the Jacobian.
            way = nt.NtkImplementation.STRUCTURED_DERIVATIVES
            empirical = nt.empirical_ntk_fn(apply, trace_axes=(-1,), vmap_axes=0, implementation=way)
            known[key] = (init, jax.jit(empirical))
        else:
            # Both kernels, as the other side computes them.
            one = lambda x, z: kernel(x, z, ("nngp", "ntk"))
            if request["batch"]:
                one = nt.batch(kernel, batch_size=request["batch"], device_count=0)
                known[key] = (init, lambda x, z: one(x, z, ("nngp", "ntk")))
            else:
                known[key] = (init, jax.jit(one))
    return known[key]


def read(name):
    x = np.load(os.path.join(folder, name + ".npy")).astype(np.float64)
    return jnp.asarray(np.moveaxis(x, 1, -1) if x.ndim == 4 else x)


def given_weights(request, empty, shape):
    """The parameters of the network with the numbers of the files: our images have their channels first."""
    arrays = [np.load(os.path.join(folder, name + ".npy")).astype(np.float64) for name in request["weights"]]
    pairs, channels = [], shape[1:]
    for w, b in zip(arrays[::2], arrays[1::2]):
        if w.ndim == 4:
            pairs.append((w.transpose(2, 3, 1, 0), b.reshape(1, 1, 1, -1)))
            channels = (*channels[:-1], w.shape[0])
            continue
        if len(channels) == 3:
            # What is flattened has its channels last there.
            h, v, c = channels
            w = w.reshape(c, h, v, -1).transpose(1, 2, 0, 3).reshape(w.shape)
        pairs.append((w, b.reshape(1, -1)))
        channels = (w.shape[1],)
    leaves, tree = jax.tree_util.tree_flatten(empty)
    flat = [jnp.asarray(a) for pair in pairs for a in pair]
    assert [a.shape for a in flat] == [a.shape for a in leaves], "weights of other shapes"
    return jax.tree_util.tree_unflatten(tree, flat)


def answer(request):
    x = read(request["x"])
    init, f = functions(request)
    if request["kind"] == "empirical":
        weights = given_weights(request, init(jax.random.PRNGKey(1), x.shape)[1], x.shape)
        call = lambda: f(x, None, weights)
    else:
        call = lambda: tuple(f(x, None))
    if request.get("warm"):
        jax.block_until_ready(call())
    began, used = time.perf_counter(), time.process_time()
    found = jax.block_until_ready(call())
    seconds = "%r %r" % (time.perf_counter() - began, time.process_time() - used)
    if request.get("save") and request["kind"] == "empirical":
        np.save(os.path.join(folder, "ntk.npy"), np.asarray(found))
    elif request.get("save"):
        for name, matrix in zip(("nngp", "ntk"), found):
            np.save(os.path.join(folder, f"{name}.npy"), np.asarray(matrix))
    return seconds


print("ready", flush=True)
for line in sys.stdin:
    print(answer(json.loads(line)), flush=True)
