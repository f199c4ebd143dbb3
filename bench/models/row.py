# SPDX-License-Identifier: Apache-2.0
"""A row of build/ratios.json about whole networks: what bench/run.py judges and prints."""


def row(bench, case, level, rival, ratio=None, floor=None, threads=1, rival_version="", error=None, absent=None, **more):
    """`ratio`: above 1 tkl is better. `error`: why the row fails; `absent`: why it is not compared; `more`: numbers beside it."""
    measured = ratio is not None and not error and not absent
    return {"bench": bench, "case": case, "level": level, "threads": threads, "rival": rival,
            "rival_version": rival_version, "ratio": round(ratio, 4) if measured else None,
            "floor": None if absent else floor, "percent_of_peak": None, "error": error or None, "absent": absent or None,
            **more}


def show(rows):
    for r in rows:
        known = {"bench", "case", "level", "threads", "rival", "rival_version", "ratio", "floor", "percent_of_peak",
                 "error", "absent"}
        numbers = ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in r.items() if k not in known)
        print(f"{r['bench']:9s} {r['case']:14s} {r['rival']:16s} {r['rival_version']:14s} ratio {r['ratio'] or '-'}, "
              f"floor {r['floor'] or '-'}, {numbers} {r['error'] or r['absent'] or ''}", flush=True)
