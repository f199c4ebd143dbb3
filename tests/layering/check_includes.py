#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the include lines under include/tkl: every include goes down the layers, foreign headers stay where they belong.

check_includes.py ROOT        checks ROOT/include/tkl; prints each fault, exit status 1 if there is one
check_includes.py --self-test plants each kind of fault in a temporary tree and checks that it is found
"""
import re
import sys
import tempfile
from pathlib import Path

# A header may include headers of a lower layer, and of its own.
LAYERS = [
    ("config", r"config\.hpp$"),
    ("C interface", r"c_api\.h$"),  # declarations in C, which the runtime implements
    ("core", r"core/"),
    ("graph upper half", r"graph/(compile|supports|buckets|placement|report|interpreter|plan_interpreter|describe|probe|profile)"),
    ("graph lower half", r"graph/"),
    ("expr", r"expr/"),
    ("schedule", r"schedule/"),
    ("op", r"op/"),
    ("arch", r"arch/"),
    ("algo", r"algo/"),
    ("target", r"target/"),
    ("exec", r"exec/"),
    ("runtime", r"runtime/"),
    ("C interface", r"c_api\.h$"),
    ("public", r"[^/]+$"),
]
RANK = {
    "config": 0, "C interface": 0, "core": 1, "graph lower half": 2, "expr": 2, "schedule": 2, "op": 3, "arch": 4,
    "algo": 5, "target": 6, "exec": 7, "graph upper half": 8, "runtime": 9, "public": 10,
}
# Foreign headers, and the only files of the library that may include them.
FOREIGN = [
    (r"xsimd/|[a-z0-9]+intrin\.h|x86intrin\.h|arm_neon\.h|arm_sve\.h", r"(target/cpu|arch/)",
     "xsimd and intrinsics belong to target/cpu and arch/"),
    (r"cpuid\.h", r"runtime/host_cpu", "CPUID belongs to runtime/host_cpu.hpp"),
    (r"rapidjson/", r"exec/(weights|safetensors)", "RapidJSON belongs to the readers of weight files in exec/"),
    (r"hwy/", r"$^", "Highway belongs to kernels/, no header includes it"),
    (r"(cuda|cuda_runtime|cuda_fp16|cublas|mma)", r".*cuda", "CUDA belongs to the CUDA files"),
    (r"CL/", r".*opencl", "OpenCL belongs to the OpenCL files"),
    (r"(nlohmann|simdjson|stb/)", r"$^", "no header includes it"),
    (r"(iostream|regex|locale|fstream|sstream|iomanip)$", r"$^", "costs every translation unit too much"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def layer_of(name):
    for layer, pattern in LAYERS:
        if re.match(pattern, name):
            return layer
    return None


def check(root):
    base = root / "include" / "tkl"
    faults, edges = [], {}
    headers = sorted(p for p in base.rglob("*") if p.suffix in (".hpp", ".h", ".cuh"))
    for path in headers:
        name = path.relative_to(base).as_posix()
        text = path.read_text(encoding="utf-8")
        layer = layer_of(name)
        if layer is None:
            faults.append(f"{name}: belongs to no layer")
            continue
        if not text.startswith("// SPDX-License-Identifier: Apache-2.0\n"):
            faults.append(f"{name}: the first line is not the SPDX line")
        if path.suffix != ".h" and "\n#pragma once\n" not in text:
            faults.append(f"{name}: no #pragma once")
        edges[name] = []
        for match in INCLUDE.finditer(text):
            quote, target = match.groups()
            line = text.count("\n", 0, match.start(1)) + 1
            if quote == '"':
                faults.append(f'{name}:{line}: "{target}" is included with quotes; write <tkl/...>')
            elif target.startswith("tkl/"):
                target = target[4:]
                other = layer_of(target)
                if not (base / target).exists():
                    faults.append(f"{name}:{line}: <tkl/{target}> does not exist")
                elif RANK[other] > RANK[layer]:
                    faults.append(f"{name}:{line}: layer {layer} includes <tkl/{target}> of the higher layer {other}")
                else:
                    edges[name].append(target)
            else:
                for pattern, allowed, rule in FOREIGN:
                    if re.match(pattern, target) and not re.match(allowed, name):
                        faults.append(f"{name}:{line}: <{target}>: {rule}")
    faults += cycles(edges)
    return headers, faults


def cycles(edges):
    done, path, found = set(), [], []

    def visit(name):
        if name in path:
            found.append("include cycle: " + " -> ".join(path[path.index(name):] + [name]))
            return
        if name in done:
            return
        path.append(name)
        for target in edges.get(name, ()):
            visit(target)
        path.pop()
        done.add(name)

    for name in edges:
        visit(name)
    return found


def self_test():
    plants = {
        "core/a.hpp": ("#include <tkl/op/b.hpp>\n", "higher layer op"),
        "algo/a.hpp": ("#include <tkl/target/b.hpp>\n", "higher layer target"),
        "graph/plan.hpp": ("#include <tkl/graph/compile.hpp>\n", "higher layer graph upper half"),
        "op/a.hpp": ("#include <xsimd/xsimd.hpp>\n", "xsimd and intrinsics"),
        "algo/b.hpp": ("#  include <immintrin.h>\n", "xsimd and intrinsics"),
        "exec/arena.hpp": ("#include <rapidjson/reader.h>\n", "RapidJSON"),
        "target/reference.hpp": ("#include <hwy/highway.h>\n", "Highway"),
        "algo/c.hpp": ("#include <CL/opencl.hpp>\n", "OpenCL belongs to the OpenCL files"),
        "core/d.hpp": ("#  include <cpuid.h>\n", "CPUID belongs to runtime/host_cpu.hpp"),
        "algo/e.cuh": ("#include <cuda_runtime.h>\n", "CUDA belongs to the CUDA files"),
        "arch/cuda.hpp": ("#include <tkl/target/cuda_a.cuh>\n", "higher layer target"),
        "conv.hpp": ('#include "core/a.hpp"\n', "with quotes"),
        "expr/a.hpp": ("#include <tkl/expr/missing.hpp>\n", "does not exist"),
        "expr/b.hpp": ("#include <tkl/expr/c.hpp>\n", "include cycle"),
        "expr/c.hpp": ("#include <tkl/expr/b.hpp>\n", "include cycle"),
        "strange/a.hpp": ("", "no layer"),
    }
    fine = {"target/cuda_a.cuh": "#include <cuda_runtime.h>\n", "op/b.hpp": "#include <tkl/core/c.hpp>\n", "target/b.hpp": "", "graph/compile.hpp": "", "core/c.hpp": "",
            "target/cpu.hpp": "#include <xsimd/xsimd.hpp>\n#include <tkl/algo/d.hpp>\n", "algo/d.hpp": "",
            "exec/weights.hpp": "#include <rapidjson/reader.h>\n"}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "include" / "tkl"

        def write(name, text):
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).write_text("// SPDX-License-Identifier: Apache-2.0\n#pragma once\n" + text)

        for name, text in fine.items():
            write(name, text)
        faults = check(Path(folder))[1]
        assert not faults, faults
        for name, (text, _) in plants.items():
            write(name, text)
        (base / "core/bare.hpp").write_text("int x;\n")
        faults = check(Path(folder))[1]
        for name, (_, expected) in plants.items():
            assert any(name in f and expected in f for f in faults), (name, expected, faults)
        assert sum("bare.hpp" in f for f in faults) == 2, faults
    print(f"{len(plants) + 1} planted faults found")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        sys.exit(0)
    headers, faults = check(Path(sys.argv[1]))
    print("\n".join(faults))
    print(f"{len(headers)} headers, {len(faults)} faults")
    sys.exit(1 if faults or not headers else 0)
