#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In the place of a compiler, for check_tune.py: makes a script that prints what the program would. Understands what
tools/tune.py asks for: --version, SOURCE -o PROGRAM -MD -MF FILE, and -fsyntax-only of standard input.

A step of a convolution and one of a depthwise convolution have two candidates each. The environment decides the rest:
FAKE_RATIOS, a JSON object: text of a schedule's code: its time as a part of the default's, one, or two of which the
second is that of the confirming rounds; FAKE_FAILS: what a source may not contain; FAKE_CRASHES: what a
schedule may not contain for its program to end well; FAKE_BLOCKS: a named pipe that
measuring programs read from before they end; FAKE_LOG: a file that gets a line per compilation.
"""
import json
import os
import re
import sys
from pathlib import Path

arguments = sys.argv[1:]
if arguments == ["--version"]:
    print(f"fake compiler {os.environ.get('FAKE_VERSION', '1')}")
    sys.exit()
if "-fsyntax-only" in arguments:
    source = sys.stdin.read()
    if "using model = absent" in source:
        print("<stdin>:2:15: error: 'absent' does not name a type", file=sys.stderr)
        sys.exit(1)
    sys.exit()
path = next(a for a in arguments if a.endswith(".cpp"))
source, program = Path(path).read_text(), Path(arguments[arguments.index("-o") + 1])
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(("list" if "tune/candidates.hpp" in source else "measure") + "\n")
fails = os.environ.get("FAKE_FAILS")
if "absent" in source or (fails and fails in source):
    print(f"In file included from somewhere\n{path}:3:1: error: planted", file=sys.stderr)
    sys.exit(1)

KINDS = {"conv2d": (".conv = {.mr = 6}", ".conv = {.mr = 4}", ".conv = {.mr = 5}"),
         "depthwise": (".depthwise = {.tile = 4}", ".depthwise = {.tile = 7}", ".depthwise = {.tile = 8}")}
lines = []
if "tune/candidates.hpp" in source:
    def schedule(code):
        return {"code": code, "text": re.sub(r"[^a-z0-9 ]", "", code.partition("{")[2]), "cycles": 1}

    lines.append({"version": 1, "device": {"name": "avx2", "registers": 16, "width_f32": 8, "cache": [32768, 524288, 16777216]}})
    lines.append({"plan": os.environ.get("FAKE_PLAN", "conv2d, depthwise")})
    for number, (kind, codes) in enumerate(KINDS.items()):
        lines.append({"kind": f"{{.algorithm = tkl::algorithm::{kind}}}", "text": kind, "name": f'layer "{number}" \\', "steps": [number],
                      "admitted": 9, "default": schedule(codes[0]), "candidates": [schedule(c) for c in codes[1:]]})
    body = f"print({json.dumps(chr(10).join(map(json.dumps, lines)))})"
else:
    records = re.findall(r"\{\.kind = \{.*?\}, (\.\w+ = \{.*?\})\}", source)
    body = f"""import json, os, sys
records, rounds, left_out = {records!r}, int(sys.argv[1]), list(map(int, sys.argv[2:]))
ratios = json.loads(os.environ.get("FAKE_RATIOS", "{{}}"))
for n in range(rounds):
    print(json.dumps({{"round": n + 1}}), flush=True)
if any(os.environ.get("FAKE_CRASHES", "none") in code for code in records):
    print("planted", file=sys.stderr)
    sys.exit(3)
if "FAKE_BLOCKS" in os.environ:
    open(os.environ["FAKE_BLOCKS"]).read()
total = 0
for n, code in enumerate(records):
    ratio = ratios.get(code, 1.1)
    ratio = ratio if isinstance(ratio, float) else ratio[rounds > 3]
    total += 0 if n in left_out else 1000 * (1 - ratio)
    print(json.dumps({{"record": n, "default_ns": 1000, "tuned_ns": 1000 * ratio, "ratio": ratio,
                      "difference": 0.5 if "tile = 8" in code and "FAKE_WRONG" in os.environ else 0}}))
print(json.dumps({{"set": 0, "ns": 5000}}))
print(json.dumps({{"set": 1, "ns": 5000 - total}}))
"""
program.write_text(f"#!{sys.executable}\n{body}\n")
program.chmod(0o755)
Path(arguments[arguments.index("-MF") + 1]).write_text(f"{program}: {path}\n")
