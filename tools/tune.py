#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunes the schedules of a model for this machine: tries those that the concepts admit for its steps and that an estimate
does not rule out, measures them beside the defaults, and writes what won as a header of tuned records.

usage: tune.py MODEL.hpp --model NAME [--arch avx2] [--output FILE] [--rounds N] [--limit SECONDS]

    ./tools/tune.py my_model.hpp --model my_model --arch avx2
    #include "my_model.tuned.hpp"          then: tkl::compile<my_model, tkl::tuned<tkl::cpu<>, tuned::my_model_avx2>>

What was measured goes to a journal, a line of JSON at a time. Killed at any moment and started again, it goes on where it
was. Only steps of kinds that gained in two measurements get a record.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "tune"))
from journal import Journal
from toolchain import Refused, Toolchain, first_error, level_of_host, processor

SETS = 4  # records of one kind that one program measures
CONFIRMING = 3  # times the rounds for the records that won
LARGEST_DIFFERENCE = 1e-3  # of results, as a part of their range: other orders of summation differ by less


def say(text):
    print(f"tune: {text}", flush=True)


class Progress:
    """One line that says how far it is, rewritten on a terminal; elsewhere a line per step of the work."""

    def __init__(self, total):
        self.total, self.done, self.began, self.shown = total, 0, time.monotonic(), ""

    def show(self, what, passing=False):
        spent = time.monotonic() - self.began
        left = f", about {spent / self.done * (self.total - self.done):.0f} s left" if self.done else ""
        text = f"tune: {min(self.done + 1, self.total)} of {self.total}{left}: {what}"
        if sys.stdout.isatty():
            print("\r" + text.ljust(len(self.shown)), end="", flush=True)
            self.shown = text
        elif not passing:
            print(text, flush=True)

    def clear(self):
        if self.shown:
            print("\r" + " " * len(self.shown) + "\r", end="", flush=True)
            self.shown = ""


def quoted(path):
    return str(path).replace("\\", "\\\\").replace('"', '\\"')


def includes(options):
    return "".join(f'#include "{quoted(p.resolve())}"\n' for p in [options.header, *options.include])


def record_code(kind, candidate, more=""):
    return f"{{.kind = {kind}, {candidate}{more}}}"


def measuring_source(options, toolchain, records):
    """`records`: pairs of a kind's code and a schedule's."""
    rows = ",\n    ".join(record_code(kind, code) for kind, code in records)
    return (f"{includes(options)}#include <tune/measure.hpp>\n"
            f"namespace {{\nconstexpr std::array<tkl::tuned_record, {len(records)}> records{{{{\n    {rows}}}}};\n}}\n"
            f"int main(int count, char** arguments) {{\n"
            f"  return tune::measure<{options.model}, tkl::cpu<{toolchain.arch}>, records>(count, arguments);\n}}\n")


