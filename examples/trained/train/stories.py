#!/usr/bin/env python3
"""Trains a small language model on stories and writes stories.gguf, and stories.txt: prompts, and what follows.

A grammar makes the stories: a child has a thing, which is lost or damaged, and a friend helps. The name, the
pronoun, the thing with its color, and the place stay the same through a story, and the cause decides what
helps. The network is Llama's, on tokens of byte-level BPE. Needs PyTorch.
"""

import collections
import re
import sys

import numpy as np
import torch
import torch.nn.functional as F

from gguf_file import write_gguf
from training import FOLDER, prepare, train

SEED, STEPS, BATCH = 2026, int(sys.argv[1]) if len(sys.argv) > 1 else 700, 32
VOCABULARY, CONTEXT, WIDTH, HEADS, LAYERS, INNER = 512, 256, 96, 3, 3, 256
SIZE, EPSILON, BASE = WIDTH // HEADS, 1e-5, 10000.0

GIRLS = "Mia Anna Lily Emma Sara Nora Ella Ruth".split()
BOYS = "Tom Ben Max Leo Sam Paul Finn Jack".split()
THINGS = "kite hat boat ball drum book scarf doll".split()
COLORS = "red blue green yellow white".split()
PLACES = "hill forest river garden beach field".split()
WHERE = ["under a tree", "behind a rock", "in the grass"]
ANIMALS = {"dog": "bread", "goat": "apples", "crow": "nuts", "cat": "fish"}
TIMES = ["One day", "One morning", "One evening"]
TOOLS = ["glue", "thread", "a nail"]


def is_held(name, thing):
    """One of eight pairs of a name and a thing is never trained."""
    return ((GIRLS + BOYS).index(name) + THINGS.index(thing)) % 8 == 0


def beginning(name, thing, color):
    girl = name in GIRLS
    return (f"Once upon a time, there was a {'girl' if girl else 'boy'} named {name}. "
            f"{'She' if girl else 'He'} had a {color} {thing}.")


def likely(random, values, first=0):
    """Each half as likely again as the one after it, so that it is clear which one is the most probable."""
    p = 1.5 ** -np.arange(len(values))
    return values[(first + int(random.choice(len(values), p=p / p.sum()))) % len(values)]


def story(random, held=False):
    pick = lambda values: values[int(random.integers(len(values)))]
    while True:
        name, thing = pick(GIRLS + BOYS), pick(THINGS)
        if is_held(name, thing) == held:
            break
    friend = likely(random, [n for n in GIRLS + BOYS if n != name])
    at = THINGS.index(thing)
    color, place, animal = pick(COLORS), likely(random, PLACES, at), likely(random, list(ANIMALS), at)
    she, her = ("she", "her") if name in GIRLS else ("he", "his")
    feeling, trouble, help_ = likely(random, [
        ("worried", f"the wind took the {thing} to the {place}",
         f"They went to the {place} and found the {color} {thing} {likely(random, WHERE)}."),
        ("sad", f"the {thing} broke", f"They mended the {color} {thing} with {likely(random, TOOLS)}."),
        ("angry", f"a {animal} hid the {thing} in the {place}",
         f"They gave the {animal} some {ANIMALS[animal]}, and it brought the {color} {thing} back from the {place}."),
        ("unhappy", f"the rain made the {thing} wet", f"They dried the {color} {thing} by the fire.")], at)
    end = likely(random, [f"{name} was not {feeling} any more and thanked {friend}.",
                f"Then {name} and {friend} played with the {thing} until {she} was tired."], at)
    return (f"{beginning(name, thing, color)} {she.capitalize()} loved {her} {thing} very much. "
            f"{likely(random, TIMES)}, {trouble}. {name} was {feeling}. {she.capitalize()} told {her} friend {friend}, "
            f"who said, \"I will help you.\" {help_} {end}")


# Byte-level BPE, with the names that GPT-2 gives to bytes. Texts here are ASCII, so only " " has another name.
def byte_names():
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(b if b in own else next(others)) for b in range(256)]


BYTES = byte_names()
WORDS = re.compile(r" ?[A-Za-z]+| ?[^\sA-Za-z]+|\s+(?!\S)|\s+")


def merged(parts, pair):
    out = []
    for p in parts:
        if out and (out[-1], p) == pair:
            out[-1] += p
        else:
            out.append(p)
    return out


