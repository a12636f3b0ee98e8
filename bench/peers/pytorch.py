# The training steps of bench/train.ts in PyTorch, with so many threads, "eager" or "compiled": reads lines of network, optimizer
# and steps, answers seconds a step on the clock and of the processor.
import sys, time, torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]))
compiled = torch.compile if sys.argv[2] == "compiled" else lambda f: f
torch.manual_seed(0)


def mlp():
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    return net, (128, 784), 10


def conv():
    net = nn.Sequential(nn.Conv2d(1, 16, 5), nn.ReLU(), nn.Conv2d(16, 32, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(3200, 10))
    return net, (32, 1, 28, 28), 10


def wide():
    net = nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Linear(4096, 1))
    return net, (512, 64), 1


def optimizer_of(name, weights):
    if name == "adam":
        return torch.optim.Adam(weights, lr=1e-3)
    return torch.optim.SGD(weights, lr=1e-3)


cases = {}


def case(network, optimizer):
    key = network + optimizer
    if key not in cases:
        net, shape, outputs = {"mlp": mlp, "conv": conv, "wide": wide}[network]()
        x = torch.randn(20 * shape[0] if network != "wide" else shape[0], *shape[1:])
        y = torch.randint(0, 10, (x.shape[0],)) if outputs == 10 else torch.randn(x.shape[0], 1)
        measure = nn.CrossEntropyLoss() if outputs == 10 else nn.MSELoss()
        update = optimizer_of(optimizer, net.parameters())
        cases[key] = compiled(lambda a, b: measure(net(a), b)), update, compiled(update.step), x, y, shape[0]
    return cases[key]


def steps(network, optimizer, count):
    loss, update, advance, x, y, batch = case(network, optimizer)
    order = torch.randperm(x.shape[0])
    at = 0
    began, before = time.perf_counter(), time.process_time()
    for _ in range(count):
        if x.shape[0] == batch:
            inputs, targets = x, y
        else:
            if at + batch > x.shape[0]:
                order, at = torch.randperm(x.shape[0]), 0
            chosen = order[at : at + batch]
            at += batch
            inputs, targets = x[chosen], y[chosen]
        update.zero_grad()
        loss(inputs, targets).backward()
        advance()
    return (time.perf_counter() - began) / count, (time.process_time() - before) / count


print(torch.__version__, flush=True)
for line in sys.stdin:
    network, optimizer, count = line.split()
    print(*steps(network, optimizer, int(count)), flush=True)
