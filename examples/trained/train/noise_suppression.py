#!/usr/bin/env python3
"""Trains the network that takes noise out of speech and writes noise_suppression.safetensors.

Speech is made by eSpeak NG, noises by formulas. A GRU sees the spectrum of a window of 32 ms, every
16 ms, and says how much of each of its 129 frequencies to keep. Needs PyTorch and espeak-ng.
"""

import subprocess

import numpy as np
import torch

from training import FOLDER, prepare, train, weights, write_safetensors

SEED = 2018
RATE, WINDOW, HOP, HIDDEN = 8000, 256, 128, 56
BINS = WINDOW // 2 + 1
VOICES = ["en-us", "en-gb", "en-gb-scotland", "en-us+f2", "en-gb+f3", "en-us+m3", "en-gb+m7"]
SENTENCES = """The meeting begins at nine, and everyone is welcome.
Could you send me the figures of last month, please?
I think that we should wait until the weather is better.
Seven large boxes arrived this morning from the north.
She bought fresh bread, apples and a bottle of milk.
Nobody knew why the old clock had stopped again.
Please turn left after the bridge and follow the river.
He was reading a long letter when the telephone rang.
My brother plays the violin, but he never practices enough.
The quick train to the coast leaves from platform four.
We have measured the voltage twice and found no difference.
What a strange idea to paint the whole kitchen orange!""".split("\n")
HELD_OUT = ("en-gb-x-rp+f4", "Good evening. Does your window open towards the garden?")


def speak(voice, text, speed=165, pitch=50):
    """Samples at 8 kHz from -1 to 1, of at most half the range."""
    wav = subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout",
                          text], check=True, capture_output=True).stdout
    x = np.frombuffer(wav[44:], np.int16).astype(np.float64)
    spectrum = np.fft.rfft(x)
    count = int(len(x) * RATE / 22050)
    x = np.fft.irfft(spectrum[:count // 2 + 1], count)
    return (0.5 * x / np.abs(x).max()).astype(np.float32)


def noise(random, count):
    """Hiss of some color, hum, and now and then something that barks or rattles."""
    t = np.arange(count) / RATE
    frequency = np.fft.rfftfreq(count, 1 / RATE) + 30
    spectrum = np.fft.rfft(random.standard_normal(count)) * frequency ** -random.uniform(0, 1)
    x = np.fft.irfft(spectrum, count)
    x /= x.std()
    for k in range(1, 6):
        x += random.uniform(0, 0.5) / k * np.sin(2 * np.pi * (k * 50 * t + random.random()))
    for _ in range(random.integers(0, 1 + 3 * count // RATE)):
        start, length = random.integers(count), random.integers(200, 2000)
        burst = random.standard_normal(length) * np.exp(-np.arange(length) / random.uniform(100, 600))
        tone = np.sin(2 * np.pi * random.uniform(200, 3000) * np.arange(length) / RATE)
        part = x[start:start + length]
        part += (random.uniform(1, 4) * burst * tone)[:len(part)]
    return x.astype(np.float32)


def mix(random, clean, decibels):
    n = noise(random, len(clean))
    power = np.mean(clean ** 2) / 10 ** (decibels / 10)
    return clean + n * np.sqrt(power / np.mean(n ** 2)).astype(np.float32)


HANN = np.sin(np.pi * (np.arange(WINDOW) + 0.5) / WINDOW).astype(np.float32)


def magnitudes(x):
    """[steps, BINS]"""
    frames = np.lib.stride_tricks.sliding_window_view(x, WINDOW)[::HOP]
    return np.abs(np.fft.rfft(frames * HANN)).astype(np.float32)


class Net(torch.nn.Module):
    """Magnitudes [n, steps, BINS] -> how much to keep [n, steps, BINS]. The program has the same."""

    def __init__(self):
        super().__init__()
        self.reduce = torch.nn.Linear(BINS, HIDDEN)
        self.gru = torch.nn.GRU(HIDDEN, HIDDEN, batch_first=True)
        self.gains = torch.nn.Linear(HIDDEN, BINS)

    def forward(self, x):
        states, _ = self.gru(torch.relu(self.reduce(torch.log(x + 1e-2))))
        return torch.sigmoid(self.gains(states))


def main():
    random = prepare(SEED)
    speech = [speak(v, s, int(random.integers(140, 190)), int(random.integers(30, 70)))
              for s in SENTENCES for v in VOICES]
    speech = np.concatenate([np.append(s, np.zeros(1500, np.float32)) for s in speech])
    print(f"{len(speech) / RATE:.0f} s of speech")
    net, count = Net(), 100 * HOP + WINDOW

    def batch_loss():
        clean, noisy = [], []
        for _ in range(16):
            at = random.integers(len(speech) - count)
            part = speech[at:at + count] * random.uniform(0.3, 1)
            if part.std() < 0.01:
                part = part + 0.01
            clean.append(magnitudes(part))
            noisy.append(magnitudes(mix(random, part, random.uniform(-3, 12))))
        clean, noisy = torch.tensor(np.array(clean)), torch.tensor(np.array(noisy))
        kept = net(noisy) * noisy
        return ((kept.clamp(min=1e-6) ** 0.5 - clean ** 0.5) ** 2).mean()

    train(net, 1200, batch_loss, 4e-3)
    values = weights(net)
    test_random = np.random.default_rng(SEED + 1)
    clean = speak(*HELD_OUT)[:3 * RATE]
    noisy = mix(test_random, clean, 3)
    scale = 0.9 / np.abs(noisy).max()
    values["clean"] = np.round(clean * scale * 32767).astype(np.int16)
    values["noisy"] = np.round(noisy * scale * 32767).astype(np.int16)
    write_safetensors(FOLDER / "noise_suppression.safetensors", values,
                      {"sample_rate": str(RATE), "text": HELD_OUT[1], "voice": HELD_OUT[0]})


if __name__ == "__main__":
    main()
