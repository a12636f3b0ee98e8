# The spectrum of a Hessian by Lanczos' iteration on products of torch.func, and certificates by a convex program of cvxpy.
# Lines of JSON come in; "seconds of the clock, seconds of the processor" goes out for each, results as files.
import json, sys, time
import numpy as np

folder, what = sys.argv[1], sys.argv[2]
load = lambda name: np.load(f"{folder}/{name}.npy")
save = lambda name, x: np.save(f"{folder}/{name}.npy", np.asarray(x, dtype=np.float64))


def spectrum(request):
    import torch
    from torch.func import functional_call, grad, jvp

    torch.set_num_threads(1)
    x, y = torch.from_numpy(load("x")), torch.from_numpy(load("y")).long()
    weights = [torch.from_numpy(load(name)) for name in request["weights"]]

    def loss(weights):
        h = x
        for k in range(0, len(weights), 2):
            h = h @ weights[k] + weights[k + 1]
            if k + 2 < len(weights):
                h = torch.tanh(h)
        return torch.nn.functional.cross_entropy(h, y)

    sizes = [w.numel() for w in weights]

    def product(v):
        parts = [p.reshape(w.shape) for p, w in zip(torch.split(v, sizes), weights)]
        _, tangent = jvp(grad(loss), (weights,), (parts,))
        return torch.cat([t.reshape(-1) for t in tangent])

    start = torch.from_numpy(load("start"))
    steps = request["steps"]
    began, before = time.perf_counter(), time.process_time()
    basis, a, b = [start / start.norm()], [], []
    for k in range(steps):
        w = product(basis[-1])
        a.append(float(w @ basis[-1]))
        for _ in range(2):
            for q in basis:
                w = w - (w @ q) * q
        n = w.norm()
        if k + 1 < steps:
            b.append(float(n))
            basis.append(w / n)
    values = np.linalg.eigvalsh(np.diag(a) + np.diag(b, 1) + np.diag(b, -1))
    taken = time.perf_counter() - began, time.process_time() - before
    save("values", values)
    save("loss", [float(loss(weights))])
    return taken


def certificate(request):
    # min 1/m |sum_s D_s X (v_s - w_s) - y|^2 + decay sum |v_s| + |w_s| over the cones of all patterns s: the exact program.
    import cvxpy as cp

    x, y, patterns = load("x"), load("y"), load("patterns")
    m, d = x.shape
    began, before = time.perf_counter(), time.process_time()
    total, penalty, constraints = 0, 0, []
    for s in patterns:
        for sign in (1, -1):
            v = cp.Variable(d)
            total = total + sign * cp.multiply(s, x @ v)
            penalty = penalty + cp.norm(v, 2)
            constraints.append(cp.multiply(2 * s - 1, x @ v) >= 0)
    program = cp.Problem(cp.Minimize(cp.sum_squares(total - y) / m + request["decay"] * penalty), constraints)
    tight = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
    program.solve(solver=cp.CLARABEL, **tight)
    taken = time.perf_counter() - began, time.process_time() - before
    save("value", [program.value])
    return taken


print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    clock, processor = (spectrum if what == "spectrum" else certificate)(request)
    print(clock, processor, flush=True)
