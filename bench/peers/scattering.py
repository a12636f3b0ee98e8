# Kymatio beside ours: reads jobs as lines of JSON, answers each with one line; arrays go through files.
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import kymatio.scattering1d.filter_bank as filter_bank

# 0.3.0, the newest release, takes the mean of a filter's aliases where a signal has kept every 2^k-th sample: such
# coefficients come out 2^k times too small. The next version sums them, and so does this.
filter_bank.periodize_filter_fourier = lambda h, nperiods=1: h.reshape(nperiods, -1).sum(axis=0)

transforms = {}


def transform(job):
    key = (job["backend"], json.dumps(job["options"]))
    if key not in transforms:
        if job["backend"] == "torch":
            import torch
            from kymatio.torch import Scattering1D, Scattering2D
            torch.set_num_threads(job["threads"])
        else:
            from kymatio.numpy import Scattering1D, Scattering2D
        o = job["options"]
        if len(o["shape"]) == 1:
            transforms[key] = Scattering1D(o["scale"], o["shape"][0], o.get("quality", 1))
        else:
            transforms[key] = Scattering2D(o["scale"], tuple(o["shape"]), L=o.get("angles", 8))
    return transforms[key]


for line in sys.stdin:
    job = json.loads(line)
    x = np.fromfile(job["input"], dtype=np.float32).reshape(job["dims"])
    made = transform(job)
    if job["backend"] == "torch":
        import torch
        x = torch.from_numpy(x)
    before, cpu = time.perf_counter(), time.process_time()
    s = made(x)
    seconds, cpu = time.perf_counter() - before, time.process_time() - cpu
    if "output" in job:
        np.asarray(s, dtype=np.float64).tofile(job["output"])
    print(json.dumps({"seconds": seconds, "cpu": cpu, "shape": list(s.shape)}), flush=True)
