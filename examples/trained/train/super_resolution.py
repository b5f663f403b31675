#!/usr/bin/env python3
"""Trains the network that doubles the resolution of frames, and writes super_resolution.safetensors.

The frames are those that people.py draws, without noise; a small frame is the mean of 2 x 2 pixels
each. Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from people import scene
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, CHANNELS, SMALL, FRAMES = 2019, 24, 32, 1500


class Net(torch.nn.Module):
    """Frames [n, 1, h, w] from 0 to 1 -> frames [n, 1, 2 h, 2 w]: what is computed for each pixel
    of the small frame, four pixels of the large one, is added to linear interpolation."""

    def __init__(self):
        super().__init__()
        conv = lambda i, o, size: torch.nn.Conv2d(i, o, size, padding=size // 2)
        self.first, self.second = conv(1, CHANNELS, 5), conv(CHANNELS, CHANNELS, 3)
        self.third, self.last = conv(CHANNELS, CHANNELS, 3), conv(CHANNELS, 4, 3)

    def forward(self, x):
        y = F.relu(self.first(x - 0.5))
        y = F.relu(self.third(F.relu(self.second(y)))) + y
        smooth = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return smooth + F.pixel_shuffle(self.last(y), 2)


def frames(random, count):
    """uint8 [count, 1, 64, 64] and [count, 1, 32, 32]"""
    large = np.array([scene(random, noise=False)[0] for _ in range(count)])[:, None]
    small = large.reshape(count, 1, SMALL, 2, SMALL, 2).mean((3, 5))
    return large, np.round(small).astype(np.uint8)


def signal_to_noise(found, large):
    """Peak signal to noise ratio of each frame, in decibels."""
    return -10 * torch.log10(((found - large) ** 2).mean((1, 2, 3)))


def main():
    random = prepare(SEED)
    large, small = (torch.from_numpy(f).float() / 255 for f in frames(random, FRAMES))
    net = Net()

    def batch_loss():
        i = torch.from_numpy(random.integers(FRAMES, size=16))
        return F.l1_loss(net(small[i]), large[i]) * 100

    train(net, 2400, batch_loss, 4e-3)
    values = weights(net)
    values["large"], values["small"] = frames(np.random.default_rng(SEED + 1), 12)
    large, small = (torch.from_numpy(values[k]).float() / 255 for k in ("large", "small"))
    smooth = F.interpolate(small, scale_factor=2, mode="bilinear", align_corners=False)
    with torch.no_grad():
        for name, found in ("linear", smooth), ("network", net(small)):
            print(f"{name}: {signal_to_noise(found, large).mean():.2f} dB")
    write_safetensors(FOLDER / "super_resolution.safetensors", values, {})


if __name__ == "__main__":
    main()
