#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same networks built by several compilers, on one thread.

    python3 bench/models/compilers.py --build build/release [--ratios build/ratios.json] [--networks a,b] [--rounds 9]

Each compiler configures the folder BUILD.COMPILER with the preset of the release and builds NAME.native.so there; the one of
BUILD uses that. A row per network and compiler against the fastest compiler of that network; the case `geometric mean`,
which carries the floor, over the networks asked for.
"""
import math
import os
import subprocess
import sys

from compare import Process, judge, object_of, start, take_turns
from command_line import checked, parser_of
from files import ROOT, prepare
from row import row, show
from starts import LEVEL

COMPILERS = ("g++-12", "clang++-14", "clang++-19")
FLOOR = 0.909  # 10 % slower


def leave_core():
    """Compilers shall not have the one core of the measurements, nor its class."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.sched_setaffinity(0, range(os.cpu_count()))


def built(compiler, names, args):
    """The folder with the objects of a compiler, or why there is none."""
    cache = args.build / "CMakeCache.txt"
    here = cache.exists() and any(line.startswith("CMAKE_CXX_COMPILER:") and line.endswith(compiler)
                                  for line in cache.read_text().splitlines())
    folder = args.build if here else args.build.with_name(f"{args.build.name}.{compiler}")
    configure = ["cmake", "--preset", "release", "-B", str(folder), f"-DCMAKE_CXX_COMPILER={compiler}",
                 "-DTKL_BUILD_EXAMPLES=OFF", "-DTKL_BUILD_KERNELS=OFF"]
    build = ["cmake", "--build", str(folder), "-j", os.environ.get("JOBS", str(os.cpu_count())), "--target",
             *(f"bench_model_{name}.native" for name in names)]
    for command in [build] if here else [configure, build]:
        print(f"{compiler}: {' '.join(command)}", file=sys.stderr, flush=True)
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, preexec_fn=leave_core)
        except OSError as e:
            return None, str(e)
        if done.returncode != 0:
            return None, f"{command[0]} ended with status {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]}"
    return folder, None


def rows(seconds, errors):
    """`seconds`: {network: {compiler: time of a run}}; `errors`: {compiler: what kept it from a time}."""
    made, good = [], [c for c in COMPILERS if c not in errors]
    means = {c: math.exp(sum(math.log(of[c]) for of in seconds.values()) / len(seconds)) for c in good if seconds}
    for case, of, floor in [*((name, of, None) for name, of in seconds.items()), ("geometric mean", means, FLOOR)]:
        for c in COMPILERS:
            made.append(row("compilers", case, LEVEL, c, min(of[x] for x in good) / of[c] if c in good else None, floor,
                            error=errors.get(c), ms=1e3 * of[c] if c in of else None,
                            networks=1 if floor is None else len(seconds)))
    return made


def main():
    from run import merge_rows

    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=0.25, help="time of one process in one round")
    args = checked(parser)
    prepare(args.networks)
    folders = {c: built(c, args.networks, args) for c in COMPILERS}
    errors, seconds = {c: error for c, (_, error) in folders.items() if error}, {}
    for name in args.networks:
        reference = start(Process("onnxruntime", LEVEL), name)
        own = {c: start(Process("tkl", LEVEL), name, object_of(folder, name, "native"))
               for c, (folder, error) in folders.items() if not error}
        judge([reference, *own.values()])
        errors.update({c: f"{name}: {p.error}" for c, p in own.items() if p.error})
        reference.close()
        take_turns(list(own.values()), args)
        seconds[name] = {c: p.seconds() for c, p in own.items() if p.medians}
    made = rows(seconds, errors)
    show(made)
    merge_rows(args.ratios, made)


if __name__ == "__main__":
    main()
