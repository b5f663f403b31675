"""Pixels as files have them."""

import numpy as np


def as_bytes(images):
    """Gray from 0 to 1 -> uint8"""
    return np.round(np.clip(images, 0, 1) * 255).astype(np.uint8)


def packed(images):
    """uint8 [..., n] -> 4 bits each, [..., n / 2]: two pixels a byte, the first in the low bits."""
    low = (images.astype(np.uint16) * 15 + 127) // 255
    return (low[..., 0::2] | low[..., 1::2] << 4).astype(np.uint8)


def unpacked(images):
    """The pixels from 0 to 1, as the programs see them."""
    return np.stack([images & 15, images >> 4], -1).reshape(*images.shape[:-1], -1) / np.float32(15)
