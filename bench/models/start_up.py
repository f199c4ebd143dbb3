#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Start-up of whole networks: opening and the first run, less one warm run, in fresh processes with one thread.

    python3 bench/models/start_up.py --build build/release [--ratios build/ratios.json] [--networks a,b] [--rounds 7]

tkl maps packed weights. Interpreter and imports of the rivals are left out. A row per rival, and the row `fastest`, which
carries the floor.
"""
from starts import SMALL_BYTES, Starts, rows_of, run

FLOOR_SMALL, FLOOR_LARGE = 3.0, 1.0


def rows(name, of, sizes, build):
    floor = FLOOR_LARGE if sizes and sizes["weights"] >= SMALL_BYTES else FLOOR_SMALL
    return rows_of("start_up", name, of, Starts.seconds, "fastest", floor, "ms", 1e3)


if __name__ == "__main__":
    run(__doc__, rows, rounds=7)
