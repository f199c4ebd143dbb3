# SPDX-License-Identifier: Apache-2.0
"""Brings the files of a network of bench/models into the folder build: fetched, or made with random weights."""
import pathlib
import subprocess
import sys

from table import NETWORKS

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "bench" / "models" / "requirements.txt"


def prepare(names):
    """Makes what the networks need that is not there; ends the program with a message where that fails."""
    from prepare import python_with  # tools/prepare.py

    build = ROOT / "build"
    folders = {NETWORKS[name].onnx.split("/")[0] for name in names}
    commands = []
    if folders & {"onnx", "golden"}:
        step = "golden" if "golden" in folders else "weights"
        commands.append([sys.executable, str(ROOT / "tools" / "prepare.py"), step, "--build", str(build)])
    if "networks" in folders:
        made = [name for name in names if NETWORKS[name].onnx.startswith("networks/")]
        commands.append([str(python_with(REQUIREMENTS, build)), str(ROOT / "bench" / "models" / "make_networks.py"),
                         "--build", str(build), *made])
    for command in commands:
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
            raise SystemExit(f"bench: {', '.join(names)}: the files could not be prepared")


def weights_of(name):
    return ROOT / "build" / NETWORKS[name].weights


def onnx_of(name):
    return ROOT / "build" / NETWORKS[name].onnx
