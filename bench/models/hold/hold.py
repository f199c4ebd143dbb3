#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hold.py SITE_PACKAGES FOLDER ENTRY...: copies of Python packages whose libraries ask cpuid_mask instead of the CPU.

An entry is a folder of site-packages, or a pattern of files. Rivals choose their kernels by `cpuid` alone. In every library of the copies the instruction is replaced
by one of the same length that traps (ud2); cpuid_mask.so, preloaded, answers it. Needs objdump and readelf.
"""
import pathlib
import re
import shutil
import subprocess
import sys

CPUID, UD2 = b"\x0f\xa2", b"\x0f\x0b"


def segments(path):
    """Offset in the file, address and size of what is loaded."""
    text = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s*LOAD\s+0x(\w+)\s+0x(\w+)\s+0x\w+\s+0x(\w+)", text, re.M)
    return [tuple(int(x, 16) for x in f) for f in found]


def hold(path):
    """Replaces each cpuid of a library; the number of them."""
    data = bytearray(path.read_bytes())
    if data[:4] != b"\x7fELF" or CPUID not in data:
        return 0
    loaded, count = segments(path), 0
    listing = subprocess.Popen(["objdump", "-d", "-w", "--no-show-raw-insn", str(path)], stdout=subprocess.PIPE, text=True)
    for line in listing.stdout:
        address, _, instruction = line.partition(":\t")
        if instruction.strip() != "cpuid":
            continue
        address = int(address, 16)
        for offset, start, size in loaded:
            if start <= address < start + size:
                at = address - start + offset
                assert data[at : at + 2] == CPUID
                data[at : at + 2] = UD2
                count += 1
    if listing.wait() != 0:
        raise SystemExit(f"hold: objdump cannot read {path}")
    path.write_bytes(data)
    return count


def main():
    site, folder = map(pathlib.Path, sys.argv[1:3])
    for entry in [found for pattern in sys.argv[3:] for found in sorted(site.glob(pattern))]:
        target = folder / entry.name
        if (folder / f"{entry.name}.held").exists():
            continue
        if entry.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(entry, target)
        else:
            shutil.copy2(entry, target)
        files = target.rglob("*") if entry.is_dir() else [target]
        libraries = [p for p in files if p.is_file() and not p.is_symlink() and re.search(r"\.so(\.|$)", p.name)]
        count = sum(hold(p) for p in libraries)
        print(f"{entry.name}: {count} instructions in {len(libraries)} libraries", file=sys.stderr, flush=True)
        (folder / f"{entry.name}.held").touch()


if __name__ == "__main__":
    main()
