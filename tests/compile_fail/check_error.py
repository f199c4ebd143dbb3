#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_error.py SOURCE -- COMPILER FLAGS: the source must not compile, and the compiler must say what its header expects.

Comment lines at the top of the source (any number of each; every one must hold):
    // expect: REGEX         matched in the output of every compiler
    // expect-gnu: REGEX     matched with g++ only;  // expect-clang: REGEX  with clang only
    // lines: N              the whole output has at most N lines
    // errors: N             the compiler reports at most N errors (without it: one, the mistake itself)
"""
import re
import subprocess
import sys
from pathlib import Path

split = sys.argv.index("--")
source, command = Path(sys.argv[1]), sys.argv[split + 1:]
version = subprocess.run(command[:1] + ["--version"], capture_output=True, text=True, check=True).stdout
compiler = "clang" if "clang" in version else "gnu"

wanted, limit, errors = [], None, 1
for line in source.read_text().splitlines():
    match = re.match(r"// (expect|expect-gnu|expect-clang|lines|errors): (.+)$", line)
    if match and match[1] in ("expect", f"expect-{compiler}"):
        wanted.append(match[2])
    elif match and match[1] == "lines":
        limit = int(match[2])
    elif match and match[1] == "errors":
        errors = int(match[2])
if not wanted:
    sys.exit(f"{source}: no '// expect: REGEX' line")

done = subprocess.run(command + ["-fsyntax-only", "-fdiagnostics-color=never", str(source)], capture_output=True, text=True)
output = done.stdout + done.stderr
# clang spells a text that is a template argument letter by letter ('c', 'o', 'n', 'v'), g++ escapes its apostrophes.
letter = r"'(?:\\.|[^'\\])'"
readable = re.sub(f"{letter}(?:, {letter})+", lambda m: "".join(c[1:-1] for c in re.findall(letter, m[0])), output)
readable = readable.replace("\\'", "'")
problems = [] if done.returncode else ["it compiles"]
if done.returncode < 0 or "internal compiler error" in output or "PLEASE submit a bug report" in output:
    problems.append("the compiler crashed")
problems += [f"no match for: {regex}" for regex in wanted if not re.search(regex, readable)]
count = len(output.splitlines())
if limit is not None and count > limit:
    problems.append(f"{count} lines of output, at most {limit} are allowed")
reported = len(re.findall(r": (?:fatal )?error:", output))
if reported > errors:
    problems.append(f"{reported} errors, at most {errors} are allowed")
for problem in problems:
    print(f"{source.name}: {problem}")
if problems:
    print(output[:8000])
sys.exit(1 if problems else 0)
