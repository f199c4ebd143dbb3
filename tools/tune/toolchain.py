# SPDX-License-Identifier: Apache-2.0
"""The compiler of tools/tune.py: the flags of a level, the machine that it runs on, programs that are built once."""
import hashlib
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Refused(Exception):
    """What is wrong with what was asked for, for people."""


def level_flags(level):
    """Compiler flags of a level, from the one file that has them."""
    text = (ROOT / "cmake" / "tkl_level_flags.cmake").read_text()
    avx2 = re.search(r"set\(avx2 ([^)]*)\)", text)[1].split()
    if level in ("base", "neon"):
        return []
    if level == "avx2":
        return avx2
    if level == "avx512":
        return avx2 + re.search(r"set\(\$\{out\} \$\{avx2\} ([^)]*?) PARENT_SCOPE\)", text)[1].split()
    raise Refused(f"--arch {level}: levels are base, avx2, avx512 and neon; a core of one is written avx2:device::my_core")


def level_of_host():
    """The best level of this machine."""
    flags = set(re.findall(r"\w+", Path("/proc/cpuinfo").read_text()))
    if "asimd" in flags:
        return "neon"
    if {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        return "avx512"
    return "avx2" if {"avx2", "fma", "f16c"} <= flags else "base"


def processor():
    """The name of this machine's processor, and its identification."""
    rows = dict(re.findall(r"^([^:\n\t]+?)[ \t]*:[ \t]*(.*)$", Path("/proc/cpuinfo").read_text(), re.M))
    names = ("model name", "cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU revision")
    return ", ".join(f"{n} {rows[n]}" if n != "model name" else rows[n] for n in names if n in rows) or "unknown"


class Toolchain:
    def __init__(self, options, folder):
        compiler = shlex.split(options.compiler)
        if not compiler or not shutil.which(compiler[0]):
            raise Refused(f"no compiler: {options.compiler!r} is not there (--compiler names one)")
        done = subprocess.run([*compiler, "--version"], capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused(f"no compiler: {options.compiler!r} --version fails: {done.stderr.strip()[:200]}")
        self.version = done.stdout.splitlines()[0]
        level, _, core = options.arch.partition(":")
        self.arch = core or f"tkl::arch::{level}"
        limits = (["-fconstexpr-steps=2000000000"] if "clang" in self.version else
                  ["-fconstexpr-ops-limit=2000000000", "-fconstexpr-loop-limit=20000000"])
        self.flags = ["-std=c++20", *limits, *level_flags(level), f"-I{ROOT / 'include'}", f"-I{ROOT / 'tools'}",
                      *(f"-I{folder}" for folder in options.folders), *shlex.split(options.flags)]
        self.command = compiler
        self.optimise = shlex.split(options.optimise)
        self.folder = folder

    def build(self, source, optimise):
        """A program of the source, and what the compiler said where there is none. One of before serves, also over
        restarts, unless a file that it was made of has changed."""
        command = [*self.command, *self.flags, *optimise]
        name = hashlib.sha256("\0".join([self.version, *command, source]).encode()).hexdigest()[:24]
        program, needs = self.folder / name, self.folder / f"{name}.d"
        if program.exists() and needs.exists():
            made = program.stat().st_mtime_ns
            files = [Path(f) for f in shlex.split(needs.read_text().replace("\\\n", " ").partition(":")[2])]
            if all(f.exists() and f.stat().st_mtime_ns < made for f in files):
                return program, ""
        self.folder.mkdir(parents=True, exist_ok=True)
        unit = self.folder / f"{name}.cpp"
        if not unit.exists() or unit.read_text() != source:
            unit.write_text(source)
        # A compiler that outlives a killed tune.py goes on writing a file of its own.
        part = self.folder / f"{name}.{os.getpid()}.part"
        done = subprocess.run([*command, "-MD", "-MF", str(needs), str(unit), "-o", str(part)], capture_output=True,
                              text=True)
        if done.returncode != 0:
            return None, done.stderr
        part.replace(program)
        return program, ""

    def compiles(self, source):
        done = subprocess.run([*self.command, *self.flags, "-fsyntax-only", "-x", "c++", "-"], input=source,
                              capture_output=True, text=True)
        return done.returncode == 0, done.stderr


def first_error(text):
    for line in text.splitlines():
        if re.search(r"\berror\b", line):
            return line.strip()[:400]
    return (text.strip().splitlines() or ["nothing was said"])[0][:400]
