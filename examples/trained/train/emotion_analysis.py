#!/usr/bin/env python3
"""Trains the network that tells the emotion of short messages; writes emotion_analysis.safetensors.

A grammar makes the messages: words for emotions, what happens to people, negation, questions, and
what others feel, which does not count. One of eight pairs of a pattern and a word is never
trained. Needs PyTorch.
"""

import zlib

import numpy as np
import torch
import torch.nn.functional as F

from training import FOLDER, prepare, train, weights, write_safetensors

SEED, LENGTH, EMBED, HIDDEN = 2020, 24, 24, 24
EMOTIONS = "neutral joy anger sadness fear".split()
NEUTRAL, JOY, ANGER, SADNESS, FEAR = range(5)
FEELINGS = {JOY: "happy glad delighted cheerful proud thrilled excited pleased grateful relieved",
            ANGER: "angry furious annoyed mad outraged irritated livid cross bitter enraged",
            SADNESS: "sad unhappy lonely miserable heartbroken gloomy disappointed hopeless tearful down",
            FEAR: "afraid scared frightened terrified worried nervous anxious alarmed panicking uneasy"}
NEWS = {JOY: ["we won the match", "she said yes", "i passed the exam", "my baby took his first steps",
              "i got the job", "we are getting married", "the doctor says i am healthy"],
        ANGER: ["someone scratched my car", "he lied to me again", "they broke their promise",
                "she insulted my mother", "my neighbor stole my bike", "they charged me twice"],
        SADNESS: ["my dog died", "she left me", "nobody came to my birthday", "i lost the ring of my mother",
                  "my best friend moves away", "we had to sell the house"],
        FEAR: ["i hear steps in the dark", "there is a stranger at my door", "the plane is shaking",
               "something moves under the bed", "the brakes do not work", "the water is rising fast"],
        NEUTRAL: ["the meeting is at nine", "the train leaves at noon", "i sent the file",
                  "lunch is in the kitchen", "we need more paper", "the bus is blue",
                  "the report has ten pages", "he lives next to the bank"]}
TOPICS = ["the train is late", "it rains again", "the meeting is at nine", "you called", "we moved",
          "the game is over", "my sister is here", "the shop is closed", "tomorrow is monday",
          "they changed the plan", "the film was long", "we talked about it"]
OTHERS = ["my brother", "my sister", "the teacher", "our boss", "the neighbor", "everyone", "the cat"]
DEGREES = ["", "", "very", "so", "really", "a bit", "quite", "extremely"]
WHENS = ["", "", "", "today", "right now", "this morning", "again"]
STARTS = ["", "", "", "hey", "well", "hello", "you know"]
ENDS = ["", "", ".", "!", "!!", "..."]
FEEL = ["i am {f}", "i feel {f}", "this makes me {f}", "we are {f}", "i am {f} that {t}",
        "i am {f} because {t}", "it is no surprise that i am {f}", "now {t} and i am {f}"]
NOT_FEEL = ["i am not {f}", "i do not feel {f}", "i am not {f} that {t}", "nobody here is {f}",
            "i was never {f} about that", "we are not {f}", "i am no longer {f}"]
# what others feel, felt before or are asked is neutral
NOT_MINE = ["are you {f}", "why is {o} {f}", "{o} is {f}", "he asks whether you are {f}",
            "the song is about a {f} man", "{o} was {f} yesterday"]
JOIN = ["{o} is {g} but {s}", "{o} was {g} yesterday but {s}", "i was {g} at first but now {s}",
        "although {o} is {g} , {s}", "{s} although {o} is {g}", "i am not {g} , {s}", "{s} , not {g}"]
# negation: of joy it is sadness, of the others it is the absence of an emotion
NEGATED = {JOY: SADNESS, ANGER: NEUTRAL, SADNESS: NEUTRAL, FEAR: NEUTRAL}
WORDS = {emotion: words.split() for emotion, words in FEELINGS.items()}


def held(pattern, word):
    """Whether the pair is left to the test."""
    return zlib.crc32(f"{pattern}/{word}".encode()) % 8 == 0


