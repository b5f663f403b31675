#!/usr/bin/env python3
"""Trains the network that tells fake videos of talking faces, and writes fake_video.safetensors.

Both kinds are drawn by faces.py, with a lens that is more or less sharp. In a fake one the inner
face of somebody else is blended in: a little softer, with a blurred border and less noise, and its
place and tone flicker from frame to frame. Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from faces import PIXELS, SIZE, head, identity, pose
from pixels import as_bytes, packed, unpacked
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, CLIPS, TESTS, FRAMES, FEATURES, HIDDEN = 2024, 480, 24, 8, 24, 24


def blurred(x):
    p = np.pad(x, 1, "edge")
    return sum(p[i:i + SIZE, j:j + SIZE] for i in range(3) for j in range(3)) / 9


def clip(random, fake):
    """4 bits a pixel, [FRAMES, 1, 32, 16]"""
    u, who, other = random.uniform, identity(random), identity(random)
    if random.random() < 0.7:  # somebody alike
        other["skin"] = np.clip(who["skin"] + u(-0.12, 0.12), 0.4, 0.95)
    how, to = pose(random), pose(random, 0.5)
    background, shirt, noise = u(0.1, 0.9), u(0, 1), u(0.01, 0.025)
    slope, contrast, middle = random.normal(0, 0.012, 2), u(0.8, 1.1), u(0.44, 0.56)
    talk, softness, frames = u(0, 6, 2), u(0, 0.4), []
    for t in range(FRAMES):
        now = {k: how[k] + 0.25 * np.sin(0.5 * t + talk[0]) * to[k] * (k != "scale") for k in how}
        now["lids"], now["scale"] = how["lids"], how["scale"]
        now["open"] = max(0, 0.9 * np.sin(1.9 * t + talk[1]))
        image, inner = head(who, now, background, shirt)
        grain = random.normal(0, noise, image.shape)
        if fake:
            moved = {**now, "x": now["x"] + u(-0.3, 0.3), "y": now["y"] + u(-0.3, 0.3)}
            face, region = head(other, moved, background, shirt)
            region = blurred(blurred(region * inner)) * 0.95
            face += 0.4 * (blurred(face) - face) + u(-0.03, 0.03)
            image += region * (face - image)
            grain *= 1 - 0.5 * region
        image += softness * (blurred(image) - image)
        image = image * (1 + (PIXELS - SIZE / 2) @ slope)
        frames.append((image - 0.5) * contrast + middle + grain)
    return packed(as_bytes(frames)[:, None])


class Net(torch.nn.Module):
    """Clips [n, FRAMES, 1, 32, 32] from 0 to 1 -> scores [n, FRAMES] of a fake, as seen so far."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(2, 12, 3, 1, 1)  # a frame, and what changed in it
        self.conv2 = torch.nn.Conv2d(12, 20, 3, 2, 1)
        self.conv3 = torch.nn.Conv2d(20, 24, 3, 2, 1)
        self.features = torch.nn.Linear(24 * 16, FEATURES)
        self.gru = torch.nn.GRU(FEATURES, HIDDEN, batch_first=True)
        self.fake = torch.nn.Linear(HIDDEN, 1)

    def forward(self, x):
        change = x - torch.cat([x[:, :1], x[:, :-1]], 1)
        y = F.relu(self.conv1(torch.cat([x - 0.5, 4 * change], 2).flatten(0, 1)))
        y = F.relu(self.conv3(F.relu(self.conv2(F.max_pool2d(y, 2)))))
        y = F.relu(self.features(y.flatten(1)))
        return self.fake(self.gru(y.reshape(*x.shape[:2], FEATURES))[0])[..., 0]


def main():
    random = prepare(SEED)
    clips = torch.from_numpy(unpacked(np.array([clip(random, i % 2) for i in range(CLIPS)])))
    truth = (torch.arange(CLIPS) % 2).float()
    net = Net()

    def batch_loss():
        i = torch.from_numpy(random.integers(CLIPS, size=12))
        scores = net(clips[i])
        return F.binary_cross_entropy_with_logits(scores, truth[i, None].expand_as(scores))

    train(net, 800, batch_loss, 6e-3)
    values, test_random = weights(net), np.random.default_rng(SEED + 1)
    tests = np.array([clip(test_random, i % 2) for i in range(200)])
    with torch.no_grad():
        right = (net(torch.from_numpy(unpacked(tests)))[:, -1].numpy() > 0) == np.arange(200) % 2
    print(f"other faces: {right.mean():.3f} of 200 clips right, {right[:TESTS].sum()} of the first {TESTS}")
    values["clips"] = tests[:TESTS]
    values["fake"] = np.arange(TESTS, dtype=np.uint8) % 2
    write_safetensors(FOLDER / "fake_video.safetensors", values, {})


if __name__ == "__main__":
    main()