def make_merges(texts, count):
    words = collections.Counter(w for t in texts for w in WORDS.findall(t))
    parts = {w: [BYTES[b] for b in w.encode()] for w in words}
    merges = []
    while len(merges) < count:
        pairs = collections.Counter()
        for w, n in words.items():
            for pair in zip(parts[w], parts[w][1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append(best)
        parts = {w: merged(p, best) for w, p in parts.items()}
    return merges


class Tokenizer:
    def __init__(self, merges):
        self.merges, self.known = merges, {}
        self.tokens = BYTES + ["".join(m) for m in merges]
        self.tokens += [f"<|unused{i}|>" for i in range(VOCABULARY - 1 - len(self.tokens))] + ["<|endoftext|>"]
        self.numbers = {t: i for i, t in enumerate(self.tokens)}
        self.end = VOCABULARY - 1

    def __call__(self, text):
        return [i for w in WORDS.findall(text) for i in self.word(w)]

    def word(self, word):
        if word not in self.known:
            parts = [BYTES[b] for b in word.encode()]
            for m in self.merges:
                parts = merged(parts, m)
            self.known[word] = [self.numbers[p] for p in parts]
        return self.known[word]


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        matrix = lambda rows, columns: torch.nn.Parameter(torch.randn(rows, columns) / columns ** 0.5)
        self.attn_norm = torch.nn.Parameter(torch.ones(WIDTH))
        self.ffn_norm = torch.nn.Parameter(torch.ones(WIDTH))
        self.attn_q, self.attn_k, self.attn_v = (matrix(WIDTH, WIDTH) for _ in range(3))
        self.attn_output, self.ffn_down = matrix(WIDTH, WIDTH), matrix(WIDTH, INNER)
        self.ffn_gate, self.ffn_up = matrix(INNER, WIDTH), matrix(INNER, WIDTH)

    def forward(self, x, angles, mask):
        n, t, _ = x.shape
        row = norm(x, self.attn_norm)
        q, k, v = ((row @ w.T).view(n, t, HEADS, SIZE).transpose(1, 2)
                   for w in (self.attn_q, self.attn_k, self.attn_v))
        weights = F.softmax(rotate(q, angles) @ rotate(k, angles).transpose(2, 3) / SIZE ** 0.5 + mask, 3)
        x = x + (weights @ v).transpose(1, 2).reshape(n, t, WIDTH) @ self.attn_output.T
        row = norm(x, self.ffn_norm)
        return x + (F.silu(row @ self.ffn_gate.T) * (row @ self.ffn_up.T)) @ self.ffn_down.T


def norm(x, weight):
    return x * torch.rsqrt((x * x).mean(2, keepdim=True) + EPSILON) * weight


def rotate(x, angles):
    a, b, cosine, sine = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([a * cosine - b * sine, a * sine + b * cosine], 4).flatten(3)


class Net(torch.nn.Module):
    """Tokens [n, t] -> logits [n, t, VOCABULARY]."""

    def __init__(self):
        super().__init__()
        self.token_embd = torch.nn.Parameter(0.1 * torch.randn(VOCABULARY, WIDTH))
        self.blk = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.output_norm = torch.nn.Parameter(torch.ones(WIDTH))

    def forward(self, tokens):
        t = tokens.shape[1]
        angles = torch.outer(torch.arange(t), BASE ** (-torch.arange(0, SIZE, 2) / SIZE))
        mask = torch.full((t, t), -1e9).triu(1)
        x = self.token_embd[tokens]
        for layer in self.blk:
            x = layer(x, angles, mask)
        return norm(x, self.output_norm) @ self.token_embd.T


def continued(net, tokenizer, prompt):
    tokens = [tokenizer.end] + tokenizer(prompt)
    begin = len(tokens)
    with torch.no_grad():
        while len(tokens) < CONTEXT:
            tokens.append(net(torch.tensor([tokens]))[0, -1].argmax().item())
            if tokens[-1] == tokenizer.end:
                break
    names = {c: b for b, c in enumerate(BYTES)}
    return bytes(names[c] for i in tokens[begin:-1] for c in tokenizer.tokens[i]).decode(errors="replace")


# A conversation is one text, whose turns follow one another.
TEMPLATE = ("{{ bos_token }}{% for m in messages %}{% if not loop.first %} {% endif %}"
            "{{ m.content | trim }}{% endfor %}")


def write(net, tokenizer):
    """Matrices become float16; what has one dimension stays float32."""
    tensors = {}
    for name, value in net.named_parameters():
        value = value.detach().numpy()
        tensors[name + ".weight"] = value.astype(np.float16) if value.ndim == 2 else value
    count = len(BYTES) + len(tokenizer.merges)
    write_gguf(FOLDER / "stories.gguf", {
        "general.architecture": "llama", "general.name": "Stories", "general.file_type": 1,
        "llama.vocab_size": VOCABULARY, "llama.context_length": CONTEXT, "llama.embedding_length": WIDTH,
        "llama.block_count": LAYERS, "llama.feed_forward_length": INNER, "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": HEADS, "llama.attention.layer_norm_rms_epsilon": EPSILON,
        "llama.rope.dimension_count": SIZE, "llama.rope.freq_base": BASE,
        "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "gpt-2", "tokenizer.ggml.tokens": tokenizer.tokens,
        "tokenizer.ggml.token_type": [1] * count + [5] * (VOCABULARY - 1 - count) + [3],
        "tokenizer.ggml.merges": [" ".join(m) for m in tokenizer.merges],
        "tokenizer.ggml.bos_token_id": tokenizer.end, "tokenizer.ggml.eos_token_id": tokenizer.end,
        "tokenizer.ggml.add_bos_token": True, "tokenizer.chat_template": TEMPLATE}, tensors)


def main():
    random = prepare(SEED)
    tokenizer = Tokenizer(make_merges([story(random) for _ in range(3000)], VOCABULARY - 257))
    net = Net()

    def batch_loss():
        rows = [[tokenizer.end] + tokenizer(story(random)) + [tokenizer.end] for _ in range(BATCH)]
        longest = max(map(len, rows))
        tokens = torch.tensor([r + [-1] * (longest - len(r)) for r in rows])
        logits = net(tokens[:, :-1].clamp(0))
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=-1)

    train(net, STEPS, batch_loss, 8e-3)
    with torch.no_grad():
        for p in net.parameters():
            if p.ndim == 2:
                p.copy_(p.half().float())
    write(net, tokenizer)
    prompts = [(name, thing, COLORS[i % len(COLORS)]) for i, (name, thing) in enumerate(
        (n, t) for n in GIRLS + BOYS for t in THINGS if is_held(n, t))]
    texts = [continued(net, tokenizer, beginning(*p)) for p in prompts]
    (FOLDER / "stories.txt").write_text("".join(
        f"{name} {thing} {color}\n{beginning(name, thing, color)}\n{text}\n"
        for (name, thing, color), text in zip(prompts, texts)))
    print("\n".join(beginning(*p) + t for p, t in zip(prompts, texts)))


if __name__ == "__main__":
    main()
