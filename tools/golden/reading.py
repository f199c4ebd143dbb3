# SPDX-License-Identifier: Apache-2.0
"""What stands around the three networks: sizes, boxes from a probability map, text from class probabilities.

Written without a look at the C++ of examples/read_page, so that the two check each other.
"""
import numpy as np

import pictures

LINE_HEIGHT = 48
LINE_WIDTHS = (320, 480, 640, 960)
CLASSIFIER_WIDTH = 192
TURNED_ABOVE = 0.9
DOUBTFUL_BELOW = 0.7  # read with less confidence than this, a line is read the other way up as well
PAGE_SIZES = ((192, 384), (384, 768), (640, 640), (736, 1280), (1280, 736))


def line_input(line, width, keep_ratio):
    """(bytes 48 x width x 3, used columns): the line at height 48, at the left. One that is too wide is squeezed, or
    reduced as a whole."""
    h, w = line.shape[:2]
    need = pictures.divide_up(LINE_HEIGHT * w, h)
    if need <= width or not keep_ratio:
        used = min(need, width)
        scaled = pictures.resize(line, LINE_HEIGHT, used)
    else:
        used = width
        scaled = pictures.resize(line, max(1, (2 * h * width + w) // (2 * w)), width)
    return pictures.extend(scaled, LINE_HEIGHT, width), used


def line_tensor(picture, used):
    """Normalised line with 0 from column `used` on."""
    x = pictures.normalised(picture)
    x[..., used:] = 0
    return x


def line_width(line):
    """The smallest width that holds the line, the largest for a line that none holds."""
    need = pictures.divide_up(LINE_HEIGHT * line.shape[1], line.shape[0])
    return next((w for w in LINE_WIDTHS if w >= need), LINE_WIDTHS[-1])


def page_size(picture):
    """The smallest size that holds the picture; for one that none holds, the size in which it stays largest."""
    h, w = picture.shape[:2]
    for size in PAGE_SIZES:
        if h <= size[0] and w <= size[1]:
            return size
    return max(PAGE_SIZES, key=lambda size: min(size[0] / h, size[1] / w))


def components(mask):
    """Lists of (y, x) of the 8-connected components of a mask."""
    height, width = mask.shape
    free = mask.copy()
    for start in zip(*np.nonzero(mask)):
        if not free[start]:
            continue
        free[start] = False
        found, open_ = [], [start]
        while open_:
            y, x = open_.pop()
            found.append((y, x))
            for j in range(max(0, y - 1), min(height, y + 2)):
                for i in range(max(0, x - 1), min(width, x + 2)):
                    if free[j, i]:
                        free[j, i] = False
                        open_.append((j, i))
        yield np.array(found)


def text_boxes(probability, used, size):
    """Boxes (x0, y0, x1, y1) in a picture of `size` whose scaled form filled `used` of the map, and their scores."""
    boxes = []
    for pixels in components(probability > 0.3):
        (y0, x0), (y1, x1) = pixels.min(0), pixels.max(0) + 1
        w, h = int(x1 - x0), int(y1 - y0)
        score = float(probability[pixels[:, 0], pixels[:, 1]].astype(np.float64).mean())
        if min(w, h) < 3 or score < 0.6:
            continue
        d = 1.6 * w * h / (2 * (w + h))
        sy, sx = size[0] / used[0], size[1] / used[1]
        grown = [(x0 - d) * sx, (y0 - d) * sy, (x1 + d) * sx, (y1 + d) * sy]
        limit = [size[1], size[0], size[1], size[0]]
        box = [int(min(max(np.floor(v + 0.5), 0), m)) for v, m in zip(grown, limit)]
        if box[0] < box[2] and box[1] < box[3]:
            boxes.append((box, score))
    return in_reading_order(boxes)


def in_reading_order(boxes):
    """Top to bottom by middle; boxes of one row (middles within half the lower height) from left to right."""
    rest = sorted(boxes, key=lambda b: (b[0][1] + b[0][3], b[0][0]))
    rows = []
    for item in rest:
        box = item[0]
        if rows:
            first = rows[-1][0][0]
            lower = min(box[3] - box[1], first[3] - first[1])
            if (box[1] + box[3]) - (first[1] + first[3]) < lower:
                rows[-1].append(item)
                continue
        rows.append([item])
    return [item for row in rows for item in sorted(row, key=lambda b: b[0][0])]


def greedy_text(probability, characters):
    """Greedy CTC: (text, mean probability of the kept steps) of a steps x classes array."""
    best, how_sure = probability.argmax(1), probability.max(1)
    kept = [t for t in range(len(best)) if best[t] != 0 and (t == 0 or best[t] != best[t - 1])]
    text = "".join(" " if best[t] == len(characters) + 1 else characters[best[t] - 1] for t in kept)
    return text, float(np.mean([float(how_sure[t]) for t in kept])) if kept else 0.0
