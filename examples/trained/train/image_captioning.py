#!/usr/bin/env python3
"""Trains the network that describes drawn scenes, and writes image_captioning.safetensors.

A scene of 32 x 32 gray pixels has one thing, or two beside or above each other, by day or at night.
One of six pairs of kinds is never trained: a ball before a tree, a box before a house, ... (`held`).
Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from faces import PIXELS, SIZE
from people import capsule, ellipse
from pixels import packed, unpacked
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, SCENES, TESTS, LENGTH = 2015, 9000, 40, 14
GRID, CHANNELS, HIDDEN, EMBED = 8, 32, 64, 16
KINDS = ["ball", "box", "tree", "house", "boat", "star"]
WORDS = ["<end>", "<begin>", "a", "small", "large", "dark", "light", *KINDS, "left", "above", "of", "at", "night"]


def polygon(corners):
    """How much of each pixel a convex shape covers; the corners clockwise as seen."""
    inside = np.full((SIZE, SIZE), 9.0)
    for a, b in zip(corners, np.roll(corners, -1, 0)):
        x, y = (b - a) / np.hypot(*(b - a))
        inside = np.minimum(inside, (PIXELS - a) @ [-y, x])
    return np.clip(inside + 0.5, 0, 1)


def shape(kind, at, r):
    """What a thing covers; r is half of its height and width."""
    place = lambda *corners: at + r * np.array(corners)
    if kind == "ball":
        return ellipse(at, np.array([r, r]), PIXELS)
    if kind == "box":
        return polygon(place((-.9, -.9), (.9, -.9), (.9, .9), (-.9, .9)))
    if kind == "tree":  # a round crown on a trunk
        crown = ellipse(at - [0, .4 * r], r * np.array([.75, .65]), PIXELS)
        return np.maximum(crown, polygon(place((-.17, 0), (.17, 0), (.17, 1.1), (-.17, 1.1))))
    if kind == "house":
        walls = polygon(place((-.65, -.1), (.65, -.1), (.65, 1), (-.65, 1)))
        return np.maximum(walls, polygon(place((0, -1.1), (1.1, 0), (-1.1, 0))))
    if kind == "boat":  # a sail above a hull
        hull = polygon(place((-1.15, .45), (1.15, .45), (.7, 1), (-.7, 1)))
        return np.maximum(hull, polygon(place((.1, -1.1), (.9, .25), (.1, .25))))
    rays = [capsule(at - d, at + d, 0.17 * r, PIXELS)
            for d in (r * np.array([np.cos(a), np.sin(a)]) for a in np.pi / 6 + np.pi / 3 * np.arange(3))]
    return np.max(rays, 0)


def held(first, second):
    return (second - first) % len(KINDS) == 2


def scene(random, test):
    """An image of uint8, its words, and the place in the grid that each word is about, or -1.
    In a test all scenes have two things of a pair that is not trained."""
    u = random.uniform
    count, night, above = 2 if test else random.choice([1, 2, 2]), random.integers(2), random.integers(2)
    kinds = random.integers(len(KINDS), size=count)
    while count == 2 and held(*kinds) != test:
        kinds = random.integers(len(KINDS), size=2)
    image = np.full((SIZE, SIZE), u(0.28, 0.36) if night else u(0.62, 0.7))
    image += (PIXELS - SIZE / 2) @ random.normal(0, 0.001, 2)
    sentence, places = [], []
    for i, kind in enumerate(kinds):
        large, light = random.integers(2, size=2)
        at = u(8.5, SIZE - 8.5, 2)
        if count == 2:  # one after the other along an axis, next to each other along the other one
            at[above] = u(7.5, 8.5) + 15.5 * i
            at[1 - above] = u(-2, 2) + (at[1 - above] if i == 0 else before)
            at = np.clip(at, 7.5, SIZE - 7.5)
            before = at[1 - above]
        if i:
            sentence += [["left", "of"], ["above"]][above]
            places += [-1] * (2 - above)
        tone = u(0.9, 1) if light else u(0, 0.1)
        image += shape(KINDS[kind], at, u(6.2, 7) if large else u(3.7, 4.3)) * (tone - image)
        sentence += ["a", WORDS[3 + large], WORDS[5 + light], KINDS[kind]]
        x, y = np.clip(np.round((at - 0.5) / 4), 0, GRID - 1).astype(int)
        places += [y * GRID + x] * 4
    image += random.normal(0, 0.015, image.shape)
    image = np.round(np.clip(image, 0, 1) * 255).astype(np.uint8)
    return image, sentence + ["at", "night"] * night, places


def scenes(random, count, test):
    """4 bits a pixel [count, 1, 32, 16], words [count, LENGTH] with <end> behind them, places [count, LENGTH]"""
    images, sentences, places = zip(*(scene(random, test) for _ in range(count)))
    words = [[WORDS.index(w) for w in s] + [0] * (LENGTH - len(s)) for s in sentences]
    places = [p + [-1] * (LENGTH - len(p)) for p in places]
    return packed(np.array(images)[:, None]), np.array(words), np.array(places)


class Net(torch.nn.Module):
    """Images [n, 1, 32, 32] from 0 to 1 and the words so far [n, t] -> scores [n, t, words], attention."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 16, 5, 2, 2)
        self.conv2 = torch.nn.Conv2d(16, 32, 3, 2, 1)
        self.conv3 = torch.nn.Conv2d(32 + 2, CHANNELS, 3, 1, 1)  # with the coordinates
        self.state = torch.nn.Linear(CHANNELS * 16, HIDDEN)
        self.embedding = torch.nn.Parameter(0.3 * torch.randn(len(WORDS), EMBED))
        self.decoder = torch.nn.GRU(EMBED, HIDDEN, batch_first=True)
        self.query = torch.nn.Linear(HIDDEN, CHANNELS + 2, bias=False)
        self.mix = torch.nn.Linear(HIDDEN + CHANNELS + 2, 48)
        self.words = torch.nn.Linear(48, len(WORDS))
        line = torch.linspace(-1, 1, GRID)
        self.coordinates = torch.stack(torch.meshgrid(line, line, indexing="xy"))[None]

    def encode(self, x):
        """-> the grid [n, GRID * GRID, CHANNELS + 2], the state [n, HIDDEN]"""
        coordinates = self.coordinates.expand(len(x), -1, -1, -1)
        x = F.relu(self.conv2(F.relu(self.conv1(x - 0.5))))
        x = F.relu(self.conv3(torch.cat([x, coordinates], 1)))
        state = torch.tanh(self.state(F.max_pool2d(x, 2).flatten(1)))
        return torch.cat([x, coordinates], 1).flatten(2).transpose(1, 2), state

    def decode(self, grid, state, words):
        out, state = self.decoder(self.embedding[words], state[None])
        attention = self.query(out) @ grid.transpose(1, 2)
        # Without half of the state, the kind of a thing is read where the attention is: in any pair.
        out = F.dropout(out, 0.5, self.training)
        mixed = torch.tanh(self.mix(torch.cat([out, F.softmax(attention, 2) @ grid], 2)))
        return self.words(mixed), attention, state[0]


