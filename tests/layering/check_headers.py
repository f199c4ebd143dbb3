#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles headers in ways that only a header library must survive, without generating code.

check_headers.py alone ROOT FOLDER -- COMPILER FLAGS   each header below include/tkl/FOLDER by itself
check_headers.py macros ROOT -- COMPILER FLAGS         all headers, after a program's macros min, max, near, far, small, I
check_headers.py compilers ROOT -- COMPILER FLAGS      compilers that are too old are refused by name
check_headers.py c_api ROOT -- COMPILER FLAGS          the C interface, by a C compiler
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def compile_text(command, text, suffix=".cpp"):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"unit{suffix}"
        source.write_text(text)
        done = subprocess.run(command + ["-fsyntax-only", str(source)], capture_output=True, text=True)
        lines = done.stderr.splitlines()
        if len(lines) > 30:
            lines[30:] = [f"... and {len(lines) - 30} more lines"]
        return done.returncode, "\n".join(lines)


def headers_of(root, folder):
    base = root / "include" / "tkl"
    paths = base.glob("*") if folder == "." else (base / folder).rglob("*")
    return sorted(p.relative_to(root / "include").as_posix() for p in paths if p.suffix in (".hpp", ".cuh"))


def without_missing(root, headers, command):
    """The headers less those that reach CL/opencl.hpp, where the compiler does not find that."""
    if compile_text(command, "#if !__has_include(<CL/opencl.hpp>)\n#error missing\n#endif\n")[0] == 0:
        return headers
    reaches = {}

    def reach(header):
        if header not in reaches:
            reaches[header] = False
            included = re.findall(r"^\s*#\s*include\s*<([^>]+)>", (root / "include" / header).read_text(), re.M)
            reaches[header] = "CL/opencl.hpp" in included or any(reach(h) for h in included if h.startswith("tkl/"))
        return reaches[header]

    for header in headers:
        if reach(header):
            print(f"SKIPPED {header}: CL/opencl.hpp was not found")
    return [h for h in headers if not reach(h)]


def alone(root, folder, command):
    failed = 0
    headers = without_missing(root, headers_of(root, folder), command)
    for header in headers:
        # Twice: the second inclusion must be empty.
        status, errors = compile_text(command, f"#include <{header}>\n#include <{header}>\nint unit;\n")
        print(f"{'FAILED' if status else 'ok':7}{header}")
        if status:
            failed += 1
            print(errors)
    return 1 if failed else 0


def all_headers(root):
    folders = ["."] + sorted(p.name for p in (root / "include" / "tkl").iterdir() if p.is_dir())
    return sorted(h for folder in folders for h in headers_of(root, folder))


def macros(root, command):
    headers = without_missing(root, all_headers(root), command)
    foreign = set()
    for header in headers:
        text = (root / "include" / header).read_text()
        guarded = re.compile(r"#\s*if.*?#\s*endif", re.S).sub("", text)  # architecture-dependent includes stay out
        foreign |= {m for m in re.findall(r"^\s*#\s*include\s*<([^>]+)>", guarded, re.M) if not m.startswith("tkl/")}
    names = {"min(a, b)": "(((a) < (b)) ? (a) : (b))", "max(a, b)": "(((a) > (b)) ? (a) : (b))", "near": "", "far": "",
             "small": "char", "I": "(__extension__ 1.0iF)"}
    # As with windows.h: the standard library was read before the macros appeared.
    lines = [f"#include <{h}>" for h in sorted(foreign)]
    lines += [f"#define {name} {value}" for name, value in names.items()]
    lines += [f"#include <{h}>" for h in headers]
    for name in names:
        lines += [f"#ifndef {name.split('(')[0]}", f"#error the library undefined the macro {name}", "#endif"]
    status, errors = compile_text(command, "\n".join(lines) + "\n")
    print(errors)
    print(f"{len(headers)} headers after {len(names)} macros: {'FAILED' if status else 'ok'}")
    return status


def compilers(root, command):
    cases = [("GNU 11", ["-U__clang__", "-U__GNUC__", "-D__GNUC__=11"], r"tkl needs g\+\+ 12"),
             ("clang 13", ["-U__clang_major__", "-D__clang__=1", "-D__clang_major__=13"], r"tkl needs clang 14"),
             ("C++17", ["-std=c++17"], r"tkl needs C\+\+20")]
    bad = 0
    for name, flags, expected in cases:
        status, errors = compile_text(command + flags + ["-Wno-builtin-macro-redefined"], "#include <tkl/config.hpp>\n")
        good = status != 0 and re.search(expected, errors)
        print(f"{'ok' if good else 'FAILED':7}{name}: {errors.splitlines()[0] if errors else 'accepted'}")
        bad += not good
    return 1 if bad else 0


def c_api(root, command):
    status, errors = compile_text(command[:1] + ["-x", "c", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                                                 f"-I{root}/include"], "#include <tkl/c_api.h>\nint unit;\n", ".c")
    print(errors)
    return status


if __name__ == "__main__":
    split = sys.argv.index("--")
    (mode, root, *rest), command = sys.argv[1:split], sys.argv[split + 1:]
    sys.exit({"alone": alone, "macros": macros, "compilers": compilers, "c_api": c_api}[mode](Path(root), *rest, command))
