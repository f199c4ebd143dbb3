#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the facts of a machine as an architecture header: one structure per kind of core, with its caches, features and
the schedules that follow, derived from the tag of its level or, where tkl knows the core, of the core.

usage: describe_device.py [--root FOLDER] [--cpu N] [--output FILE]

Facts come from sysfs (cores, caches, highest clock, identification), /proc/cpuinfo (features) and, where sysfs does not
say, the device tree. --root reads a copy of another machine's files. Nothing is guessed: what is not there is an error.

    ./tools/describe_device.py --output device.hpp        then: tkl::compile<model, tkl::cpu<device::cortex_a72>>
"""
import argparse
import re
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

ARCH = Path(__file__).resolve().parent.parent / "include" / "tkl" / "arch"
# Names in /proc/cpuinfo of the members of tkl::core_features.
FEATURES = {
    "fp16": {"avx512_fp16", "asimdhp"},
    "bf16": {"avx512_bf16", "bf16"},
    "dot_product": {"avx512_vnni", "avx_vnni", "asimddp"},
    "i8_matrix": {"i8mm"},
}
# Levels of x86-64 with the flags that each needs, the highest first; as in include/tkl/runtime/cpu_level.hpp.
X86_LEVELS = {
    "avx512": {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma", "f16c"},
    "avx2": {"avx2", "fma", "f16c"},
    "base": {"sse2"},
}


MOST_CPUS = 65536


class Unknown(Exception):
    """A fact that the machine's files do not tell."""


@dataclass(frozen=True)
class Core:
    level: str
    name: str  # of the core, or of the level
    base: str  # tag to derive from
    caches: tuple  # first, second, third level in bytes
    shares: int  # cores that use the last level that they do not share with all
    khz: int  # highest clock, 0: not told
    features: tuple


@dataclass
class Machine:
    root: Path
    cpus: dict = field(default_factory=dict)  # number: its folder in sysfs
    info: dict = field(default_factory=dict)  # number: its part of /proc/cpuinfo


def read(path):
    return path.read_text(errors="replace").strip("\0\n ") if path.is_file() else None


def number(text, path, base=10):
    """A number of a file, which a complaint names."""
    if not re.fullmatch(r"[0-9]{1,18}" if base == 10 else r"(0x)?[0-9a-fA-F]{1,16}", text):
        raise Unknown(f"{path} has {text[:40]!r}, not a number")
    return int(text, base)


def numbers_of(text, path):
    """0-2,5 as a set."""
    numbers = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        first, last = number(first, path), number(last or first, path)
        if not first <= last < MOST_CPUS:
            raise Unknown(f"{path} has {text[:40]!r}, no list of CPUs")
        numbers |= set(range(first, last + 1))
    return numbers


def cache_size(size, path):
    """Bytes of a cache, if any cache could have as many."""
    if not 1 << 10 <= size <= 4 << 30:
        raise Unknown(f"{path} tells a cache of {size} bytes")
    return size


