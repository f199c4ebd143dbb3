# SPDX-License-Identifier: Apache-2.0
"""One network in one runtime: making it loads the network, run() is what is timed, outputs() what it computed. Loaded in a
process of its own."""
import ctypes
import threading

import numpy as np


class OnnxRuntime:
    def __init__(self, file, x, threads):
        import onnxruntime as o

        options = o.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.execution_mode = o.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = o.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0" if threads == 1 else "1")
        options.log_severity_level = 3
        self.version = o.__version__
        self.session = o.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        self.x, self.binding = o.OrtValue.ortvalue_from_numpy(x), None

    def run(self):
        if self.binding is None:
            self.run_first()
        else:
            self.session.run_with_iobinding(self.binding)

    def run_first(self):
        """Later runs are bound to the buffers that this one makes, so that no allocation of outputs is timed."""
        name = self.session.get_inputs()[0].name
        first, self.binding = self.session.io_binding(), self.session.io_binding()
        for binding in (first, self.binding):
            binding.bind_ortvalue_input(name, self.x)
        for y in self.session.get_outputs():
            first.bind_output(y.name, "cpu")
        self.session.run_with_iobinding(first)
        self.y = first.get_outputs()
        for y, value in zip(self.session.get_outputs(), self.y):
            self.binding.bind_ortvalue_output(y.name, value)

    def outputs(self):
        return [y.numpy() for y in self.y]


