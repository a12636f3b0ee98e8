# The tangent kernel by torch.func, vmap(jacrev) and a contraction, in float64: one request a line, one answer each.
import json
import os
import re
import sys
import time

import numpy as np
import torch
from torch.func import functional_call, jacrev, vmap

folder, threads = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(threads)
torch.set_default_dtype(torch.float64)


def module(spec):
    first, *texts = spec.split("-")
    shape = [int(d) for d in first.split("x")]
    layers = []
    for text in texts:
        conv = re.fullmatch(r"conv(\d+)k(\d+)same", text)
        if conv:
            layers.append(torch.nn.Conv2d(shape[0], int(conv[1]), int(conv[2]), padding="same"))
            shape[0] = int(conv[1])
        elif text == "relu":
            layers.append(torch.nn.ReLU())
        elif text == "flatten":
            layers.append(torch.nn.Flatten())
            shape = [int(np.prod(shape))]
        else:
            layers.append(torch.nn.Linear(shape[0], int(text)))
            shape = [int(text)]
    return torch.nn.Sequential(*layers)


def answer(request):
    net = module(request["spec"])
    arrays = [np.load(os.path.join(folder, name + ".npy")) for name in request["weights"]]
    # A dense layer has its inputs first in our files, its outputs first there.
    arrays = [np.ascontiguousarray(a.T) if a.ndim == 2 else a for a in arrays]
    weights = {n: torch.from_numpy(a) for (n, _), a in zip(net.named_parameters(), arrays, strict=True)}
    assert all(weights[n].shape == p.shape for n, p in net.named_parameters()), "weights of other shapes"
    x = torch.from_numpy(np.load(os.path.join(folder, request["x"] + ".npy")))[: request["examples"]]
    outputs = int(request["spec"].split("-")[-1])
    one = lambda w, example: functional_call(net, w, (example[None],))[0]

    def jacobian(block):
        found = vmap(jacrev(one), (None, 0))(weights, block)
        return [j.flatten(1) for j in found.values()]

    def kernel():
        n, step = len(x), request["batch"]
        result = torch.zeros(n, n)
        for i in range(0, n, step):
            rows = jacobian(x[i : i + step])
            for j in range(i, n, step):
                columns = rows if i == j else jacobian(x[j : j + step])
                block = sum(a @ b.T for a, b in zip(rows, columns)) / outputs
                result[i : i + step, j : j + step] = block
                result[j : j + step, i : i + step] = block.T
        return result

    if request.get("warm"):
        kernel()
    began, used = time.perf_counter(), time.process_time()
    found = kernel()
    seconds = [time.perf_counter() - began, time.process_time() - used]
    if request.get("save"):
        np.save(os.path.join(folder, "ntk.npy"), found.numpy())
    return "%r %r" % tuple(seconds)


print("ready", flush=True)
for line in sys.stdin:
    with torch.no_grad():
        print(answer(json.loads(line)), flush=True)
