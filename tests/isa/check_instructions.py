#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_instructions.py [--base OBJECT...] [--newer OBJECT...] [--program PROGRAM...]: where instructions beyond SSE2 are.

--base     objects of level base: no function has any
--newer    objects of a higher level: some function has, or this check sees nothing
--program  programs with several levels: no function that units may share (its symbol is not local) has any, unless its name
           holds the namespace of a higher level. Which of several equal names the linker kept is thereby looked at, too.
"""
import re
import subprocess
import sys

NEWER = re.compile(
    r"v(?!err|erw)\w+|kmov\w|addsubp[sd]|h(add|sub)p[sd]|lddqu|movddup|movs[hl]dup|fisttp\w*|monitor|mwait"  # AVX, SSE3
    r"|pabs[bwd]|palignr|ph(add|sub)(s?w|d)|pmaddubsw|pmulhrsw|pshufb|psign[bwd]"  # SSSE3
    r"|p?blendv?(p[sd]|b|w)|dpp[sd]|(extract|insert)ps|movntdqa|mpsadbw|packusdw|pcmp(eq|gt)q|pextr[bdq]|phminposuw"  # SSE4
    r"|pinsr[bdq]|p(max|min)(s[bd]|u[wd])|pmov[sz]x\w+|pmuldq|pmulld|ptest|round[ps][sd]|crc32\w*|pcmp[ei]str[im]"
    r"|popcnt\w?|lzcnt\w?|andn|bextr|bls(i|msk|r)|bzhi|pdep|pext|mulx|rorx|s(ar|hl|hr)x|movbe\w?|ad[co]x"  # POPCNT, BMI
    r"|rdrand|rdseed|aes\w+|pclmul\w*|sha(1|256)\w+|xsave\w*|xrstor\w*")
# tzcnt is how objdump shows `rep bsf`, which older processors run as bsf; xgetbv stands behind OSXSAVE in host_cpu.hpp.
WIDE = re.compile(r"%(ymm|zmm|k)[0-9]")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def newer_functions(path):
    """Function name to its first instruction beyond SSE2, and the number of all functions."""
    found, current, functions = {}, None, 0
    for line in run("objdump", "-d", "--no-show-raw-insn", "-w", path).splitlines():
        start = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if start:
            current, functions = start[1], functions + 1
        elif "\t" in line and current not in found:
            text = line.split("\t", 1)[1].strip()
            words = [w for w in text.split() if w not in ("rep", "repz", "repnz", "lock", "data16", "notrack", "bnd")]
            if words and (NEWER.fullmatch(words[0]) or WIDE.search(text)):
                found[current] = text
    return found, functions


def sharable(path):
    """Functions that the linker may have taken from any unit."""
    symbols = set()
    for line in run("nm", "--defined-only", path).splitlines():
        _, kind, name = line.split(maxsplit=2)
        if kind in "TWVui":
            symbols.add(name)
    return symbols


def readable(name):
    return run("c++filt", name).strip()[:200]


mode, faults, counts = None, 0, {"--base": 0, "--newer": 0, "--program": 0}
for word in sys.argv[1:]:
    if word in counts:
        mode = word
        continue
    found, functions = newer_functions(word)
    counts[mode] += 1
    if mode == "--newer":
        print(f"{word}: {len(found)} of {functions} functions go beyond SSE2")
        faults += not found
        continue
    if mode == "--program":
        shared = sharable(word)
        found = {n: text for n, text in found.items() if n in shared and not re.search(r"isa_avx(2|512)", n)}
    for name, text in sorted(found.items()):
        print(f"{word}: {readable(name)}: {text}")
    print(f"{word}: {functions} functions, {len(found)} faults")
    faults += len(found) + (functions == 0)
sys.exit(1 if faults or not any(counts.values()) else 0)
