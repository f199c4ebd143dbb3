# SPDX-License-Identifier: Apache-2.0
"""The networks of bench/models: where their files are, what they take, how fast tkl has to be."""
from typing import NamedTuple


class Network(NamedTuple):
    onnx: str  # files below the folder build
    weights: str
    shape: tuple  # of the input, as the ONNX file has it
    fastest: dict  # level: floor against the fastest rival of those that compute what ONNX Runtime computes
    floors: dict = {}  # rival: {level: floor}, beside that


def made(name, shape, avx2, avx512):
    """A network that make_networks.py writes."""
    return Network(f"networks/{name}.onnx", f"networks/{name}.safetensors", shape, {"avx2": avx2, "avx512": avx512})


RECOGNISER = {"onnxruntime": {"avx2": 1.35, "avx512": 1.6}, "openvino": {"avx2": 1.05, "avx512": 1.05}}
NETWORKS = {
    "ocr_rec320": Network("onnx/rec.onnx", "weights/rec.safetensors", (1, 3, 48, 320), {"avx2": 1.1, "avx512": 1.15},
                          RECOGNISER),
    "ocr_rec640": Network("onnx/rec.onnx", "weights/rec.safetensors", (1, 3, 48, 640), {"avx2": 1.1, "avx512": 1.15},
                          RECOGNISER),
    "ocr_det640": Network("onnx/det.onnx", "weights/det.safetensors", (1, 3, 640, 640), {"avx2": 1.15, "avx512": 1.3},
                          {"onnxruntime": {"avx2": 1.3, "avx512": 1.3}}),
    "ocr_cls": Network("onnx/cls.onnx", "weights/cls.safetensors", (1, 3, 48, 192), {"avx2": 1.2, "avx512": 1.4}),
    "mobilenet_v2": Network("golden/mobilenet_v2.onnx", "golden/mobilenet_v2.safetensors", (1, 3, 224, 224),
                            {"avx2": 1.0, "avx512": 1.1}, {"onnxruntime": {"avx2": 1.0, "avx512": 1.0}}),
    "resnet50": Network("golden/resnet50.onnx", "golden/resnet50.safetensors", (1, 3, 224, 224),
                        {"avx2": 1.05, "avx512": 1.0}, {"onnxruntime": {"avx2": 0.8, "avx512": 0.8}}),
    "resnet18": made("resnet18", (1, 3, 224, 224), 1.2, 1.1),
    "yolov5s": made("yolov5s", (1, 3, 640, 640), 1.05, 1.05),
    "minilm_s128": made("minilm_s128", (1, 128, 384), 1.0, 1.0),
    "minilm_s32": made("minilm_s32", (1, 32, 384), 1.1, 1.1),
    "bertbase_s128": made("bertbase_s128", (1, 128, 768), 1.0, 1.0),
    "dscnn": made("dscnn", (1, 1, 49, 10), 1.0, 1.0),
    "resnet8": made("resnet8", (1, 3, 32, 32), 1.1, 1.1),
}
