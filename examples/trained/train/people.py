#!/usr/bin/env python3
"""Draws people in rooms, trains the network that finds them, and writes people.safetensors.

Frames are gray, 64 x 64, and drawn by formulas: nobody's picture is in here. Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from pixels import as_bytes
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, SIZE = 2016, 64
JOINTS = ["head", "left shoulder", "right shoulder", "left elbow", "right elbow", "left wrist",
          "right wrist"]
LANDMARKS = ["left eye", "right eye", "nose", "left corner of the mouth", "right corner of the mouth"]
POINTS = len(JOINTS) + len(LANDMARKS)
GRID = np.stack(np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5), -1)  # x, y


def ellipse(center, radii, grid=GRID):
    """How much of each pixel the shape covers; grid [..., 2] has the positions of the pixels."""
    d = np.hypot(*np.moveaxis((grid - center) / radii, -1, 0))
    return np.clip((1 - d) * min(radii) + 0.5, 0, 1)


def capsule(a, b, radius, grid=GRID):
    along = np.clip(((grid - a) @ (b - a)) / ((b - a) @ (b - a) + 1e-6), 0, 1)
    d = np.hypot(*np.moveaxis(grid - a - along[..., None] * (b - a), -1, 0))
    return np.clip(radius - d + 0.5, 0, 1)


def room(random):
    u = random.uniform
    frame = np.full((SIZE, SIZE), u(0.1, 0.9)) + (GRID @ random.normal(0, 0.004, 2))
    for _ in range(random.integers(2, 9)):  # furniture, lamps, windows, cables
        kind, tone = random.integers(3), u(0, 1)
        if kind == 0:
            low = random.uniform(-10, 60, 2)
            shape = np.all((GRID > low) & (GRID < low + random.uniform(4, 30, 2)), -1) * 1.0
        elif kind == 1:
            shape = ellipse(random.uniform(0, 64, 2), random.uniform(2, 12, 2))
        else:
            shape = capsule(random.uniform(0, 64, 2), random.uniform(0, 64, 2), u(0.5, 3))
        frame += shape * (tone - frame)
    stripes = np.sin(GRID @ random.normal(0, 0.5, 2)) * (random.random() < 0.4)
    return frame + u(0, 0.15) * stripes


def person(random, frame, x, scale):
    """Draws onto the frame. Returns what is covered and the POINTS points [x, y]."""
    u = random.uniform
    head = np.array([x + u(-2, 2), u(14, 26)])
    r = np.array([u(5.5, 7), u(7, 8.5)]) * scale
    neck = head + [u(-1, 1), 1.25 * r[1]]
    shoulders = [neck + np.array([side * u(9, 12), u(1.5, 4)]) * scale for side in (-1, 1)]
    elbows, wrists = [], []
    for side, shoulder in zip((-1, 1), shoulders):
        angle = u(-0.2, 0.8) if random.random() < 0.55 else u(0.8, 2.4)  # from down to up
        elbows.append(shoulder + 11 * scale * np.array([side * np.sin(angle), np.cos(angle)]))
        angle += u(-0.6, 0.6) if angle < 0.8 else u(0.3, 1.1)
        wrists.append(elbows[-1] + 11 * scale * np.array([side * np.sin(angle), np.cos(angle)]))
    skin, shirt, hair = u(0.35, 0.95), u(0.05, 0.95), u(0, 0.5)
    covered = np.zeros((SIZE, SIZE))

    def paint(shape, tone, counts=True):
        nonlocal covered
        frame[:] += shape * (tone - frame)
        covered = np.maximum(covered, shape * counts)

    paint(ellipse(head - [0, 0.25 * r[1]], r * u(1.05, 1.3, 2)), hair)
    torso = np.array([neck[0], 70.0])
    for k in np.linspace(0, 1, 5):
        top = shoulders[0] * (1 - k) + shoulders[1] * k + [0, 3 * scale]
        paint(capsule(top, np.array([top[0] * 0.6 + torso[0] * 0.4, 70]), 4 * scale), shirt)
    paint(capsule(head, neck + [0, 2 * scale], 2.8 * scale), skin * 0.9)
    paint(ellipse(head, r), skin)
    turn = u(-0.25, 0.25)  # the face looks left or right
    at = lambda px, py: head + np.array([(px + turn) * r[0], py * r[1]])
    eyes, nose = [at(-0.42, -0.12), at(0.42, -0.12)], at(1.2 * turn, 0.22)
    width, lift = u(0.25, 0.45), u(-0.1, 0.12)
    mouth = [at(-width, 0.55 - lift), at(width, 0.55 - lift)]
    dark = skin * u(0.1, 0.45)
    for eye in eyes:
        paint(ellipse(eye, np.array([1.2, 0.9]) * scale), dark, False)
    paint(capsule(at(turn, -0.05), nose, 0.45), skin * 0.7, False)
    middle = (mouth[0] + mouth[1]) / 2 + [0, 2 * lift * r[1]]
    paint(capsule(mouth[0], middle, 0.55 * scale), dark, False)
    paint(capsule(middle, mouth[1], 0.55 * scale), dark, False)
    for shoulder, elbow, wrist in zip(shoulders, elbows, wrists):
        paint(capsule(shoulder, elbow, 3 * scale), shirt * 0.9 + 0.03)
        paint(capsule(elbow, wrist, 2.4 * scale), shirt * 0.8 + 0.08)
        paint(ellipse(wrist, np.array([2.6, 2.6]) * scale), skin)
    return covered, np.array([head, *shoulders, *elbows, *wrists, *eyes, nose, *mouth])


def scene(random, people=None, noise=True):
    """A frame uint8 [64, 64], which pixels are people, and points and box of each person."""
    if people is None:
        people = random.choice([0, 1, 1, 1, 2])
    frame, mask, points, boxes = room(random), np.zeros((SIZE, SIZE)), [], []
    for x in {0: [], 1: [random.uniform(22, 42)], 2: [14, 50]}[people]:
        scale = random.uniform(0.85, 1.15) if people == 1 else random.uniform(0.65, 0.8)
        covered, where = person(random, frame, x, scale)
        mask = np.maximum(mask, covered)
        points.append(where)
        inside = GRID[covered > 0.5]
        boxes.append(np.concatenate([inside.min(0) - 0.5, inside.max(0) + 0.5]))
    frame = (frame - 0.5) * random.uniform(0.7, 1.1) + random.uniform(0.42, 0.58)
    if noise:
        frame += random.normal(0, random.uniform(0, 0.04), frame.shape)
    return as_bytes(frame), mask > 0.5, points, boxes


class Net(torch.nn.Module):
    """Frames [n, 1, 64, 64] from 0 to 1 -> scores of the mask and of the points, and boxes: at
    a head the distances in 32 pixels to the left, top, right and bottom; all 32 x 32."""

    def __init__(self):
        super().__init__()
        conv = lambda i, o, stride: torch.nn.Conv2d(i, o, 3, stride, 1)
        self.down1, self.down2 = conv(1, 12, 2), conv(12, 24, 2)
        self.down3, self.down4 = conv(24, 40, 2), conv(40, 48, 1)
        self.wide = torch.nn.Conv2d(48, 48, 3, 1, 2, dilation=2)
        self.up1, self.up2 = conv(48 + 24, 24, 1), conv(24 + 12, 24, 1)
        self.mask, self.points = torch.nn.Conv2d(24, 1, 1), torch.nn.Conv2d(24, POINTS, 1)
        self.boxes = torch.nn.Conv2d(24, 4, 1)

    def forward(self, x):
        up = lambda y: F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False)
        a = F.relu(self.down1(x - 0.5))
        b = F.relu(self.down2(a))
        c = F.relu(self.down4(F.relu(self.down3(b))))
        c = c + F.relu(self.wide(c))
        d = F.relu(self.up1(torch.cat([up(c), b], 1)))
        e = F.relu(self.up2(torch.cat([up(d), a], 1)))
        return self.mask(e), self.points(e), self.boxes(e)


def targets(mask, points, boxes):
    """The mask at half the size, a bump of 1 around each point, [POINTS, 32, 32], and boxes around
    heads, [4, 32, 32], NaN elsewhere."""
    half = mask.reshape(32, 2, 32, 2).mean((1, 3))
    bumps = np.zeros((POINTS, 32, 32))
    for where in points:
        d = ((GRID[:32, :32] - where[:, None, None] / 2) ** 2).sum(-1)
        bumps = np.maximum(bumps, np.exp(-d / 2))
    sides = np.full((4, 32, 32), np.nan)
    for where, box in zip(points, boxes):
        x, y = (where[0] / 2).astype(int)
        for i, j in np.ndindex(3, 3):
            at = np.array([x + i - 1, y + j - 1]).clip(0, 31)
            center = 2 * at + 1
            sides[:, at[1], at[0]] = np.concatenate([center - box[:2], box[2:] - center]) / 32
    return half, bumps, sides


def main():
    random = prepare(SEED)
    scenes = [scene(random) for _ in range(4000)]
    frames = torch.tensor(np.array([s[0] for s in scenes]))[:, None].float() / 255
    wanted = [targets(*s[1:]) for s in scenes]
    masks = torch.tensor(np.array([w[0] for w in wanted])).float()[:, None]
    points = torch.tensor(np.array([w[1] for w in wanted])).float()
    boxes = torch.tensor(np.array([w[2] for w in wanted])).float()
    net = Net()

    def batch_loss():
        i = torch.from_numpy(random.integers(len(frames), size=24))
        mask, heat, sides = net(frames[i])
        known = ~boxes[i].isnan()
        weight = 1 + 20 * points[i]
        return (F.binary_cross_entropy_with_logits(mask, masks[i])
                + (weight * (torch.sigmoid(heat) - points[i]) ** 2).mean() * 10
                + F.smooth_l1_loss(sides[known], boxes[i][known]))

    train(net, 2200, batch_loss, 6e-3)
    values = weights(net)
    test_random = np.random.default_rng(SEED + 1)
    test = [scene(test_random, people) for people in [1] * 28 + [0] * 6 + [2] * 6]
    values["frames"] = np.array([s[0] for s in test])
    values["masks"] = np.packbits(np.array([s[1] for s in test]), -1)
    values["people"] = np.array([len(s[2]) for s in test], np.uint8)
    values["boxes"] = np.array([b for s in test for b in s[3]], np.float32)
    values["truth"] = np.array([s[2][0] for s in test if len(s[2]) == 1], np.float32)
    write_safetensors(FOLDER / "people.safetensors", values,
                      {"points": ", ".join(JOINTS + LANDMARKS)})


if __name__ == "__main__":
    main()
