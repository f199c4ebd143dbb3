#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles a network of bench/models: each step's time, arithmetic and traffic, and its shares of what the core can do.

    python3 bench/profile.py                                     lists the networks
    python3 bench/profile.py NAME [--rounds 31] [--page FILE]    prints a table, writes a page with roofline and timeline

Run by ./dev bench profile NAME, which configures build/release first. The program is built here; weights are fetched or
made on first use.
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench" / "models"), str(ROOT / "tools")]


def names():
    from table import NETWORKS

    return list(NETWORKS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", metavar="NAME", help="a network of bench/models; without it they are listed")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--page", type=pathlib.Path, help="default: build/profile_NAME.html")
    parser.add_argument("--check", action="store_true", help="only say whether the name is known")
    args = parser.parse_args()
    if args.name is None:
        print("networks: " + " ".join(names()))
        return 0
    if args.name not in names():
        print(f"profile: no network '{args.name}' in bench/models. There are: {' '.join(names())}", file=sys.stderr)
        return 2
    if args.rounds < 1:
        print(f"profile: {args.rounds} rounds asked for, a profile needs 1", file=sys.stderr)
        return 2
    if args.check:
        return 0
    from files import prepare, weights_of
    from run import quiet_cores

    prepare([args.name])
    target = f"bench_profile_{args.name}"
    if subprocess.run(["cmake", "--build", str(args.build), "--target", target], stdout=sys.stderr).returncode != 0:
        return 1
    page = args.page or ROOT / "build" / f"profile_{args.name}.html"
    program = args.build.resolve() / "bench" / "models" / target
    status = subprocess.run([*quiet_cores(), str(program), str(weights_of(args.name)), str(page.resolve()),
                             str(args.rounds)]).returncode
    if status == 0:
        print(f"\npage: {page}")
    return status


if __name__ == "__main__":
    sys.exit(main())
