#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a .cu file for one GPU and reads what the assembler says of each kernel: no stack, no spills, few registers.

check_kernels.py NVCC HOST_COMPILER ARCH SOURCE MOST_REGISTERS [CUBIN] -- FLAGS

What the assembler calls a loss of performance is a fault: products of warpgroups that are issued one by one. The code is
kept as CUBIN, for check_machine_code.py. Status 77 where nvcc or the host's compiler is missing.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = re.compile(r"Compiling entry function '(\S+)' for '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
                    r"(\d+) bytes spill loads.*?Used (\d+) registers(?:.*?(\d+) bytes smem)?", re.S)


PLAN = Path(__file__).resolve().parents[2] / "include" / "tkl" / "graph" / "plan.hpp"
ALGORITHMS = re.findall(r'"(\w+)"', re.search(r"algorithm_names\[\] = \{(.*?)\};", PLAN.read_text(), re.S)[1])


def short(name):
    """"cuda_items conv2d", of a mangled name."""
    kind = re.search(r"cuda_(?:items|tiles|ring|sums)", name)
    word = re.search(r"JLm(\d+)", name)
    return f"{kind.group()} {ALGORITHMS[int(word.group(1)) & 255]}" if kind and word else name


def main():
    split = sys.argv.index("--")
    own, flags = sys.argv[1:split], sys.argv[split + 1:]
    nvcc, host, arch, source, most = own[:5]
    for tool in (nvcc, host):
        if shutil.which(tool) is None:
            print(f"SKIPPED: {tool} was not found")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernels.cubin"
        command = [nvcc, "-ccbin", host, "-std=c++20", "--expt-relaxed-constexpr", f"-arch={arch}", "-Xptxas", "-v"]
        done = subprocess.run(command + flags + ["-cubin", "-o", str(cubin), source], capture_output=True, text=True)
        errors = done.stderr + done.stdout
        if done.returncode:
            print(errors[:8000])
            return 1
        bad = [line for line in errors.splitlines() if re.search(r"\b(warning|error)\b|Performance Loss", line)]
        kernels = KERNEL.findall(errors)
        for name, target, stack, stores, loads, registers, shared in kernels:
            fault = " ".join(f"{n} {v}" for n, v in (("stack", stack), ("spill stores", stores), ("spill loads", loads))
                             if int(v))
            if int(registers) > int(most):
                fault += f" more than {most} registers"
            print(f"{registers:>4} registers {shared or 0:>6} shared  {short(name)} {fault}")
            if fault:
                bad.append(f"{name}: {fault}")
        if not kernels:
            bad.append("no kernel was compiled")
        if len(own) > 5:
            shutil.copyfile(cubin, own[5])
    print(f"{arch}: {len(kernels)} kernels")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
