#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole networks on two threads.

    python3 bench/models/threads.py --build build/release [--ratios build/ratios.json] [--networks a,b] [--rounds 9]

Two threads of everybody in turn, and tkl and a loop of multiply-adds with one thread and with two. The row `fma_loops`
holds tkl's speed-up against that of two independent loops; the row `fastest` tkl against the fastest rival.
"""
from compare import COMPARABLE, RIVALS, Process, judge, object_of, start, take_turns
from command_line import checked, parser_of
from files import prepare
from row import row, show
from starts import LEVEL

NETWORKS = ("resnet50", "ocr_rec320")
THREADS = 2
FLOOR_SPEED_UP, FLOOR_FASTEST = 0.9, 1.0


def speed_up(one, two):
    """Work in the same time on THREADS threads, over that on one."""
    work = two.flops / one.flops if one.runtime == "peak" else 1
    return work * one.seconds() / two.seconds()


def rows(name, tkl, peak, rivals):
    """`tkl`, `peak`: the processes of one thread and of two."""
    own = tkl[1]

    def made(rival, ratio, floor, error, **more):
        own_error = next((f"{p.runtime}: {p.error}" for p in (*tkl, *peak) if p.error), None)
        return row("threads", name, LEVEL, rival, None if own_error or error else ratio(), floor, THREADS,
                   error=own_error or error, **more)

    def against(p, rival, floor):
        ms = lambda x: 1e3 * x.seconds() if x.medians else None
        return made(rival, lambda: p.seconds() / own.seconds() if p.medians else None, floor, p.error, absent=p.absent,
                    rival_version=p.version if rival == p.runtime else f"{p.runtime} {p.version}", ms=ms(own),
                    rival_ms=ms(p))

    list_of = [against(p, p.runtime, None) for p in rivals]
    best = min((p for p in rivals if p.medians and p.difference <= COMPARABLE), key=Process.seconds, default=None)
    list_of.append(against(best, "fastest", FLOOR_FASTEST) if best else
                   made("fastest", None, FLOOR_FASTEST, "no rival computes what ONNX Runtime computes"))
    loops = made("fma_loops", lambda: speed_up(*tkl) / speed_up(*peak), FLOOR_SPEED_UP, None)
    if loops["ratio"]:
        loops.update(speed_up=speed_up(*tkl), loops_speed_up=speed_up(*peak))
    return [*list_of, loops]


def measure(name, args):
    def started(runtime, threads, file=None):
        return start(Process(runtime, LEVEL, threads=threads), name, file)

    tkl = [started("tkl", threads, object_of(args.build, name, "openmp")) for threads in (1, THREADS)]
    peak = [started("peak", threads, object_of(args.build, "peak", "native")) for threads in (1, THREADS)]
    rivals = [started(runtime, THREADS) for runtime in args.rivals]
    judge([*tkl, *rivals])
    take_turns([*tkl, *peak, *rivals], args)
    return rows(name, tkl, peak, rivals)


def main():
    from run import merge_rows

    parser = parser_of(__doc__, NETWORKS)
    parser.add_argument("--seconds", type=float, default=0.25, help="time of one process in one round")
    args = checked(parser)
    for name in args.networks:
        prepare([name])
        made = measure(name, args)
        show(made)
        merge_rows(args.ratios, made)


if __name__ == "__main__":
    main()
