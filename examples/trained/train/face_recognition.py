#!/usr/bin/env python3
"""Trains the network that turns faces into directions, and writes face_recognition.safetensors.

Images of one face (faces.py) get directions close to each other, those of different faces do not.
The faces of the test are others than those of the training. Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from faces import SIZE, identity, portrait
from pixels import packed, unpacked
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, PEOPLE, IMAGES, CHANNELS = 2021, 800, 8, 40
KNOWN, STRANGERS, PROBES = 12, 24, 4


class Net(torch.nn.Module):
    """Images [n, 1, 32, 32] from 0 to 1 -> directions [n, CHANNELS] of length 1."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 16, 5, 2, 2)
        self.conv2 = torch.nn.Conv2d(16, 32, 3, 2, 1)
        self.conv3 = torch.nn.Conv2d(32, CHANNELS, 3, 2, 1)
        self.direction = torch.nn.Linear(CHANNELS * 16, CHANNELS)

    def forward(self, x):
        x = F.relu(self.conv3(F.relu(self.conv2(F.relu(self.conv1(x - 0.5))))))
        return F.normalize(self.direction(x.flatten(1)))


def images(random, people, count):
    """4 bits a pixel: [people * count, 1, 32, 16]"""
    faces = [identity(random) for _ in range(people)]
    return packed(np.array([portrait(random, f) for f in faces for _ in range(count)])[:, None])


def cosines(net, gallery, probes):
    with torch.no_grad():
        return net(torch.from_numpy(unpacked(probes))) @ net(torch.from_numpy(unpacked(gallery))).T


def meeting(random):
    """One image of each known person; PROBES others of each, then one of each stranger."""
    faces = images(random, KNOWN, 1 + PROBES).reshape(KNOWN, 1 + PROBES, 1, SIZE, SIZE // 2)
    return faces[:, 0], np.concatenate([*faces[:, 1:], images(random, STRANGERS, 1)])


def main():
    random = prepare(SEED)
    faces = torch.from_numpy(unpacked(images(random, PEOPLE, IMAGES)))
    faces = faces.reshape(PEOPLE, IMAGES, 1, SIZE, SIZE)
    net = Net()

    def batch_loss():
        chosen = random.permutation(PEOPLE)[:32]
        x = net(torch.cat([faces[p, random.permutation(IMAGES)[:3]] for p in chosen]))
        who = torch.arange(32).repeat_interleave(3)
        other = ~torch.eye(len(who), dtype=torch.bool)
        scores = (x @ x.T / 0.1).masked_fill(~other, -1e4)
        same = (who[:, None] == who) & other
        return -F.log_softmax(scores, 1)[same].mean()

    train(net, 2600, batch_loss, 5e-3)
    values = weights(net)
    # the threshold with the fewest mistakes in meetings of other people
    check = np.random.default_rng(SEED + 1)
    meetings = [cosines(net, *meeting(check)).numpy() for _ in range(20)]
    truth = np.repeat(np.arange(KNOWN), PROBES)
    best, right = np.array([c.max(1) for c in meetings]), np.array([c.argmax(1) for c in meetings])
    known = right[:, :len(truth)] == truth
    rate = lambda t: ((best[:, :len(truth)] > t) & known).mean() + (best[:, len(truth):] <= t).mean()
    threshold = max(np.arange(0.3, 0.99, 0.01), key=rate)
    print(f"threshold {threshold:.2f}: {((best[:, :48] > threshold) & known).mean():.3f} of the known, "
          f"{(best[:, 48:] <= threshold).mean():.3f} of the strangers, nearest {known.mean():.3f}")
    values["threshold"] = np.array([threshold], np.float32)
    values["gallery"], values["probes"] = meeting(np.random.default_rng(SEED + 2))
    write_safetensors(FOLDER / "face_recognition.safetensors", values, {
        "names": "Ada Ben Cleo Dan Eve Finn Gus Hana Ivo June Kim Leo"})


if __name__ == "__main__":
    main()
