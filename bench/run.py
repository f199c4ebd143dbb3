#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks that are built and prints their table.

    python3 bench/run.py --build build/release [--only gemm,conv,models,start_up] [--table]

Programs run on one core, those of networks on two threads on two, in the FIFO scheduling class where that is permitted:
another process on the core would halve the numbers. Rows go to build/ratios.json. A row passes when it reaches its
floor, or 92 % of the limit (arithmetic or bandwidth) that was measured in the same rounds; exit status 1 when one does
not pass.
"""
import argparse
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEY = ("bench", "case", "rival", "level", "threads")
NEAR_LIMIT = 92
# About whole networks: each a program of bench/models.
NETWORK_BENCHES = {"models": "compare.py", "start_up": "start_up.py", "memory": "memory.py", "code_size": "code_size.py",
                   "threads": "threads.py", "compilers": "compilers.py"}
BENCHES = ("gemm", "conv", "rows", "kernels", *NETWORK_BENCHES, "opencl", "opencl_networks")


def load_rows(path):
    try:
        rows = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return rows if isinstance(rows, list) else []


def merge_rows(path, rows):
    """Replaces the rows with the same keys. Readers never see half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        keys = {tuple(r[k] for k in KEY) for r in rows}
        kept = [r for r in load_rows(path) if tuple(r.get(k) for k in KEY) not in keys]
        temporary = pathlib.Path(f"{path}.new")
        temporary.write_text(json.dumps(kept + rows, indent=1) + "\n")
        os.replace(temporary, path)


def verdict(row):
    """What a reader wants to know about a row: "", "BELOW", "FAILED", or why it passes below its floor."""
    if row["error"]:
        return "FAILED: " + row["error"]
    if row.get("absent"):
        return "not compared: " + row["absent"]
    if row["floor"] is None or row["ratio"] >= row["floor"]:
        return ""
    # The share of a whole network counts the products of direct convolutions, of which Winograd's algorithm needs fewer.
    limits = () if row["bench"] == "models" else ("percent_of_peak", "percent_of_bandwidth")
    for limit in limits:
        if (row.get(limit) or 0) >= NEAR_LIMIT:
            return "at its limit"
    return "BELOW ITS FLOOR"


def passes(row):
    return verdict(row) in ("", "at its limit") or not row["error"] and bool(row.get("absent"))


def print_table(rows):
    number = lambda v, form: "-" if v is None else format(v, form)
    width = max([len(r["case"]) for r in rows] + [4])
    print(f"{'bench':15s} {'case':{width}s} {'level':7s} {'rival':28s} {'ratio':>6s} {'floor':>5s} {'limit':>6s}")
    for r in rows:
        limit = r["percent_of_peak"] if r["percent_of_peak"] is not None else r.get("percent_of_bandwidth")
        print(f"{r['bench']:15s} {r['case']:{width}s} {r['level']:7s} {r['rival']:28s} {number(r['ratio'], '.2f'):>6s} "
              f"{number(r['floor'], '.2f'):>5s} {number(limit, '.0f') + '%':>6s} {verdict(r)}")
    bad = sum(not passes(r) for r in rows)
    print(f"{len(rows)} rows, {sum(r['floor'] is not None for r in rows)} with a floor, {bad} below it or failed")
    return bad


def quiet_cores(number=1):
    """The command that gives a program cores to itself, as far as this user may."""
    command = []
    cores = sorted(os.sched_getaffinity(0))
    if shutil.which("taskset"):
        command += ["taskset", "-c", ",".join(map(str, cores[-number:]))]
    fifo = ["chrt", "-f", "10"]
    if shutil.which("chrt") and subprocess.run([*fifo, "true"], stderr=subprocess.DEVNULL).returncode == 0:
        return fifo + command
    print("run: no permission for the FIFO class; other processes on the core disturb the numbers", file=sys.stderr)
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--ratios", type=pathlib.Path, default=ROOT / "build" / "ratios.json")
    parser.add_argument("--only", default=",".join(BENCHES), help="benchmarks, separated by commas; the default is all")
    parser.add_argument("--table", action="store_true", help="only print the table of the last results")
    args = parser.parse_args()
    failed = []
    if not args.table:
        prefix, prefix_of_two = quiet_cores(), quiet_cores(2)
        for bench in args.only.split(","):
            if bench in NETWORK_BENCHES:
                command = [*(prefix_of_two if bench == "threads" else prefix), sys.executable,
                           str(ROOT / "bench" / "models" / NETWORK_BENCHES[bench]), "--build", str(args.build.resolve()),
                           "--ratios", str(args.ratios)]
                if subprocess.run(command).returncode != 0:
                    failed.append(bench)
                continue
            programs = sorted((args.build / "bench").glob(f"bench_{bench}.*"))
            programs = [p for p in programs if os.access(p, os.X_OK) and p.is_file()]
            if not programs:
                failed.append(f"{bench} (not built)")
            for program in programs:
                # Status 1 says that a row failed: the table shows it. Anything else is a program that broke off.
                if subprocess.run([*prefix, str(program.resolve()), "--ratios", str(args.ratios)]).returncode not in (0, 1):
                    failed.append(program.name)
        print()
    bad = print_table(load_rows(args.ratios))
    if failed:
        print("run: did not finish: " + ", ".join(failed), file=sys.stderr)
    return 1 if bad or failed else 0


if __name__ == "__main__":
    sys.exit(main())
