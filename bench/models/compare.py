#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole networks, batch 1, one thread, f32: tkl against ONNX Runtime, OpenVINO, MNN, ncnn and LiteRT (all from PyPI).

    python3 bench/models/compare.py --build build/release [--ratios build/ratios.json] [--networks a,b] [--levels avx2]

One process per runtime and level, rounds interleaved, medians; the peak of the core's multiply-adds in the same rounds.
Every output is compared with ONNX Runtime's before anything is timed. Level avx2 uses the objects NAME.avx2.so; on a host
with AVX-512 the level avx512 uses NAME.native.so. A row per rival, and the row `fastest`: tkl against the fastest of those
rivals whose outputs differ by at most 1e-4 of the largest one. A rival that cannot take a network says why in its row.
"""
import ctypes
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]

from command_line import RIVALS, checked, parser_of
from conversions import Failure, file_for, fixed_shape_model, multiply_adds
from files import prepare, weights_of
from table import NETWORKS

TOLERANCE = 1e-3  # more is another result
COMPARABLE = 1e-4  # more is an approximation, which tkl is not measured against
CPU_FLAGS = set(pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split())
HAS_AVX512 = {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= CPU_FLAGS
LEVELS = ["avx2", "avx512"] if HAS_AVX512 else ["avx2"]


# ---- the worker: one runtime with one network, driven by lines of JSON ----

def worker():
    import numpy as np
    from runtimes import RUNTIMES

    replies = os.dup(1)
    os.dup2(2, 1)  # what libraries print goes to stderr
    runtime, calls = None, 1
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "load" in request:
                r = request["load"]
                x = np.random.default_rng(0).uniform(-1, 1, r["shape"]).astype(np.float32)
                more = (r["network"], r["weights"]) if r["runtime"] == "tkl" else ()
                runtime = RUNTIMES[r["runtime"]](r["file"], x, r["threads"], *more)
                runtime.run()
                np.savez(r["output"], *runtime.outputs())
                start = time.perf_counter()
                runtime.run()
                calls = max(1, int(2e-4 / (time.perf_counter() - start)))  # a sample takes 0.2 ms at least
                reply = {"version": str(runtime.version), "flops": getattr(runtime, "flops", None)}
                if "cpuid_mask" in os.environ.get("LD_PRELOAD", "") and ctypes.CDLL(None).tkl_bench_cpuid_answers() == 0:
                    raise RuntimeError(f"{r['runtime']} is not held to AVX2")
            else:
                samples, end = [], time.perf_counter() + request["seconds"]
                while len(samples) < 2 or time.perf_counter() < end:
                    start = time.perf_counter()
                    for _ in range(calls):
                        runtime.run()
                    samples.append((time.perf_counter() - start) / calls)
                reply = {"median": statistics.median(samples)}
        except Exception as e:  # the reply says what went wrong; the parent makes a failed row of it
            reply = {"error": f"{type(e).__name__}: {e}"[:300]}
        os.write(replies, (json.dumps(reply) + "\n").encode())


# ---- the parent ----

class Process:
    def __init__(self, runtime, level, held=None, threads=1):
        """`held`: a folder with copies of the rivals that ask a mask for the CPU's features, and the mask; or None."""
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        if threads == 1:
            environment["KMP_BLOCKTIME"] = "0"
        if held is not None and runtime in RIVALS:
            environment.update(LD_PRELOAD=str(held[1]), PYTHONPATH=str(held[0]), ONEDNN_MAX_CPU_ISA="AVX2",
                               GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ")
        self.runtime, self.level, self.threads, self.medians = runtime, level, threads, []
        self.error, self.absent, self.version, self.difference, self.flops = None, None, "", None, None
        self.output = f"/tmp/tkl_compare_{os.getpid()}_{id(self)}.npz"
        self.p = subprocess.Popen([sys.executable, __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, env=environment)

    def ask(self, **request):
        try:
            self.p.stdin.write((json.dumps(request) + "\n").encode())
            self.p.stdin.flush()
            line = self.p.stdout.readline()
        except BrokenPipeError:
            line = b""
        reply = json.loads(line) if line else {"error": f"{self.runtime} ended with status {self.p.wait()}"}
        if "error" in reply and self.error is None:
            self.error = reply["error"]
        return reply

    def runs(self):
        return self.error is None and self.absent is None

    def seconds(self):
        return statistics.median(self.medians) if self.medians else None

    def close(self):
        self.p.stdin.close()
        self.p.wait()
        if os.path.exists(self.output):
            os.remove(self.output)


def difference(outputs, expected):
    """The largest difference, relative to the largest number of its output; outputs may come in another order."""
    import numpy as np

    if len(outputs) != len(expected):
        raise Failure(f"{len(outputs)} outputs instead of {len(expected)}")
    left, worst = list(outputs), 0.0
    for y in expected:
        scale = max(float(np.abs(y).max()), 1e-30)
        found = [(float(np.abs(o.ravel().astype(np.float64) - y.ravel()).max()) / scale, i)
                 for i, o in enumerate(left) if o.size == y.size]
        if not found:
            raise Failure(f"no output of {y.size} numbers")
        distance, i = min(found)
        del left[i]
        worst = max(worst, distance if not math.isnan(distance) else math.inf)
    return worst


def judge(processes):
    """Compares all outputs with ONNX Runtime's."""
    import numpy as np

    written = [p.output for p in processes if p.runtime == "onnxruntime" and os.path.exists(p.output)]
    expected = list(np.load(written[0]).values()) if written else None
    for p in processes:
        if not p.runs() or p.runtime == "peak":
            continue
        if expected is None:
            p.error = "no reference output"
            continue
        try:
            p.difference = difference(list(np.load(p.output).values()), expected)
        except Failure as failure:
            p.error = str(failure)
            continue
        if not p.difference <= TOLERANCE:
            p.error = f"differs from onnxruntime by {p.difference:.2g} of the largest output"
        if p.runtime not in ("tkl", "onnxruntime"):  # what another rival cannot compute is no fault of tkl
            p.absent, p.error = p.error, None


def held_rivals(args):
    """Copies of the rivals that do not see AVX-512, on a host that has it: the folder and the library to preload."""
    if not HAS_AVX512 and not args.hold:
        return None
    from runtimes import PACKAGES

    folder, mask = ROOT / "build" / "held", args.build / "bench" / "models" / "cpuid_mask.so"
    folder.mkdir(parents=True, exist_ok=True)
    site = next((ROOT / "build" / "venv" / "lib").glob("python3*/site-packages"))
    subprocess.run([sys.executable, str(ROOT / "bench" / "models" / "hold" / "hold.py"), str(site), str(folder),
                    *[entry for entries in PACKAGES.values() for entry in entries]], check=True)
    return folder, mask


def object_of(build, name, suffix):
    return build / "bench" / "models" / f"{name}.{suffix}.so"


def start(process, name, file=None):
    """Loads the network, or says in the process what keeps it from that. `file`: of tkl or the peak."""
    p = process
    try:
        file = file or file_for(p.runtime, name)
    except Failure as failure:
        p.absent = f"not converted: {failure}"
        return p
    reply = p.ask(load={"runtime": p.runtime, "network": name, "shape": NETWORKS[name].shape, "output": p.output,
                        "file": str(file), "weights": str(weights_of(name)), "threads": p.threads})
    p.version, p.flops = reply.get("version", ""), reply.get("flops")
    if p.error and p.runtime in RIVALS and p.runtime != "onnxruntime":
        p.absent, p.error = p.error, None
    return p


def take_turns(processes, args):
    for turn in range(args.rounds + 1):
        for p in processes:
            if p.runs():
                reply = p.ask(seconds=args.seconds)
                if turn > 0 and "median" in reply:  # the first round warms up
                    p.medians.append(reply["median"])
    for p in processes:
        p.close()


def rows_of(name, level, of_level, flops):
    """A row per rival, then the one against the fastest."""
    own, peak, network = of_level["tkl"], of_level["peak"], NETWORKS[name]

    def share(p):
        if p.seconds() is None or peak.seconds() is None:
            return None
        return round(100 * (flops / p.seconds()) / (peak.flops / peak.seconds()), 2)

    def row(p, rival, floor):
        error = own.error and f"tkl: {own.error}" or peak.error and f"peak: {peak.error}" or p and p.error
        ratio = p.seconds() / own.seconds() if p and not error and p.seconds() and own.seconds() else None
        version = (p.version if rival == p.runtime else f"{p.runtime} {p.version}") if p else ""
        if p is None and not error:
            error = "no rival computes what ONNX Runtime computes"
        return {"bench": "models", "case": name, "level": level, "threads": 1, "rival": rival, "rival_version": version,
                "ratio": ratio and round(ratio, 4), "floor": floor, "percent_of_peak": share(own),
                "rival_percent_of_peak": p and share(p), "difference": own.difference,
                "rival_difference": p and p.difference, "error": error or None, "absent": p and p.absent}

    rivals = [p for p in of_level.values() if p.runtime in RIVALS]
    rows = [row(p, p.runtime, None if p.absent else network.floors.get(p.runtime, {}).get(level)) for p in rivals]
    able = [p for p in rivals if p.medians and p.difference <= COMPARABLE]
    rows.append(row(min(able, key=Process.seconds, default=None), "fastest", network.fastest[level]))
    print_rows(rows, own, {p.runtime: p for p in rivals})
    return rows


def print_rows(rows, own, rivals):
    number = lambda v, form: "-" if v is None else format(v, form)
    ms = lambda p: number(p and p.seconds() and 1e3 * p.seconds(), ".3f")
    for r in rows:
        rival = rivals.get(r["rival"]) or rivals.get(r["rival_version"].split(" ")[0])
        print(f"models   {r['case']:14s} {r['level']:7s} {r['rival']:12s} {r['rival_version']:22s} tkl {ms(own):>8s} ms "
              f"({number(r['percent_of_peak'], '.0f')}% of peak, error {number(r['difference'], '.1e')}), {ms(rival):>8s} ms "
              f"({number(r['rival_percent_of_peak'], '.0f')}%, {number(r['rival_difference'], '.1e')}), ratio "
              f"{number(r['ratio'], '.2f')}, floor {number(r['floor'], '.2f')} {r['error'] or r['absent'] or ''}", flush=True)


def compare(name, levels, held, args):
    def started(runtime, level):
        p = Process(runtime, level, held if level == "avx2" else None)
        suffix = "avx2" if level == "avx2" else "native"
        objects = {"tkl": name, "peak": "peak"}
        return start(p, name, object_of(args.build, objects[runtime], suffix) if runtime in objects else None)

    processes = [started(runtime, level) for level in levels for runtime in ("peak", "tkl", *args.rivals)]
    judge(processes)
    take_turns(processes, args)
    flops = 2 * multiply_adds(fixed_shape_model(name))
    rows = []
    for level in levels:
        rows += rows_of(name, level, {p.runtime: p for p in processes if p.level == level}, flops)
    return rows


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=0.25, help="time of one process in one round")
    parser.add_argument("--levels", default=",".join(LEVELS), help="of what this host has: %(default)s")
    parser.add_argument("--hold", action="store_true", help="hold the rivals to AVX2 even where there is nothing to hide")
    args = checked(parser)
    levels = args.levels.split(",")
    for level in levels:
        if level not in LEVELS:
            raise SystemExit(f"compare: no level '{level}' on this host, which has: {' '.join(LEVELS)}")
    from run import merge_rows
    held = held_rivals(args) if "avx2" in levels else None
    for name in args.networks:
        prepare([name])
        merge_rows(args.ratios, compare(name, levels, held, args))


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()
