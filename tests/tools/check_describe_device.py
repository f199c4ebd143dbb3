# SPDX-License-Identifier: Apache-2.0
"""Runs tools/describe_device.py on copies of machines' files that it makes: a big.LITTLE board whose caches only the
device tree tells, a server, a board that tells nothing of its caches, an empty folder, and this machine. The headers are
compiled; their numbers are looked for.

usage: check_describe_device.py TOOL INCLUDE COMPILER...
"""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

tool, include, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
CPU = "sys/devices/system/cpu"


def cells(*numbers):
    return struct.pack(f">{len(numbers)}I", *numbers)


def board(caches=True):
    """Four Cortex-A53 and two Cortex-A72, as the RK3399 has."""
    files = {"proc/device-tree/model": b"Board with two kinds of cores\0"}
    info = ""
    for cpu in range(6):
        big = cpu >= 4
        node = f"proc/device-tree/cpus/cpu@{0x100 + cpu - 4 if big else cpu:x}"
        files[f"{CPU}/cpu{cpu}/cpufreq/cpuinfo_max_freq"] = b"1800000\n" if big else b"1416000\n"
        files[f"{CPU}/cpu{cpu}/regs/identification/midr_el1"] = b"0x00000000410fd082\n" if big else b"0x00000000410fd034\n"
        files[f"{node}/compatible"] = b"arm,cortex-a72\0" if big else b"arm,cortex-a53\0"
        if caches:
            files[f"{node}/d-cache-size"] = cells(0x8000)
            files[f"{node}/next-level-cache"] = cells(20 + big)
        info += f"processor\t: {cpu}\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32\nCPU implementer\t: 0x41\n\n"
    for n, size in enumerate((512, 1024)):
        files[f"proc/device-tree/cpus/l2-cache{n}/phandle"] = cells(20 + n)
        files[f"proc/device-tree/cpus/l2-cache{n}/cache-size"] = cells(size << 10)
    files["proc/cpuinfo"] = info.encode()
    return files


def server():
    """Two cores with AVX-512, VNNI and BF16, whose sysfs tells all."""
    flags = "sse2 avx2 fma f16c avx512f avx512cd avx512bw avx512dq avx512vl avx512_vnni avx512_bf16"
    files = {"proc/cpuinfo": "".join(f"processor\t: {n}\nflags\t\t: {flags}\n\n" for n in (0, 1)).encode()}
    caches = ((1, "Data", "48K", "{}"), (1, "Instruction", "32K", "{}"), (2, "Unified", "2048K", "{}"),
              (3, "Unified", "60M", "0-1"))
    for cpu in (0, 1):
        files[f"{CPU}/cpu{cpu}/cpufreq/cpuinfo_max_freq"] = b"3500000\n"
        for n, (level, kind, size, shared) in enumerate(caches):
            index = f"{CPU}/cpu{cpu}/cache/index{n}"
            files |= {f"{index}/level": b"%d\n" % level, f"{index}/type": kind.encode(), f"{index}/size": size.encode(),
                      f"{index}/shared_cpu_list": shared.format(cpu).encode()}
    return files


