# scikit-learn's LASSO, PyTorch's latent descent and a NumPy ML-FISTA, one question a line (JSON), one answer a line.
import json
import sys
import time

import numpy as np


def dictionary(path, n, m):
    return np.fromfile(path, dtype=np.float64).reshape(n, m)


def lasso(q):
    from sklearn.linear_model import Lasso, lasso_path

    D = np.asfortranarray(dictionary(q["D"], q["n"], q["m"]))
    y = np.fromfile(q["y"], dtype=np.float64)
    n = len(y)
    objective = lambda x, l: float(0.5 * np.sum((y - D @ x) ** 2) + l * np.abs(x).sum())
    began, cpu = time.perf_counter(), time.process_time()
    if q["count"] == 1:
        l = q["lambdas"][0]
        found = Lasso(alpha=l / n, fit_intercept=False, tol=q["tol"], max_iter=100000, precompute=False)
        x = found.fit(D, y).coef_
        codes = [x]
    else:
        alphas = np.array(q["lambdas"]) / n
        _, coefs, _ = lasso_path(D, y, alphas=alphas, tol=q["tol"], max_iter=100000, precompute=False)
        codes = [coefs[:, k] for k in range(coefs.shape[1])]
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    return {"seconds": seconds, "cpu": used, "objectives": [objective(x, l) for x, l in zip(codes, q["lambdas"])]}


def latent(q):
    import torch

    torch.set_num_threads(q["threads"])
    sizes = q["sizes"]
    flat = torch.from_numpy(np.fromfile(q["weights"], dtype=np.float32).copy())
    layers, at = [], 0
    for a, b in zip(sizes[:-1], sizes[1:]):
        W = flat[at : at + a * b].reshape(a, b)
        at += a * b
        c = flat[at : at + b]
        at += b
        layers.append((W, c))
    A = torch.from_numpy(np.fromfile(q["A"], dtype=np.float32).reshape(sizes[-1], q["measurements"]).copy())
    y = torch.from_numpy(np.fromfile(q["y"], dtype=np.float32).copy())
    start = torch.from_numpy(np.fromfile(q["start"], dtype=np.float32).reshape(-1, sizes[0]).copy())

    def run(steps):
        z = start.clone().requires_grad_()
        optimizer = torch.optim.Adam([z], lr=q["rate"])
        best = None
        for _ in range(steps):
            optimizer.zero_grad()
            x = z
            for k, (W, c) in enumerate(layers):
                x = torch.addmm(c, x, W)
                x = torch.relu(x) if k < len(layers) - 1 else torch.sigmoid(x)
            each = ((x @ A - y) ** 2).sum(1)
            each.sum().backward()
            best = each.detach() if best is None else torch.minimum(best, each.detach())
            optimizer.step()
        return best

    run(20)
    began, cpu = time.perf_counter(), time.process_time()
    best = run(q["steps"] + 1)
    return {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "least": float(best.min())}


def multilayer(q):
    layers = [dictionary(p, n, m) for p, n, m in q["layers"]]
    y = np.fromfile(q["y"], dtype=np.float64)
    rho, lambdas = q["steps"], q["lambdas"]
    soft = lambda v, t: np.sign(v) * np.maximum(np.abs(v) - t, 0)
    began, cpu = time.perf_counter(), time.process_time()
    x = np.zeros(layers[-1].shape[1])
    z, theta = x, 1.0
    for _ in range(q["iterations"]):
        codes = [z]
        for D in reversed(layers[1:]):
            codes.insert(0, D @ codes[0])
        g = y
        for i, D in enumerate(layers):
            c = rho[0] if i == 0 else rho[i] / rho[i - 1]
            g = soft(codes[i] - c * (D.T @ (D @ codes[i] - g)), rho[i] * lambdas[i])
        after = (1 + np.sqrt(1 + 4 * theta**2)) / 2
        z = g + (theta - 1) / after * (g - x)
        x, theta = g, after
    return {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "code": x.tolist()}


for line in sys.stdin:
    question = json.loads(line)
    answer = {"lasso": lasso, "latent": latent, "multilayer": multilayer}[question["what"]](question)
    print(json.dumps(answer), flush=True)
