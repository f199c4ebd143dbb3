#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_layout.py SOURCE -- COMPILER FLAGS --level FLAGS [--level FLAGS...]: sizes and alignments are equal at every level.

The source defines data whose values are sizeof and alignof of the public types; its assembly must not depend on the level.
"""
import re
import subprocess
import sys

source, rest = sys.argv[1], sys.argv[3:]
groups = [[]]
for word in rest:
    if word == "--level":
        groups.append([])
    else:
        groups[-1].append(word)
command, levels = groups[0], groups[1:]
layouts = []
for flags in levels:
    text = subprocess.run(command + flags + ["-S", "-o", "-", source], capture_output=True, text=True, check=True).stdout
    layouts.append(re.findall(r"^\s*\.(?:quad|xword|zero)\s+(\d+)", text, re.M))
print(f"{len(layouts)} levels, {len(layouts[0])} numbers: {' '.join(layouts[0])}")
if len(layouts) < 2 or len(layouts[0]) < 10:
    sys.exit("too little to compare")
for flags, layout in zip(levels, layouts):
    if layout != layouts[0]:
        sys.exit(f"with {' '.join(flags)}: {' '.join(layout)}")
