# SPDX-License-Identifier: Apache-2.0
"""Runs tools/tune.py: with a compiler that only pretends (fake_compiler.py) for its logic, then with the real one on a
model of three steps, whose tuned header is compiled into a program that compares its results with the default's.

usage: check_tune.py TOOL INCLUDE COMPILER...
"""
import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

tool, include, compiler = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
FAKE = f"{sys.executable} {Path(__file__).resolve().parent / 'fake_compiler.py'}"
MODEL = """#pragma once
#include <tkl/graph.hpp>

struct small_model {
  static constexpr tkl::value build(tkl::graph& g) {
    auto x = g.input("image", tkl::f32, {1, 28, 28, 16});
    x = tkl::relu(tkl::conv2d(x, g.weight("a", {32, 16, 3, 3}), {.stride = 2, .pad = 1}));
    x = tkl::relu(tkl::conv2d(x, g.weight("d", {32, 1, 3, 3}), {.pad = 1, .groups = 32}));
    return tkl::matmul(tkl::reshape(x, {196, 32}), tkl::reshape(x, {32, 196}));
  }
};
"""
# Both targets run on the same packed weights, which are any numbers: the layouts must be the same.
PROGRAM = """#include "model.hpp"
#include "model.tuned.hpp"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <tkl/cpu.hpp>
#include <tkl/graph/describe.hpp>
#include <vector>

using target = tkl::tuned<tkl::cpu<>, tuned::RECORDS>;
using standard = tkl::compile<small_model, tkl::cpu<>>;
using net = tkl::compile<small_model, target>;
static_assert(net::layout_hash == standard::layout_hash && target::record_count == 3);

template <class Net>
std::vector<float> run() {
  std::vector<float> weights(static_cast<std::size_t>(Net::weights_bytes) / 4), x(28 * 28 * 16), y(196 * 196);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i * 7 % 23) / 23 - 0.4f;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 5 % 19) / 19;
  const auto memory = Net::workspace::make(1);
  if (!memory) return {};
  const void* in[] = {x.data()};
  void* out[] = {y.data()};
  const auto* bytes = reinterpret_cast<const std::byte*>(weights.data());
  if (!tkl::run_plan(Net::reference(), bytes, *memory, in, out, tkl::serial{})) return {};
  return y;
}

int main() {
  const std::vector<float> want = run<standard>(), have = run<net>();
  double range = 0, difference = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    range = std::fmax(range, std::fabs(want[i]));
    difference = std::fmax(difference, std::fabs(want[i] - have[i]));
  }
  std::printf("%zu numbers, difference %g of %g\\n%s", want.size(), difference, range,
              tkl::report<small_model, target>().c_str());
  return want.empty() || !(difference <= 1e-5 * range) || range == 0;
}
"""

faults = 0


def expect(what, good, shown):
    global faults
    print(f"{'ok' if good else 'FAILED'}: {what}", flush=True)
    if not good:
        faults += 1
        print(shown, flush=True)