def captions(net, images):
    """The words that the network writes [n, LENGTH], 0 from the end on."""
    with torch.no_grad():
        grid, state = net.encode(torch.from_numpy(unpacked(images)))
        word, written = torch.ones(len(images), 1, dtype=torch.long), []
        for _ in range(LENGTH):
            scores, _, state = net.decode(grid, state, word)
            word = scores.argmax(2) * (word != 0)
            written.append(word)
    return torch.cat(written, 1).numpy()


def main():
    random = prepare(SEED)
    images, words, places = scenes(random, SCENES, False)
    images, words, places = map(torch.from_numpy, (unpacked(images), words, places))
    written = F.pad(words, (1, 0), value=1)[:, :-1]
    words = words.masked_fill(written == 0, -1)  # the first <end> counts, those behind it do not
    net = Net()

    def batch_loss():
        i = torch.from_numpy(random.integers(SCENES, size=32))
        scores, attention, _ = net.decode(*net.encode(images[i]), written[i])
        loss = lambda x, truth: F.cross_entropy(x.flatten(0, 1), truth[i].flatten(), ignore_index=-1)
        return loss(scores, words) + 0.5 * loss(attention, places)  # the attention is taught too

    train(net, 1900, batch_loss, 5e-3)
    values, test_random = weights(net), np.random.default_rng(SEED + 1)
    tests, truth, _ = scenes(test_random, 400, True)
    right = (captions(net, tests) == truth).all(1)
    print(f"pairs not trained: {right.mean():.3f} of 400 sentences right, {right[:TESTS].sum()} of the first {TESTS}")
    values["images"], values["captions"] = tests[:TESTS], truth[:TESTS].astype(np.uint8)
    write_safetensors(FOLDER / "image_captioning.safetensors", values, {"words": "\n".join(WORDS) + "\n"})


if __name__ == "__main__":
    main()
