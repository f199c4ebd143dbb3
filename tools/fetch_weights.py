#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings the trained weights of examples/read_page, and a picture of a page, onto this machine.

    build/venv/bin/python tools/fetch_weights.py [--build build]

Packages are downloaded from PyPI with pip at the versions below; every file taken out of them is compared with its
SHA-256 before it is used. Written are

    build/downloads/*.whl                        the packages themselves, looked for here before anything is downloaded
    build/onnx/{rec,cls,det}.onnx                the networks as published, for the comparison with ONNX Runtime
    build/weights/{rec,cls,det}.safetensors      their trained tensors, names and shapes kept
    build/weights/rec_characters.txt             the recogniser's 6623 characters, one a line, UTF-8
    build/weights/page.png                       a photographed page
    build/weights/pictures/coffee.png            a photograph for the comparison with ONNX Runtime
    build/weights/manifest.json                  SHA-256 of the above: what is there and whole is left alone

Exit status 0: everything is in place. 1: the message says what is missing and where to put it.
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import zipfile

OCR = "rapidocr-onnxruntime==1.4.4"
PICTURES = "scikit-image==0.26.0"
WHEELS = {
    OCR: ("rapidocr_onnxruntime-1.4.4-*.whl", []),
    # Only data is taken from this one, so one fixed build serves every host.
    PICTURES: ("scikit_image-0.26.0-*.whl",
               ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311",
                "--platform", "manylinux_2_28_x86_64"]),
}
# name of the network: package, file in it, SHA-256, number of trained values
NETWORKS = {
    "rec": (OCR, "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
            "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b", 2_690_221),
    "cls": (OCR, "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
            "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c", 133_628),
    "det": (OCR, "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
            "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9", 1_171_721),
}
# file below build/weights: package, file in it, SHA-256
FILES = {
    "page.png": (PICTURES, "skimage/data/page.png",
                 "341a6f0a61557662b02734a9b6e56ec33a915b2c41886b97509dedf2a43b47a3"),
    "pictures/coffee.png": (PICTURES, "skimage/data/coffee.png",
                            "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7"),
}


class Failure(Exception):
    """A message for the person at the terminal."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def wheel_of(package, downloads):
    """Path of the package's wheel: one that lies in `downloads`, or else one that pip brings."""
    pattern, options = WHEELS[package]
    found = sorted(downloads.glob(pattern))
    if found:
        return found[0]
    print(f"downloading {package}", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--only-binary=:all:", *options, "--dest", str(downloads), package]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    found = sorted(downloads.glob(pattern))
    if done.returncode != 0 or not found:
        reason = (done.stderr.strip().splitlines() or ["no message from pip"])[-1]
        raise Failure(f"{package} could not be downloaded: {reason}\n"
                      f"Without a network: get the wheel {pattern} of {package} from PyPI on another machine, put it "
                      f"into {downloads}/ and run this again.")
    return found[0]


def member(package, path, digest, downloads):
    """Bytes of one file of a package, compared with their SHA-256."""
    wheel = wheel_of(package, downloads)
    try:
        data = zipfile.ZipFile(wheel).read(path)
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise Failure(f"{wheel}: cannot read {path}: {error}. Remove the file and run this again.")
    if sha256(data) != digest:
        raise Failure(f"{wheel}: {path} has SHA-256 {sha256(data)}, expected {digest}. Remove the file and run this "
                      "again.")
    return data


def trained_tensors(model):
    """The trained tensors of an ONNX model, whether stored as initializers or as Constant nodes."""
    import numpy as np
    from onnx import numpy_helper

    found = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            found[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    return {name: np.ascontiguousarray(value) for name, value in found.items()
            if value.dtype == np.float32 and value.size and "constant" not in name.lower()}


def write_network(name, build):
    """Writes one network's ONNX file, tensors and, for the recogniser, characters; returns the paths written."""
    import onnx
    from safetensors.numpy import save_file

    package, path, digest, count = NETWORKS[name]
    data = member(package, path, digest, build / "downloads")
    model = onnx.load_model_from_string(data)
    tensors = trained_tensors(model)
    values = sum(t.size for t in tensors.values())
    if values != count:
        raise Failure(f"{path}: {values} trained values found, expected {count}")
    written = [build / "onnx" / f"{name}.onnx", build / "weights" / f"{name}.safetensors"]
    written[0].write_bytes(data)
    save_file(tensors, written[1])
    if name == "rec":
        characters = {p.key: p.value for p in model.metadata_props}["character"]
        written.append(build / "weights" / "rec_characters.txt")
        # Bytes, because one of the characters is itself a kind of white space that a text writer might touch.
        written[-1].write_bytes(characters.encode("utf-8"))
    print(f"{name}: {len(tensors)} tensors, {values} values", file=sys.stderr)
    return written


def write_file(name, build):
    package, path, digest = FILES[name]
    target = build / "weights" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(member(package, path, digest, build / "downloads"))
    return [target]


def whole(entry, source_digest, build):
    """Whether everything that was written from one source is still there, unchanged."""
    if not entry or entry["source"] != source_digest:
        return False
    return all((build / path).is_file() and sha256((build / path).read_bytes()) == digest
               for path, digest in entry["files"].items())


def read_manifest(build):
    try:
        return json.loads((build / "weights" / "manifest.json").read_text())
    except (OSError, ValueError):
        return {}


def complete(build):
    """Whether everything is in place below `build`. Needs no package."""
    manifest = read_manifest(build)
    return all(whole(manifest.get(name), source[2], build) for name, source in {**NETWORKS, **FILES}.items())


def fetch(build):
    """Brings everything into place below `build`; raises Failure."""
    for folder in ("downloads", "onnx", "weights"):
        (build / folder).mkdir(parents=True, exist_ok=True)
    manifest_path = build / "weights" / "manifest.json"
    manifest = read_manifest(build)
    jobs = [(name, source[2], write_network) for name, source in NETWORKS.items()]
    jobs += [(name, source[2], write_file) for name, source in FILES.items()]
    for name, digest, write in jobs:
        if whole(manifest.get(name), digest, build):
            continue
        written = write(name, build)
        manifest[name] = {"source": digest,
                          "files": {str(p.relative_to(build)): sha256(p.read_bytes()) for p in written}}
        manifest_path.write_text(json.dumps(manifest, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1] / "build")
    build = parser.parse_args().build
    try:
        fetch(build)
    except ImportError as error:
        print(f"fetch_weights: {error}. Run it with a Python that has numpy, onnx and safetensors: `./dev demo` makes "
              "one in build/venv.", file=sys.stderr)
        return 1
    except Failure as failure:
        print(f"fetch_weights: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