def message(random):
    """A text, its emotion, whether it has a pair that is not trained."""
    pick = lambda options: options[random.integers(len(options))]
    unseen = False

    def fill(patterns, slot="f", inner=""):
        nonlocal unseen
        pattern, emotion = pick(patterns), int(random.integers(JOY, FEAR + 1))
        word = pick(WORDS[emotion])
        unseen |= held(pattern, word)
        text = pattern.replace("{" + slot + "}", pick(DEGREES) + " " + word if slot == "f" else word)
        return (text.replace("{t}", pick(TOPICS)).replace("{o}", pick(OTHERS)).replace("{s}", inner),
                emotion)

    kind = random.choice(4, p=[0.32, 0.26, 0.16, 0.26])
    if kind == 0:
        text, emotion = fill(FEEL)
    elif kind == 1:
        text, emotion = fill(NOT_FEEL)
        emotion = NEGATED[emotion]
    elif kind == 2:
        text, emotion = fill(NOT_MINE)[0], NEUTRAL
    else:
        emotion = int(random.integers(5))
        text = pick(NEWS[emotion])
    if random.random() < 0.35:  # with somebody else's emotion
        text = fill(JOIN, "g", text)[0]
    return " ".join(f"{pick(STARTS)} {text} {pick(WHENS)} {pick(ENDS)}".split()), emotion, unseen


class Net(torch.nn.Module):
    """Words [n, LENGTH], 0 behind the end -> scores of the emotions [n, 5]."""

    def __init__(self, words):
        super().__init__()
        self.embedding = torch.nn.Parameter(0.3 * torch.randn(words, EMBED))
        self.encoder = torch.nn.GRU(EMBED, HIDDEN, bidirectional=True, batch_first=True)
        self.attention = torch.nn.Linear(2 * HIDDEN, 1)
        self.emotions = torch.nn.Linear(2 * HIDDEN, len(EMOTIONS))

    def forward(self, text):
        states, _ = self.encoder(F.dropout(self.embedding[text], 0.1, self.training))
        scores = self.attention(states)[..., 0] - 1e4 * (text == 0)
        return self.emotions((F.softmax(scores, 1)[:, None] @ states)[:, 0])


def main():
    random = prepare(SEED)
    pairs = {}
    while len(pairs) < 30000:
        text, emotion, unseen = message(random)
        if not unseen:
            pairs[text] = emotion
    vocabulary = ["", "?"] + sorted({word for text in pairs for word in text.split()})
    index = {word: i for i, word in enumerate(vocabulary)}

    def encode(text):
        words = [index.get(w, 1) for w in text.split()][:LENGTH]
        return words + [0] * (LENGTH - len(words))

    texts = torch.tensor([encode(text) for text in pairs])
    emotions = torch.tensor(list(pairs.values()))
    print(len(vocabulary), "words,", np.bincount(emotions), max(len(t.split()) for t in pairs))
    net = Net(len(vocabulary))

    def batch_loss():
        i = torch.from_numpy(random.integers(len(texts), size=64))
        unknown = torch.rand(64, LENGTH) < 0.03  # words that the network does not know
        return F.cross_entropy(net(torch.where(unknown & (texts[i] > 0), 1, texts[i])), emotions[i])

    train(net, 1800, batch_loss, 6e-3)
    values, test_random = weights(net), np.random.default_rng(SEED + 1)
    tests = {}
    while len(tests) < 200:
        text, emotion, unseen = message(test_random)
        if unseen:
            tests[text] = emotion
    with torch.no_grad():
        found = net(torch.tensor([encode(text) for text in tests])).argmax(1).numpy()
    print("messages with held-out pairs right:", np.mean(found == list(tests.values())))
    for (text, emotion), f in zip(tests.items(), found):
        if emotion != f:
            print("  ", EMOTIONS[emotion], EMOTIONS[f], text)
    write_safetensors(FOLDER / "emotion_analysis.safetensors", values, {
        "words": "\n".join(vocabulary), "emotions": " ".join(EMOTIONS),
        "tests": "".join(f"{text}\n{EMOTIONS[emotion]}\n" for text, emotion in tests.items())})


if __name__ == "__main__":
    main()
