# SPDX-License-Identifier: Apache-2.0
"""Disassembles an object and checks the innermost loop of a function: no stack traffic, and only the work that a register
tile of ROWS x VECTORS needs: per product of the depth one fused multiply-add per accumulator, one load per vector and one
broadcast per row.

usage: check_hot_loop.py OBJDUMP OBJECT FUNCTION ROWS VECTORS
"""
import re
import subprocess
import sys


def functions(text):
    """Maps a demangled name to its instructions, as a list of (address, instruction)."""
    found, current = {}, None
    for line in text.splitlines():
        title = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if title:
            current = found.setdefault(title[1], [])
            continue
        instruction = re.match(r"\s*([0-9a-f]+):\s+(\S.*)$", line)
        if instruction and current is not None:
            current.append((int(instruction[1], 16), instruction[2].split("#")[0].strip()))
    return found


def innermost_loops(code):
    """Bodies between a backward branch and its target that hold no smaller such body."""
    spans = []
    for address, text in code:
        jump = re.match(r"j\w+\s+([0-9a-f]+)\b", text)
        if jump and int(jump[1], 16) <= address and int(jump[1], 16) >= code[0][0]:
            spans.append((int(jump[1], 16), address))
    inner = [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]
    return [[text for address, text in code if first <= address <= last] for first, last in inner]


def check(code, rows, vectors):
    """The complaints about the loop with the most multiply-adds."""
    is_fma = lambda t: re.match(r"vf(n)?m(add|sub)\d+ps", t)
    loops = [l for l in innermost_loops(code) if any(map(is_fma, l))]
    if not loops:
        return ["no loop with multiply-adds"], []
    loop = max(loops, key=lambda l: sum(1 for t in l if is_fma(t)))
    has_frame = any(re.match(r"mov\s+%rsp,%rbp", t) for _, t in code)
    fmas = sum(1 for t in loop if is_fma(t))
    # A broadcast may be the memory operand of a multiply-add.
    reads = sum(1 for t in loop if re.search(r"\(.*\)", t) and re.match(r"v", t) and not re.match(r"vmov\w+\s+%", t))
    stack = [t for t in loop if "(%rsp" in t or (has_frame and "(%rbp" in t)]
    turns, rest = divmod(fmas, rows * vectors)
    complaints = []
    if rest or not turns:
        complaints.append(f"{fmas} multiply-adds are not a multiple of {rows} x {vectors}")
    elif reads > turns * (vectors + (rows if not any("{1to" in t for t in loop) else rows * vectors)):
        complaints.append(f"{reads} loads for {turns} products of {rows} broadcasts and {vectors} vectors")
    complaints += [f"stack reference: {t}" for t in stack]
    return complaints, loop


def main():
    objdump, path, name, rows, vectors = sys.argv[1:4] + [int(x) for x in sys.argv[4:6]]
    text = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", path], check=True, capture_output=True, text=True)
    wanted = {n: c for n, c in functions(text.stdout).items() if name in n}
    if not wanted:
        sys.exit(f"{path} has no function {name}")
    for full_name, code in wanted.items():
        complaints, loop = check(code, rows, vectors)
        if complaints:
            sys.exit("\n".join([full_name] + complaints + loop))
        print(f"{name}: {len(loop)} instructions, clean")


if __name__ == "__main__":
    main()