class Folder:
    """A model's folder, and the tool run in it."""

    def __init__(self, path):
        self.path = Path(path)
        (self.path / "model.hpp").write_text(MODEL)
        self.log = self.path / "compilations"
        self.log.touch()

    def command(self, *options, model="small_model"):
        return [sys.executable, str(tool), "model.hpp", "--model", model, *options]

    def run(self, *options, model="small_model", **environment):
        """Exit status and what was said, of the tool with the compiler that pretends."""
        done = subprocess.run(self.command("--arch", "avx2", "--compiler", FAKE, "--rounds", "3", *options, model=model),
                              cwd=self.path, env=self.environment(**environment), capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def environment(self, **more):
        return {**os.environ, "FAKE_LOG": str(self.log), **more}

    def compilations(self):
        lines = self.log.read_text().split()
        self.log.write_text("")
        return lines

    @property
    def header(self):
        return self.path / "model.tuned.hpp"

    @property
    def journal(self):
        return self.path / "model.tuned.hpp.journal"


def refused(folder, what, text, *options, **environment):
    status, said = folder.run(*options, **environment)
    expect(f"{what}: refused", status == 1 and text in said and "Traceback" not in said, said)


GAINS = {".conv = {.mr = 4}": 0.8, ".conv = {.mr = 5}": 0.7, ".depthwise = {.tile = 7}": [0.9, 1.0]}


def check_results():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        status, said = folder.run(FAKE_RATIOS=json.dumps(GAINS))
        header = folder.header.read_text() if folder.header.exists() else ""
        expect("the fastest of each kind that gains twice gets a record",
               status == 0 and header.count(".version = 1") == 1 and ".conv = {.mr = 5}," in header
               and "std::array<tkl::tuned_record, 1> small_model_avx2" in header
               and "5.00 us by default, 4.70 us tuned" in header, said + header)
        expect("default against tuned is shown", "0.700" in said and "mr  5 (default mr  6)" in said and "0.940" in said
               and "default tile  4" in said, said)
        expect("progress is shown", "tune: 1 of 1: measuring 4 candidates" in said, said)
        expect("programs are gone", not list(folder.path.glob("*.work")), said)
        expect("two programs were compiled, and the list", folder.compilations() == ["list", "measure", "measure"], said)
        status, said = folder.run("--gain", "2", FAKE_RATIOS=json.dumps(GAINS))
        header = folder.header.read_text()
        expect("nothing gains: said, and a header without records", status == 0 and "nothing was 2 times as fast" in said
               and "tuned_record, 0> small_model_avx2{}" in header and ".version" not in header, said + header)
        expect("nothing was measured anew", folder.compilations() == ["list"], said)
        (folder.path / "device.hpp").write_text("#pragma once\n")
        status, said = folder.run("--include", "device.hpp", "--arch", "avx2:device::my_core", "--output", "of_core.hpp",
                                  FAKE_RATIOS=json.dumps(GAINS))
        header = (folder.path / "of_core.hpp").read_text()
        expect("a core of a device file", status == 0 and "tkl::tuned<tkl::cpu<device::my_core>, tuned::small_model_my_core>"
               in header and "for device::my_core" in said, said + header)


def check_skipped():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        status, said = folder.run(FAKE_FAILS="mr = 5", FAKE_RATIOS=json.dumps({**GAINS, ".depthwise = {.tile = 8}": 0.5}),
                                  FAKE_WRONG="1")
        expect("a candidate that does not compile is named and skipped", status == 0
               and "SKIPPED, conv2d: mr  5: does not compile: " in said and "error: planted" in said
               and ".conv = {.mr = 4}," in folder.header.read_text(), said)
        expect("one that gives other results likewise", "SKIPPED, depthwise: tile  8: its results differ by 0.5 of their range"
               in said and "tile = 8" not in folder.header.read_text(), said)
        folder.journal.unlink()
        status, said = folder.run(FAKE_CRASHES="mr = 4", FAKE_RATIOS=json.dumps(GAINS))
        expect("one that crashes likewise", status == 0 and "SKIPPED, conv2d: mr  4: the program that measures ended with "
               "status 3 planted" in said and ".conv = {.mr = 5}," in folder.header.read_text(), said)
        folder.journal.unlink()
        status, said = folder.run("--limit", "0")
        expect("time is up: said", status == 0 and "--limit of 0 s reached: 4 of 4 candidates are not measured" in said, said)


def check_killed():
    """Killed while a program measures, with a journal whose last line another kill cut short."""
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        pipe = folder.path / "pipe"
        os.mkfifo(pipe)
        folder.run()
        whole = folder.journal.read_text().splitlines()
        folder.journal.write_text("\n".join(whole[:5]) + "\n" + whole[5][:20])  # what it is about, a result, a part of one
        folder.compilations()
        environment = folder.environment(FAKE_RATIOS=json.dumps(GAINS), FAKE_BLOCKS=str(pipe))
        process = subprocess.Popen(folder.command("--arch", "avx2", "--compiler", FAKE, "--rounds", "3"), cwd=folder.path,
                                   env=environment, stdout=subprocess.DEVNULL)
        with pipe.open("w"):  # opens when the program that measures reads, and lets it end
            process.send_signal(signal.SIGKILL)
            process.wait()
        before = folder.journal.read_text()
        expect("killed: only whole lines are kept", before == "\n".join(whole[:5]) + "\n", before)
        expect("killed: it had compiled", folder.compilations() == ["list", "measure"], before)
        status, said = folder.run(FAKE_RATIOS=json.dumps(GAINS))
        expect("started again: it goes on where it was", status == 0 and "of 4 candidates: going on from there" in said
               and ".conv = {.mr = 5}," in folder.header.read_text(), said)
        expect("started again: what was compiled serves", folder.compilations() == ["measure"], said)


def check_refusals():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        refused(folder, "no compiler", "no compiler: 'nowhere-g++' is not there", "--compiler", "nowhere-g++")
        refused(folder, "an unknown level", "--arch avx3: levels are base, avx2, avx512 and neon", "--arch", "avx3")
        refused(folder, "a header that is not there", "device.hpp: there is no such file", "--include", "device.hpp")
        status, said = folder.run(model="absent")
        expect("a model that the header has not: refused",
               status == 1 and "model.hpp has no model called absent: <stdin>:2:15: error" in said, said)
        folder.run()
        refused(folder, "the journal of another compiler", "the journal of another compiler: 'fake compiler 1', this is "
                "'fake compiler 2'", FAKE_VERSION="2")
        refused(folder, "the journal of other flags", "the journal of another flags: '-O3', this is '-O2'", "--optimise=-O2")
        refused(folder, "the journal of another plan", "the plan was another when it was begun", FAKE_PLAN="conv2d")
        status, said = folder.run(model="other_model")
        expect("the journal of another model: refused", status == 1 and "the journal of another model: 'small_model', this is "
               "'other_model'" in said, said)
        with open(folder.journal, "a") as journal:
            fcntl.flock(journal, fcntl.LOCK_EX)
            refused(folder, "a journal in use", "another tune.py is writing this journal")
        lines = folder.journal.read_text().splitlines()
        head = json.loads(lines[0])
        folder.journal.write_text("\n".join([json.dumps({**head, "processor": "another"}), *lines[1:]]) + "\n")
        refused(folder, "the journal of another processor", "the journal of another processor: 'another', this is")
        folder.journal.write_text("\n".join([json.dumps({**head, "journal": 0}), *lines[1:]]) + "\n")
        refused(folder, "a journal of before", "a journal of version 0, this is version 1")
        for other in ("numbers\n", "a note", '["a list"]\n', "1\n2"):
            folder.journal.write_text(other)
            refused(folder, f"a file that is no journal, {other!r}", "is no journal of tune.py")
            expect("it stays as it is", folder.journal.read_text() == other, folder.journal.read_text())
        (folder.path / "model.hpp").unlink()
        refused(folder, "no model's header", "model.hpp: there is no such file")


def check_real():
    """The whole way, with the compiler of the build and the level of this machine."""
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        status = subprocess.run(
            folder.command("--rounds", "3", "--candidates", "1", "--gain", "0.001", "--optimise=-O1", "--compiler", compiler[0],
                           f"--flags={shlex.join(compiler[1:])}"), cwd=path, capture_output=True, text=True)
        said = status.stdout + status.stderr
        print(said)
        header = folder.header.read_text() if folder.header.exists() else ""
        expect("three kinds of steps: three records", status.returncode == 0 and header.count(".default_ns") == 3, said + header)
        if status.returncode != 0:
            return
        sys.path.insert(0, str(tool.parent / "tune"))
        import toolchain

        level = toolchain.level_of_host()
        (folder.path / "program.cpp").write_text(PROGRAM.replace("RECORDS", f"small_model_{level}"))
        done = subprocess.run([*compiler, "-std=c++20", "-O1", *toolchain.level_flags(level), f"-I{include}", "program.cpp", "-o",
                               "program"], cwd=path, capture_output=True, text=True)
        expect("the header compiles", done.returncode == 0, done.stderr[:4000])
        if done.returncode == 0:
            done = subprocess.run(["./program"], cwd=path, capture_output=True, text=True)
            print(done.stdout)
            expect("included, it replaces defaults: the same results, and the report says so",
                   done.returncode == 0 and done.stdout.count("tuned: ") == 3, done.stdout + done.stderr)


check_results()
check_skipped()
check_killed()
check_refusals()
check_real()
print(f"{faults} faults")
sys.exit(1 if faults else 0)
