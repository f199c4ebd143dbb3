#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that bench/models has a model for each network of its table, and a row of the table for each model; that wrong
names and numbers of rounds end ./dev bench profile with a status of their own."""
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "bench" / "models"))
from table import NETWORKS

headers = {p.stem: p.read_text() for p in (root / "bench" / "models" / "networks").glob("*.hpp")}
faults = [f"{name} is in the table, but bench/models/networks/{name}.hpp is missing" for name in NETWORKS
          if name not in headers]
faults += [f"bench/models/networks/{name}.hpp is not in the table" for name in headers if name not in NETWORKS]
faults += [f"bench/models/networks/{name}.hpp does not define {name}" for name, text in headers.items()
           if f"struct {name} " not in text and f"using {name} " not in text]
makers = (root / "bench" / "models" / "make_networks.py").read_text()
faults += [f"make_networks.py does not make {name}" for name, n in NETWORKS.items()
           if n.onnx.startswith("networks/") and f'"{name}": ' not in makers]
for arguments, expected in (([], 0), (["resnet51"], 2), (["resnet50", "--rounds", "-3"], 2)):
    done = subprocess.run([str(root / "dev"), "bench", "profile", *arguments], capture_output=True)
    if done.returncode != expected:
        faults.append(f"./dev bench profile {' '.join(arguments)}: status {done.returncode} instead of {expected}")
print("\n".join(faults) or f"{len(headers)} networks")
sys.exit(1 if faults else 0)
