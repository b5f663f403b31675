#!/usr/bin/env python3
"""Trains the translation of numbers from English to German and writes translation.safetensors.

An encoder of two directions, a decoder, attention between them, on characters. Needs PyTorch.
"""

import numpy as np
import torch
import torch.nn.functional as F

from training import FOLDER, prepare, train, weights, write_safetensors

SEED = 2017
LETTERS = "\0\1\2 -abcdefghijklmnopqrstuvwxyz\u00e4\u00f6\u00fc\u00df"  # padding, begin, end
SOURCE, TARGET, HIDDEN, EMBED = 44, 44, 48, 24

ENGLISH = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
           "fifteen sixteen seventeen eighteen nineteen").split()
ENGLISH_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
GERMAN = ("null ein zwei drei vier f\u00fcnf sechs sieben acht neun zehn elf zw\u00f6lf dreizehn vierzehn "
          "f\u00fcnfzehn sechzehn siebzehn achtzehn neunzehn").split()
GERMAN_TENS = "- - zwanzig drei\u00dfig vierzig f\u00fcnfzig sechzig siebzig achtzig neunzig".split()


def english(n):
    if n >= 1000:
        return english(n // 1000) + " thousand" + (" " + english(n % 1000) if n % 1000 else "")
    if n >= 100:
        return ENGLISH[n // 100] + " hundred" + (" " + english(n % 100) if n % 100 else "")
    if n >= 20:
        return ENGLISH_TENS[n // 10] + ("-" + ENGLISH[n % 10] if n % 10 else "")
    return ENGLISH[n]


def german(n, alone=True):
    if n >= 1000:
        return german(n // 1000, False) + "tausend" + (german(n % 1000) if n % 1000 else "")
    if n >= 100:
        return GERMAN[n // 100] + "hundert" + (german(n % 100) if n % 100 else "")
    if n >= 20:
        return (GERMAN[n % 10] + "und" if n % 10 else "") + GERMAN_TENS[n // 10]
    return GERMAN[n] + ("s" if n == 1 and alone else "")


def encode(text, length):
    return [LETTERS.index(c) for c in text] + [0] * (length - len(text))


class Net(torch.nn.Module):
    """Letters of the source [n, SOURCE] and of the target so far [n, t] -> scores [n, t, letters]."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Parameter(0.3 * torch.randn(len(LETTERS), EMBED))
        self.encoder = torch.nn.GRU(EMBED, HIDDEN, bidirectional=True, batch_first=True)
        self.decoder = torch.nn.GRU(EMBED, 2 * HIDDEN, batch_first=True)
        self.query = torch.nn.Linear(2 * HIDDEN, 2 * HIDDEN, bias=False)
        self.mix = torch.nn.Linear(4 * HIDDEN, HIDDEN)
        self.letters = torch.nn.Linear(HIDDEN, len(LETTERS))

    def encode(self, source):
        states, last = self.encoder(self.embedding[source])
        return states, torch.cat([last[0], last[1]], 1)

    def decode(self, states, hidden, target):
        out, hidden = self.decoder(self.embedding[target], hidden[None])
        attention = F.softmax(self.query(out) @ states.transpose(1, 2), 2)
        context = attention @ states
        return self.letters(torch.tanh(self.mix(torch.cat([out, context], 2)))), hidden[0]


def translate(net, numbers):
    """The share of numbers that come out right, letter by letter, without a hint."""
    right = 0
    with torch.no_grad():
        for n in numbers:
            states, hidden = net.encode(torch.tensor([encode(english(n) + "\2", SOURCE)]))
            letter, text = 1, ""
            while letter != 2 and len(text) < TARGET:
                scores, hidden = net.decode(states, hidden, torch.tensor([[letter]]))
                letter = scores[0, 0].argmax().item()
                text += LETTERS[letter]
            right += text == german(n) + "\2"
    return right / len(numbers)


def main():
    random = prepare(SEED)
    # A tenth of the numbers is never trained: those whose digits sum up to a multiple of ten.
    held = lambda n: n > 0 and sum(map(int, str(n))) % 10 == 0

    def pick(count, wanted, random=random):
        found = []
        while len(found) < count:
            n = int(random.integers(10 ** int(random.choice([2, 3, 4, 4]))))
            if held(n) == wanted:
                found.append(n)
        return found

    net = Net()

    def batch_loss():
        numbers = pick(64, False)
        source = torch.tensor([encode(english(n) + "\2", SOURCE) for n in numbers])
        target = torch.tensor([encode("\1" + german(n) + "\2", TARGET) for n in numbers])
        target = target[:, :max(len(german(n)) for n in numbers) + 2]
        states, hidden = net.encode(source)
        scores, _ = net.decode(states, hidden, target[:, :-1])
        return F.cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0)

    train(net, 1800, batch_loss, 6e-3)
    values = weights(net)
    print("held-out numbers right:", translate(net, pick(300, True)))
    tests = "".join(f"{english(n)}\n{german(n)}\n" for n in pick(100, True, np.random.default_rng(SEED + 1)))
    write_safetensors(FOLDER / "translation.safetensors", values, {"tests": tests})


if __name__ == "__main__":
    main()
