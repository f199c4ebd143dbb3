# SPDX-License-Identifier: Apache-2.0
"""Runs the loops of an object of hot_loops.cpp through LLVM's model of the architecture's core, and compares the
multiply-adds per cycle with what the core can start.

usage: check_throughput.py LLVM_MCA OBJDUMP OBJECT PERCENT

LLVM 19 lets a Cortex-A55 start two vector multiply-adds in a cycle, where the core starts one: more than 100 % means that
nothing waits. It does not know either that a load of 128 bits keeps that core busy for two cycles (onnxruntime, pull request
10754): its figures are bounds, not predictions. Row sums have no multiply-adds and are not gated.
"""
import re
import subprocess
import sys

from hot_loops import BRANCH, architecture_of

ITERATIONS = 200
# What a loop reaches where it cannot reach the gate: it must not fall below this, either.
HALF = "converts its weights, between loading and multiplying them, in the pipes that multiply"
INPUTS = "its loads are a half to nine eighths of its multiply-adds"
EXCEPTIONS = {
    ("neoverse-n1", "product_f16"): (79, HALF),
    ("neoverse-n1", "product_bf16"): (88, HALF),
    ("neoverse-n1", "depthwise_any"): (87, INPUTS),
    ("cortex-a55", "product_f16"): (79, HALF),
    ("cortex-a55", "product_bf16"): (82, HALF),
    ("cortex-a55", "depthwise_3x3"): (68, INPUTS),
    ("cortex-a55", "depthwise_3x3_stride_2"): (59, INPUTS),
    ("cortex-a55", "depthwise_5x5"): (81, INPUTS),
    ("cortex-a55", "depthwise_any"): (44, INPUTS),
}


def cycles_of(mca, model, body):
    """Cycles of one turn of a loop."""
    lines = [re.sub(r"[0-9a-f]+$", ".Lloop", t) if BRANCH.match(t) else t for t in body]
    command = [mca, "-mtriple=aarch64", f"-mcpu={model}", f"-iterations={ITERATIONS}"]
    done = subprocess.run(command, input=".Lloop:\n" + "\n".join(lines) + "\n", capture_output=True, text=True)
    total = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    if done.returncode or not total:
        sys.exit(f"{' '.join(command)}:\n{done.stderr}")
    return int(total[1]) / ITERATIONS


def main():
    mca, objdump, path, gate = sys.argv[1:5]
    architecture = architecture_of(objdump, path)
    failed = False
    for loop in architecture.loops:
        if loop.instruction == "add":
            continue
        cycles = cycles_of(mca, architecture.model, loop.body)
        percent = 100 * len(loop.counted()) / architecture.per_cycle / cycles
        least, reason = EXCEPTIONS.get((architecture.model, loop.name), (float(gate), ""))
        note = f", exception: {reason}" if reason else ""
        print(f"{architecture.model}: {loop.name} {percent:.1f} % of peak, at least {least} %{note}")
        if percent < least:
            failed = True
            print("\n".join("  " + t for t in loop.body))
        elif reason and percent >= float(gate):
            failed = True
            print("  meets the gate: it needs no exception any more")
    sys.exit(failed)


if __name__ == "__main__":
    main()
