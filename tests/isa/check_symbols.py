#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_symbols.py OBJECT OBJECT...: objects of different levels share no weak symbol whose content differs.

Of a weak symbol the linker keeps one copy, whichever comes first: a program that keeps the one of the newer level dies on
an older CPU, and two plans under one name are one plan. What is the same in both objects, instruction by instruction or
byte by byte, may be shared.
"""
import itertools
import re
import subprocess
import sys

# Pointers to functions of the language run-time, the same in every object.
HARMLESS = ("DW.ref.__gxx_personality_v0", "DW.ref.__gcc_personality_v0")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def weak_symbols(path):
    found = set()
    for line in run("nm", "--defined-only", path).splitlines():
        _, kind, name = line.split(maxsplit=2)
        if kind in "WVu" and name not in HARMLESS:
            found.add(name)
    return found


def content_of(path, names):
    """For each symbol what it holds, without addresses and the compiler's numbering: instructions and what they refer to,
    or the bytes of constant data."""
    place = {}
    for line in run("objdump", "-tw", path).splitlines():
        match = re.match(r"([0-9a-f]{16}) .{7} (\S+)\t[0-9a-f]{16} (?:\.hidden )?(\S+)$", line)
        if match:
            place[match[3]] = match[2], match[1]
    content, current = {}, None  # by place: constructors and destructors have several names for one function
    for line in run("objdump", "-dr", "--no-show-raw-insn", "-w", path).splitlines():
        start = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if start:
            current = content.setdefault(place.get(start[1]), [])
        elif current is not None and ":" in line:
            text = line.split(":", 1)[1].strip()
            text = re.sub(r"^(j\w+|call)\s+[0-9a-f]+ <.*>$", r"\1", text)  # the target is in the relocation, or local
            text = re.sub(r"\s*#.*|(\.[LR]?[\w.]+)?[+-]0x[0-9a-f]+$", "", text)  # numbered constants and tables
            current.append(re.sub(r"(\s)\.(L|rodata|text)\S*$", r"\1", text))
    for name in names:
        section, _ = where = place[name]
        if section.startswith(".rodata."):
            content[where] = run("objdump", "-s", "-j", section, path).splitlines()[3:]
    return {name: content.get(place[name], []) for name in names}


def readable(name):
    return run("c++filt", name).strip()[:200]


objects = {path: weak_symbols(path) for path in sys.argv[1:]}
common = {name for a, b in itertools.combinations(objects.values(), 2) for name in a & b}
codes = {path: content_of(path, common & own) for path, own in objects.items()}
faults = same = 0
for (a, first), (b, second) in itertools.combinations(objects.items(), 2):
    for name in sorted(first & second):
        if codes[a][name] and codes[a][name] == codes[b][name]:
            same += 1
            continue
        print(f"{a} and {b} share {readable(name)}")
        faults += 1
counts = ", ".join(str(len(s)) for s in objects.values())
print(f"{len(objects)} objects, {counts} weak symbols; shared: {same} with the same content, {faults} with different content")
sys.exit(1 if faults or len(objects) < 2 else 0)
