# SPDX-License-Identifier: Apache-2.0
"""Disassembles an object of hot_loops.cpp and checks its loops: no vector goes to the stack, at most four integers come
from it (pointers to rows), the multiply-adds are those of whole register tiles, and there are at most a tenth more loads
than such a tile needs.

usage: check_hot_loop.py OBJDUMP OBJECT
"""
import re
import sys

from hot_loops import architecture_of

MOST_RELOADS = 4
VECTOR = re.compile(r"%[xyz]mm|\b[qdsv][0-9]+\b")


def loads_of(text):
    """How many vectors, or numbers for one, an instruction reads from memory."""
    if "[" in text:  # on Arm only load instructions do
        return len(VECTOR.findall(text.split("[")[0])) if text.startswith("ld") else 0
    return 1 if re.match(r"v.*\(.*\)", text) and not re.match(r"vmov\w+\s+%", text) else 0


def complaints_of(loop):
    """What is wrong with a loop, and a line about it."""
    counted, stack = len(loop.counted()), loop.stack_references()
    loads = sum(loads_of(t) for t in loop.body if t not in stack)
    reloads = [t for t in stack if re.match(r"ld|mov\w*\s+[^%]|cmp|add", t) and not VECTOR.search(t)]
    found = [f"stack reference: {t}" for t in stack if t not in reloads]
    if len(reloads) > MOST_RELOADS:
        found.append(f"{len(reloads)} integers from the stack")
    if counted % loop.count:
        found.append(f"{counted} times {loop.instruction} are not a multiple of {loop.count}")
    if 10 * loads * loop.count > 11 * counted * loop.loads:
        found.append(f"{loads} loads for {counted} times {loop.instruction}: {loop.loads} for {loop.count} are needed")
    return found, (f"{loop.name}: {len(loop.body)} instructions, {counted} times {loop.instruction}, {loads} loads, "
                   f"{len(reloads)} integers from the stack")


def main():
    failed = False
    for loop in architecture_of(*sys.argv[1:3]).loops:
        complaints, summary = complaints_of(loop)
        print(summary)
        if complaints:
            failed = True
            print("\n".join(complaints + ["  " + t for t in loop.body]))
    sys.exit(failed)


if __name__ == "__main__":
    main()
