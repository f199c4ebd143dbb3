# SPDX-License-Identifier: Apache-2.0
"""The ONNX file of a network as each rival takes it, below build/rivals. What is there and newer is left alone."""
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from files import ROOT, onnx_of
from table import NETWORKS

FOLDER = ROOT / "build" / "rivals"
PNNX = "pnnx==20261020"  # of all that it asks for only its own program is used
ONNX2TF = "onnx2tf==1.29.24"  # an environment of its own: it asks for older versions of what the others need
LIMIT_S = 900


def fixed_shape_model(name):
    """The ONNX file with a fixed input shape, and what follows from it folded by ONNX Runtime (standard operators only).
    Outputs have their shapes."""
    target = FOLDER / f"{name}.onnx"
    if newer(target, onnx_of(name)):
        return target
    import onnx
    import onnxruntime

    model = onnx.load(onnx_of(name))
    initialisers = {i.name for i in model.graph.initializer}
    for x in [x for x in model.graph.input if x.name in initialisers]:
        model.graph.input.remove(x)
    for x in model.graph.input:
        dims = x.type.tensor_type.shape.dim
        del dims[:]
        for extent in NETWORKS[name].shape:
            dims.add().dim_value = extent
    for y in model.graph.output:
        y.type.tensor_type.ClearField("shape")
    FOLDER.mkdir(parents=True, exist_ok=True)
    folded = FOLDER / f"{name}.new.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folded)
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    import numpy as np

    outputs = session.run(None, {session.get_inputs()[0].name: np.zeros(NETWORKS[name].shape, np.float32)})
    model = onnx.load(folded)
    for y, value in zip(model.graph.output, outputs):
        y.type.tensor_type.shape.Clear()
        for extent in value.shape:
            y.type.tensor_type.shape.dim.add().dim_value = extent
    onnx.save(model, folded)
    os.replace(folded, target)
    return target


def multiply_adds(path):
    """Multiply-adds of the convolutions and matrix products of a model with fixed shapes."""
    import onnx

    graph = onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True).graph
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


def newer(file, source):
    return file.exists() and file.stat().st_mtime > source.stat().st_mtime


class Failure(Exception):
    """Why a rival does not have a network."""


def call(command, folder, environment=None):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, env=environment)
    except subprocess.TimeoutExpired:
        raise Failure(f"{pathlib.Path(command[0]).name} took more than {LIMIT_S} s")
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
        raise Failure(f"{pathlib.Path(command[0]).name} ended with status {done.returncode}: {lines[-1][:160]}")


def moved(folder, pattern, target):
    found = sorted(folder.rglob(pattern))
    if not found:
        raise Failure(f"the converter wrote no {pattern}")
    shutil.move(found[0], target)


def for_mnn(name, model):
    target = FOLDER / f"{name}.mnn"
    if not newer(target, model):
        with tempfile.TemporaryDirectory() as folder:
            # The program mnnconvert would install a further package and report its use; the converter alone does neither.
            call([sys.executable, "-c", "import sys, _tools; _tools.mnnconvert(sys.argv)", "-f", "ONNX", "--modelFile",
                  str(model), "--MNNModel", "network.mnn", "--bizCode", "tkl"], folder)
            moved(pathlib.Path(folder), "network.mnn", target)
    return str(target)


def for_ncnn(name, model):
    target = FOLDER / f"{name}.ncnn"
    if not newer(pathlib.Path(f"{target}.bin"), model):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(model, pathlib.Path(folder) / "network.onnx")
            installed("venv", PNNX, "pnnx", "--no-deps")
            programs = [p for p in (ROOT / "build" / "venv" / "lib").glob("python3*/site-packages/pnnx/**/pnnx") if p.is_file()]
            call([str(programs[0]), "network.onnx", "fp16=0"], folder)
            moved(pathlib.Path(folder), "network.ncnn.param", f"{target}.param")
            moved(pathlib.Path(folder), "network.ncnn.bin", f"{target}.bin")
    return str(target)


def for_litert(name, model):
    target = FOLDER / f"{name}.tflite"
    if not newer(target, model):
        program = installed("venv_onnx2tf", ONNX2TF, "onnx2tf")
        options = [] if len(NETWORKS[name].shape) == 4 else ["-kat", "x0", "-rtpo", "Erf"]
        environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", TF_CPP_MIN_LOG_LEVEL="3",
                           CUDA_VISIBLE_DEVICES="")
        with tempfile.TemporaryDirectory() as folder:
            # Calibration pictures are for integer models, but the converter asks for them; any serve.
            import numpy as np
            np.save(pathlib.Path(folder) / "calibration_image_sample_data_20x128x128x3_float32.npy",
                    np.zeros((20, 128, 128, 3), np.float32))
            own = shutil.copy(model, folder)  # the converter simplifies the file that it is given, in its place
            call([str(program), "-i", own, "-o", "out", "-n", *options], folder, environment)
            moved(pathlib.Path(folder), "*float32.tflite", target)
    return str(target)


def installed(environment, package, program, *options):
    """Path of a program that a Python package brings, after installing it into an environment below build."""
    folder = ROOT / "build" / environment
    path = folder / "bin" / program
    if path.exists():
        return path
    print(f"installing {package} into {folder}", file=sys.stderr, flush=True)
    if not (folder / "bin" / "python").exists():
        call([sys.executable, "-m", "venv", str(folder)], ROOT)
    call([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options,
          package], ROOT)
    return path


CONVERTERS = {"mnn": for_mnn, "ncnn": for_ncnn, "litert": for_litert}


def file_for(runtime, name):
    """Path of a network for a rival; raises Failure."""
    model = fixed_shape_model(name)
    return CONVERTERS[runtime](name, model) if runtime in CONVERTERS else str(model)