def run(files, *options):
    """Exit status, what was printed, and what was said; without files on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (files or {}).items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        root = [] if files is None else ["--root", folder]
        done = subprocess.run([sys.executable, str(tool), *root, *options], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr.replace(folder, "ROOT")


def compiles(header, assertions):
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "unit.cpp"
        (Path(folder) / "device.hpp").write_text(header)
        unit.write_text('#include "device.hpp"\n' + "\n".join(f"static_assert({a});" for a in assertions) + "\n")
        done = subprocess.run([*compiler, f"-I{include}", "-fsyntax-only", str(unit)], capture_output=True, text=True)
        return done.stderr[:3000]


faults = 0


def expect(what, good, shown):
    global faults
    print(f"{'ok' if good else 'FAILED'}: {what}")
    if not good:
        faults += 1
        print(shown)


def described(what, files, options, assertions):
    status, header, said = run(files, *options)
    expect(f"{what}: described", status == 0, said)
    if status == 0:
        said = compiles(header, assertions)
        expect(f"{what}: compiles, numbers as given", not said, header + said)


def refused(what, files, options, text):
    status, header, said = run(files, *options)
    expect(f"{what}: refused", status == 1 and not header and text in said, header + said)


described("two kinds of cores", board(), [], [
    "device::cortex_a53::cache.l1 == 32768 && device::cortex_a53::cache.l2 == 512 * 1024",
    "device::cortex_a72::cache.l2 == 1024 * 1024 && device::cortex_a72::multiply_add.per_cycle == 1",
    "device::cortex_a72::gemm == tkl::arch::cortex_a72::gemm && !device::cortex_a72::features.dot_product"])
described("one of them", board(), ["--cpu", "5"], ["device::cortex_a72::cache.l2 == 1024 * 1024"])
described("a server", server(), [], [
    "device::avx512::cache.l2 == 2048 * 1024 && device::avx512::cache.l3 == 60 * 1024 * 1024",
    "device::avx512::features.dot_product && device::avx512::features.bf16 && !device::avx512::features.fp16"])
refused("a CPU that is not there", board(), ["--cpu", "9"], "there is no cpu9; there are 0-5")
refused("no caches", board(caches=False), [], "cpu0: neither ROOT/sys/devices/system/cpu/cpu0/cache nor a device tree tells")
refused("an empty folder", {}, [], "ROOT/sys/devices/system/cpu does not exist: this needs Linux's sysfs")
refused("no instruction set", {f"{CPU}/cpu0/online": b"1\n"}, [], "ROOT/proc/cpuinfo tells no flags or Features of cpu0")
one = board()
described("an offline core of another kind, known by the tree alone",
          {n: d for n, d in one.items() if "cpu5/regs" not in n and "cpu4/regs" not in n}, ["--cpu", "5"],
          ["device::cortex_a72::cache.l2 == 1024 * 1024"])
described("an offline core that tells nothing", one | {f"{CPU}/cpu6/online": b"0\n"}, [], ["device::cortex_a53::cache.l1 == 32768"])
described("a name of several lines", one | {"proc/device-tree/model": b"Board\n#error injected \\\n\0"}, [],
          ["device::cortex_a53::cache.l1 == 32768"])
for name in (b"acme,9lives\0", b"acme,class\0", b"acme,tkl\0", b",\0", b"acme,name\0"):
    files = {n: d for n, d in one.items() if "midr" not in n}
    described(f"a core called {name!r}", {n: name if n.endswith("compatible") else d for n, d in files.items()}, [], [])
refused("one level of caches", {n: d for n, d in server().items() if "index2" not in n and "index3" not in n}, [],
        "a first-level cache of 49152 bytes, but nothing tells of a second level")
cpu0 = f"{CPU}/cpu0/cache/index0"
refused("a cache of no bytes", server() | {f"{cpu0}/size": b"0K\n"}, [], "index0/size tells a cache of 0 bytes")
refused("a cache beyond measure", server() | {f"{cpu0}/size": b"9" * 12 + b"G"}, [], "index0/size tells a cache of 10")
refused("a clock that is no number", server() | {f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": b"-5"}, [], "has '-5', not a number")
refused("more CPUs than there are", server() | {f"{CPU}/cpu0/cache/index2/shared_cpu_list": b"0-99999999999"}, [],
        "has '0-99999999999', no list of CPUs")
refused("a folder as output", one, ["--output", "/"], "describe_device: ")
status, header, said = run(None)
if status == 0:
    expect("this machine: compiles", not compiles(header, []), header + compiles(header, []))
else:
    expect("this machine: says what it does not tell", said.startswith("describe_device: "), said)
print(f"{faults} faults")
sys.exit(1 if faults else 0)
