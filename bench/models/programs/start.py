# SPDX-License-Identifier: Apache-2.0
"""The smallest program with a network in a rival, for starts.py:

    start.py RUNTIME FILE INPUT.npy OUTPUT.npz

It loads the network, runs it once, then some more times, and prints a line of JSON: the seconds of loading with the first
run, those of a later run (median), the bytes resident before loading, their peak after that, and the libraries mapped.
The interpreter and the imports stand before the clock starts.
"""
import importlib
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
from runtimes import MODULES, RUNTIMES


def field_bytes(file, field):
    lines = pathlib.Path("/proc/self", file).read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field + ":"))


def resident_bytes():
    """Counted page by page."""
    return field_bytes("smaps_rollup", "Rss")


def peak_bytes():
    """VmHWM is the peak of VmRSS, which may be some dozens of pages off: by as much as now."""
    resident = resident_bytes()
    return max(resident, field_bytes("status", "VmHWM") + resident - field_bytes("status", "VmRSS"))


def libraries():
    """Files of site-packages with code that is mapped."""
    lines = [line.split(maxsplit=5) for line in pathlib.Path("/proc/self/maps").read_text().splitlines()]
    return {line[5] for line in lines if len(line) == 6 and "x" in line[1] and "site-packages" in line[5]}


def main():
    name, file, given, output = sys.argv[1:]
    x, others = np.load(given), libraries()
    importlib.import_module(MODULES[name])
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # from here on the peak is that of what follows
    before = resident_bytes()

    start = time.perf_counter()
    runtime = RUNTIMES[name](file, x, 1)
    runtime.run()
    cold = time.perf_counter() - start

    warm = []
    while len(warm) < 3 or sum(warm) < 0.02 and len(warm) < 1000:
        start = time.perf_counter()
        runtime.run()
        warm.append(time.perf_counter() - start)
    peak = peak_bytes()
    np.savez(output, *runtime.outputs())
    print(json.dumps({"cold": cold, "warm": statistics.median(warm), "before": before, "peak": peak,
                      "libraries": sorted(libraries() - others), "version": str(runtime.version)}))


if __name__ == "__main__":
    main()
