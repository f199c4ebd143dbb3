#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes networks with random weights as ONNX files and the same weights as safetensors, for compare.py.

    build/venv/bin/python bench/models/make_networks.py [--build build] NAME...

Written are build/networks/NAME.onnx and NAME.safetensors; a network whose files are newer than this script is left
alone. Statistics of batch norms are those of calibration inputs, so that values keep their size through the layers.
Parameters are named by their place in the network, weights of fully connected layers are out x in.
"""
import argparse
import math
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

OPSET = helper.make_opsetid("", 17)


class Network:
    """Nodes of an ONNX graph. Each layer is run on the calibration inputs as it is added; values are (name, array)."""

    def __init__(self, shape, calibration=2):
        self.nodes, self.constants, self.weights = [], {}, {}
        self.random = np.random.default_rng(20240917)
        self.shape = shape
        self.input = ("x0", self.random.uniform(-1, 1, (calibration, *shape[1:])).astype(np.float32))

    def op(self, kind, *inputs, **attributes):
        name = f"{kind.lower()}_{len(self.nodes)}"
        node = helper.make_node(kind, [i[0] for i in inputs], [name], name, **attributes)
        self.nodes.append(node)
        given = [i for i in inputs if i[0]]
        graph = helper.make_graph([node], "one", [helper.make_tensor_value_info(
            i, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for i, a in given],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
        model = helper.make_model(graph, opset_imports=[OPSET], ir_version=8)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return name, session.run(None, dict(given))[0]

    def constant(self, name, value):
        """A tensor of the ONNX file alone."""
        self.constants[name] = np.ascontiguousarray(value)
        return name, self.constants[name]

    def weight(self, name, value):
        """A tensor of both files."""
        self.weights[name] = np.ascontiguousarray(value, np.float32)
        return self.constant(name, self.weights[name])

    def normal(self, name, deviation, *shape):
        return self.weight(name, self.random.normal(0, deviation, shape))

    def conv(self, x, name, out, kernel=1, stride=1, pad=None, groups=1, bias=False):
        rows, columns = (kernel, kernel) if isinstance(kernel, int) else kernel
        pads = [rows // 2, columns // 2] if pad is None else list(pad)
        taps = rows * columns * x[1].shape[1] // groups
        inputs = [x, self.normal(f"{name}.weight", math.sqrt(2 / taps), out, x[1].shape[1] // groups, rows, columns)]
        if bias:
            inputs.append(self.normal(f"{name}.bias", 0.1, out))
        return self.op("Conv", *inputs, kernel_shape=[rows, columns], strides=[stride] * 2, pads=pads * 2, group=groups)

    def norm(self, x, name):
        channels = x[1].shape[1]
        return self.op("BatchNormalization", x, self.weight(f"{name}.weight", self.random.uniform(0.6, 1.4, channels)),
                       self.weight(f"{name}.bias", self.random.normal(0, 0.2, channels)),
                       self.weight(f"{name}.running_mean", x[1].mean((0, 2, 3), np.float64)),
                       self.weight(f"{name}.running_var", x[1].var((0, 2, 3), np.float64)), epsilon=1e-5)

    def conv_norm(self, x, name, out, *arguments, **attributes):
        return self.norm(self.conv(x, f"{name}.0", out, *arguments, **attributes), f"{name}.1")

    def relu(self, x):
        return self.op("Relu", x)

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def add(self, x, y):
        return self.op("Add", x, y)

    def concat(self, *values):
        return self.op("Concat", *values, axis=1)

    def max_pool(self, x, kernel, stride):
        return self.op("MaxPool", x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)

    def doubled(self, x):
        return self.op("Resize", x, ("", None), self.constant("scales", np.array([1, 1, 2, 2], np.float32)),
                       mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def mean(self, x):
        return self.op("Flatten", self.op("GlobalAveragePool", x))

    def gemm(self, x, name, out):
        features = x[1].shape[1]
        return self.op("Gemm", x, self.normal(f"{name}.weight", features**-0.5, out, features),
                       self.normal(f"{name}.bias", 0.1, out), transB=1)

    def dense(self, x, name, out):
        """A fully connected layer on the last of three axes; the ONNX file has its weight in x out."""
        features = x[1].shape[2]
        weight = self.random.normal(0, features**-0.5, (out, features)).astype(np.float32)
        self.weights[f"{name}.weight"] = weight
        y = self.op("MatMul", x, self.constant(f"{name}.weight_t", weight.T))
        return self.op("Add", y, self.normal(f"{name}.bias", 0.1, out))

    def layer_norm(self, x, name):
        width = x[1].shape[2]
        return self.op("LayerNormalization", x, self.weight(f"{name}.weight", self.random.uniform(0.6, 1.4, width)),
                       self.weight(f"{name}.bias", self.random.normal(0, 0.2, width)), axis=-1, epsilon=1e-12)

    def number(self, value):
        return self.constant(f"number_{value:.6g}", np.float32(value))

    def gelu(self, x):
        y = self.op("Erf", self.op("Div", x, self.number(math.sqrt(2))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", y, self.number(1))), self.number(0.5))

    def integers(self, *values):
        return self.constant("shape_" + "_".join(map(str, values)), np.array(values, np.int64))

    def attention(self, q, k, v, heads):
        rows, width = q[1].shape[1:]
        depth = width // heads

        def split(x, order):
            return self.op("Transpose", self.op("Reshape", x, self.integers(1, rows, heads, depth)), perm=order)

        scores = self.op("MatMul", split(q, [0, 2, 1, 3]), split(k, [0, 2, 3, 1]))
        scores = self.op("Softmax", self.op("Div", scores, self.number(math.sqrt(depth))), axis=-1)
        y = self.op("Transpose", self.op("MatMul", scores, split(v, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
        return self.op("Reshape", y, self.integers(1, rows, width))

    def model(self, name, outputs):
        for number, (value, _) in enumerate(outputs):
            self.nodes.append(helper.make_node("Identity", [value], [f"y{number}"], f"y{number}"))
        graph = helper.make_graph(
            self.nodes, name, [helper.make_tensor_value_info("x0", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, (1, *array.shape[1:]))
             for i, (_, array) in enumerate(outputs)],
            [numpy_helper.from_array(np.asarray(v), k) for k, v in self.constants.items()])
        model = helper.make_model(graph, opset_imports=[OPSET], ir_version=8)
        onnx.checker.check_model(model)
        return model


def resnet18():
    net = Network((1, 3, 224, 224), 4)

    def conv_norm(x, conv, norm, *arguments):
        return net.norm(net.conv(x, conv, *arguments), norm)

    x = net.max_pool(net.relu(conv_norm(net.input, "conv1", "bn1", 64, 7, 2)), 3, 2)
    for layer in range(1, 5):
        for i in range(2):
            block, width, stride = f"layer{layer}.{i}", 32 << layer, 2 if i == 0 and layer > 1 else 1
            y = net.relu(conv_norm(x, f"{block}.conv1", f"{block}.bn1", width, 3, stride))
            y = conv_norm(y, f"{block}.conv2", f"{block}.bn2", width, 3)
            if stride > 1:
                x = conv_norm(x, f"{block}.downsample.0", f"{block}.downsample.1", width, 1, stride)
            x = net.relu(net.add(x, y))
    return net, [net.gemm(net.mean(x), "fc", 1000)]


def resnet8():
    net = Network((1, 3, 32, 32), 16)
    x = net.relu(net.conv_norm(net.input, "b.0", 16, 3))
    for block, out, stride in (("b.1", 16, 1), ("b.2", 32, 2), ("b.3", 64, 2)):
        y = net.relu(net.conv_norm(x, f"{block}.a", out, 3, stride))
        y = net.conv_norm(y, f"{block}.b", out, 3)
        x = net.relu(net.add(y, net.conv(x, f"{block}.d", out, 1, stride, bias=True) if stride > 1 else x))
    return net, [net.op("Softmax", net.gemm(net.mean(x), "fc", 10), axis=1)]


def dscnn():
    net = Network((1, 1, 49, 10), 16)
    x = net.relu(net.conv_norm(net.input, "b.0", 64, (10, 4), 2, (5, 1)))
    for i in range(1, 9, 2):
        x = net.relu(net.conv_norm(x, f"b.{i}", 64, 3, groups=64))
        x = net.relu(net.conv_norm(x, f"b.{i + 1}", 64))
    return net, [net.op("Softmax", net.gemm(net.mean(x), "fc", 12), axis=1)]


def yolov5s():
    net = Network((1, 3, 640, 640))

    def c(x, name, out, kernel=1, stride=1, pad=None):
        return net.silu(net.conv_norm(x, name, out, kernel, stride, pad))

    def c3(x, name, out, count, residual=True):
        y = c(x, f"{name}.a", out // 2)
        for i in range(count):
            z = c(c(y, f"{name}.m.{i}.a", out // 2), f"{name}.m.{i}.b", out // 2, 3)
            y = net.add(y, z) if residual else z
        return c(net.concat(y, c(x, f"{name}.b", out // 2)), f"{name}.c", out)

    x = c(net.input, "p3.0", 32, 6, 2, (2, 2))
    x = c3(c(x, "p3.1", 64, 3, 2), "p3.2", 64, 1)
    p3 = c3(c(x, "p3.3", 128, 3, 2), "p3.4", 128, 2)
    p4 = c3(c(p3, "p4.0", 256, 3, 2), "p4.1", 256, 3)
    x = c(c3(c(p4, "p5.0", 512, 3, 2), "p5.1", 512, 1), "p5.2.a", 256)
    y = net.max_pool(x, 5, 1)
    z = net.max_pool(y, 5, 1)
    top = c(c(net.concat(x, y, z, net.max_pool(z, 5, 1)), "p5.2.b", 512), "h10", 256)
    middle = c(c3(net.concat(net.doubled(top), p4), "h13", 256, 1, False), "h14", 128)
    fine = c3(net.concat(net.doubled(middle), p3), "h17", 128, 1, False)
    medium = c3(net.concat(c(fine, "h18", 128, 3, 2), middle), "h20", 256, 1, False)
    coarse = c3(net.concat(c(medium, "h21", 256, 3, 2), top), "h23", 512, 1, False)
    return net, [net.conv(v, f"d.{i}", 255, bias=True) for i, v in enumerate((fine, medium, coarse))]


def encoder(layers, rows, width, heads, inner):
    net = Network((1, rows, width), 1)
    x = net.input
    for i in range(layers):
        q, k, v = (net.dense(x, f"{i}.{part}", width) for part in "qkv")
        x = net.layer_norm(net.add(x, net.dense(net.attention(q, k, v, heads), f"{i}.o", width)), f"{i}.n1")
        y = net.dense(net.gelu(net.dense(x, f"{i}.f1", inner)), f"{i}.f2", width)
        x = net.layer_norm(net.add(x, y), f"{i}.n2")
    return net, [x]


MAKERS = {
    "resnet18": resnet18,
    "resnet8": resnet8,
    "dscnn": dscnn,
    "yolov5s": yolov5s,
    "minilm_s128": lambda: encoder(6, 128, 384, 12, 1536),
    "minilm_s32": lambda: encoder(6, 32, 384, 12, 1536),
    "bertbase_s128": lambda: encoder(12, 128, 768, 12, 3072),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    parser.add_argument("names", nargs="+", choices=MAKERS, metavar="NAME")
    args = parser.parse_args()
    folder = args.build / "networks"
    folder.mkdir(parents=True, exist_ok=True)
    script = pathlib.Path(__file__).stat().st_mtime
    for name in args.names:
        files = [folder / f"{name}.onnx", folder / f"{name}.safetensors"]
        if all(f.is_file() and f.stat().st_mtime > script for f in files):
            continue
        print(f"making {name}", file=sys.stderr, flush=True)
        net, outputs = MAKERS[name]()
        model = net.model(name, outputs)
        # The safetensors file is written first: an interrupted run leaves no pair that looks whole.
        save_file(net.weights, files[1])
        onnx.save(model, files[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
