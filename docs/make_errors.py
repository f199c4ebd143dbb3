#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/errors.md from the programs in tests/compile_fail; with --check only says whether it is up to date.

A program's top comment is: the lines "// expect...: REGEX", "// lines: N" and "// errors: N" for the test, then a title
line and any number of lines that explain the mistake and its cure. What follows is shown as it is, without include lines.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "errors.md"
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by docs/make_errors.py from tests/compile_fail; edit those files and run ./dev docs. -->
# Compile-time errors

Each program below is a mistake, with the text that the compiler prints for it (a regular expression; g++ and clang show
it between lines of their own). The tests compile every one of them and match the text.
"""


def section(path):
    expected, prose, code, in_comment = [], [], [], True
    for line in path.read_text(encoding="utf-8").splitlines():
        if in_comment and line.startswith("//"):
            test_line = re.match(r"// (expect|expect-gnu|expect-clang|lines|errors): (.+)$", line)
            if test_line and test_line[1] not in ("lines", "errors"):
                compiler = {"expect": "", "expect-gnu": " (g++)", "expect-clang": " (clang)"}[test_line[1]]
                expected.append(f"    {test_line[2]}{compiler}")
            elif not test_line and "SPDX-License-Identifier" not in line:
                prose.append(line[2:].strip())
        else:
            in_comment = in_comment and not line
            if not line.startswith("#include"):
                code.append(line)
    title, *explanation = prose or [path.stem.replace("_", " ")]
    parts = [f"## {title.rstrip('.')}", "", f"[{path.name}](../tests/compile_fail/{path.name})", ""]
    if explanation:
        parts += explanation + [""]
    return "\n".join(parts + expected + ["", "```cpp", "\n".join(code).strip("\n"), "```", ""])


page = HEAD + "".join("\n" + section(p) for p in sorted((ROOT / "tests" / "compile_fail").glob("*.cpp")))
if sys.argv[1:] == ["--check"]:
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        sys.exit("docs/errors.md is not up to date: run ./dev docs (or docs/make_errors.py)")
else:
    PAGE.write_text(page, encoding="utf-8")
    print(f"wrote {PAGE}")
