# SPDX-License-Identifier: Apache-2.0
"""MobileNetV2 (Sandler et al. 2018) and ResNet-50 (He et al. 2015, stride in the 3x3) as ONNX with random weights.

Tensors carry torchvision's parameter names. A network is built once, layer by layer: each layer is written as an ONNX
node and at the same time run on six calibration pictures, whose statistics become the batch norms' means and variances.
"""
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import pictures

WEIGHTS_SEED, CALIBRATION_SEED, INPUT_SEED = 20240917, 715517, 40
SIDE, CLASSES, EPSILON = 224, 1000, 1e-5
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def image_tensor(picture):
    """Middle square of a picture, scaled to 224, as PyTorch's networks take it: 1 x 3 x 224 x 224."""
    side = min(picture.shape[:2])
    top, left = (picture.shape[0] - side) // 2, (picture.shape[1] - side) // 2
    square = pictures.resize(picture[top : top + side, left : left + side], SIDE, SIDE).astype(np.float32)
    return ((square / np.float32(255) - MEAN) / DEVIATION).transpose(2, 0, 1)[None].astype(np.float32)


class Builder:
    """Values are pairs (name, calibration batch)."""

    def __init__(self):
        self.nodes, self.weights = [], {}
        self.random = np.random.default_rng(WEIGHTS_SEED)
        scenes = [image_tensor(pictures.clouds(SIDE, SIDE, CALIBRATION_SEED + i)) for i in range(6)]
        self.input = ("input", np.concatenate(scenes))

    def _node(self, kind, inputs, value, **attributes):
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name, value

    def _run(self, kind, arrays, **attributes):
        names = [f"x{i}" for i in range(len(arrays))]
        graph = helper.make_graph([helper.make_node(kind, names, ["y"], **attributes)], "one",
                                  [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape)
                                   for n, a in zip(names, arrays)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, dict(zip(names, arrays)))[0]

    def conv_bn(self, x, conv, norm, out, kernel=1, stride=1, groups=1):
        channels = x[1].shape[1]
        shape = (out, channels // groups, kernel, kernel)
        spread = np.sqrt(2.0 / (kernel * kernel * channels // groups))
        weight = self.random.normal(0, spread, shape).astype(np.float32)
        self.weights[f"{conv}.weight"] = weight
        attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [kernel // 2] * 4, "group": groups}
        y = self._node("Conv", [x[0], f"{conv}.weight"], self._run("Conv", [x[1], weight], **attributes), **attributes)
        scale = self.random.uniform(0.6, 1.4, out).astype(np.float32)
        offset = self.random.normal(0, 0.2, out).astype(np.float32)
        mean = y[1].mean((0, 2, 3), dtype=np.float64).astype(np.float32)
        variance = y[1].var((0, 2, 3), dtype=np.float64).astype(np.float32)
        names = [f"{norm}.{part}" for part in ("weight", "bias", "running_mean", "running_var")]
        self.weights.update(zip(names, (scale, offset, mean, variance)))
        column = [v[:, None, None] for v in (scale, offset, mean, variance)]
        value = (y[1] - column[2]) / np.sqrt(column[3] + np.float32(EPSILON)) * column[0] + column[1]
        return self._node("BatchNormalization", [y[0], *names], value, epsilon=EPSILON)

    def relu(self, x):
        return self._node("Relu", [x[0]], np.maximum(x[1], 0))

    def relu6(self, x):
        self.weights.setdefault("zero", np.float32(0))
        self.weights.setdefault("six", np.float32(6))
        return self._node("Clip", [x[0], "zero", "six"], np.clip(x[1], 0, 6))

    def add(self, x, y):
        return self._node("Add", [x[0], y[0]], x[1] + y[1])

    def max_pool(self, x):
        attributes = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
        return self._node("MaxPool", [x[0]], self._run("MaxPool", [x[1]], **attributes), **attributes)

    def classify(self, x, name):
        x = self._node("GlobalAveragePool", [x[0]], x[1].mean((2, 3), keepdims=True))
        x = self._node("Flatten", [x[0]], x[1].reshape(x[1].shape[0], -1))
        features = x[1].shape[1]
        weight = self.random.normal(0, features**-0.5, (CLASSES, features)).astype(np.float32)
        self.weights[f"{name}.weight"] = weight
        # Random layers give every picture nearly the same features; without what is common, the classes tell them apart.
        self.weights[f"{name}.bias"] = -(x[1] @ weight.T).mean(0)
        self.nodes.append(helper.make_node("Gemm", [x[0], f"{name}.weight", f"{name}.bias"], ["output"], "output",
                                           transB=1))

    def model(self, name):
        graph = helper.make_graph(self.nodes, name,
                                  [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
                                  [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, CLASSES])],
                                  [numpy_helper.from_array(np.asarray(v), k) for k, v in self.weights.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.checker.check_model(model)
        return model

    def trained(self):
        return {k: v for k, v in self.weights.items() if v.ndim}


def mobilenet_v2(net):
    x = net.relu6(net.conv_bn(net.input, "features.0.0", "features.0.1", 32, 3, 2))
    index = 1
    for expand, out, count, first_stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                             (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            block, stride, y = f"features.{index}.conv", first_stride if i == 0 else 1, x
            part = 0
            if expand != 1:
                y = net.relu6(net.conv_bn(y, f"{block}.0.0", f"{block}.0.1", expand * x[1].shape[1]))
                part = 1
            y = net.relu6(net.conv_bn(y, f"{block}.{part}.0", f"{block}.{part}.1", y[1].shape[1], 3, stride,
                                      y[1].shape[1]))
            y = net.conv_bn(y, f"{block}.{part + 1}", f"{block}.{part + 2}", out)
            x = net.add(x, y) if stride == 1 and x[1].shape[1] == out else y
            index += 1
    x = net.relu6(net.conv_bn(x, "features.18.0", "features.18.1", 1280))
    net.classify(x, "classifier.1")


def resnet50(net):
    x = net.max_pool(net.relu(net.conv_bn(net.input, "conv1", "bn1", 64, 7, 2)))
    for layer, count in enumerate((3, 4, 6, 3), 1):
        width = 32 << layer
        for i in range(count):
            block, stride = f"layer{layer}.{i}", 2 if i == 0 and layer > 1 else 1
            y = net.relu(net.conv_bn(x, f"{block}.conv1", f"{block}.bn1", width))
            y = net.relu(net.conv_bn(y, f"{block}.conv2", f"{block}.bn2", width, 3, stride))
            y = net.conv_bn(y, f"{block}.conv3", f"{block}.bn3", 4 * width)
            if i == 0:
                x = net.conv_bn(x, f"{block}.downsample.0", f"{block}.downsample.1", 4 * width, 1, stride)
            x = net.relu(net.add(x, y))
    net.classify(x, "fc")


def make(build, write):
    """Writes both networks and two inputs with their logits through `write(name, tensors, about)`."""
    photograph = pictures.load(build / "weights" / "pictures" / "coffee.png")
    inputs = {"a": image_tensor(photograph), "b": image_tensor(pictures.clouds(SIDE, SIDE, INPUT_SEED))}
    for name, define in (("mobilenet_v2", mobilenet_v2), ("resnet50", resnet50)):
        net = Builder()
        define(net)
        model = net.model(name)
        path = build / "golden" / f"{name}.onnx"
        onnx.save(model, path)
        write(name, net.trained(), {})
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        best = []
        for key, x in inputs.items():
            logits = session.run(None, {"input": x})[0]
            best.append([int(i) for i in np.argsort(-logits[0])[:5]])
            write(f"{name}_{key}", {"input": x, "output": logits}, {"top5": best[-1], "largest": np.abs(logits).max()})
        if set(best[0]) == set(best[1]):
            raise SystemExit(f"{name}: both inputs have the same five best classes; choose another seed")