def bytes_of(text, path):
    size = re.fullmatch(r"([0-9]{1,12})([KMG]?)", text)
    if not size:
        raise Unknown(f"{path} has {text[:40]!r}, no size of a cache")
    return cache_size(int(size[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[size[2]], path)


def open_machine(root):
    machine, folder = Machine(root), root / "sys/devices/system/cpu"
    if not folder.is_dir():
        raise Unknown(f"{folder} does not exist: this needs Linux's sysfs")
    for cpu in folder.iterdir():
        if re.fullmatch(r"cpu[0-9]{1,5}", cpu.name):
            machine.cpus[int(cpu.name[3:])] = cpu
    if not machine.cpus:
        raise Unknown(f"{folder} has no cpu0")
    for block in re.split(r"\n\s*\n", read(root / "proc/cpuinfo") or ""):
        rows = dict(re.findall(r"^([^:\n\t]+?)[ \t]*:[ \t]*(.*)$", block, re.M))
        if rows.get("processor", "").isdigit():
            machine.info[int(rows["processor"])] = rows
    return machine


def tree_node(machine, cpu):
    """The core's node of the device tree: the one that sysfs names, else the one at its place in the order of addresses."""
    linked = machine.cpus[cpu] / "of_node"
    if linked.is_dir():
        return linked
    for cpus in (machine.root / "proc/device-tree/cpus", machine.root / "sys/firmware/devicetree/base/cpus"):
        nodes = [n for n in cpus.glob("cpu@*") if re.fullmatch(r"[0-9a-fA-F]{1,16}", n.name[4:])]
        nodes.sort(key=lambda n: int(n.name[4:], 16))
        if cpu < len(nodes):
            return nodes[cpu]
    return None


def cell(path):
    """A number of the device tree."""
    data = path.read_bytes() if path.is_file() else b""
    return struct.unpack(">I", data[-4:])[0] if len(data) >= 4 else None


def tree_caches(machine, node):
    """Sizes of the data caches along next-level-cache."""
    sizes, size = {}, cell(node / "d-cache-size")
    if size:
        sizes[1] = cache_size(size, node / "d-cache-size")
    cpus = node.resolve().parent
    if not (cpus.name == "cpus" and node.resolve().name.startswith("cpu")):
        raise Unknown(f"{node} is no node of a CPU in a device tree")
    by_handle = {cell(p): p.parent for p in cpus.parent.rglob("phandle")}
    for level in (2, 3):
        node = by_handle.get(cell(node / "next-level-cache")) if node else None
        size = cell(node / "cache-size") if node else None
        if size:
            sizes[level] = cache_size(size, node / "cache-size")
    return sizes


def caches_of(machine, cpu):
    """Sizes by level, and how many cores share the second."""
    sizes, shares = {}, 1
    for index in (machine.cpus[cpu] / "cache").glob("index[0-9]*"):
        level, kind, size = (read(index / name) for name in ("level", "type", "size"))
        if level and kind in ("Data", "Unified") and size:
            level = number(level, index / "level")
            sizes[level] = bytes_of(size, index / "size")
            if level == 2:
                shares = len(numbers_of(read(index / "shared_cpu_list") or str(cpu), index / "shared_cpu_list"))
    node = tree_node(machine, cpu)
    if 1 not in sizes and node:
        sizes = {**tree_caches(machine, node), **sizes}
    if 1 not in sizes:
        raise Unknown(f"cpu{cpu}: neither {machine.cpus[cpu]}/cache nor a device tree tells the size of its data cache")
    if 2 not in sizes:
        raise Unknown(f"cpu{cpu}: a first-level cache of {sizes[1]} bytes, but nothing tells of a second level")
    caches = (sizes[1], sizes[2], sizes.get(3, sizes[2]))
    if not caches[0] < caches[1] <= caches[2]:
        raise Unknown(f"cpu{cpu}: caches of {caches[0]}, {caches[1]} and {caches[2]} bytes, each should hold the one before")
    return caches, shares


def known_cores():
    """Cores of arch/neon.hpp by the part number of their identification register."""
    text = (ARCH / "neon.hpp").read_text()
    return {int(part, 16): name for name, part in re.findall(r"struct (\w+) : neon \{.*?midr_part = (0x\w+)", text, re.S)}


def identifier(text):
    """A name for a structure: as it is where it reads like a core's (cortex_a78), else with something before it, so that
    it is no keyword, no macro and no name that a structure uses."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return name if re.fullmatch(r"[a-z]+_[a-z0-9]*[0-9][a-z0-9]*", name) else f"core_{name}".rstrip("_")


def arm_core(machine, cpu):
    """The tag of a core of Arm's that tkl knows, and its name; from what is told of this very CPU."""
    cores, info = known_cores(), machine.info.get(cpu, {})
    register = machine.cpus[cpu] / "regs/identification/midr_el1"
    midr = read(register)
    node = tree_node(machine, cpu)
    compatible = read(node / "compatible") if node else None
    if midr:
        value = number(midr, register, 16)
        implementer, part = value >> 24 & 0xff, value >> 4 & 0xfff
    else:
        implementer, part = (number(info.get(n) or "0", machine.root / "proc/cpuinfo", 16)
                             for n in ("CPU implementer", "CPU part"))
    if implementer == 0x41 and part in cores:
        return cores[part], cores[part]
    if compatible:
        name = identifier(compatible.split("\0")[0].split(",")[-1])
        return (name if name in cores.values() else "neon"), name
    return "neon", f"part_{implementer:02x}_{part:03x}" if part else "neon"


def core_of(machine, cpu):
    info = machine.info.get(cpu) or machine.info.get(min(machine.info, default=0)) or {}
    flags = set((info.get("flags") or info.get("Features") or "").split())
    if not flags:
        raise Unknown(f"{machine.root / 'proc/cpuinfo'} tells no flags or Features of cpu{cpu}")
    if "asimd" in flags:
        level = "neon"
        base, name = arm_core(machine, cpu)
    else:
        level = next((l for l, needed in X86_LEVELS.items() if needed <= flags), None)
        if level is None:
            raise Unknown(f"cpu{cpu} has neither asimd nor sse2: no level of tkl runs on it")
        base = name = level
    caches, shares = caches_of(machine, cpu)
    features = tuple(n for n, flag in FEATURES.items() if flag & flags)
    clock = machine.cpus[cpu] / "cpufreq/cpuinfo_max_freq"
    return Core(level, name, base, caches, shares, number(read(clock) or "0", clock), features)


def ranges(cpus):
    """Numbers as people write them: 0-3, 8."""
    runs = []
    for n in sorted(cpus):
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def structure(name, core, cpus):
    clock = f", up to {core.khz // 1000} MHz" if core.khz else ""
    shared = f", second level shared by {core.shares}" if core.shares > 1 else ""
    features = ", ".join(f".{n} = true" for n in core.features)
    base = f"tkl::arch::{core.base}"
    return f"""
/// CPU {ranges(cpus)}{clock}{shared}.
struct {name} : {base} {{
  static constexpr std::string_view name = "{name}";
  static constexpr tkl::core_features features{{{features}}};
  static constexpr tkl::cache_sizes cache{{{', '.join(map(str, core.caches))}}};
  static constexpr tkl::gemm_schedule gemm = tkl::gemm_blocks({base}::gemm.mr, {base}::gemm.nr, width_f32, cache);
  static constexpr tkl::conv_schedule conv = tkl::conv_from(gemm);
}};
static_assert(tkl::schedules_fit<{name}>());
"""


def header(machine, wanted):
    if wanted is not None and wanted not in machine.cpus:
        raise Unknown(f"there is no cpu{wanted}; there are {ranges(machine.cpus)}")
    kinds = {}
    online = [cpu for cpu, folder in machine.cpus.items() if read(folder / "online") != "0"]
    for cpu in sorted(online if wanted is None else [wanted]):
        kinds.setdefault(core_of(machine, cpu), []).append(cpu)
    names, parts = set(), []
    for core, cpus in kinds.items():
        name = core.name
        while name in names:
            name += f"_cpu{cpus[0]}"
        names.add(name)
        parts.append(structure(name, core, cpus))
    includes = "\n".join(f"#include <tkl/arch/{level}.hpp>" for level in sorted({c.level for c in kinds}))
    board = read(machine.root / "proc/device-tree/model") or read(machine.root / "sys/class/dmi/id/product_name")
    board = re.sub(r"[^ -[\]-~]+", " ", board or "").strip()[:80]  # one line of a comment, without backslashes
    return f"""// The cores of {board or 'this machine'}, written by tools/describe_device.py.
#pragma once

#include <string_view>
{includes}

namespace device {{
{''.join(parts)}
}}  // namespace device
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--root", type=Path, default=Path("/"), help="folder with sys/ and proc/ of the machine")
    parser.add_argument("--cpu", type=int, help="only this CPU's core; otherwise one structure per kind of core")
    parser.add_argument("--output", type=Path, help="file to write; otherwise the header is printed")
    options = parser.parse_args()
    try:
        text = header(open_machine(options.root), options.cpu)
        if options.output:
            options.output.write_text(text)
    except (Unknown, OSError) as error:
        sys.exit(f"describe_device: {error}")
    if not options.output:
        print(text, end="")


if __name__ == "__main__":
    main()
