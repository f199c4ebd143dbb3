#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_flags.py ROOT: machine flags (-m..., -march) are written in cmake/tkl_level_flags.cmake only."""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
FLAG = re.compile(r"(?<![\w-])-m(arch|tune|avx|fma|sse|f16c|prefer)[\w=.-]*")
files = [p for p in root.rglob("CMakeLists.txt")] + list(root.rglob("*.cmake")) + list(root.glob("CMakePresets.json"))
files = [p for p in files if "build" not in p.relative_to(root).parts]
faults = []
for path in files:
    if path.relative_to(root).as_posix() == "cmake/tkl_level_flags.cmake":
        continue
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if FLAG.search(line.split("#")[0]):
            faults.append(f"{path.relative_to(root)}:{number}: {line.strip()}")
print("\n".join(faults))
print(f"{len(files)} build files, {len(faults)} faults")
sys.exit(1 if faults else 0)
