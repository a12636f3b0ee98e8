# Solves a random system in float64, three right-hand sides, with LAPACK through PyTorch: reads sizes, answers seconds.
import sys, time, torch

torch.set_num_threads(2)
torch.manual_seed(0)
for line in sys.stdin:
    n = int(line)
    a, b = torch.randn(n, n, dtype=torch.float64), torch.randn(n, 3, dtype=torch.float64)
    start = time.perf_counter()
    torch.linalg.solve(a, b)
    print(time.perf_counter() - start, flush=True)
