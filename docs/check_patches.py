#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the patches shown in the documents apply: of each hunk, what stands before the change is in its file."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
faults, hunks = [], 0
for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]):
    for block in re.findall(r"^```diff\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        for part in re.split(r"^(?=--- )", block, flags=re.M):
            head, *changes = re.split(r"^@@ .*\n", part, flags=re.M)
            name = re.search(r"^\+\+\+ b/(\S+)$", head, re.M)
            if not name:
                continue
            text = (ROOT / name[1]).read_text(encoding="utf-8")
            for change in changes:
                hunks += 1
                before = "".join(line[1:] + "\n" for line in change.splitlines() if not line.startswith("+"))
                if before not in text:
                    faults.append(f"{page.name}: hunk {hunks} is not found in {name[1]}:\n{before}")
if faults or not hunks:
    sys.exit("\n".join(faults) or "no patch was found in the documents")
