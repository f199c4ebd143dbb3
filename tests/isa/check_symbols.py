#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_symbols.py OBJECT OBJECT...: objects of different levels share no weak symbol.

Of a weak symbol the linker keeps one copy, whichever comes first: a program that keeps the one of the newer level dies on
an older CPU, and two plans under one name are one plan.
"""
import itertools
import subprocess
import sys

# Pointers to functions of the language run-time, the same in every object.
HARMLESS = ("DW.ref.__gxx_personality_v0", "DW.ref.__gcc_personality_v0")


def weak_symbols(path):
    found = set()
    for line in subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout.splitlines():
        _, kind, name = line.split(maxsplit=2)
        if kind in "WVu" and name not in HARMLESS:
            found.add(name)
    return found


def readable(name):
    return subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()[:200]


objects = {path: weak_symbols(path) for path in sys.argv[1:]}
faults = 0
for (a, first), (b, second) in itertools.combinations(objects.items(), 2):
    for name in sorted(first & second):
        print(f"{a} and {b} share {readable(name)}")
        faults += 1
print(f"{len(objects)} objects, {', '.join(str(len(s)) for s in objects.values())} weak symbols, {faults} shared")
sys.exit(1 if faults or len(objects) < 2 else 0)
