# The peer of bench/linear-algebra.ts: LAPACK through NumPy, on random matrices in float64. A line "cholesky 600" on stdin is
# answered by seconds on the clock and seconds of the processor.
import sys
import time

import numpy

random = numpy.random.default_rng(1)
matrices = {}


def matrix(size):
    if size not in matrices:
        matrices.clear()
        square = random.standard_normal((size, size))
        matrices[size] = {
            "cholesky": square @ square.T + numpy.eye(size),
            "eigh": square + square.T,
            "svd": square,
        }
    return matrices[size]


tasks = {"cholesky": numpy.linalg.cholesky, "eigh": numpy.linalg.eigh, "svd": numpy.linalg.svd}
print("ready", flush=True)
for line in sys.stdin:
    name, size = line.split()
    given = matrix(int(size))[name]
    start, before = time.perf_counter(), time.process_time()
    tasks[name](given)
    print(time.perf_counter() - start, time.process_time() - before, flush=True)
