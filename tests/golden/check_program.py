#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the page reader as people do: what it prints and writes for good pictures, what it says of bad ones.

usage: check_program.py PROGRAM BUILD    BUILD/weights and BUILD/golden as tools/prepare.py makes them
"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zlib

program, build = sys.argv[1], pathlib.Path(sys.argv[2])
golden, weights = build / "golden", build / "weights"
problems = []


def check(holds, message):
    if not holds:
        problems.append(message)


def run(*arguments, folder=weights):
    return subprocess.run([program, "--weights", str(folder), *map(str, arguments)], capture_output=True, text=True,
                          encoding="utf-8", timeout=240)


def columns(output):
    """Text, confidence, box of each printed line; the milliseconds differ from run to run."""
    lines = []
    for line in output.splitlines():
        match = re.fullmatch(r"([^\t]*)\t(\d\.\d{4})\t(-?\d+) (-?\d+) (-?\d+) (-?\d+)\t\d+\.\d\d", line)
        check(match, f"not the columns that --help promises: {line!r}")
        if match:
            lines.append((match[1], float(match[2]), [int(x) for x in match.groups()[2:]]))
    return lines


def check_page(name, scratch):
    expected = json.loads((golden / f"page_{name}.json").read_text(encoding="utf-8"))["lines"]
    json_file, html_file = scratch / "page.json", scratch / "page.html"
    done = run("--json", json_file, "--html", html_file, golden / f"page_{name}.png")
    check(done.returncode == 0, f"{name}: status {done.returncode}, {done.stderr}")
    printed = columns(done.stdout)
    check([x[0] for x in printed] == [x["text"] for x in expected], f"{name}: other texts than ONNX Runtime's")
    check([x[2] for x in printed] == [x["box"] for x in expected], f"{name}: other boxes than ONNX Runtime's")
    # 5e-5 as for the networks, and half of the last digit that is printed.
    check(all(abs(x[1] - y["confidence"]) <= 1e-4 for x, y in zip(printed, expected)), f"{name}: other confidences")
    check(re.search(r"^level \w+, [\d.]+ ms in the networks:( \w+ [\d.]+ %){3}$", done.stderr, re.M),
          f"{name}: no level and shares of time: {done.stderr!r}")
    if not (json_file.exists() and html_file.exists()):
        problems.append(f"{name}: --json and --html wrote nothing")
        return
    written = json.loads(json_file.read_text(encoding="utf-8"))
    lines = written["pictures"][0]["lines"]
    check([x["text"] for x in lines] == [x["text"] for x in expected], f"{name}: --json has other texts")
    page = html_file.read_text(encoding="utf-8")
    for text in (x["text"] for x in expected):
        shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        check(shown in page, f"{name}: the page that shows the picture lacks {text!r}")
    drawings = re.findall(r"<svg\b.*?</svg>", page, re.S)
    check(len(drawings) >= 3, f"{name}: {len(drawings)} drawings: picture, graph and arena are wanted")
    for drawing in drawings:
        xml.dom.minidom.parseString(drawing)


def png(width, height, rows=None):
    """A grey picture, or one whose header promises more than its bytes hold."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(b"\0" + b"\x80" * width for _ in range(height if rows is None else rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def check_bad_pictures(scratch):
    good = (golden / "page_photographed.png").read_bytes()
    bad = {"text.png": b"this is no picture\n", "empty.png": b"", "cut.png": good[: len(good) // 2],
           "huge.png": png(2**31 - 1, 2**31 - 1, rows=0)}
    for name, data in bad.items():
        (scratch / name).write_bytes(data)
        done = run("--html", scratch / "bad.html", scratch / name)
        check(done.returncode not in (0, -11, -6), f"{name}: status {done.returncode}")
        check(name in done.stderr and done.stderr.startswith("read_page: "), f"{name}: {done.stderr!r} does not name it")
        check(done.stdout == "", f"{name}: printed {done.stdout!r}")
    missing = run(scratch / "missing.png")
    check(missing.returncode == 1 and "missing.png" in missing.stderr, f"a missing file: {missing.stderr!r}")
    # One bad picture does not keep the others from being read, but it shows.
    both = run("--html", scratch / "both.html", scratch / "text.png", golden / "page_photographed.png")
    check(both.returncode == 1 and columns(both.stdout), "a good picture behind a bad one is not read")
    # A picture of one pixel is a picture: nothing on it, and that is said.
    (scratch / "dot.png").write_bytes(png(1, 1))
    dot = run("--html", scratch / "dot.html", scratch / "dot.png")
    check(dot.stdout == "" and "dot.png" in dot.stderr, f"one pixel: {dot.returncode} {dot.stdout!r} {dot.stderr!r}")


def check_lines(scratch):
    pictures = [golden / "page_photographed.png", golden / "page_tinted.png"]  # columns alone: a page is no line
    done = run("--lines", "--html", scratch / "lines.html", *pictures)
    check(done.returncode == 0, f"--lines: {done.stderr}")
    check(len(columns(done.stdout)) == len(pictures), f"--lines: {done.stdout!r} for {len(pictures)} pictures")
    none = run("--lines")
    check(none.returncode == 2 and "--lines" in none.stderr, f"--lines without pictures: {none.stderr!r}")


def check_weights(scratch):
    empty = scratch / "nothing"
    empty.mkdir()
    done = run(golden / "page_photographed.png", folder=empty)
    check(done.returncode == 1 and str(empty) in done.stderr and "rec.safetensors" in done.stderr and
          "prepare.py" in done.stderr, f"without weights: {done.stderr!r}")
    damaged = scratch / "damaged"
    shutil.copytree(weights, damaged)
    data = (weights / "det.safetensors").read_bytes()
    (damaged / "det.safetensors").write_bytes(data[: len(data) - 1000])
    done = run(golden / "page_photographed.png", folder=damaged)
    check(done.returncode == 1 and "det.safetensors" in done.stderr and done.stdout == "",
          f"with half a file of weights: {done.stderr!r}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for page in ("photographed", "tinted", "upside_down"):
        check_page(page, folder)
    check_bad_pictures(folder)
    check_lines(folder)
    check_weights(folder)
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
