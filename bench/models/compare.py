#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole networks, batch 1, one thread, f32: tkl against ONNX Runtime and OpenVINO (both from PyPI).

    python3 bench/models/compare.py --build build/release [--ratios build/ratios.json] [--networks a,b] [--rounds 9]

One process per runtime and level, rounds interleaved, medians. Every output is compared with ONNX Runtime's before
anything is timed. Level avx2 uses the objects NAME.avx2.so; on a host with AVX-512 the level avx512 uses NAME.native.so.
"""
import argparse
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
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "tools"))

# network: ONNX file, weights file (below the folder build), input shape, floors against ONNX Runtime per level and
# against OpenVINO; `tolerance` is relative to the largest output.
NETWORKS = {
    "ocr_rec320": ("onnx/rec.onnx", "weights/rec.safetensors", (1, 3, 48, 320), {"avx2": 1.35, "avx512": 1.6}, 1.05),
    "ocr_rec640": ("onnx/rec.onnx", "weights/rec.safetensors", (1, 3, 48, 640), {"avx2": 1.35, "avx512": 1.6}, 1.05),
    "ocr_det640": ("onnx/det.onnx", "weights/det.safetensors", (1, 3, 640, 640), {"avx2": 1.3, "avx512": 1.3}, None),
    "mobilenet_v2": ("golden/mobilenet_v2.onnx", "golden/mobilenet_v2.safetensors", (1, 3, 224, 224),
                     {"avx2": 1.0, "avx512": 1.0}, None),
    "resnet50": ("golden/resnet50.onnx", "golden/resnet50.safetensors", (1, 3, 224, 224),
                 {"avx2": 0.8, "avx512": 0.8}, None),
}
RIVALS = ("onnxruntime", "openvino")
TOLERANCE = 1e-3
CPU_FLAGS = set(pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split())
HAS_AVX512 = {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= CPU_FLAGS


# ---- the worker: one runtime with one network, driven by lines of JSON ----

def fixed_shape_model(path, shape):
    """The ONNX file with a fixed input shape, and what follows from it folded by ONNX Runtime (standard operators only)."""
    import onnx
    import onnxruntime

    model = onnx.load(path)
    initialisers = {i.name for i in model.graph.initializer}
    for x in model.graph.input:
        if x.name in initialisers:
            continue
        dims = x.type.tensor_type.shape.dim
        del dims[:]
        for extent in shape:
            dims.add().dim_value = extent
    for y in model.graph.output:
        y.type.tensor_type.ClearField("shape")
    folded = f"/tmp/tkl_compare_{os.getpid()}.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = folded
    options.log_severity_level = 3
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    data = pathlib.Path(folded).read_bytes()
    os.remove(folded)
    return data


def multiply_adds(data):
    """Multiply-adds of the convolutions and matrix products of a model with fixed shapes."""
    import onnx

    graph = onnx.shape_inference.infer_shapes(onnx.load_from_string(data), data_prop=True).graph
    shapes = {i.name: list(i.dims) for i in graph.initializer}
    for v in [*graph.value_info, *graph.input, *graph.output]:
        shapes[v.name] = [d.dim_value for d in v.type.tensor_type.shape.dim]
    total = 0
    for n in graph.node:
        if n.op_type == "Conv":
            total += math.prod(shapes[n.output[0]]) * math.prod(shapes[n.input[1]][1:])
        elif n.op_type == "ConvTranspose":
            total += math.prod(shapes[n.input[0]]) * math.prod(shapes[n.input[1]][1:])
        elif n.op_type == "MatMul":
            total += math.prod(shapes[n.output[0]]) * shapes[n.input[0]][-1]
        elif n.op_type == "Gemm":
            transposed = any(a.name == "transA" and a.i for a in n.attribute)
            total += math.prod(shapes[n.output[0]]) * shapes[n.input[0]][0 if transposed else -1]
    return total


class OnnxRuntime:
    def __init__(self, model, x):
        import onnxruntime as o

        options = o.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.execution_mode = o.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = o.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self.version = o.__version__
        self.session = o.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        name = self.session.get_inputs()[0].name
        # Bound to fixed buffers, so that no allocation of outputs is timed.
        self.x = o.OrtValue.ortvalue_from_numpy(x)
        first = self.session.io_binding()
        first.bind_ortvalue_input(name, self.x)
        for y in self.session.get_outputs():
            first.bind_output(y.name, "cpu")
        self.session.run_with_iobinding(first)
        self.outputs = first.get_outputs()
        self.binding = self.session.io_binding()
        self.binding.bind_ortvalue_input(name, self.x)
        for y, value in zip(self.session.get_outputs(), self.outputs):
            self.binding.bind_ortvalue_output(y.name, value)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def output(self):
        return self.outputs[0].numpy()


class OpenVino:
    def __init__(self, model, x):
        import openvino as ov

        self.version = ov.__version__.split("-")[0]
        core = ov.Core()
        compiled = core.compile_model(core.read_model(model), "CPU",
                                      {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32",
                                       "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1})
        self.request = compiled.create_infer_request()
        self.x = ov.Tensor(x, shared_memory=True)
        self.request.set_input_tensor(self.x)

    def run(self):
        self.request.infer(share_inputs=True, share_outputs=True)

    def output(self):
        return self.request.get_output_tensor(0).data


class Peak:
    """A loop of multiply-adds on registers: what the core can do at most."""
    version = ""

    def __init__(self, shared_object):
        self.c = ctypes.CDLL(shared_object)
        self.c.tkl_bench_peak_flops.restype = ctypes.c_double
        self.flops = self.c.tkl_bench_peak_flops()

    def run(self):
        self.c.tkl_bench_peak()


class Tkl:
    class Info(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_int),
                    ("extents", ctypes.c_int64 * 8), ("bytes", ctypes.c_size_t)]

    def __init__(self, network, shared_object, weights, x):
        import numpy as np

        self.c = c = ctypes.CDLL(shared_object)
        self.error = ctypes.create_string_buffer(512)
        size = ctypes.c_size_t(512)
        for f in (c.tkl_model_open, c.tkl_workspace_create):
            f.restype = ctypes.c_void_p
        c.tkl_version.restype = ctypes.c_char_p
        self.version = c.tkl_version().decode()
        model = c.tkl_model_open(network.encode(), weights.encode(), self.error, size)
        if not model:
            raise RuntimeError(self.error.value.decode())
        self.model = ctypes.c_void_p(model)
        workspace = c.tkl_workspace_create(self.model, 1, self.error, size)
        if not workspace:
            raise RuntimeError(self.error.value.decode())
        self.workspace = ctypes.c_void_p(workspace)
        info = self.Info()
        c.tkl_model_input_info(self.model, 0, ctypes.byref(info))
        if tuple(info.extents[: info.rank]) != x.shape or info.bytes != x.nbytes:
            raise RuntimeError(f"the model takes {list(info.extents[:info.rank])}, not {list(x.shape)}")
        c.tkl_model_output_info(self.model, 0, ctypes.byref(info))
        self.x, self.y = x, np.zeros(tuple(info.extents[: info.rank]), np.float32)
        self.arguments = (self.model, self.workspace, (ctypes.c_void_p * 1)(self.x.ctypes.data),
                          (ctypes.c_void_p * 1)(self.y.ctypes.data), self.error, size)

    def run(self):
        if self.c.tkl_model_run(*self.arguments) != 0:
            raise RuntimeError(self.error.value.decode())

    def output(self):
        return self.y


def worker():
    import numpy as np

    replies = os.dup(1)
    os.dup2(2, 1)  # what libraries print goes to stderr
    runtime = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "load" in request:
                r, reply = request["load"], {}
                x = np.random.default_rng(0).uniform(-1, 1, r["shape"]).astype(np.float32)
                if r["runtime"] == "tkl":
                    runtime = Tkl(r["network"], r["object"], r["weights"], x)
                elif r["runtime"] == "peak":
                    runtime = Peak(r["object"])
                    reply["flops"] = runtime.flops
                else:
                    model = fixed_shape_model(r["onnx"], r["shape"])
                    runtime = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}[r["runtime"]](model, x)
                    if r["runtime"] == "onnxruntime":
                        reply["flops"] = 2 * multiply_adds(model)
                runtime.run()
                if r["runtime"] != "peak":
                    np.save(r["output"], runtime.output())
                reply["version"] = runtime.version
                if "cpuid_mask" in os.environ.get("LD_PRELOAD", "") and ctypes.CDLL(None).tkl_bench_cpuid_answers() == 0:
                    raise RuntimeError(f"{r['runtime']} is not held to AVX2")
            else:
                samples, end = [], time.perf_counter() + request["seconds"]
                while len(samples) < 2 or time.perf_counter() < end:
                    start = time.perf_counter()
                    runtime.run()
                    samples.append(time.perf_counter() - start)
                reply = {"median": statistics.median(samples)}
        except Exception as e:  # the reply says what went wrong; the parent makes a failed row of it
            reply = {"error": f"{type(e).__name__}: {e}"[:300]}
        os.write(replies, (json.dumps(reply) + "\n").encode())


# ---- the parent ----

class Process:
    def __init__(self, python, runtime, level, held):
        """`held`: a folder with copies of the rivals that ask a mask for the CPU's features, and the mask; or None."""
        environment = dict(os.environ, OMP_NUM_THREADS="1", KMP_BLOCKTIME="0")
        if held is not None and runtime in RIVALS:
            environment.update(LD_PRELOAD=str(held[1]), PYTHONPATH=str(held[0]), ONEDNN_MAX_CPU_ISA="AVX2",
                               GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ")
        self.runtime, self.level, self.medians, self.error, self.version = runtime, level, [], None, ""
        self.p = subprocess.Popen([python, __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def difference(a, b):
    import numpy as np

    if a.size != b.size:
        return f"{a.size} elements instead of {b.size}"
    d = float(np.abs(a.ravel().astype(np.float64) - b.ravel()).max() / max(float(np.abs(b).max()), 1e-30))
    return None if d <= TOLERANCE else f"differs from onnxruntime by {d:.2g} of the largest output"


def held_rivals(args):
    """Copies of the rivals that do not see AVX-512, on a host that has it: the folder and the library to preload."""
    if not HAS_AVX512 and not args.hold:
        return None
    folder, mask = ROOT / "build" / "held", args.build.resolve() / "bench" / "models" / "cpuid_mask.so"
    folder.mkdir(parents=True, exist_ok=True)
    site = next((ROOT / "build" / "venv" / "lib").glob("python3*/site-packages"))
    subprocess.run([sys.executable, str(ROOT / "bench" / "models" / "hold" / "hold.py"), str(site), str(folder), *RIVALS],
                   check=True)
    return folder, mask


def compare(name, levels, held, args):
    import numpy as np

    onnx, weights, shape, ort_floors, openvino_floor = NETWORKS[name]
    build = ROOT / "build"
    processes = []
    for level in levels:
        for runtime in ("peak", "onnxruntime", "tkl", "openvino"):
            if runtime == "openvino" and openvino_floor is None and not args.all:
                continue
            p = Process(str(build / "venv" / "bin" / "python"), runtime, level, held if level == "avx2" else None)
            suffix = "avx2" if level == "avx2" else "native"
            p.output = f"/tmp/tkl_compare_{os.getpid()}_{runtime}_{level}.npy"
            file = f"{'peak' if runtime == 'peak' else name}.{suffix}.so"
            reply = p.ask(load={"runtime": runtime, "network": name, "shape": shape, "output": p.output,
                                "onnx": str(build / onnx), "weights": str(build / weights),
                                "object": str(args.build / "bench" / "models" / file)})
            p.version, p.flops = reply.get("version", ""), reply.get("flops")
            processes.append(p)
    reference = next((p for p in processes if p.runtime == "onnxruntime"), None)
    expected = np.load(reference.output) if os.path.exists(reference.output) else None
    for p in processes:
        if p.error is None and p.runtime != "peak":
            p.error = "no reference output" if expected is None else difference(np.load(p.output), expected)
        if os.path.exists(p.output):
            os.remove(p.output)
    for turn in range(args.rounds + 1):
        for p in processes:
            if p.error is None:
                reply = p.ask(seconds=args.seconds)
                if turn > 0 and "median" in reply:  # the first round warms up
                    p.medians.append(reply["median"])
    rows = []
    for level in levels:
        of_level = {p.runtime: p for p in processes if p.level == level}
        own, peak = of_level["tkl"], of_level["peak"]
        percent = None
        if own.medians and peak.medians and reference.flops:
            percent = 100 * (reference.flops / statistics.median(own.medians)) / (
                peak.flops / statistics.median(peak.medians))
        for p in of_level.values():
            if p.runtime not in RIVALS:
                continue
            floor = ort_floors[level] if p.runtime == "onnxruntime" else openvino_floor
            error = own.error and f"tkl: {own.error}" or p.error
            own_ms = 1e3 * statistics.median(own.medians) if own.medians else math.nan
            ms = 1e3 * statistics.median(p.medians) if p.medians else math.nan
            rows.append({"bench": "models", "case": name, "level": level, "threads": 1, "rival": p.runtime,
                         "rival_version": p.version, "ratio": None if error else round(ms / own_ms, 4), "floor": floor,
                         "percent_of_peak": percent and round(percent, 2), "error": error})
            print(f"models   {name:14s} {level:7s} {p.runtime:12s} {p.version:10s} tkl {own_ms:8.2f} ms, {ms:8.2f} ms, "
                  f"ratio {ms / own_ms:5.2f}, floor {floor or '-'}, {percent or math.nan:.0f}% of peak {error or ''}",
                  flush=True)
    for p in processes:
        p.close()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--ratios", type=pathlib.Path, default=ROOT / "build" / "ratios.json")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.25, help="time of one process in one round")
    parser.add_argument("--all", action="store_true", help="OpenVINO also where no floor names it")
    parser.add_argument("--hold", action="store_true", help="hold the rivals to AVX2 even where there is nothing to hide")
    args = parser.parse_args()
    # tools/prepare.py knows how to make the environment, the networks and their weights.
    from prepare import python_with
    python = python_with(ROOT / "bench" / "models" / "requirements.txt", ROOT / "build")
    if pathlib.Path(sys.executable).absolute() != python.absolute():
        os.execv(str(python), [str(python), *sys.argv])
    if subprocess.run([sys.executable, str(ROOT / "tools" / "prepare.py"), "golden", "--build", str(ROOT / "build")],
                      stdout=subprocess.DEVNULL).returncode != 0:
        raise SystemExit("compare: the networks could not be prepared")
    from run import merge_rows
    held = held_rivals(args)
    for name in args.networks.split(","):
        merge_rows(args.ratios, compare(name, ["avx2", "avx512"] if HAS_AVX512 else ["avx2"], held, args))


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()
