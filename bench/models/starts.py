# SPDX-License-Identifier: Apache-2.0
"""Fresh processes with one network each: programs/start.cpp for tkl, programs/start.py for a rival. What they measure of
themselves, and whether they compute what ONNX Runtime computes. Files are in the page cache by then."""
import ctypes
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from compare import COMPARABLE, HAS_AVX512, RIVALS, TOLERANCE, difference, object_of
from command_line import checked, parser_of
from conversions import FOLDER, Failure, file_for
from files import ROOT, prepare, weights_of
from row import row, show
from table import NETWORKS

SMALL_BYTES = 20_000_000  # of weights: floors are others below
LEVEL = "avx512" if HAS_AVX512 else "avx2"  # the host's best: rivals use what they find
LIMIT_S = 300


class Starts:
    """One runtime with one network: what its processes said."""

    def __init__(self, runtime):
        self.runtime, self.replies, self.file = runtime, [], None
        self.error, self.absent, self.difference, self.version = None, None, None, ""

    def fail(self, reason):
        """What a rival cannot do is no fault of tkl; the reference must work."""
        if self.runtime in RIVALS and self.runtime != "onnxruntime":
            self.absent = self.absent or reason
        else:
            self.error = self.error or reason

    def good(self):
        return bool(self.replies) and self.error is None and self.absent is None

    def comparable(self):
        return self.good() and self.runtime in RIVALS and self.difference is not None and self.difference <= COMPARABLE

    def seconds(self):
        """Opening and first run, less a later run."""
        return statistics.median(r["cold"] - r["warm"] for r in self.replies)

    def bytes(self):
        """Peak of what is resident, beyond what was before the network was opened."""
        return statistics.median(r["peak"] - r["before"] for r in self.replies)


def packed_weights(name, build):
    """The weights as tkl maps them, below build/rivals like the files of the rivals; and the sizes of the network."""
    native, packed = ctypes.CDLL(str(object_of(build, name, "native"))), FOLDER / f"{name}.tkl"
    FOLDER.mkdir(parents=True, exist_ok=True)
    error = ctypes.create_string_buffer(512)
    if native.tkl_bench_pack(str(weights_of(name)).encode(), str(packed).encode(), error, ctypes.c_size_t(512)) != 0:
        raise Failure(error.value.decode())
    sizes = (ctypes.c_int64 * 3)()
    native.tkl_bench_sizes(sizes)
    return packed, {"weights": weights_of(name).stat().st_size, "arena": sizes[0], "packed": sizes[1],
                    "transformed": sizes[2]}


def program_of(build, name):
    return build / "bench" / "models" / f"{name}.start"


def outputs_of(s, folder, sizes):
    import numpy as np

    if s.runtime != "tkl":
        return list(np.load(folder / f"{s.runtime}.npz").values())
    numbers = np.fromfile(folder / "tkl.bin", np.float32)
    if numbers.size != sum(sizes):
        raise Failure(f"{numbers.size} numbers instead of {sum(sizes)}")
    return np.split(numbers, np.cumsum(sizes)[:-1])


def start_once(s, name, build, folder):
    if s.runtime == "tkl":
        command = [str(program_of(build, name)), name, str(s.file), str(folder / "x.bin"), str(folder / "tkl.bin")]
    else:
        command = [sys.executable, str(ROOT / "bench" / "models" / "programs" / "start.py"), s.runtime, str(s.file),
                   str(folder / "x.npy"), str(folder / f"{s.runtime}.npz")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except (OSError, subprocess.TimeoutExpired) as e:
        return s.fail(str(e)[:300])
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return s.fail(f"ended with status {done.returncode}: {message[:200]}")
    s.replies.append(json.loads(lines[-1]))  # libraries may have printed before
    s.version = s.replies[-1].get("version", "")


def judge(starts, folder):
    """Compares the outputs with ONNX Runtime's."""
    reference = next(s for s in starts if s.runtime == "onnxruntime")
    if not reference.good():
        return
    expected = outputs_of(reference, folder, None)
    for s in starts:
        if not s.good():
            continue
        try:
            s.difference = difference(outputs_of(s, folder, [y.size for y in expected]), expected)
        except Failure as failure:
            s.fail(str(failure))
            continue
        if not s.difference <= TOLERANCE:
            s.fail(f"differs from onnxruntime by {s.difference:.2g} of the largest output")


def measure(name, args):
    """{runtime: Starts} after args.rounds processes of each, in turn; and tkl's sizes."""
    import numpy as np

    starts, sizes = [Starts(runtime) for runtime in ("tkl", *args.rivals)], None
    for s in starts:
        try:
            if s.runtime == "tkl":
                s.file, sizes = packed_weights(name, args.build)
            else:
                s.file = file_for(s.runtime, name)
        except (Failure, OSError) as failure:
            s.fail(str(failure))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        x = np.random.default_rng(0).uniform(-1, 1, NETWORKS[name].shape).astype(np.float32)
        np.save(folder / "x.npy", x)
        x.tofile(folder / "x.bin")
        for turn in range(args.rounds):
            for s in starts:
                if s.error is None and s.absent is None:
                    start_once(s, name, args.build, folder)
            if turn == 0:
                judge(starts, folder)
    return {s.runtime: s for s in starts}, sizes


def rows_of(bench, name, of, measured, least, floor, unit, scale):
    """A row per rival, then the row `least` with the floor: against the rival with the least of those that compute what
    ONNX Runtime computes. `measured`: what is compared of a Starts; it is shown in `unit`."""
    own = of["tkl"]

    def against(s, rival, floor):
        good = own.good() and s.good()
        return row(bench, name, LEVEL, rival, measured(s) / measured(own) if good else None, floor,
                   rival_version=s.version if rival == s.runtime else f"{s.runtime} {s.version}",
                   error=own.error and f"tkl: {own.error}" or s.error, absent=s.absent,
                   **{unit: scale * measured(own) if good else None, f"rival_{unit}": scale * measured(s) if good else None})

    rows = [against(s, s.runtime, None) for s in of.values() if s.runtime in RIVALS]
    best = min((s for s in of.values() if s.comparable()), key=measured, default=None)
    rows.append(against(best, least, floor) if best else
                row(bench, name, LEVEL, least, None, floor, error="no rival computes what ONNX Runtime computes"))
    return rows


def run(text, rows, rounds):
    """The whole of a program: `rows(name, of, sizes, build)` of each network asked for."""
    from run import merge_rows

    args = checked(parser_of(text, rounds=rounds))
    for name in args.networks:
        prepare([name])
        made = rows(name, *measure(name, args), args.build)
        show(made)
        merge_rows(args.ratios, made)
