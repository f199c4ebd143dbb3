#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rows of start-up, memory, code size, threads and compilers from made-up measurements: their keys, floors and
verdicts, and what a missing rival, a wrong result and a program that was not built become."""
import json
import pathlib
import subprocess
import sys
import types

root = pathlib.Path(sys.argv[1]).resolve()
sys.path[:0] = [str(root / "bench" / "models"), str(root / "bench")]
import code_size
import compilers
import memory
import start_up
import starts
import threads
from command_line import RIVALS
from run import BENCHES, KEY, NETWORK_BENCHES, passes, print_table, verdict

faults = []


def expect(what, found, wanted):
    if found != wanted:
        faults.append(f"{what}: {found!r} instead of {wanted!r}")


def started(runtime, cold, warm=0.001, bytes=1e6, difference=1e-6, **more):
    s = starts.Starts(runtime)
    s.replies = [{"cold": cold * k, "warm": warm, "before": 5e6, "peak": 5e6 + bytes, **more} for k in (1, 9, 0.5)]
    s.difference, s.version = difference, "1.2"
    return s


def all_started(own_ms, rival_ms, own_bytes=1e6, rival_bytes=3e6):
    of = {"tkl": started("tkl", 1e-3 * own_ms, 0, own_bytes)}
    of.update({r: started(r, 1e-3 * (rival_ms + i), 0, rival_bytes + i) for i, r in enumerate(RIVALS)})
    return of


def sizes(weights):
    return {"weights": weights, "arena": 1e6, "packed": weights, "transformed": 0}


def row_of(rows, rival, case=None):
    return next(r for r in rows if r["rival"] == rival and case in (None, r["case"]))


def check_schema(rows):
    for r in rows:
        missing = {*KEY, "rival_version", "ratio", "floor", "percent_of_peak", "error", "absent"} - set(r)
        if missing:
            faults.append(f"{r['bench']} {r['rival']}: no {missing}")
        json.dumps(r)
    keys = [tuple(r[k] for k in KEY) for r in rows]
    expect(f"keys of {rows[0]['bench']}, each once", len(set(keys)), len(keys))
    return rows


# Start-up: medians of load and first run less a warm one; the fastest rival; the floor of small and of large networks.
rows = check_schema(start_up.rows("a", all_started(10, 25), sizes(1e6), None))
expect("rivals", [r["rival"] for r in rows], [*RIVALS, "fastest"])
expect("ratio of the fastest", row_of(rows, "fastest")["ratio"], 2.5)
expect("who is the fastest", row_of(rows, "fastest")["rival_version"], "onnxruntime 1.2")
expect("small network, 2.5", verdict(row_of(rows, "fastest")), "BELOW ITS FLOOR")
expect("row without a floor", verdict(row_of(rows, "mnn")), "")
rows = start_up.rows("a", all_started(10, 25), sizes(3e7), None)
expect("large network, 2.5", verdict(row_of(rows, "fastest")), "")
rows = start_up.rows("a", all_started(30, 25), sizes(3e7), None)
expect("large network, slower", passes(row_of(rows, "fastest")), False)

# A rival that is missing is not compared, an inaccurate one is not the fastest, the reference must work.
of = all_started(10, 50)
of["mnn"] = starts.Starts("mnn")
of["mnn"].fail("ended with status 1: no module")
of["ncnn"] = started("ncnn", 0.011, 0, difference=5e-4)
rows = check_schema(start_up.rows("a", of, sizes(1e6), None))
expect("missing rival", verdict(row_of(rows, "mnn")), "not compared: ended with status 1: no module")
expect("missing rival passes", passes(row_of(rows, "mnn")), True)
expect("approximation", (row_of(rows, "ncnn")["ratio"], row_of(rows, "fastest")["ratio"]), (1.1, 5.0))
of = all_started(10, 50)
of["onnxruntime"].fail("no module")
expect("missing reference", verdict(row_of(start_up.rows("a", of, sizes(1e6), None), "onnxruntime")), "FAILED: no module")
of = {"tkl": started("tkl", 0.01), **{r: starts.Starts(r) for r in RIVALS}}
expect("no rival at all", verdict(row_of(start_up.rows("a", of, sizes(1e6), None), "fastest")),
       "FAILED: no rival computes what ONNX Runtime computes")
of = all_started(10, 50)
of["tkl"].replies = []
of["tkl"].fail("a.start: No such file")
rows = start_up.rows("a", of, None, None)
expect("program that is not built", {verdict(r) for r in rows}, {"FAILED: tkl: a.start: No such file"})

# Memory: half of the smallest rival below 20 MB of weights; above that 1.3 times the weights, the arena and what is transformed.
rows = check_schema(memory.rows("a", all_started(1, 9, 2e6, 3e6), sizes(1e6), None))
expect("memory, small", (row_of(rows, "smallest")["ratio"], verdict(row_of(rows, "smallest"))), (1.5, "BELOW ITS FLOOR"))
expect("memory, no limit for a small one", [r for r in rows if r["rival"] == "weights_and_arena"], [])
large = {"weights": 100e6, "arena": 10e6, "packed": 150e6, "transformed": 50e6}
rows = check_schema(memory.rows("a", all_started(1, 9, 160e6, 170e6), large, None))
expect("memory, large", row_of(rows, "smallest")["floor"], None)
expect("limit of memory", row_of(rows, "weights_and_arena")["ratio"], round(190 / 160, 4))
expect("transformed weights named apart", row_of(rows, "weights_and_arena")["transformed_mb"], 50.0)
rows = memory.rows("a", all_started(1, 9, 191e6), large, None)
expect("more than the limit", passes(row_of(rows, "weights_and_arena")), False)

# Code size: an ELF file with two segments, one of which is loaded.
folder = pathlib.Path(sys.argv[2])
(folder / "bench" / "models").mkdir(parents=True, exist_ok=True)
program = folder / "bench" / "models" / "a.start"
header = bytearray(64 + 2 * 56)
header[:5] = b"\x7fELF\x02"
header[32:40] = (64).to_bytes(8, "little")
header[54:58] = (56).to_bytes(2, "little") + (2).to_bytes(2, "little")
for i, (kind, size) in enumerate(((1, 250_000), (4, 999))):
    header[64 + 56 * i : 68 + 56 * i] = kind.to_bytes(4, "little")
    header[96 + 56 * i : 104 + 56 * i] = size.to_bytes(8, "little")
program.write_bytes(header)
of = all_started(1, 9)
for runtime in RIVALS:
    for reply in of[runtime].replies:
        reply["libraries"] = [str(program)] * 3
rows = check_schema(code_size.rows("a", of, sizes(1e6), folder))
expect("code of rivals", row_of(rows, "litert")["ratio"], 3.0)
expect("limit of code", (row_of(rows, "1 MB")["ratio"], row_of(rows, "1 MB")["floor"]), (4.0, 1.0))


# Threads: speed-ups of tkl and of the loops; the fastest rival.
def process(runtime, seconds, flops=None):
    return types.SimpleNamespace(runtime=runtime, error=None, absent=None, version="1.2", difference=1e-6, flops=flops,
                                 medians=[seconds], seconds=lambda: seconds)


threads.Process = types.SimpleNamespace(seconds=lambda p: p.seconds())
tkl, loops = [process("tkl", 1.0), process("tkl", 0.6)], [process("peak", 1.0, 1e9), process("peak", 1.05, 2e9)]
rows = check_schema(threads.rows("a", tkl, loops, [process(r, 0.63 + i) for i, r in enumerate(RIVALS)]))
expect("two threads, fastest", (row_of(rows, "fastest")["ratio"], row_of(rows, "fastest")["threads"]), (1.05, 2))
expect("two threads, loops", row_of(rows, "fma_loops")["ratio"], round(1 / 0.6 / (2 / 1.05), 4))
expect("two threads, below", verdict(row_of(rows, "fma_loops")), "BELOW ITS FLOOR")
tkl[0].error = "no such file"
expect("two threads, not built", {verdict(r) for r in threads.rows("a", tkl, loops, [process("onnxruntime", 1)])},
       {"FAILED: tkl: no such file"})

# Compilers: the geometric mean over the networks; a compiler that is missing.
one, two, three = compilers.COMPILERS
seconds = {"a": {one: 1.0, two: 1.2, three: 1.0}, "b": {one: 1.0, two: 1.0, three: 1.25}}
rows = check_schema(compilers.rows(seconds, {}))
expect("a network", (row_of(rows, two, "a")["ratio"], row_of(rows, two, "a")["floor"]), (0.8333, None))
expect("mean", verdict(row_of(rows, two, "geometric mean")), "")
expect("mean, too slow", verdict(row_of(rows, three, "geometric mean")), "BELOW ITS FLOOR")
rows = check_schema(compilers.rows({"a": {one: 1.0, three: 1.0}}, {two: "not found"}))
expect("missing compiler", verdict(row_of(rows, two, "geometric mean")), "FAILED: not found")
expect("the others without it", verdict(row_of(rows, one, "geometric mean")), "")

print_table(rows)
for bench, program in NETWORK_BENCHES.items():
    if bench not in BENCHES or not (root / "bench" / "models" / program).exists():
        faults.append(f"{bench} cannot be run")
    wrong = subprocess.run([sys.executable, str(root / "bench" / "models" / program), "--networks", "resnet51"],
                           capture_output=True, text=True)
    expect(f"{bench} with a wrong name", (wrong.returncode, "no network 'resnet51'" in wrong.stderr), (1, True))
print("\n".join(faults) or "rows as expected")
sys.exit(1 if faults else 0)
