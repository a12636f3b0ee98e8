# The training steps of bench/train.ts in PyTorch, eager mode: reads "<network> <steps>" lines, answers seconds a step.
import sys, time, torch
from torch import nn

torch.set_num_threads(1)
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
        cases[key] = net, optimizer_of(optimizer, net.parameters()), x, y, shape[0]
    return cases[key]


def steps(network, optimizer, count):
    net, update, x, y, batch = case(network, optimizer)
    measure = nn.CrossEntropyLoss() if y.dtype == torch.int64 else nn.MSELoss()
    order = torch.randperm(x.shape[0])
    at = 0
    began = time.perf_counter()
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
        measure(net(inputs), targets).backward()
        update.step()
    return (time.perf_counter() - began) / count


print(torch.__version__, flush=True)
for line in sys.stdin:
    network, optimizer, count = line.split()
    print(steps(network, optimizer, int(count)), flush=True)
