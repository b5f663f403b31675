"""Draws faces of 32 x 32 gray pixels: an identity is a vector of proportions and tones; pose,
expression and light change from image to image. Nobody's picture is in here."""

import numpy as np

from people import capsule, ellipse
from pixels import as_bytes

SIZE = 32
PIXELS = np.stack(np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5), -1)  # x, y
# each number of an identity, and its smallest and largest value, in pixels but for the tones
TRAITS = {"width": (6.5, 9.5), "height": (9, 11.5), "jaw": (0.55, 1), "skin": (0.4, 0.95),
          "hair": (0.02, 0.55), "hairline": (0.35, 0.75), "hair length": (0, 1), "hair width": (1.05, 1.3),
          "eye distance": (2.3, 4.1), "eye size": (0.8, 1.5), "eye height": (-0.6, 1.2),
          "brow size": (0.35, 0.95), "brow height": (1.6, 2.8), "brow slope": (-0.7, 0.7),
          "nose length": (2.4, 4.6), "nose width": (0.5, 1.3), "mouth width": (1.7, 3.8),
          "mouth height": (5.2, 7), "lips": (0.4, 0.95), "beard": (-1, 1), "ears": (0.6, 1.8)}


def identity(random):
    return {name: random.uniform(*limits) for name, limits in TRAITS.items()}


def pose(random, strength=1.0):
    """How the head is: moved, turned, tilted, its size, smile, open mouth."""
    u = lambda limit: random.uniform(-limit, limit) * strength
    return {"x": u(1.5), "y": u(1.2), "turn": u(1.5), "tilt": u(0.14), "scale": 1 + u(0.08),
            "smile": u(0.9), "open": max(0, u(1.2)), "lids": random.uniform(0.6, 1)}


def head(who, how, background=0.5, shirt=0.3):
    """An image from 0 to 1, [32, 32], and how much of each pixel is of the inner face."""
    cos, sin = np.cos(how["tilt"]) / how["scale"], np.sin(how["tilt"]) / how["scale"]
    # the origin is the middle of the face
    grid = (PIXELS - [16 + how["x"], 16.5 + how["y"]]) @ np.array([[cos, -sin], [sin, cos]])
    image = np.zeros((SIZE, SIZE)) + background
    at, turn = lambda x, y: np.array([x, y], float), how["turn"]

    def paint(shape, tone):
        image[:] += shape * (tone - image)
        return shape

    w, h, skin, hair = who["width"], who["height"], who["skin"], who["hair"]
    paint(ellipse(at(0, -1.5), at(w, h) * who["hair width"], grid), hair)
    if who["hair length"] > 0.5:
        for side in (-1, 1):
            paint(capsule(at(side * w * 0.95, -2), at(side * w, 8 * who["hair length"]), 2, grid), hair)
    paint(capsule(at(-8, h + 7), at(8, h + 7), 5, grid), shirt)
    paint(capsule(at(0, 5), at(0, h + 2), 0.45 * w, grid), skin * 0.85)
    for side in (-1, 1):
        paint(ellipse(at(side * w, 0.5), at(0.9, 1.1) * who["ears"], grid), skin * 0.9)
    inner = np.maximum(paint(ellipse(at(0, -1), at(w, h - 1), grid), skin),
                       paint(ellipse(at(0, 3), at(w * who["jaw"], h - 3.5), grid), skin))
    if who["beard"] > 0.3:
        paint(ellipse(at(0.4 * turn, 7), at(w * who["jaw"] * 0.8, 3.2), grid), 0.5 * (hair + skin))
    # the hair covers the forehead down to the hairline
    top = np.clip(-h * who["hairline"] - grid[..., 1] + 0.5, 0, 1)
    paint(top * ellipse(at(0, -1.2), at(w, h) * 1.03, grid), hair)
    dark = 0.3 * skin
    for side in (-1, 1):
        x, y = side * who["eye distance"] + turn, who["eye height"] - 1
        size = who["eye size"]
        paint(ellipse(at(x, y), at(1.45, 0.95 * how["lids"]) * size, grid), 0.5 + 0.5 * skin)
        paint(ellipse(at(x + 0.2 * turn, y), at(0.8, 0.8 * how["lids"]) * size, grid), 0.08)
        brow, slope = y - who["brow height"] + 0.3 * how["smile"], who["brow slope"]
        paint(capsule(at(x - 1.5, brow - side * slope), at(x + 1.5, brow + side * slope),
                      who["brow size"], grid), 0.8 * hair)
    nose = who["eye height"] - 1 + who["nose length"]
    paint(capsule(at(1.1 * turn, who["eye height"]), at(1.3 * turn, nose), 0.4, grid), 0.8 * skin)
    paint(capsule(at(1.3 * turn - who["nose width"], nose), at(1.3 * turn + who["nose width"], nose),
                  0.45, grid), 0.6 * skin)
    mouth = lambda x, y: at(x + turn, who["mouth height"] + y)
    wide, smile = who["mouth width"] * (1 + 0.12 * how["smile"]), how["smile"]
    if how["open"] > 0.15:
        paint(ellipse(mouth(0, how["open"] * 0.6), at(0.8 * wide, how["open"]), grid), 0.1)
    for side in (-1, 1):
        paint(capsule(mouth(side * wide, -0.6 * smile), mouth(0, 0.3 * smile), who["lips"], grid), dark)
    return image, inner


def light(random, image, strength=1.0):
    """Another side is lit, other contrast, noise; uint8."""
    slope = random.normal(0, 0.012 * strength, 2)
    image = image * (1 + (PIXELS - SIZE / 2) @ slope)
    image = (image - 0.5) * random.uniform(0.75, 1.1) + random.uniform(0.42, 0.56)
    image = image + random.normal(0, random.uniform(0.005, 0.03), image.shape)
    return as_bytes(image)


def portrait(random, who):
    return light(random, head(who, pose(random), random.uniform(0.1, 0.9), random.uniform(0, 1))[0])
