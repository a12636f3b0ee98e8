# Small networks of the usual kinds, as PyTorch users write them: (module, example inputs) by name.
import torch
import torch.nn.functional as F
from torch import nn


class Decoder(nn.Module):
    """GPT-2's blocks: causal attention, tanh-GELU, layer norms before each part."""

    def __init__(self, width=16, heads=2, layers=2, length=6, tokens=0):
        super().__init__()
        self.heads, self.length = heads, length
        self.embed = nn.Embedding(tokens, width) if tokens else nn.Identity()
        self.position = nn.Parameter(torch.randn(length, width) * 0.1)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm1": nn.LayerNorm(width),
                    "qkv": nn.Linear(width, 3 * width),
                    "out": nn.Linear(width, width),
                    "norm2": nn.LayerNorm(width),
                    "up": nn.Linear(width, 4 * width),
                    "down": nn.Linear(4 * width, width),
                }
            )
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 7, bias=False)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).bool())

    def attention(self, block, x):
        batch, length, width = x.shape
        q, k, v = block["qkv"](x).split(width, dim=2)
        q, k, v = (t.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / (width // self.heads) ** 0.5
        scores = scores.masked_fill(~self.mask[:length, :length], float("-inf"))
        mixed = torch.softmax(scores, dim=-1) @ v
        return block["out"](mixed.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = self.embed(x) + self.position[: x.shape[1]]
        for block in self.blocks:
            x = x + self.attention(block, block["norm1"](x))
            x = x + block["down"](F.gelu(block["up"](block["norm2"](x)), approximate="tanh"))
        return self.head(self.norm(x))[:, -1, :]


class FusedAttention(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Encoder(nn.Module):
    def __init__(self, first, activation="relu"):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            16, 2, 32, dropout=0.1, batch_first=True, norm_first=first, activation=activation
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.encoder(x).mean(dim=1))


class SwiGLU(nn.Module):
    """A Llama block's feed-forward half: RMSNorm, gated SiLU, residual."""

    def __init__(self, width=12, builtin=True):
        super().__init__()
        self.builtin, self.weight = builtin, nn.Parameter(torch.rand(width) + 0.5)
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.gate, self.up, self.down = nn.Linear(width, 24, False), nn.Linear(width, 24, False), nn.Linear(24, width, False)
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        h = self.norm(x) if self.builtin else x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight
        return self.head(x + self.down(F.silu(self.gate(h)) * self.up(h)))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, factor=2):
        super().__init__()
        hidden, self.residual = inputs * factor, stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            nn.Conv2d(inputs, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(),
            nn.Conv2d(hidden, outputs, 1, bias=False), nn.BatchNorm2d(outputs),
        )

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)


def mobilenet():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU6(),
        InvertedResidual(4, 4, 1), InvertedResidual(4, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 4),
    )


