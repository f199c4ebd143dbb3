#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_globals.py OBJECT...: no object that includes the headers carries mutable data or a plain definition of them.

A plain (non-weak) function or variable is a duplicate symbol as soon as two files include its header; a variable local to
the object is one copy per file.
"""
import subprocess
import sys

faults = 0
for path in sys.argv[1:]:
    for line in subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, _, name = line[17:].partition(" ")
        if "tkl" in name and "guard variable" not in name and (kind in "TDBRG" or kind in "db"):
            print(f"{path}: {kind} {name}")
            faults += 1
print(f"{len(sys.argv) - 1} objects, {faults} faults")
sys.exit(1 if faults else 0)
