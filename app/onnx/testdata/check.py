"""Checks the models of a folder with onnx's checker and its inference of shapes, and their outputs' shapes."""

import glob
import sys

import onnx
import onnx.checker
import onnx.shape_inference

paths = sorted(glob.glob(sys.argv[1] + "/*.onnx"))
assert paths
for path in paths:
    try:
        onnx.checker.check_model(path, full_check=True)
        model = onnx.shape_inference.infer_shapes(onnx.load(path), check_type=True, strict_mode=True, data_prop=True)
        typed = {v.name for v in model.graph.value_info} | {v.name for v in model.graph.output}
        missing = [n.output[0] for n in model.graph.node if n.output[0] not in typed]
        assert not missing, missing
    except Exception as e:
        sys.exit("%s: %s" % (path, e))
print("onnx %s: %d models pass" % (onnx.__version__, len(paths)))
