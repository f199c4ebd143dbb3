# SPDX-License-Identifier: Apache-2.0
"""What the programs of bench/models take on their command lines, and the Python that they run in."""
import argparse
import os
import pathlib
import sys

from files import REQUIREMENTS, ROOT
from table import NETWORKS

RIVALS = ("onnxruntime", "openvino", "mnn", "ncnn", "litert")


def parser_of(text, networks=tuple(NETWORKS), rounds=9):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--ratios", type=pathlib.Path, default=ROOT / "build" / "ratios.json")
    parser.add_argument("--networks", default=",".join(networks))
    parser.add_argument("--rivals", default=",".join(RIVALS), help="onnxruntime must be one of them")
    parser.add_argument("--rounds", type=int, default=rounds)
    return parser


def checked(parser):
    """The arguments, in the environment that holds the rivals: the program starts anew there."""
    args = parser.parse_args()
    program = pathlib.Path(sys.argv[0]).stem
    args.networks, args.rivals = args.networks.split(","), args.rivals.split(",")
    for kind, given, known in (("network", args.networks, NETWORKS), ("rival", args.rivals, RIVALS)):
        for name in given:
            if name not in known:
                raise SystemExit(f"{program}: no {kind} '{name}'. There are: {' '.join(known)}")
    if "onnxruntime" not in args.rivals:
        raise SystemExit(f"{program}: onnxruntime is the reference and cannot be left out")
    if args.rounds < 1:
        raise SystemExit(f"{program}: {args.rounds} rounds asked for, 1 is needed")
    from prepare import python_with  # tools/prepare.py knows how to make the environment
    python = python_with(REQUIREMENTS, ROOT / "build")
    if pathlib.Path(sys.executable).absolute() != python.absolute():
        os.execv(str(python), [str(python), *sys.argv])
    args.build = args.build.resolve()
    return args
