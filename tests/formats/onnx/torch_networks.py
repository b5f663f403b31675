#!/usr/bin/python3
"""Writes networks with torch.onnx.export, and the outputs of torch, as cases of the runner.

    torch_networks.py FOLDER

Needs torch; torchvision adds its networks.
"""
import os
import sys

import torch
from torch import nn

TYPES = {torch.float32: 1, torch.uint8: 2, torch.int64: 7, torch.bool: 9}


def varint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def tensor(t):
    """A TensorProto: dims, data_type, raw_data."""
    t = t.detach().contiguous()
    raw = t.numpy().tobytes()
    dims = b"".join(b"\x08" + varint(d) for d in t.shape)
    return dims + b"\x10" + varint(TYPES[t.dtype]) + b"\x4a" + varint(len(raw)) + raw


def write(folder, name, module, inputs, opset=13):
    module.eval()
    data = os.path.join(folder, f"{name}_{opset}", "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    with torch.no_grad():
        outputs = module(*inputs)
    outputs = [outputs] if torch.is_tensor(outputs) else list(outputs)
    path = os.path.join(folder, f"{name}_{opset}", "model.onnx")
    torch.onnx.export(module, tuple(inputs), path, opset_version=opset)
    for kind, values in (("input", inputs), ("output", outputs)):
        for i, t in enumerate(values):
            with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as f:
                f.write(tensor(t))


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU6(),
            nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=8, bias=False), nn.Hardswish(),
            nn.MaxPool2d(3, 2, 1, ceil_mode=True), nn.Conv2d(8, 16, 1), nn.SiLU(),
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
            nn.ConvTranspose2d(16, 4, 3, stride=2, padding=1, output_padding=1), nn.PReLU(4),
            nn.AvgPool2d(2, 2, count_include_pad=False), nn.GroupNorm(2, 4),
            nn.Upsample(scale_factor=2, mode="nearest"), nn.InstanceNorm2d(4, affine=True))
        self.head = nn.Linear(4, 10)

    def forward(self, x):
        return torch.log_softmax(self.head(self.features(x).mean([2, 3])), 1)


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.net = kind(5, 7, **options)

    def forward(self, x):
        y, state = self.net(x)
        return (y, *state) if isinstance(state, tuple) else (y, state)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, ids):
        n = ids.shape[1]
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        return self.encoder(self.words(ids), mask).mean(1)


class Shapes(nn.Module):
    """Shape arithmetic, slices, gathers and einsum."""

    def forward(self, x):
        a = x.view(x.size(0), -1, x.size(2) // 2)[:, ::2].flip(1)
        b = torch.einsum("bij,bkj->bik", a, a)
        c = torch.cat([b, b.transpose(1, 2)], 1)[:, 1:-1]
        return c.masked_fill(c > 1, 0.5), c.argmax(1), torch.where(c < 0, c.cumsum(1), c.clamp(0, 1))


def main(folder):
    torch.manual_seed(1)
    image = torch.rand(1, 3, 32, 32)
    for opset in (11, 13, 16):
        write(folder, "convolutional", Convolutional(), [image], opset)
    sequence = torch.rand(6, 2, 5) - 0.5
    for name, kind in (("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)):
        write(folder, name, Recurrent(kind), [sequence])
        write(folder, name + "_deep", Recurrent(kind, num_layers=2, bidirectional=True), [sequence])
    ids = torch.randint(0, 50, (2, 9))
    write(folder, "transformer", Transformer(), [ids], 14)
    write(folder, "shapes", Shapes(), [torch.randn(2, 6, 8)])
    try:
        from torchvision import models
    except ImportError:
        return
    for name in ("resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5", "densenet121",
                 "efficientnet_b0", "vit_b_32"):
        if hasattr(models, name):
            side = 224 if name == "vit_b_32" else 64
            write(folder, name, getattr(models, name)(weights=None), [torch.rand(1, 3, side, side)], 14)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
