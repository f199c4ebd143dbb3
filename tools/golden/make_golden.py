#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX Runtime on the networks of tkl's tests and writes what it computes.

    build/venv/bin/python tools/golden/make_golden.py [--build build]

After tools/fetch_weights.py. Written below build/golden (tensors in ONNX's layout, NCHW):

    rec_*, cls_*, det_*.safetensors   `picture` u8 1 x H x W x 3 (R, G, B) and, for lines, `width` i32 1 (columns in use),
                                      as the graphs of examples/read_page take them; `input` as ONNX Runtime got it;
                                      `output`; inner tensors under their ONNX names; det also `boxes_xyxy`, `scores`
    page_*.json, page_*.png           a whole page: its text lines with boxes, labels and confidences
    mobilenet_v2, resnet50.{onnx,safetensors} and *_a, *_b.safetensors
                                      standard networks with random weights, and two inputs with their logits
    done                              digest of the sources and inputs; equal: nothing is made anew
"""
import argparse
import hashlib
import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import save_file

import image_networks
import pictures
import reading
from network_session import Network

INNER = {
    "rec": ["batch_norm_2.tmp_2", "p2o.Add.31", "p2o.Add.71", "p2o.AveragePool.1", "transpose_43.tmp_0",
            "p2o.Add.251", "p2o.Add.275", "p2o.Add.277"],
    "cls": ["hardswish_0.tmp_0", "batch_norm_3.tmp_2", "elementwise_add_0", "tmp_1", "elementwise_add_6",
            "pool2d_10.tmp_0"],
    "det": ["batch_norm_67.tmp_2", "p2o.Add.43", "p2o.Add.71", "p2o.Add.147", "p2o.Add.215", "p2o.Concat.1",
            "p2o.Add.279"],
}


class Golden:
    def __init__(self, build):
        self.folder = build / "golden"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.networks = {name: Network(build / "onnx" / f"{name}.onnx", inner) for name, inner in INNER.items()}
        self.characters = self.networks["rec"].metadata["character"].split("\n")
        self.page = pictures.load(build / "weights" / "page.png")

    def write(self, name, tensors, about):
        save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()}, self.folder / f"{name}.safetensors",
                  {k: str(v) for k, v in about.items()})
        print(name, about, file=sys.stderr, flush=True)

    # Single networks

    def line(self, name, line, width, inner=True):
        picture, used = reading.line_input(line, width, keep_ratio=True)
        x = reading.line_tensor(picture, used)
        result = self.networks["rec"].run(x)
        text, confidence = reading.greedy_text(result["output"][0], self.characters)
        if not inner:
            result = {"output": result["output"]}
        self.write(f"rec_{width}_{name}", {"picture": picture[None], "width": np.array([used], np.int32),
                                           "input": x, **result}, {"text": text, "confidence": f"{confidence:.6f}"})

    def direction(self, name, line):
        picture, used = reading.line_input(line, reading.CLASSIFIER_WIDTH, keep_ratio=False)
        x = reading.line_tensor(picture, used)
        result = self.networks["cls"].run(x)
        self.write(f"cls_{name}", {"picture": picture[None], "width": np.array([used], np.int32), "input": x,
                                   **result}, {"turned": f"{result['output'][0, 1]:.6f}"})

    def detection(self, name, picture, size, inner=True):
        used = pictures.scaled_size(picture, *size)
        placed = pictures.extend(pictures.resize(picture, *used), *size)
        x = pictures.normalised(placed)
        result = self.networks["det"].run(x)
        found = reading.text_boxes(result["output"][0, 0], used, picture.shape[:2])
        boxes = np.array([box for box, _ in found], np.int32).reshape(-1, 4)
        scores = np.array([score for _, score in found], np.float32)
        if not inner:
            result = {"output": result["output"]}
        self.write(f"det_{size[0]}x{size[1]}_{name}",
                   {"picture": placed[None], "input": x, **result, "boxes_xyxy": boxes, "scores": scores,
                    "used": np.array(used, np.int32), "source_size": np.array(picture.shape[:2], np.int32)},
                   {"boxes": len(boxes)})
        return [box for box, _ in found]

    # A page

    def recognise(self, line):
        width = reading.line_width(line)
        picture, used = reading.line_input(line, width, keep_ratio=True)
        result = self.networks["rec"].run(reading.line_tensor(picture, used))
        return (*reading.greedy_text(result["output"][0], self.characters), width)

    def read(self, line):
        """One line picture through classifier and recogniser; a doubtful line is read the other way up as well."""
        picture, used = reading.line_input(line, reading.CLASSIFIER_WIDTH, keep_ratio=False)
        probability = float(self.networks["cls"].run(reading.line_tensor(picture, used))["output"][0, 1])
        turned = probability > reading.TURNED_ABOVE
        upside_down = line[::-1, ::-1]
        text, confidence, width = self.recognise(upside_down if turned else line)
        if confidence < reading.DOUBTFUL_BELOW:
            other = self.recognise(line if turned else upside_down)
            if other[1] > confidence:
                (text, confidence, width), turned = other, not turned
        return {"text": text, "confidence": confidence, "turned": turned, "width": width}

    def whole_page(self, name, picture):
        from PIL import Image

        size = reading.page_size(picture)
        used = pictures.scaled_size(picture, *size)
        placed = pictures.extend(pictures.resize(picture, *used), *size)
        probability = self.networks["det"].run(pictures.normalised(placed))["output"][0, 0]
        lines = []
        for (x0, y0, x1, y1), _ in reading.text_boxes(probability, used, picture.shape[:2]):
            lines.append({**self.read(picture[y0:y1, x0:x1]), "box": [x0, y0, x1, y1]})
        Image.fromarray(picture).save(self.folder / f"page_{name}.png")
        about = {"picture": f"page_{name}.png", "size": size, "lines": lines}
        (self.folder / f"page_{name}.json").write_text(json.dumps(about, ensure_ascii=False, indent=1), "utf-8")
        print(f"page_{name}", *(f"\n    {line}" for line in lines), file=sys.stderr, flush=True)


def enlarged(picture, factor):
    return pictures.resize(picture, round(picture.shape[0] * factor), round(picture.shape[1] * factor))


def readers(golden):
    """Lines, directions and pages: the photographed page, coloured and enlarged, and noise."""
    page = golden.page
    boxes = golden.detection("page", enlarged(page, 2), (384, 768))
    golden.detection("page", page, (192, 384))
    golden.detection("tinted", pictures.tinted(page, 11), (192, 384))
    golden.detection("reduced", pictures.tinted(enlarged(page, 4), 12), (640, 640))
    # The inner tensors of the two large sizes would be half a gigabyte and check nothing further.
    golden.detection("enlarged", pictures.tinted(enlarged(page, 3), 13), (736, 1280), inner=False)
    golden.detection("stack", pictures.tinted(np.concatenate([enlarged(page, 1.85)] * 3), 14), (1280, 736), inner=False)

    cut = [enlarged(page, 2)[y0:y1, x0:x1] for x0, y0, x1, y1 in boxes]
    for width in reading.LINE_WIDTHS:
        # The line that fills the width best, one in colour that leaves much of it empty, and all of it in noise.
        def need(line):
            return pictures.divide_up(reading.LINE_HEIGHT * line.shape[1], line.shape[0])

        fitting = [line for line in cut if need(line) <= width]
        best = max(fitting, key=need) if fitting else min(cut, key=need)[:, :width]
        golden.line("line", best, width)
        short = cut[0][:, : width // 6]
        golden.line("tinted", pictures.tinted(short, width), width)
        golden.line("noise", pictures.noise(reading.LINE_HEIGHT, width, width), width, inner=False)
    golden.line("too_long", np.concatenate([cut[0], cut[0]], 1), 960, inner=False)

    for index, line in enumerate([cut[0], pictures.tinted(cut[1], 21), pictures.tinted(cut[2][:, :150], 22)]):
        golden.direction(f"line{index}", line)
        golden.direction(f"line{index}_upside_down", line[::-1, ::-1])

    golden.whole_page("photographed", page)
    golden.whole_page("tinted", pictures.tinted(enlarged(page, 2), 31))
    golden.whole_page("upside_down", enlarged(page, 2)[::-1, ::-1])


def digest(build):
    """Of everything that decides what this script writes."""
    total = hashlib.sha256()
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        total.update(path.read_bytes())
    total.update((build / "weights" / "manifest.json").read_bytes())
    return total.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    build = parser.parse_args().build
    if not (build / "weights" / "manifest.json").is_file():
        print(f"make_golden: {build}/weights is missing; run tools/fetch_weights.py first", file=sys.stderr)
        return 1
    done = build / "golden" / "done"
    now = digest(build)
    if done.is_file() and done.read_text() == now:
        return 0
    golden = Golden(build)
    readers(golden)
    image_networks.make(build, golden.write)
    done.write_text(now)
    return 0


if __name__ == "__main__":
    sys.exit(main())
