#!/usr/bin/env python3
"""Trains the network that knows ten spoken words and writes keywords.safetensors.

The words are spoken by eSpeak NG, with noise; the voices of the test are not among those of the
training. The network takes samples: its first layers are the spectrum. Needs PyTorch, espeak-ng.
"""

import numpy as np
import torch
import torch.nn.functional as F

from noise_suppression import RATE, mix, speak
from training import FOLDER, prepare, train, weights, write_safetensors

SEED, COUNT, WINDOW, HOP, BANDS = 2019, 6400, 256, 128, 32  # 0.8 s
WORDS = "yes no up down left right on off stop go".split()
VOICES = [a + b for a in ("en-us", "en-gb", "en-gb-scotland", "en-029")
          for b in ("", "+m2", "+m4", "+m6", "+f1", "+f2", "+f4")]
TEST_VOICES = [a + b for a in ("en-gb-x-rp", "en-us-nyc") for b in ("+m1", "+m3", "+f3", "+f5")]


def clip(random, spoken):
    """The word somewhere in 0.8 s of noise."""
    x = np.zeros(COUNT, np.float32)
    spoken = spoken[:COUNT]
    at = random.integers(COUNT - len(spoken) + 1)
    x[at:at + len(spoken)] = spoken * random.uniform(0.4, 1)
    return np.clip(mix(random, x, random.uniform(8, 25)), -1, 1)


def spectrum_layers():
    """Filters [2 * 129, 1, 1, WINDOW]: cosines and sines in a window; and bands [BANDS, 129]."""
    k, n = np.arange(WINDOW // 2 + 1)[:, None], np.arange(WINDOW)
    hann = np.sin(np.pi * (n + 0.5) / WINDOW)
    waves = np.concatenate([np.cos(2 * np.pi * k * n / WINDOW), np.sin(2 * np.pi * k * n / WINDOW)])
    mel = lambda f: 2595 * np.log10(1 + f / 700)
    edges = np.linspace(mel(80), mel(RATE / 2), BANDS + 2)
    at = mel(np.arange(WINDOW // 2 + 1) * RATE / WINDOW)
    step = edges[1] - edges[0]
    bands = np.maximum(0, 1 - np.abs(at - edges[1:-1, None]) / step)
    return (waves * hann)[:, None, None], bands


class Net(torch.nn.Module):
    """Samples [n, 1, 1, COUNT] from -1 to 1 -> scores [n, 10]."""

    def __init__(self):
        super().__init__()
        waves, bands = spectrum_layers()
        self.waves = torch.nn.Parameter(torch.tensor(waves).float(), requires_grad=False)
        self.bands = torch.nn.Parameter(torch.tensor(bands).float(), requires_grad=False)
        self.conv1 = torch.nn.Conv1d(BANDS, 48, 3, 1, 1)
        self.conv2 = torch.nn.Conv1d(48, 48, 3, 2, 1)
        self.conv3 = torch.nn.Conv1d(48, 48, 3, 2, 1)
        self.words = torch.nn.Linear(48, len(WORDS))

    def features(self, x):
        waves = F.conv2d(x, self.waves, stride=(1, HOP))[:, :, 0]  # [n, 258, steps]
        power = waves[:, :129] ** 2 + waves[:, 129:] ** 2
        return torch.log(self.bands @ power + 1e-2)

    def head(self, x):
        x = F.relu(self.conv3(F.relu(self.conv2(F.relu(self.conv1(x))))))
        return self.words(F.dropout(x.mean(2), 0.2, self.training))


def main():
    random = prepare(SEED)
    spoken = [(speak(v, w, s, p), i) for i, w in enumerate(WORDS) for v in VOICES
              for s, p in [(int(random.integers(140, 200)), int(random.integers(20, 80)))]]
    net = Net()

    def batch(sounds, copies):
        x = np.array([clip(random, s) for _ in range(copies) for s, _ in sounds])
        with torch.no_grad():
            return net.features(torch.from_numpy(x)[:, None, None])

    features = batch(spoken, 12)
    labels = torch.tensor([i for _ in range(12) for _, i in spoken])
    print(len(labels), "clips")

    def batch_loss():
        i = torch.from_numpy(random.integers(len(labels), size=64))
        return F.cross_entropy(net.head(features[i]), labels[i])

    train(net, 1500, batch_loss, 4e-3)
    values = weights(net)
    del values["waves"], values["bands"]
    values["bands"] = spectrum_layers()[1].astype(np.float16)
    # int8 samples, of voices that were not trained
    tests = [(clip(random, speak(v, w)), i) for v in TEST_VOICES for i, w in enumerate(WORDS)]
    values["clips"] = np.round(np.array([x for x, _ in tests[::2]]) * 127).astype(np.int8)
    values["labels"] = np.array([i for _, i in tests[::2]], np.uint8)
    with torch.no_grad():
        samples = torch.from_numpy(values["clips"]).float()[:, None, None] / 127
        right = net.head(net.features(samples)).argmax(1).numpy() == values["labels"]
    print("held-out voices right:", right.mean())
    write_safetensors(FOLDER / "keywords.safetensors", values,
                      {"words": " ".join(WORDS), "sample_rate": str(RATE)})


if __name__ == "__main__":
    main()
