#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the machine code that check_kernels.py kept: opcodes of each kernel, and what its innermost loop consists of.

check_machine_code.py BUILD CUBIN [--needs OPCODE]... [--share KERNEL OPCODE FLOOR]...

No kernel may touch local memory (LDL, STL); each opcode of --needs must occur. An innermost loop is what lies between a
branch backwards and its target, with no other such branch in it; of a kernel, the one with most multiply-adds counts
(FFMA, HMMA, HGMMA: one instruction each, whatever it multiplies). --share: in every kernel of that name (as printed) whose
loop has OPCODE, at least FLOOR of the loop's instructions are OPCODE, and there is such a kernel.
nvdisasm is the one on PATH, or that of Python's package nvidia-cuda-nvdisasm in BUILD/venv (tools/prepare.py
disassembler). Status 77 where there is none, or no CUBIN.
"""
import collections
import re
import shutil
import subprocess
import sys
from pathlib import Path

from check_kernels import short

PRODUCTS = ("FFMA", "HMMA", "HGMMA")
SHOWN = PRODUCTS + ("UTMALDG", "UBLKCP", "LDGSTS", "LDSM", "LDG", "STG", "LDS", "STS", "SHFL", "LDL", "STL")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9_]*)(.*)$")


def find_disassembler(build):
    found = shutil.which("nvdisasm")
    if found:
        return found
    return next((str(p) for p in sorted(Path(build).glob("venv/lib/python3*/site-packages/nvidia/*/bin/nvdisasm"))), None)


def kernels_of(listing):
    """Name, opcodes in order, and innermost loops as (first, last), of each kernel."""
    for part in re.split(r"^\.text\.", listing, flags=re.M)[1:]:
        name, _, body = part.partition(":\n")
        opcodes, labels, branches = [], {}, []
        for line in body.splitlines():
            if line.startswith("\t.section"):
                break
            label = re.match(r"^(\.L\w+):", line)
            if label:
                labels[label[1]] = len(opcodes)
            found = INSTRUCTION.match(line)
            if not found:
                continue
            target = re.search(r"`\((\.L\w+)\)", found[3]) if found[2] == "BRA" else None
            if target and target[1] in labels and labels[target[1]] < len(opcodes):
                branches.append((labels[target[1]], len(opcodes)))
            opcodes.append(found[2])
        heads = {}
        for first, last in branches:  # several branches to one place are one loop
            heads[first] = max(last, heads.get(first, last))
        loops = [(a, b) for a, b in heads.items() if not any(a <= c and d <= b and (a, b) != (c, d) for c, d in heads.items())]
        yield name, opcodes, loops


def main():
    build, cubin = sys.argv[1:3]
    options = sys.argv[3:]
    needed = [options[i + 1] for i, o in enumerate(options) if o == "--needs"]
    floors = [(options[i + 1], options[i + 2], float(options[i + 3])) for i, o in enumerate(options) if o == "--share"]
    disassembler = find_disassembler(build)
    if disassembler is None or not Path(cubin).exists():
        print("SKIPPED: no machine code was read: " + ("nvdisasm was not found (tools/prepare.py disassembler installs it)"
                                                       if disassembler is None else f"{cubin} is missing"))
        return 77
    listing = subprocess.run([disassembler, "-c", cubin], capture_output=True, text=True, check=True).stdout
    faults, total, met = [], collections.Counter(), set()
    for mangled, opcodes, loops in kernels_of(listing):
        name, counts = short(mangled), collections.Counter(opcodes)
        total += counts
        print(f"{name}: {len(opcodes)} instructions: " + ", ".join(f"{o} {counts[o]}" for o in SHOWN if counts[o]))
        faults += [f"{name}: {counts[o]} {o} (local memory)" for o in ("LDL", "STL") if counts[o]]
        if not loops:
            continue
        first, last = max(loops, key=lambda l: sum(o in PRODUCTS for o in opcodes[l[0]:l[1] + 1]))
        loop = collections.Counter(opcodes[first:last + 1])
        size = last + 1 - first
        for opcode in PRODUCTS:
            if not loop[opcode]:
                continue
            print(f"    innermost loop: {loop[opcode]} {opcode} of {size} instructions, {loop[opcode] / size:.2f}")
            for kernel, product, floor in floors:
                if kernel == name and product == opcode:
                    met.add((kernel, product))
                    if loop[opcode] < floor * size:
                        faults.append(f"{name}: {opcode} are {loop[opcode] / size:.2f} of the innermost loop, "
                                      f"{floor} is the floor")
    faults += [f"no {o}" for o in needed if not total[o]]
    faults += [f"no kernel {k} with a loop of {p}" for k, p, _ in floors if (k, p) not in met]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