def listed(options, toolchain):
    """The device, the plan, and the kinds of steps with their candidates."""
    source = (f"{includes(options)}#include <tune/candidates.hpp>\n"
              f"int main() {{ return tune::list<{options.model}, tkl::cpu<{toolchain.arch}>>({options.candidates}); }}\n")
    program, said = toolchain.build(source, ["-O0"])
    if program is None:
        good, error = toolchain.compiles(includes(options))
        if not good:
            raise Refused(f"{options.header} does not compile by itself: {first_error(error)}")
        good, error = toolchain.compiles(f"{includes(options)}using model = {options.model};\n")
        if not good:
            raise Refused(f"{options.header} has no model called {options.model}: {first_error(error)}")
        raise Refused(f"the steps of {options.model} for {toolchain.arch} do not compile: {first_error(said)}")
    done = subprocess.run([str(program)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(f"{options.model}: {done.stderr.strip() or f'its steps cannot be listed, status {done.returncode}'}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[0], lines[1]["plan"], lines[2:]


def run_rounds(program, rounds, left_out, progress, what):
    """Results of the records, and nanoseconds of a run of each set."""
    command = [str(program), str(rounds), *map(str, left_out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        results, sets = [], []
        try:
            for line in process.stdout:
                entry = json.loads(line)
                if "round" in entry:
                    progress.show(f"{what}, round {entry['round']} of {rounds}", passing=True)
                elif "record" in entry:
                    results.append(entry)
                else:
                    sets.append(entry["ns"])
            error = process.stderr.read()
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0 or not sets:
        raise Refused(f"the program that measures ended with status {process.returncode} {error.strip()[:400]}".strip())
    return results, sets


def batches_of(kinds, known):
    """What is left to measure: programs of up to SETS candidates of each kind, the most promising first."""
    waiting = [[(k["kind"], c["code"]) for c in k["candidates"] if (k["kind"], c["code"]) not in known] for k in kinds]
    batches = []
    while any(waiting):
        batches.append([pair for w in waiting for pair in w[:SETS]])
        waiting = [w[SETS:] for w in waiting]
    return batches


def attempt(options, toolchain, batch, progress):
    """What was measured of candidates, and why nothing was."""
    progress.show(f"compiling {len(batch)} candidates")
    program, said = toolchain.build(measuring_source(options, toolchain, batch), toolchain.optimise)
    if program is None:
        return None, f"does not compile: {first_error(said)}"
    progress.show(f"measuring {len(batch)} candidates")
    try:
        return run_rounds(program, options.rounds, [], progress, f"measuring {len(batch)} candidates")[0], ""
    except Refused as error:
        return None, str(error)


def explore(options, toolchain, journal, kinds):
    """Measures every candidate that the journal does not have, until the time is up."""
    texts = {(k["kind"], c["code"]): f"{k['text']}: {c['text']}" for k in kinds for c in k["candidates"]}
    known = {(e["kind"], e["code"]) for e in journal.entries if "code" in e}
    if known:
        say(f"{journal.path} has {len(known & texts.keys())} of {len(texts)} candidates: going on from there")
    batches, began = batches_of(kinds, known), time.monotonic()
    progress = Progress(len(batches))

    def skip(pair, why):
        progress.clear()
        say(f"SKIPPED, {texts[pair]}: {why}")
        journal.add({"kind": pair[0], "code": pair[1], "failed": why})

    for number, batch in enumerate(batches):
        if options.limit is not None and time.monotonic() - began > options.limit:
            left = sum(map(len, batches[number:]))
            progress.clear()
            say(f"--limit of {options.limit:g} s reached: {left} of {len(texts)} candidates are not measured")
            break
        parts = [batch]
        while parts:
            part = parts.pop(0)
            results, why = attempt(options, toolchain, part, progress)
            if results is None and len(part) > 1:
                parts = [[pair] for pair in part]  # one of them is at fault
                continue
            if results is None:
                skip(part[0], why)
                continue
            for pair, result in zip(part, results):
                if result["difference"] > LARGEST_DIFFERENCE:
                    skip(pair, f"its results differ by {result['difference']:g} of their range")
                else:
                    journal.add({"kind": pair[0], "code": pair[1],
                                 **{n: result[n] for n in ("ratio", "default_ns", "tuned_ns")}})
        progress.done += 1
    progress.clear()


def fastest_of(journal, kinds):
    """For each kind what was measured of its fastest candidate; kinds of which none was measured are left out."""
    results = {(e["kind"], e["code"]): e for e in journal.entries if "ratio" in e}
    best = {}
    for k in kinds:
        tried = [results[k["kind"], c["code"]] for c in k["candidates"] if (k["kind"], c["code"]) in results]
        if tried:
            best[k["kind"]] = min(tried, key=lambda e: e["ratio"])
    return best


def confirm(options, toolchain, journal, kinds, winners):
    """Measures what won once more: results of those that gain again, and a run of the model by default and tuned."""
    for entry in journal.entries:
        if entry.get("confirmed") == [list(w) for w in winners] and entry["gain"] == options.gain:
            return entry["results"], entry["whole"]
    progress = Progress(1)
    progress.show(f"compiling what won: {len(winners)} of {len(kinds)} kinds")
    program, said = toolchain.build(measuring_source(options, toolchain, winners), toolchain.optimise)
    if program is None:
        raise Refused(f"what won does not compile: {first_error(said)}")
    rounds = CONFIRMING * options.rounds
    results, whole = run_rounds(program, rounds, [], progress, "confirming")
    lost = [r["record"] for r in results if r["ratio"] > 1 / options.gain]
    if lost and len(lost) < len(winners):
        _, whole = run_rounds(program, rounds, lost, progress, "confirming without those that did not gain again")
    progress.clear()
    kept = [] if len(lost) == len(winners) else [{**r, "kind": winners[r["record"]][0], "code": winners[r["record"]][1]}
                                                 for r in results if r["record"] not in lost]
    journal.add({"confirmed": [list(w) for w in winners], "gain": options.gain, "results": kept, "whole": whole})
    return kept, whole


def microseconds(ns):
    return f"{ns / 1000:.2f} us"


def header_text(options, toolchain, head, kinds, kept, whole):
    device, rows = head["device"], []
    by_kind = {k["kind"]: k for k in kinds}
    for r in kept:
        k = by_kind[r["kind"]]
        steps = ", ".join(map(str, k["steps"]))
        name = re.sub(r"[^ -[\]-~]", "?", k["name"])
        rows.append(f"    // Step {steps}{' (' + name + ')' if name else ''}: {microseconds(r['default_ns'])} by default, "
                    f"{microseconds(r['tuned_ns'])} tuned, ratio {r['ratio']:.3f}.\n"
                    f"    {{.version = {head['version']},\n     .device = {options.record_name}_device,\n"
                    f"     .kind = {r['kind']},\n     {r['code']},\n"
                    f"     .default_ns = {r['default_ns']:.0f},\n     .tuned_ns = {r['tuned_ns']:.0f}}}")
    total = (f"// A run of the model: {microseconds(whole[0])} by default, {microseconds(whole[1])} tuned." if kept else
             "// No schedule gained: this has no record, and the defaults stay.")
    records = "{{\n" + ",\n".join(rows) + "\n}}" if rows else "{}"
    cache = ", ".join(map(str, device["cache"]))
    return f"""// Tuned records of {options.model} for {device['name']}, written by tools/tune.py. Measured on
// {processor()}
// with {toolchain.version}
{total}
#pragma once

#include <array>
#include <tkl/tuned.hpp>

namespace tuned {{

inline constexpr tkl::tuned_device {options.record_name}_device{{
    .name = "{device['name']}", .registers = {device['registers']}, .width_f32 = {device['width_f32']}, .cache = {{{cache}}}}};

/// tkl::tuned<tkl::cpu<{toolchain.arch}>, tuned::{options.record_name}>
inline constexpr std::array<tkl::tuned_record, {len(kept)}> {options.record_name}{records};

}}  // namespace tuned
"""


def table(kinds, best, kept, whole):
    """Default against tuned for each kind of step, and for a run of the model."""
    by_kind = {r["kind"]: r for r in kept}
    rows = [("steps", "kind", "default", "tuned", "ratio", "schedule")]
    for k in kinds:
        r = by_kind.get(k["kind"]) or best.get(k["kind"])
        cells = [",".join(map(str, k["steps"])), k["text"], "", "", "", f"default {k['default']['text']}"]
        if r:
            text = next(c["text"] for c in k["candidates"] if c["code"] == r["code"])
            cells[2] = microseconds(r["default_ns"])
            if k["kind"] in by_kind:
                cells[3:] = microseconds(r["tuned_ns"]), f"{r['ratio']:.3f}", f"{text} ({cells[5]})"
            else:
                cells[5] += f"; the best tried took {r['ratio']:.3f} of its time once ({text})"
        rows.append(cells)
    if kept:
        rows.append(("all", "a run of the model", microseconds(whole[0]), microseconds(whole[1]),
                     f"{whole[1] / whole[0]:.3f}", ""))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    right = (False, False, True, True, True, False)
    for row in rows:
        print("  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right)).rstrip())


def tune(options):
    if not options.header.is_file():
        raise Refused(f"{options.header}: there is no such file")
    for path in options.include:
        if not path.is_file():
            raise Refused(f"--include {path}: there is no such file")
    level, _, core = options.arch.partition(":")
    name = re.sub(r"\W+", "_", f"{options.model}_{core.rpartition('::')[2] or level}").strip("_")
    options.record_name = f"_{name}" if name[:1].isdigit() else name
    options.output = options.output or options.header.with_suffix(".tuned.hpp")
    options.journal = options.journal or Path(f"{options.output}.journal")
    work = Path(f"{options.journal}.work")
    toolchain = Toolchain(options, work)
    about = {"model": options.model, "arch": options.arch, "compiler": toolchain.version,
             "flags": " ".join([*toolchain.optimise, options.flags]).strip(), "processor": processor()}
    journal = Journal(options.journal, about)
    say(f"listing the steps of {options.model} for {toolchain.arch}")
    head, plan, kinds = listed(options, toolchain)
    journal.agree("device", head["device"])
    journal.agree("version", head["version"])
    journal.agree("plan", plan)
    if not kinds:
        raise Refused(f"{options.model}: no step has a schedule to tune")
    for k in kinds:
        say(f"step {','.join(map(str, k['steps']))}, {k['text']}: {k['admitted']} schedules admitted, "
            f"{len(k['candidates'])} to measure")
    explore(options, toolchain, journal, kinds)
    best = fastest_of(journal, kinds)
    winners = [(kind, e["code"]) for kind, e in best.items() if e["ratio"] <= 1 / options.gain]
    kept, whole = confirm(options, toolchain, journal, kinds, winners) if winners else ([], [])
    part = Path(f"{options.output}.part")
    part.write_text(header_text(options, toolchain, head, kinds, kept, whole))
    part.replace(options.output)
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)
    table(kinds, best, kept, whole)
    if not kept:
        say(f"nothing was {options.gain:g} times as fast as the default: {options.output} has no record, the defaults stay")
    else:
        say(f"{options.output}: {len(kept)} {'record' if len(kept) == 1 else 'records'}, tuned::{options.record_name}")


def at_least(kind, least):
    def parse(text):
        value = kind(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{text} is below {least}")
        return value
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("header", type=Path, metavar="MODEL.hpp", help="header with the model")
    parser.add_argument("--model", required=True, metavar="NAME", help="the model's type in it, as C++ writes it")
    parser.add_argument("--arch", help="level (base, avx2, avx512, neon), or a core of it: avx2:device::my_core")
    parser.add_argument("--include", type=Path, action="append", default=[], metavar="FILE",
                        help="another header, for example what describe_device.py wrote")
    parser.add_argument("--output", type=Path, metavar="FILE", help="header to write (default: MODEL.tuned.hpp)")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="default: the output's name and .journal")
    parser.add_argument("--rounds", type=at_least(int, 1), default=31, metavar="N", help="of each measurement (31)")
    parser.add_argument("--candidates", type=at_least(int, 1), default=8, metavar="N",
                        help="at most so many of each kind of step are measured, by the estimate (8)")
    parser.add_argument("--gain", type=at_least(float, 1e-3), default=1.03, metavar="X",
                        help="a record must be so many times as fast as the default, twice (1.03)")
    parser.add_argument("--limit", type=at_least(float, 0), metavar="SECONDS", help="begins no new candidates after so long")
    parser.add_argument("--compiler", default="g++-12", help="(g++-12)")
    parser.add_argument("--optimise", default="-O3", metavar="FLAGS", help="(-O3)")
    parser.add_argument("-I", dest="folders", action="append", default=[], metavar="FOLDER", help="to look for headers in")
    parser.add_argument("--flags", default="", help="further flags of the compiler: --flags='-DNAME -isystem /folder'")
    parser.add_argument("--keep", action="store_true", help="keeps the programs that measured, beside the journal")
    options = parser.parse_args()
    options.arch = options.arch or level_of_host()
    try:
        tune(options)
    except (Refused, OSError) as error:
        sys.exit(f"tune: {error}")
    except KeyboardInterrupt:
        print("\ntune: stopped; started again, it goes on where it was", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
