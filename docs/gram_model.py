"""Reads model files of gram with NumPy alone; docs/models.md names the arrays.

    model = gram_model.load("m.gram")
    model.method, model.version, model.config     settings as a dictionary
    model["weights"], model.parts["scaling"]      an array or a list of strings; a model inside it

Run as a program, it lists the arrays of files: python3 docs/gram_model.py m.gram
"""
import json, sys
import numpy as np

TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1"}

class Model(dict):
    """The arrays of a model by name, without those of the models inside it."""
    def __init__(self, meta, prefix):
        self.method = meta.get(prefix + "method")
        self.version = int(meta.get(prefix + "version", 0))
        self.config = json.loads(meta.get(prefix + "config", "{}"))
        self.parts = {}

def load(path):
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8:8 + size])
    meta = head.pop("__metadata__")
    if meta.get("format") != "gram 1":
        raise ValueError(path + ": not a model file of gram")
    root = Model(meta, "")
    for name, entry in sorted(head.items()):
        model, prefix, (*parts, name) = root, "", name.split("/")
        for part in parts:
            prefix += part + "/"
            model = model.parts.setdefault(part, Model(meta, prefix))
        lo, hi = (8 + size + at for at in entry["data_offsets"])
        model[name] = np.frombuffer(data[lo:hi], TYPES[entry["dtype"]]).reshape(entry["shape"])
    join_strings(root)
    return root

def join_strings(model):
    """Replaces the bytes and the ends of each list of strings by the list."""
    for name in [name[:-5] for name in model if name.endswith(".ends")]:
        text, ends = model[name].tobytes(), model.pop(name + ".ends").tolist()
        model[name] = [text[lo:hi].decode(errors="surrogateescape") for lo, hi in zip([0] + ends, ends)]
    for part in model.parts.values():
        join_strings(part)


def show(model, prefix=""):
    for name, value in sorted(model.items()):
        strings = isinstance(value, list)
        kind, last = ("strings", value[-1:]) if strings else (value.dtype.name, value.ravel()[-1:].tolist())
        print(prefix + name, kind, *np.shape(value), ascii(*last) if last else "", sep="\t")
    for name, part in sorted(model.parts.items()):
        show(part, prefix + name + "/")

if __name__ == "__main__":
    for path in sys.argv[1:]:
        show(load(path))
