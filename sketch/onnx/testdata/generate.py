"""Makes the small model of the tests: a layer of attention over the tokens of ../../embedding/testdata.

    pip install numpy==2.4.6 onnx==1.23.2
    python generate.py
"""

import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
DIMS, MOST = 16, 12

tokenizer = json.loads((HERE / "../../embedding/testdata/wordpiece/tokenizer.json").read_text())
tokenizer["truncation"] = {"direction": "Right", "max_length": MOST, "strategy": "LongestFirst", "stride": 0}
tokenizer["post_processor"] = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                       "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}},
}
tokens = 1 + max(tokenizer["model"]["vocab"].values())
rng = np.random.default_rng(3)


def weights(name, *shape):
    return numpy_helper.from_array(rng.normal(size=shape).astype(np.float32), name)


nodes = [
    helper.make_node("Gather", ["words", "input_ids"], ["word"]),
    helper.make_node("Gather", ["kinds", "token_type_ids"], ["kind"]),
    helper.make_node("Add", ["word", "kind"], ["x"]),
    helper.make_node("MatMul", ["x", "query"], ["q"]),
    helper.make_node("Transpose", ["x"], ["k"], perm=[0, 2, 1]),
    helper.make_node("MatMul", ["q", "k"], ["scores"]),
    helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
    helper.make_node("Unsqueeze", ["mask", "one"], ["wide"]),
    helper.make_node("Mul", ["scores", "wide"], ["masked"]),
    helper.make_node("Softmax", ["masked"], ["attention"], axis=-1),
    helper.make_node("MatMul", ["attention", "x"], ["mixed"]),
    helper.make_node("Tanh", ["mixed"], ["last_hidden_state"]),
]
names = ["batch", "tokens"]
graph = helper.make_graph(
    nodes, "small",
    [helper.make_tensor_value_info(name, TensorProto.INT64, names)
     for name in ("input_ids", "attention_mask", "token_type_ids")],
    [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*names, DIMS])],
    [weights("words", tokens, DIMS), weights("kinds", 2, DIMS), weights("query", DIMS, DIMS),
     numpy_helper.from_array(np.array([1], dtype=np.int64), "one")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
directory = HERE / "small"
directory.mkdir(exist_ok=True)
(directory / "model.onnx").write_bytes(model.SerializeToString())
(directory / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False))