class SqueezeExcite(nn.Module):
    """MobileNetV3's block: hard swish, and channels weighted by a hard sigmoid of their means."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6)
        self.down, self.up, self.head = nn.Conv2d(6, 3, 1), nn.Conv2d(3, 6, 1), nn.Linear(6, 3)

    def forward(self, x):
        h = F.hardswish(self.norm(self.conv(x)))
        h = h * F.hardsigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(h, 1)))))
        return self.head(h.mean((2, 3)))


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.skip = nn.Sequential()
        if stride > 1 or inputs != outputs:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.skip(x))


def resnet():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, 1, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        BasicBlock(4, 4), BasicBlock(4, 8, 2), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(8, 5),
    )


class Recurrent(nn.Module):
    def __init__(self, cell, **options):
        super().__init__()
        self.cell = cell(3, 6, batch_first=True, **options)
        self.head = nn.Linear(12 if options.get("bidirectional") else 6, 2)

    def forward(self, x):
        return self.head(self.cell(x)[0][:, -1])


class UNet(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.mode = mode
        self.down1, self.down2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(8, 4, 2, 2) if mode == "transposed" else nn.Conv2d(8, 4, 1)
        self.norm, self.last, self.out = nn.GroupNorm(2, 8), nn.Conv2d(8, 4, 3, padding=1), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        a = F.relu(self.down1(x))
        b = F.relu(self.down2(F.max_pool2d(a, 2)))
        if self.mode == "transposed":
            b = self.up(b)
        else:
            corners = None if self.mode == "nearest" else False
            b = F.interpolate(self.up(b), scale_factor=2, mode=self.mode, align_corners=corners)
        return torch.sigmoid(self.out(F.leaky_relu(self.last(self.norm(torch.cat([a, b], dim=1))), 0.1)))


class Indexing(nn.Module):
    """Every way to take a part of a tensor that comes to mind."""

    def __init__(self):
        super().__init__()
        self.linear, self.head = nn.Linear(8, 8), nn.Linear(14, 3)
        self.register_buffer("order", torch.tensor([3, 0, 2, 2]))

    def forward(self, x):
        h = torch.tanh(self.linear(x))
        parts = [h[:, 1:] - h[:, :-1], h[:, ::2].flip(1)[:, :1], torch.roll(h, 2, 1)[:, -3:], h.index_select(1, self.order)]
        parts[0] = parts[0][:, 2:-1]
        one, two = h.chunk(2, dim=1)
        where = torch.where(x[:, :2] > 0, one[:, 1:3], two[:, -2:])
        return self.head(torch.cat([*parts, where], dim=1))


class Activations(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds = nn.ModuleList(
            [nn.SiLU(), nn.Mish(), nn.ELU(0.7), nn.Softplus(), nn.PReLU(6), nn.Hardtanh(), nn.SELU(), nn.CELU(0.5), nn.Softsign(), nn.LogSigmoid()]
        )
        self.layers, self.head = nn.ModuleList(nn.Linear(6, 6) for _ in self.kinds), nn.Linear(3, 4)

    def forward(self, x):
        for layer, kind in zip(self.layers, self.kinds):
            x = x + kind(layer(x))
        return F.log_softmax(self.head(F.glu(x, dim=1)), dim=1)


class Temporal(nn.Module):
    """Dilated causal convolutions along time, with weight normalization."""

    def __init__(self):
        super().__init__()
        norm = torch.nn.utils.parametrizations.weight_norm
        self.layers = nn.ModuleList(norm(nn.Conv1d(2 if k == 0 else 4, 4, 3, dilation=2**k)) for k in range(3))
        self.head = nn.Conv1d(4, 1, 1)

    def forward(self, x):
        for k, layer in enumerate(self.layers):
            h = F.relu(layer(F.pad(x, (2 ** (k + 1), 0))))
            x = h if k == 0 else x + h
        return self.head(x)[..., -1]


class Pools(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(1, 4, 3, padding=2, dilation=2, padding_mode="reflect"), nn.Linear(4, 3)
        self.norm = nn.InstanceNorm2d(4, affine=True)

    def forward(self, x):
        h = self.norm(self.conv(x))
        h = F.avg_pool2d(h, 3, 2, padding=1, ceil_mode=True, count_include_pad=False)
        h = F.pixel_unshuffle(F.pixel_shuffle(h, 2), 2)
        return self.head(F.max_pool2d(h, 2, 2, ceil_mode=True).amax((2, 3)) + h.amin((2, 3)))


class Moments(nn.Module):
    """Reductions, powers, quotients, norms, sorted values."""

    def __init__(self):
        super().__init__()
        self.linear, self.head = nn.Linear(6, 10), nn.Linear(9, 2)

    def forward(self, x):
        h = self.linear(x)
        mean, var = h.mean(1, keepdim=True), h.var(1, keepdim=True)
        standard = (h - mean) / torch.sqrt(var + 0.1)
        top = torch.topk(h, 2, dim=1).values
        cosine = F.normalize(h, dim=1)[:, :2]
        extra = [torch.logsumexp(h, 1, True), h.abs().pow(1.5).sum(1, True), torch.cumsum(h, 1)[:, -1:], torch.exp(-h.square().mean(1, True))]
        return self.head(torch.cat([standard[:, :1], top, cosine, *extra], dim=1))


class TwoInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.scale, self.form = nn.Linear(4, 6), nn.Parameter(torch.rand(6)), nn.Parameter(torch.randn(5, 4, 3))

    def forward(self, x, z):
        bilinear = torch.einsum("bi,kij,bj->bk", x, self.form, z)
        size = torch.einsum("bi,i->b", F.relu(self.a(x)), self.scale)
        return size[:, None] * torch.tanh(bilinear), torch.clamp(z, -0.5, 0.25).sum(1)


def networks():
    """Inputs are given in the order of the arguments; integers are token ids."""
    image = torch.rand(1, 3, 8, 8) * 2 - 1
    grey = torch.rand(1, 1, 8, 8) * 2 - 1
    return {
        "gpt2": (Decoder(), (torch.randn(1, 6, 16),)),
        "gpt2ids": (Decoder(tokens=11), (torch.randint(0, 11, (1, 6)),)),
        "sdpa": (FusedAttention(), (torch.randn(1, 5, 16),)),
        "encoder": (Encoder(False), (torch.randn(1, 4, 16),)),
        "encoderpre": (Encoder(True, "gelu"), (torch.randn(1, 4, 16),)),
        "swiglu": (SwiGLU(), (torch.randn(1, 12),)),
        "rsqrt": (SwiGLU(builtin=False), (torch.randn(1, 12),)),
        "mobilenet": (mobilenet(), (image,)),
        "squeeze": (SqueezeExcite(), (image[:, :2],)),
        "resnet": (resnet(), (image,)),
        "lstm": (Recurrent(nn.LSTM, num_layers=2, bidirectional=True), (torch.randn(1, 4, 3),)),
        "gru": (Recurrent(nn.GRU), (torch.randn(1, 4, 3),)),
        "rnn": (Recurrent(nn.RNN, nonlinearity="relu"), (torch.randn(1, 4, 3),)),
        "unet": (UNet("transposed"), (grey,)),
        "unetbi": (UNet("bilinear"), (grey,)),
        "unetnear": (UNet("nearest"), (grey,)),
        "indexing": (Indexing(), (torch.randn(1, 8),)),
        "activations": (Activations(), (torch.randn(1, 6),)),
        "temporal": (Temporal(), (torch.randn(1, 2, 12),)),
        "pools": (Pools(), (torch.randn(1, 1, 9, 9),)),
        "moments": (Moments(), (torch.randn(1, 6),)),
        "two": (TwoInputs(), (torch.randn(1, 4), torch.randn(1, 3))),
    }
