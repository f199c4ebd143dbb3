#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peak resident memory of whole networks beyond what a process has before it opens the network, in fresh processes with
one thread.

    python3 bench/models/memory.py --build build/release [--ratios build/ratios.json] [--networks a,b] [--rounds 3]

A row per rival, and the row `smallest`, which carries the floor of networks below 20 MB of weights. Of larger ones the row
`weights_and_arena` has it: tkl may take 1.3 times the weights of the file and its arena, and what weights transformed for
Winograd's algorithm take beyond those of the file. Both rows name the parts.
"""
from row import row
from starts import LEVEL, SMALL_BYTES, Starts, rows_of, run

FLOOR_SMALL = 2.0
WEIGHTS = 1.3


def rows(name, of, sizes, build):
    own, large = of["tkl"], bool(sizes) and sizes["weights"] >= SMALL_BYTES
    made = rows_of("memory", name, of, Starts.bytes, "smallest", None if large else FLOOR_SMALL, "mb", 1e-6)
    parts = {f"{part}_mb": 1e-6 * bytes for part, bytes in (sizes or {}).items()}
    made[-1].update(parts)
    if large:
        allowed = WEIGHTS * sizes["weights"] + sizes["arena"] + sizes["transformed"]
        made.append(row("memory", name, LEVEL, "weights_and_arena", allowed / own.bytes() if own.good() else None, 1.0,
                        error=own.error, mb=1e-6 * own.bytes() if own.good() else None, **parts))
    return made


if __name__ == "__main__":
    run(__doc__, rows, rounds=3)
