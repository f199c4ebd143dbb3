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
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOURNAL_VERSION = 1
SETS = 4  # records of one kind that one program measures
CONFIRMING = 3  # times the rounds for the records that won
LARGEST_DIFFERENCE = 1e-3  # of results, as a part of their range: other orders of summation differ by less


class Refused(Exception):
    """What is wrong with what was asked for, for people."""


def say(text):
    print(f"tune: {text}", flush=True)


def level_flags(level):
    """Compiler flags of a level, from the one file that has them."""
    text = (ROOT / "cmake" / "tkl_level_flags.cmake").read_text()
    avx2 = re.search(r"set\(avx2 ([^)]*)\)", text)[1].split()
    if level in ("base", "neon"):
        return []
    if level == "avx2":
        return avx2
    if level == "avx512":
        return avx2 + re.search(r"set\(\$\{out\} \$\{avx2\} ([^)]*?) PARENT_SCOPE\)", text)[1].split()
    raise Refused(f"--arch {level}: levels are base, avx2, avx512 and neon; a core of one is written avx2:device::my_core")


def level_of_host():
    """The best level of this machine."""
    flags = set(re.findall(r"\w+", Path("/proc/cpuinfo").read_text()))
    if "asimd" in flags:
        return "neon"
    if {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        return "avx512"
    return "avx2" if {"avx2", "fma", "f16c"} <= flags else "base"


def processor():
    """The name of this machine's processor, and its identification."""
    rows = dict(re.findall(r"^([^:\n\t]+?)[ \t]*:[ \t]*(.*)$", Path("/proc/cpuinfo").read_text(), re.M))
    names = ("model name", "cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU revision")
    return ", ".join(f"{n} {rows[n]}" if n != "model name" else rows[n] for n in names if n in rows) or "unknown"


class Toolchain:
    def __init__(self, options, folder):
        compiler = shlex.split(options.compiler)
        if not compiler or not shutil.which(compiler[0]):
            raise Refused(f"no compiler: {options.compiler!r} is not there (--compiler names one)")
        done = subprocess.run([*compiler, "--version"], capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused(f"no compiler: {options.compiler!r} --version fails: {done.stderr.strip()[:200]}")
        self.version = done.stdout.splitlines()[0]
        level, _, core = options.arch.partition(":")
        self.arch = core or f"tkl::arch::{level}"
        limits = (["-fconstexpr-steps=2000000000"] if "clang" in self.version else
                  ["-fconstexpr-ops-limit=2000000000", "-fconstexpr-loop-limit=20000000"])
        self.flags = ["-std=c++20", *limits, *level_flags(level), f"-I{ROOT / 'include'}", f"-I{ROOT / 'tools'}",
                      *(f"-I{folder}" for folder in options.folders), *shlex.split(options.flags)]
        self.command = compiler
        self.optimise = shlex.split(options.optimise)
        self.folder = folder

    def build(self, source, optimise):
        """A program of the source, and what the compiler said where there is none. One of before serves, also over
        restarts, unless a file that it was made of has changed."""
        command = [*self.command, *self.flags, *optimise]
        name = hashlib.sha256("\0".join([self.version, *command, source]).encode()).hexdigest()[:24]
        program, needs = self.folder / name, self.folder / f"{name}.d"
        if program.exists() and needs.exists():
            made = program.stat().st_mtime_ns
            files = [Path(f) for f in shlex.split(needs.read_text().replace("\\\n", " ").partition(":")[2])]
            if all(f.exists() and f.stat().st_mtime_ns < made for f in files):
                return program, ""
        self.folder.mkdir(parents=True, exist_ok=True)
        unit = self.folder / f"{name}.cpp"
        if not unit.exists() or unit.read_text() != source:
            unit.write_text(source)
        # A compiler that outlives a killed tune.py goes on writing a file of its own.
        part = self.folder / f"{name}.{os.getpid()}.part"
        done = subprocess.run([*command, "-MD", "-MF", str(needs), str(unit), "-o", str(part)], capture_output=True,
                              text=True)
        if done.returncode != 0:
            return None, done.stderr
        part.replace(program)
        return program, ""

    def compiles(self, source):
        done = subprocess.run([*self.command, *self.flags, "-fsyntax-only", "-x", "c++", "-"], input=source,
                              capture_output=True, text=True)
        return done.returncode == 0, done.stderr


def first_error(text):
    for line in text.splitlines():
        if re.search(r"\berror\b", line):
            return line.strip()[:400]
    return (text.strip().splitlines() or ["nothing was said"])[0][:400]


class Journal:
    """Lines of JSON: what this is about, then results. A line that a kill cut short does not count."""

    def __init__(self, path, about):
        self.path, self.entries = path, []
        self.file = open(path, "a+b")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(f"{path}: another tune.py is writing this journal")
        self.file.seek(0)
        data = self.file.read()
        whole = data[:data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            self.file.truncate(len(whole))
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            raise Refused(f"{path}: is no journal of tune.py; move it away, or name another with --journal")
        if not lines:
            self.add({"journal": JOURNAL_VERSION, **about})
            return
        head = lines[0] if isinstance(lines[0], dict) else {}
        if head.get("journal") != JOURNAL_VERSION:
            raise Refused(f"{path}: a journal of version {head.get('journal')}, this is version {JOURNAL_VERSION}")
        for name, value in about.items():
            if head.get(name) != value:
                raise Refused(f"{path}: the journal of another {name}: {head.get(name)!r}, this is {value!r}; "
                              "move it away, or name another with --journal")
        self.entries = lines[1:]

    def add(self, entry):
        self.file.write(json.dumps(entry).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        self.entries.append(entry)

    def agree(self, name, value):
        """Notes a fact, or refuses to go on where the journal has another."""
        for entry in self.entries:
            if name in entry:
                if entry[name] != value:
                    raise Refused(f"{self.path}: the {name} was another when it was begun; move it away, or name another "
                                  f"with --journal (then {entry[name]!r}, now {value!r})")
                return
        self.add({name: value})


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
        raise Refused(f"a measuring program ended with status {process.returncode}: {error.strip()[:400]}")
    return results, sets


def batches_of(kinds, known):
    """What is left to measure: programs of up to SETS candidates of each kind, the most promising first."""
    waiting = [[(k["kind"], c["code"]) for c in k["candidates"] if (k["kind"], c["code"]) not in known] for k in kinds]
    batches = []
    while any(waiting):
        batches.append([pair for w in waiting for pair in w[:SETS]])
        waiting = [w[SETS:] for w in waiting]
    return batches


def explore(options, toolchain, journal, kinds):
    """Measures every candidate that the journal does not have, until the time is up."""
    texts = {(k["kind"], c["code"]): f"{k['text']}: {c['text']}" for k in kinds for c in k["candidates"]}
    known = {(e["kind"], e["code"]) for e in journal.entries if "code" in e}
    if known:
        say(f"{journal.path} has {len(known & texts.keys())} of {len(texts)} candidates: going on from there")
    batches, began = batches_of(kinds, known), time.monotonic()
    progress = Progress(len(batches))
    for number, batch in enumerate(batches):
        if options.limit is not None and time.monotonic() - began > options.limit:
            left = sum(map(len, batches[number:]))
            progress.clear()
            say(f"--limit of {options.limit:g} s reached: {left} of {len(texts)} candidates are not measured")
            break
        progress.show(f"compiling {len(batch)} candidates")
        whole, _ = toolchain.build(measuring_source(options, toolchain, batch), toolchain.optimise)
        for part in [batch] if whole else [[pair] for pair in batch]:
            if not whole:
                progress.show(f"compiling {texts[part[0]]} by itself")
            built, said = toolchain.build(measuring_source(options, toolchain, part), toolchain.optimise)
            if built is None:
                progress.clear()
                say(f"SKIPPED, does not compile: {texts[part[0]]}: {first_error(said)}")
                journal.add({"kind": part[0][0], "code": part[0][1], "failed": first_error(said)})
                continue
            progress.show(f"measuring {len(part)} candidates")
            results, _ = run_rounds(built, options.rounds, [], progress, f"measuring {len(part)} candidates")
            for pair, result in zip(part, results):
                entry = {"kind": pair[0], "code": pair[1], **{n: result[n] for n in ("ratio", "default_ns", "tuned_ns")}}
                if result["difference"] > LARGEST_DIFFERENCE:
                    progress.clear()
                    say(f"SKIPPED, results differ by {result['difference']:g} of their range: {texts[pair]}")
                    entry = {"kind": pair[0], "code": pair[1], "failed": f"difference {result['difference']:g}"}
                journal.add(entry)
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


def confirm(options, toolchain, journal, winners):
    """Measures what won once more: results of those that gain again, and a run of the model by default and tuned."""
    for entry in journal.entries:
        if entry.get("confirmed") == [list(w) for w in winners] and entry["gain"] == options.gain:
            return entry["results"], entry["whole"]
    progress = Progress(1)
    progress.show(f"compiling the {len(winners)} records that won")
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
    kept, whole = confirm(options, toolchain, journal, winners) if winners else ([], [])
    part = Path(f"{options.output}.part")
    part.write_text(header_text(options, toolchain, head, kinds, kept, whole))
    part.replace(options.output)
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)
    table(kinds, best, kept, whole)
    if not kept:
        say(f"nothing was {options.gain:g} times as fast as the default: {options.output} has no record, the defaults stay")
    else:
        say(f"{options.output}: {len(kept)} records, tuned::{options.record_name}")


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
