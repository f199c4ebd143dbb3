#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/support.md from the sources: which algorithm of a plan has a kernel on which target; with --check only says
whether it is up to date.

A target has a kernel for an algorithm where its own table of kernels names it, and what it refuses of that algorithm
stands where it says so.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "support.md"
INCLUDE = ROOT / "include" / "tkl"
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by docs/make_support.py from the headers of the targets; run ./dev docs. -->
# What runs where

Every operation of a graph becomes a step of one of these algorithms. `tkl::supports<Model, Target>` is the same question for
a whole model, `checked_support<Model, Target>::sound` a compile error that lists what is missing. The test
`support_matrix` compares this page with what `supports` says of models of one operation each.

"""
# name: headers that list its kernels, and what stands before an algorithm's name there.
TARGETS = {
    "cpu": ("exec/kernels_*.hpp", r"struct kernel<algorithm::(\w+)>"),
    "opencl": ("exec/work_items.hpp", r"if constexpr \(K\.algorithm == algorithm::(\w+)"),
    "cuda": ("exec/work_items.hpp", r"if constexpr \(K\.algorithm == algorithm::(\w+)"),
}
# Where a target says what it refuses: the body of the function up to the first line with "default", cases in order.
WORK_ITEMS = ("exec/work_items.hpp", r"item_unsupported\(.*?switch \(k\.algorithm\) \{(.*?)default:")
REFUSALS = {"opencl": WORK_ITEMS, "cuda": WORK_ITEMS}
# A fact that keeps an algorithm out of a target's plans, and where its comment says what happens instead.
DIRECT = ("graph/program.hpp", r"bool winograd = false;\s*// (.*)")
WHOLE = ("graph/program.hpp", r"bool chains = false;\s*// (.*)")
AVOIDED = {("opencl", "winograd"): DIRECT, ("cuda", "winograd"): DIRECT,
           ("opencl", "conv_chain"): WHOLE, ("cuda", "conv_chain"): WHOLE}


def algorithms():
    source = (INCLUDE / "graph" / "plan.hpp").read_text(encoding="utf-8")
    body = re.search(r"enum class algorithm[^{]*\{(.*?)\};", source, re.S)[1]
    return re.findall(r"^\s*(\w+),\s*//[ \t]*(.*)$", body, re.M)


def kernels(pattern, expression):
    return {name for path in INCLUDE.glob(pattern) for name in re.findall(expression, path.read_text(encoding="utf-8"))}


def refusals(target):
    if target not in REFUSALS:
        return {}
    path, expression = REFUSALS[target]
    body = re.search(expression, (INCLUDE / path).read_text(encoding="utf-8"), re.S)[1]
    return dict(re.findall(r"case algorithm::(\w+):[^:]*?return \"([^\"]+)\";", body, re.S))


def page():
    have = {target: kernels(*where) for target, where in TARGETS.items()}
    refused = {target: refusals(target) for target in TARGETS}
    rows = [f"| algorithm | {' | '.join(TARGETS)} |", f"|---|{'---|' * len(TARGETS)}"]
    notes = []
    for name, _ in algorithms():
        cells = []
        for target in TARGETS:
            cell = "yes" if name in have[target] else "no"
            note = refused[target].get(name)
            if (target, name) in AVOIDED:
                path, expression = AVOIDED[target, name]
                cell, note = "never", re.search(expression, (INCLUDE / path).read_text(encoding="utf-8"))[1]
            if cell != "no" and note:
                notes.append(f"{target}: {note}.")
                cell += f" ({len(notes)})"
            cells.append(cell)
        rows.append(f"| {name} | {' | '.join(cells)} |")
    text = HEAD + "\n".join(rows) + "\n"
    return text + ("\n" + "\n".join(f"({i}) {n}" for i, n in enumerate(notes, 1)) + "\n" if notes else "")


if sys.argv[1:] == ["--check"]:
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        sys.exit("docs/support.md is not up to date: run ./dev docs (or docs/make_support.py)")
else:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
