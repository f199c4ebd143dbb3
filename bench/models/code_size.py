#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code and constants of a whole program with one network: what its files load, without the system's libraries.

    python3 bench/models/code_size.py --build build/release [--ratios build/ratios.json] [--networks a,b]

tkl's program is one file, NAME.start; a rival's are the libraries of its own that it has mapped after a run. A row per rival,
and the row `1 MB`, which carries the floor.
"""
import struct

from row import row
from starts import LEVEL, program_of, rows_of, run

LIMIT_BYTES = 1_000_000
LOAD = 1  # type of a segment that is loaded


def loaded_bytes(path):
    """Bytes that the segments of an ELF file of 64 bits bring into memory."""
    data = open(path, "rb").read()
    if data[:5] != b"\x7fELF\x02":
        raise ValueError(f"{path} is no ELF file of 64 bits")
    (table,), (size, count) = struct.unpack_from("<Q", data, 32), struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    return sum(bytes_in_file for kind, _, _, _, _, bytes_in_file in headers if kind == LOAD)


def rows(name, of, sizes, build):
    def code(s):
        return loaded_bytes(program_of(build, name)) if s.runtime == "tkl" else \
            sum(loaded_bytes(path) for path in s.replies[-1]["libraries"])

    own = of["tkl"]
    made = rows_of("code_size", name, of, code, "smallest", None, "mb", 1e-6)
    made.append(row("code_size", name, LEVEL, "1 MB", LIMIT_BYTES / code(own) if own.good() else None, 1.0, error=own.error,
                    mb=1e-6 * code(own) if own.good() else None))
    return made


if __name__ == "__main__":
    run(__doc__, rows, rounds=1)
