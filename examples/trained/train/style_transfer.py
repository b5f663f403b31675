#!/usr/bin/env python3
"""Trains the network that turns frames into drawings with pen and ink; writes style_transfer.safetensors.

The style is a formula: outlines, paper where it is light, hatching where it is darker, in two
directions where it is dark. The network sees the frames that people.py draws with noise, the
formula those without. Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from people import GRID, scene
from pixels import as_bytes, packed
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, FRAMES, TESTS, LARGE, SMALL = 2022, 900, 10, 8, 24


def hatching():
    """[2, 64, 64]: lines in both directions, 1 is ink."""
    diagonal = np.stack([GRID.sum(-1), GRID[..., 0] - GRID[..., 1]])
    return np.clip(3 * np.cos(2 * np.pi * diagonal / 8) - 1.2, 0, 1).astype(np.float32)


def pen_and_ink(frame):
    """The style: [64, 64] from 0 to 1 -> [64, 64], 1 is paper."""
    p = np.pad(frame, 1, "edge")
    smooth = sum(p[i:i + 64, j:j + 64] for i in range(3) for j in range(3)) / 9
    slope = np.hypot(p[1:-1, 2:] - p[1:-1, :-2], p[2:, 1:-1] - p[:-2, 1:-1])
    lines = np.clip((slope - 0.12) * 8, 0, 1)
    darker, dark = (np.clip((t - smooth) * 20 + 0.5, 0, 1) for t in (0.55, 0.3))
    first, second = hatching()
    return 1 - np.max([lines, darker * first, dark * second], 0)


class Net(torch.nn.Module):
    """Frames [n, 1, 64, 64] from 0 to 1 -> the same with style, before the sigmoid."""

    def __init__(self):
        super().__init__()
        conv = lambda i, o, size, stride=1: torch.nn.Conv2d(i, o, size, stride, size // 2)
        norm = lambda channels: torch.nn.InstanceNorm2d(channels, affine=True)
        self.first, self.down = conv(1, LARGE, 5), conv(LARGE, SMALL, 3, 2)
        self.a1, self.a2, self.b1, self.b2 = (conv(SMALL, SMALL, 3) for _ in range(4))
        self.norm_down, self.norm_a1, self.norm_a2, self.norm_b1, self.norm_b2 = (
            norm(SMALL) for _ in range(5))
        self.up = torch.nn.ConvTranspose2d(SMALL, LARGE, 2, 2)
        self.ink, self.last = conv(2 * LARGE + 2, 16, 3), conv(16, 1, 3)
        self.waves = torch.tensor(hatching())[None]  # so that it knows where lines are

    def forward(self, x):
        first = F.relu(self.first(x - 0.5))
        y = F.relu(self.norm_down(self.down(first)))
        y = y + self.norm_a2(self.a2(F.relu(self.norm_a1(self.a1(y)))))
        y = y + self.norm_b2(self.b2(F.relu(self.norm_b1(self.b1(y)))))
        y = torch.cat([F.relu(self.up(y)), first, self.waves.expand(len(x), -1, -1, -1)], 1)
        return self.last(F.relu(self.ink(y)))


def frames(random, count):
    """uint8 [count, 1, 64, 64]: frames with noise, and drawings of them without."""
    clean = np.array([scene(random, noise=False)[0] for _ in range(count)])[:, None] / 255
    noise = random.normal(0, 0.025, clean.shape)
    return as_bytes(clean + noise), as_bytes(np.array([pen_and_ink(f[0]) for f in clean])[:, None])


def main():
    random = prepare(SEED)
    photos, drawings = (torch.from_numpy(f).float() / 255 for f in frames(random, FRAMES))
    net = Net()

    def batch_loss():
        i = torch.from_numpy(random.integers(FRAMES, size=8))
        return F.binary_cross_entropy_with_logits(net(photos[i]), drawings[i])

    train(net, 1000, batch_loss, 1e-2)
    values, (test, drawn) = weights(net), frames(np.random.default_rng(SEED + 1), TESTS)
    with torch.no_grad():
        found = torch.sigmoid(net(torch.from_numpy(test).float() / 255)).numpy()
    for name, x in ("unchanged", test / 255), ("network", found):
        print(f"{name}: {np.abs(x - drawn / 255).mean():.3f} from the formula's")
    values["frames"], values["drawings"] = test, packed(drawn)
    write_safetensors(FOLDER / "style_transfer.safetensors", values, {})


if __name__ == "__main__":
    main()
