#!/usr/bin/env python3
"""Trains the network that finds what matters in a video; writes video_summarization.safetensors.

Videos of 48 frames of 32 x 32 gray pixels are drawn by formulas: rooms with a person who walks, or
with nobody, and cuts from one to the next. What matters is a hand raised above the head, and the
first two frames behind a cut. Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from faces import PIXELS
from people import capsule, ellipse
from pixels import as_bytes, packed, unpacked
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, VIDEOS, TESTS, FRAMES, FEATURES, HIDDEN = 2023, 260, 5, 48, 24, 16


def room(random):
    image = np.full((32, 32), random.uniform(0.2, 0.8)) + PIXELS @ random.normal(0, 0.006, 2)
    for _ in range(random.integers(2, 6)):
        low = random.uniform(-5, 30, 2)
        box = np.all((PIXELS > low) & (PIXELS < low + random.uniform(2, 14, 2)), -1)
        image += box * (random.uniform(0, 1) - image)
    return image


def person(image, looks, x, lift):
    """Draws onto the image; lift of both arms: 0 hangs down, 1 is above the head."""
    def paint(shape, tone):
        image[:] += shape * (tone - image)

    head, size = np.array([x, looks["y"]]), looks["size"]
    paint(capsule(head + [0, 9 * size], head + [0, 30], 4 * size, PIXELS), looks["shirt"])
    paint(ellipse(head - [0, 1], np.array([3.4, 4]) * size, PIXELS), looks["hair"])
    paint(ellipse(head, np.array([2.8, 3.4]) * size, PIXELS), looks["skin"])
    for side, up in zip((-1, 1), lift):
        shoulder = head + np.array([side * 4, 6.5]) * size
        angle = 0.25 + 2.6 * up
        elbow = shoulder + 5 * size * np.array([side * np.sin(angle), np.cos(angle)])
        angle += 0.3 * up
        wrist = elbow + 5 * size * np.array([side * np.sin(angle), np.cos(angle)])
        paint(capsule(shoulder, elbow, 1.5 * size, PIXELS), looks["shirt"] * 0.85 + 0.05)
        paint(capsule(elbow, wrist, 1.2 * size, PIXELS), looks["shirt"] * 0.85 + 0.05)
        paint(ellipse(wrist, np.array([1.5, 1.5]) * size, PIXELS), looks["skin"])


def video(random):
    """Frames, 4 bits a pixel, [FRAMES, 1, 32, 16], and whether each matters."""
    u = random.uniform
    cuts = [0, *np.cumsum(random.integers(10, 19, 3))]
    frames, matters = [], np.zeros(FRAMES, np.uint8)
    for start, end in zip(cuts, [*cuts[1:], FRAMES]):
        if start >= FRAMES:
            break
        empty, background = random.random() < 0.15, room(random)
        other = (background.mean() + u(0.3, 0.6) * random.choice([-1, 1])) % 1  # tone of the skin
        looks = {"y": u(9, 14), "size": u(0.85, 1.1), "shirt": (other + u(-0.15, 0.15)).clip(0, 1),
                 "hair": u(0, 0.4), "skin": other}
        x, speed, swing = u(8, 24), u(-0.3, 0.3), u(0, 6)
        event = start + random.integers(3, 8), random.integers(4, 7), random.integers(2)
        height = 1 if random.random() < 0.75 else 0.45  # a hand that does not get far
        for t in range(start, min(end, FRAMES)):
            frame, lift = background * u(0.95, 1.05), [0.08 * np.sin(swing + t), 0.08 * np.cos(t)]
            if event[0] <= t < event[0] + event[1]:
                half_way = t in (event[0], event[0] + event[1] - 1)
                lift[event[2]] = height * (0.75 if half_way else 1)
                matters[t] |= height == 1 and not empty
            if not empty:
                person(frame, looks, x + speed * (t - start), lift)
            matters[t] |= 0 < start <= t < start + 2
            frames.append(frame + random.normal(0, 0.02, frame.shape))
    return packed(as_bytes(frames)[:, None]), matters


class Net(torch.nn.Module):
    """Videos [n, FRAMES, 1, 32, 32] from 0 to 1 -> scores of the frames [n, FRAMES]."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(2, 12, 5, 2, 2)  # a frame, and what changed in it
        self.conv2 = torch.nn.Conv2d(12, 16, 3, 2, 1)
        self.conv3 = torch.nn.Conv2d(16, 24, 3, 2, 1)
        self.features = torch.nn.Linear(24 * 16, FEATURES)
        self.lstm = torch.nn.LSTM(FEATURES, HIDDEN, bidirectional=True, batch_first=True)
        self.importance = torch.nn.Linear(2 * HIDDEN, 1)

    def forward(self, x):
        change = x - torch.cat([x[:, :1], x[:, :-1]], 1)
        y = torch.cat([x - 0.5, change], 2).flatten(0, 1)
        y = F.relu(self.conv2(F.relu(self.conv1(y))))
        y = F.relu(self.features(F.relu(self.conv3(y)).flatten(1)))
        return self.importance(self.lstm(y.reshape(*x.shape[:2], FEATURES))[0])[..., 0]


def main():
    random = prepare(SEED)
    videos = [video(random) for _ in range(VIDEOS)]
    frames = torch.from_numpy(unpacked(np.array([v[0] for v in videos])))
    matters = torch.from_numpy(np.array([v[1] for v in videos])).float()
    print(f"{matters.mean():.2f} of the frames matter")
    net = Net()

    def batch_loss():
        i = torch.from_numpy(random.integers(VIDEOS, size=4))
        return F.binary_cross_entropy_with_logits(net(frames[i]), matters[i])

    train(net, 1000, batch_loss, 1e-2)
    values, test_random = weights(net), np.random.default_rng(SEED + 1)
    tests = [video(test_random) for _ in range(TESTS)]
    values["frames"], values["truth"] = (np.array([t[i] for t in tests]) for i in (0, 1))
    with torch.no_grad():
        found = net(torch.from_numpy(unpacked(values["frames"]))).numpy() > 0
    truth = values["truth"] > 0
    print(f"F-score {2 * (found & truth).sum() / (found.sum() + truth.sum()):.3f}")
    write_safetensors(FOLDER / "video_summarization.safetensors", values, {})


if __name__ == "__main__":
    main()
