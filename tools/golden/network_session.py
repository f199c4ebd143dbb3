# SPDX-License-Identifier: Apache-2.0
"""An ONNX file run by ONNX Runtime on one thread, with inner tensors as further outputs."""
import numpy as np
import onnx
import onnxruntime


class Network:
    def __init__(self, path, inner=()):
        model = onnx.load(path)
        self.input = model.graph.input[0].name
        self.outputs = [model.graph.output[0].name, *inner]
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner)
        self.metadata = {entry.key: entry.value for entry in model.metadata_props}
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                     providers=["CPUExecutionProvider"])

    def run(self, x):
        """All outputs by name, the network's own as `output`."""
        values = self._session.run(self.outputs, {self.input: np.ascontiguousarray(x)})
        return dict(zip(["output", *self.outputs[1:]], values))
