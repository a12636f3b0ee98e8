# The peers of bench/explain.ts: zennit and Captum on four networks. `explain.py FOLDER` writes each network as ONNX, its
# batch, and what each composite and method says of it; then a line "network composite threads" on stdin is run and timed.
import copy
import sys
import time
from pathlib import Path

import numpy
import torch
from captum.attr import InputXGradient, IntegratedGradients, Occlusion, Saliency
from torch import nn
from zennit import composites, rules
from zennit.attribution import Gradient
from zennit.canonizers import SequentialMergeBatchNorm
from zennit.layer import Sum
from zennit.types import AvgPool, BatchNorm, Activation

folder = Path(sys.argv[1])
torch.manual_seed(1)


class ExactMerge(SequentialMergeBatchNorm):
    """zennit leaves an epsilon in the normalization that it made an identity: each costs 5e-6 of what it hands on."""

    def register(self, linears, batch_norm):
        super().register(linears, batch_norm)
        self.epsilon, batch_norm.eps = batch_norm.eps, 0.0

    def remove(self):
        super().remove()
        self.batch_norm.eps = self.epsilon


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.between, self.behind, self.sum = nn.ReLU(), nn.ReLU(), Sum()

    def forward(self, x):
        y = self.second(self.between(self.first(x)))
        return self.behind(self.sum(torch.stack([x, y], dim=-1)))


def convolution(a, b, size=3):
    return [nn.Conv2d(a, b, size, padding=size // 2), nn.ReLU()]


networks = {
    "mlp": (nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)), (1, 28, 28)),
    "lenet": (
        nn.Sequential(
            nn.Conv2d(1, 16, 5), nn.BatchNorm2d(16), nn.ReLU(), nn.AvgPool2d(2),
            nn.Conv2d(16, 32, 5), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, 10),
        ),
        (1, 28, 28),
    ),
    "vgg": (
        nn.Sequential(
            *convolution(3, 32), *convolution(32, 32), nn.MaxPool2d(2),
            *convolution(32, 64), *convolution(64, 64), nn.MaxPool2d(2),
            *convolution(64, 128), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(2048, 256), nn.ReLU(), nn.Linear(256, 10),
        ),
        (3, 32, 32),
    ),
    "residual": (
        nn.Sequential(*convolution(3, 32), Block(32), nn.AvgPool2d(2), Block(32), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)),
        (3, 32, 32),
    ),
}
for network, _ in networks.values():
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            module.weight.data.uniform_(0.5, 1.5)
            module.bias.data.normal_(0, 0.1)
    network.eval()
batches = {name: torch.randn(32, *shape).clamp(-2.5, 2.5) for name, (_, shape) in networks.items()}

linear = (nn.Linear, nn.Conv2d)


def uniform(rule):
    return lambda: composites.LayerMapComposite(
        [(Activation, rules.Pass()), (Sum, rules.Norm()), (AvgPool, rules.Norm()), (BatchNorm, rules.Pass()), (linear, rule())],
        canonizers=[ExactMerge()],
    )


merged = {"canonizers": [ExactMerge()]}
made = {
    "epsilon-plus": lambda: composites.EpsilonPlus(**merged),
    "epsilon-plus-flat": lambda: composites.EpsilonPlusFlat(**merged),
    "epsilon-alpha2-beta1": lambda: composites.EpsilonAlpha2Beta1(**merged),
    "epsilon-alpha2-beta1-flat": lambda: composites.EpsilonAlpha2Beta1Flat(**merged),
    "epsilon-gamma-box": lambda: composites.EpsilonGammaBox(low=-3.0, high=3.0, **merged),
    "excitation-backprop": lambda: composites.ExcitationBackprop(**merged),
    "guided-backprop": lambda: composites.GuidedBackprop(**merged),
    "deconvnet": lambda: composites.DeconvNet(**merged),
    "uniform(epsilon=0.1)": uniform(lambda: rules.Epsilon(epsilon=0.1)),
    "uniform(gamma=0.25)": uniform(lambda: rules.Gamma(gamma=0.25)),
    "uniform(z-plus)": uniform(rules.ZPlus),
    "uniform(alpha-beta=2,1)": uniform(lambda: rules.AlphaBeta(alpha=2.0, beta=1.0)),
    "uniform(flat)": uniform(rules.Flat),
    "uniform(w-square)": uniform(lambda: rules.WSquare(zero_params=["bias"])),
}


def relevance(name, composite, network=None, batch=None):
    network, batch = network or networks[name][0], batches[name] if batch is None else batch
    with torch.no_grad():
        mask = nn.functional.one_hot(network(batch).argmax(1), 10).to(batch)
    shown = composite in ("guided-backprop", "deconvnet")
    with Gradient(network, composite=made[composite]()) as attributor:
        _, found = attributor(batch, mask if shown else lambda out: out.detach() * mask)
    return found


def captum(name):
    network, batch = copy.deepcopy(networks[name][0]).double(), batches[name][:4].double()
    target = network(batch).argmax(1)
    zeros = torch.zeros_like(batch)
    return {
        "gradient": Saliency(network).attribute(batch, target=target, abs=False),
        "gradient-x-input": InputXGradient(network).attribute(batch, target=target),
        "integrated-gradients": IntegratedGradients(network).attribute(batch, zeros, target=target, n_steps=64, method="riemann_middle"),
        "occlusion": Occlusion(network).attribute(batch, (batch.shape[1], 2, 2), strides=(batch.shape[1], 2, 2), target=target),
    }


def save(name, values):
    numpy.save(folder / f"{name}.npy", values.detach().numpy())


for name, (network, shape) in networks.items():
    # Not optimized: normalization that is folded in f32 would be another network.
    torch.onnx.export(
        network, (batches[name],), str(folder / f"{name}.onnx"), dynamo=True, optimize=False, external_data=False, verbose=False,
        input_names=["x"], output_names=["y"], dynamic_shapes=({0: torch.export.Dim("N")},),
    )
    save(name, batches[name])
    # In f64, so that what differs is the rule and not the rounding.
    wide, batch = copy.deepcopy(network).double(), batches[name].double()
    for composite in made:
        save(f"{name}.{composite}", relevance(name, composite, wide, batch))
    for method, values in captum(name).items():
        save(f"{name}.{method}", values)
print("ready", flush=True)
for line in sys.stdin:
    name, composite, threads = line.split()
    torch.set_num_threads(int(threads))
    began = time.perf_counter()
    relevance(name, composite)
    print(time.perf_counter() - began, flush=True)
