# SPDX-License-Identifier: Apache-2.0
"""Pictures as arrays of bytes, height x width x 3 in R, G, B: reading, scaling, colouring, placing."""
import numpy as np

ONE = 1 << 15  # interpolation weights are fixed-point numbers with 15 bits, so that every program gets the same bytes


def load(path):
    """A picture file as R, G, B; transparent parts over white."""
    from PIL import Image

    picture = Image.open(path).convert("RGBA")
    over_white = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    return np.asarray(over_white.convert("RGB"))


def _taps(old, new):
    """First and second source index and weight of the second, for each of `new` samples with half-pixel centres."""
    position = (2 * np.arange(new, dtype=np.int64) + 1) * old - new  # in units of 1 / (2 * new)
    position = np.clip(position, 0, 2 * new * (old - 1))
    first = position // (2 * new)
    weight = (ONE * (position - first * 2 * new) + new) // (2 * new)
    return first, np.minimum(first + 1, old - 1), weight


def resize(picture, height, width):
    """Bilinear, half-pixel centres, no antialias, rounded to the nearest byte (halves up)."""
    y0, y1, wy = _taps(picture.shape[0], height)
    x0, x1, wx = _taps(picture.shape[1], width)
    source = picture.astype(np.int64)
    wx, wy = wx[None, :, None], wy[:, None, None]
    rows = source[:, x0] * (ONE - wx) + source[:, x1] * wx
    return ((rows[y0] * (ONE - wy) + rows[y1] * wy + ONE * ONE // 2) // (ONE * ONE)).astype(np.uint8)


def divide_up(a, b):
    return -(-a // b)


def scaled_size(picture, height, width):
    """Size of the picture inside height x width: as it is where it fits, else reduced keeping its ratio."""
    h, w = picture.shape[:2]
    if h <= height and w <= width:
        return h, w
    if h * width >= w * height:  # the height decides
        return height, max(1, (2 * w * height + h) // (2 * h))
    return max(1, (2 * h * width + w) // (2 * w)), width


def extend(picture, height, width):
    """Picture at the top left; its last row and column go on below and to the right."""
    h, w = picture.shape[:2]
    return np.pad(picture, ((0, height - h), (0, width - w), (0, 0)), "edge")


def normalised(picture):
    """What the networks get: 1 x 3 x H x W, planes B, G, R, -1 .. 1."""
    planes = picture[..., ::-1].transpose(2, 0, 1)[None].astype(np.float32)
    return np.ascontiguousarray((planes / np.float32(255) - np.float32(0.5)) / np.float32(0.5))


def tinted(picture, seed):
    """The picture through a coloured, uneven light: the three channels differ everywhere."""
    random = np.random.default_rng(seed)
    h, w = picture.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    low, along, down = random.uniform(0.5, 0.8, 3), random.uniform(-0.2, 0.2, 3), random.uniform(-0.2, 0.2, 3)
    light = low + along * (x / w)[..., None] + down * (y / h)[..., None]
    return np.clip(picture * light + random.uniform(0, 40, 3), 0, 255).astype(np.uint8)


def noise(height, width, seed):
    """Blurred and fine noise, three channels of their own."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (max(2, height // 8), max(2, width // 8), 3), dtype=np.uint8)
    fine = random.integers(-40, 41, (height, width, 3))
    return np.clip(resize(coarse, height, width).astype(int) + fine, 0, 255).astype(np.uint8)


def clouds(height, width, seed):
    """Noise of all sizes, the coarse stronger, as photographs have it; contrast, brightness and colour vary."""
    random = np.random.default_rng(seed)
    total = np.zeros((height, width, 3))
    for octave in range(8):
        size = 2 << octave
        layer = random.integers(0, 256, (min(size, height), min(size, width), 3), dtype=np.uint8)
        grey = random.uniform(0.3, 1)
        layer = (layer * (1 - grey) + layer.mean(2, keepdims=True) * grey).astype(np.uint8)
        total += (resize(layer, height, width) - 127.5) * 0.6**octave
    return np.clip(total * random.uniform(0.5, 1.5) + random.uniform(70, 180), 0, 255).astype(np.uint8)