class OpenVino:
    def __init__(self, file, x, threads):
        import openvino as ov

        self.version = ov.__version__.split("-")[0]
        core = ov.Core()
        self.compiled = core.compile_model(core.read_model(file), "CPU",
                                           {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32",
                                            "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1})
        self.request = self.compiled.create_infer_request()
        self.x = ov.Tensor(x, shared_memory=True)
        self.request.set_input_tensor(self.x)

    def run(self):
        self.request.infer(share_inputs=True, share_outputs=True)

    def outputs(self):
        return [self.request.get_output_tensor(i).data for i in range(len(self.compiled.outputs))]


class Mnn:
    def __init__(self, file, x, threads):
        import MNN

        self.mnn, self.version = MNN, MNN.version()
        self.interpreter = MNN.Interpreter(file)
        self.session = self.interpreter.createSession({"numThread": threads, "precision": "high", "backend": "CPU",
                                                       "power": "high", "memory": "normal"})
        self.host = MNN.Tensor(x.shape, MNN.Halide_Type_Float, x, MNN.Tensor_DimensionType_Caffe)
        self.input = self.interpreter.getSessionInput(self.session)

    def run(self):
        self.input.copyFrom(self.host)
        self.interpreter.runSession(self.session)

    def outputs(self):
        found = []
        for _, y in sorted(self.interpreter.getSessionOutputAll(self.session).items()):
            host = self.mnn.Tensor(y.getShape(), y.getDataType(), np.zeros(y.getShape(), np.float32),
                                   self.mnn.Tensor_DimensionType_Caffe)
            y.copyToHostTensor(host)
            found.append(np.array(host.getNumpyData(), copy=True).reshape(y.getShape()))
        return found


class Ncnn:
    def __init__(self, file, x, threads):
        import ncnn

        self.version = ncnn.__version__
        self.net = ncnn.Net()
        self.net.opt.num_threads = threads
        for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage",
                       "use_bf16_packed", "use_vulkan_compute"):
            if hasattr(self.net.opt, option):
                setattr(self.net.opt, option, False)
        self.net.load_param(file + ".param")
        self.net.load_model(file + ".bin")
        self.x = ncnn.Mat(np.ascontiguousarray(x[0])).clone()
        self.y = []

    def run(self):
        with self.net.create_extractor() as extractor:
            extractor.input(self.net.input_names()[0], self.x)
            self.y = [extractor.extract(name)[1] for name in self.net.output_names()]

    def outputs(self):
        return [np.array(y) for y in self.y]


class LiteRt:
    """Models in NHWC, as onnx2tf writes them; XNNPACK is LiteRT's default."""

    def __init__(self, file, x, threads):
        from ai_edge_litert.interpreter import Interpreter

        self.interpreter = Interpreter(file, num_threads=threads)
        self.interpreter.allocate_tensors()
        wanted = self.interpreter.get_input_details()[0]
        if tuple(wanted["shape"]) != x.shape:
            x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        self.interpreter.set_tensor(wanted["index"], x)

    @property
    def version(self):
        import importlib.metadata  # which looks for a while: not while it is loaded

        return importlib.metadata.version("ai-edge-litert")

    def run(self):
        self.interpreter.invoke()

    def outputs(self):
        found = [self.interpreter.get_tensor(y["index"]) for y in self.interpreter.get_output_details()]
        return [np.ascontiguousarray(y.transpose(0, 3, 1, 2)) if y.ndim == 4 else y for y in found]


class Peak:
    """A loop of multiply-adds on registers: what the core can do at most; on each of several threads, what the host can."""
    version = ""

    def __init__(self, file, x, threads):
        self.c, self.threads = ctypes.CDLL(file), threads
        self.c.tkl_bench_peak_flops.restype = ctypes.c_double
        # Beside the start of a thread a call has to be long.
        self.calls = 1 if threads == 1 else 200
        self.flops = threads * self.calls * self.c.tkl_bench_peak_flops()

    def loop(self):
        for _ in range(self.calls):
            self.c.tkl_bench_peak()

    def run(self):
        others = [threading.Thread(target=self.loop) for _ in range(self.threads - 1)]
        for thread in others:
            thread.start()
        self.loop()
        for thread in others:
            thread.join()

    def outputs(self):
        return []


class Tkl:
    class Info(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_int),
                    ("extents", ctypes.c_int64 * 8), ("bytes", ctypes.c_size_t)]

    def __init__(self, file, x, threads, network, weights):
        self.c = c = ctypes.CDLL(file)
        self.error = ctypes.create_string_buffer(512)
        size = ctypes.c_size_t(512)
        for f in (c.tkl_model_open, c.tkl_workspace_create):
            f.restype = ctypes.c_void_p
        c.tkl_version.restype = ctypes.c_char_p
        self.version = c.tkl_version().decode()
        self.model = self.opened(c.tkl_model_open(network.encode(), weights.encode(), self.error, size))
        self.workspace = self.opened(c.tkl_workspace_create(self.model, threads, self.error, size))
        info = self.Info()
        c.tkl_model_input_info(self.model, 0, ctypes.byref(info))
        if tuple(info.extents[: info.rank]) != x.shape or info.bytes != x.nbytes:
            raise RuntimeError(f"the model takes {list(info.extents[:info.rank])}, not {list(x.shape)}")
        self.x, self.y = x, []
        for i in range(c.tkl_model_output_count(self.model)):
            c.tkl_model_output_info(self.model, i, ctypes.byref(info))
            self.y.append(np.zeros(tuple(info.extents[: info.rank]), np.float32))
        buffers = (ctypes.c_void_p * len(self.y))(*[y.ctypes.data for y in self.y])
        self.arguments = (self.model, self.workspace, (ctypes.c_void_p * 1)(self.x.ctypes.data), buffers, self.error,
                          size)

    def opened(self, pointer):
        if not pointer:
            raise RuntimeError(self.error.value.decode())
        return ctypes.c_void_p(pointer)

    def run(self):
        if self.c.tkl_model_run(*self.arguments) != 0:
            raise RuntimeError(self.error.value.decode())

    def outputs(self):
        return self.y


RUNTIMES = {"peak": Peak, "onnxruntime": OnnxRuntime, "openvino": OpenVino, "mnn": Mnn, "ncnn": Ncnn, "litert": LiteRt,
            "tkl": Tkl}
# What a program imports of a rival; the entries of site-packages that make it up.
MODULES = {"onnxruntime": "onnxruntime", "openvino": "openvino", "mnn": "MNN", "ncnn": "ncnn",
           "litert": "ai_edge_litert.interpreter"}
PACKAGES = {"onnxruntime": ["onnxruntime"], "openvino": ["openvino"], "mnn": ["MNN", "_mnncengine*.so", "mnn.libs"],
            "ncnn": ["ncnn", "ncnn.libs"], "litert": ["ai_edge_litert"]}
