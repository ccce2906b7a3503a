"""Tests that every argument of the Python module arrives: python3 test_effects.py [-v]. GRAM_LIBRARY names the shared library, unless
that is in gram/.

The arguments come from the signatures of the functions and of the estimators: a new one needs a line here. Its effect is another
result, or an error: what is not looked at causes neither."""

import contextlib
import ctypes
import inspect
import os
import re
import sys
import tempfile
import unittest
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import gram
import gram._library as lib

try:
    import pandas as pd
    import scipy.sparse as sparse

    import gram.sklearn as gs
except ImportError:
    gs = None

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "capi", "gram.h")


class Recorder:
    """The library, which notes how fits and transforms run."""

    def __init__(self, shared):
        self.shared, self.seen = shared, []

    def __getattr__(self, name):
        f = getattr(self.shared, name)

        def noted(*arguments):
            if name in ("gram_fwht", "gram_haar"):
                self.seen.append("workers %d" % arguments[2])
            for a in arguments:
                if isinstance(a, lib.Options):
                    self.seen.append("workers %d seed %d" % (a.workers, a.seed))
            return f(*arguments)

        return noted if name.startswith(("gram_fit", "gram_fwht", "gram_haar")) else f


@contextlib.contextmanager
def recorded():
    library, before = lib.loaded(), lib.loaded
    r = Recorder(library)
    lib.loaded = lambda: r
    try:
        yield r
    finally:
        lib.loaded = before


def plain(v):
    """Returns a result as what can be compared."""
    if isinstance(v, gram.Model):
        return v.encode()
    if isinstance(v, (tuple, list)):
        return [plain(e) for e in v]
    if hasattr(v, "tocsr"):
        return plain(v.toarray())
    if isinstance(v, np.ndarray):
        return (v.dtype.str, v.shape, v.tobytes() if v.dtype != object else v.tolist())
    return v


def outcome(f, arguments):
    """Returns the result of a call or its error, what became of its arrays, how it ran, and what it showed of its progress."""
    copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    events = []
    if copies.get("progress"):
        copies["progress"] = lambda *event: events.append(event[0])
    with recorded() as r, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = plain(f(**copies))
        except Exception as e:
            result = "%s: %s" % (type(e).__name__, e)
    arrays = [plain(v) for v in copies.values() if isinstance(v, np.ndarray)]
    return [result, arrays, r.seen, events[:1], [str(w.message) for w in warned]]


def refused(seen):
    return isinstance(seen[0], str) and ": " in seen[0]


def data(n=60, d=4):
    r = np.random.default_rng(1)
    x = r.uniform(-1, 1, (n, d))
    return x, np.sin(3 * x[:, 0]) + x[:, 1] + 0.3 * r.normal(size=n), (x[:, 0] ** 2 + x[:, 1] ** 2 + 0.2 * r.normal(size=n) < 0.6).astype(int)


X, VALUES, CLASSES = data()
WEIGHTS = np.linspace(0.5, 2, len(X))
FACTOR = np.array([[2.0, 1], [0.5, 3]])


def calls():
    """Returns calls of fit whose arguments are changed."""
    values = dict(method="krr", x=X, y=VALUES, gamma=1, lambda_=0.1)
    all = dict(
        values=values,
        drawn=dict(method="rff", x=X, y=VALUES, m=5, gamma=1, lambda_=0.1),
        classes=dict(method="svm", x=X, y=CLASSES, gamma=1),
        trees=dict(method="gbdt", x=X, y=VALUES, rounds=3, min_rows=5),
    )
    if gs:
        frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": ["no", "yes"] * 30, "size": np.arange(60) % 3})
        tags = sparse.csr_matrix(np.stack([CLASSES == 0, CLASSES == 1, X[:, 2] > 0.5], 1).astype(float))
        all["frame"] = dict(method="gbdt", x=frame, target="kind", rounds=3, min_rows=5)
        all["sets"] = dict(method="fastxml", x=X, y=tags, trees=2)
    return all


def lines():
    """Returns for each argument of each function the call, what is beside it, and another value."""
    c = calls()
    grid, odd = dict(search={"c": [0.1, 1.0, 10.0]}), dict(search="auto", cv=2, trials=3, seed=4)
    of = {
        "fit method": (c["values"], "falkon"),
        "fit x": (c["values"], X[::-1].copy()),
        "fit y": (c["values"], VALUES[::-1].copy()),
        "fit weights": (c["values"], WEIGHTS),
        "fit classes": (c["classes"], ["no", "yes"]),
        "fit seed": (c["drawn"], 7),
        "fit workers": (c["classes"], 3),
        "fit memory_limit": (c["classes"], 1000),
        "fit scale": (dict(c["classes"], x=X * 3), "none"),
        "fit probabilities": (c["classes"], "platt"),
        "fit conformal": (c["classes"], 0.3),
        "fit adaptive": (dict(c["classes"], probabilities="platt", conformal=0.3), True),
        "fit warm": (c["trees"], gram.fit(**c["trees"])),
        "fit search": (c["classes"], {"c": [0.01, 10.0]}),
        "fit trials": (dict(c["classes"], **odd), 1),
        "fit cv": (dict(c["classes"], **grid), 2),
        "fit metric": (dict(c["classes"], **grid), "logloss"),
        "fit budget": (dict(c["classes"], **odd), 1e-9),
        "fit progress": (c["trees"], True),
        "fit **settings": (c["values"], ("gamma", 2)),
        "fit_map method": (dict(method="nystrom", x=X, m=4, gamma=1), "rff"),
        "fit_map x": (dict(method="nystrom", x=X, m=4, gamma=1), X[::-1] + 1),
        "fit_map seed": (dict(method="rff", x=X, m=4, gamma=1), 7),
        "fit_map workers": (dict(method="rff", x=X, m=4, gamma=1), 3),
        "fit_map memory_limit": (dict(method="nystrom", x=X, m=4, gamma=1), 10),
        "fit_map progress": (dict(method="nystrom", x=X, m=4, gamma=1), True),
        "fit_map **settings": (dict(method="nystrom", x=X, m=4, gamma=1), ("m", 5)),
        "kernel_matrix x": (dict(x=X, z=X[:3]), X + 1),
        "kernel_matrix z": (dict(x=X), X[:3]),
        "kernel_matrix kernel": (dict(x=X), "linear"),
        "kernel_matrix **parameters": (dict(x=X), ("gamma", 3)),
        "fwht_length n": (dict(n=9), 21),
        "load path": (dict(path="no file"), "another"),
    }
    if gs:
        of["fit target"] = (c["frame"], "size")
        of["fit task"] = (dict(c["frame"], target="size"), "regression")
    for f in ("fwht", "haar"):
        of.update({f + " x": (dict(x=X), X + 1), f + " kind": (dict(x=X), "orthonormal"), f + " overwrite_x": (dict(x=X), True),
                   f + " workers": (dict(x=X), 3)})
    for f in ("cholesky_update", "cholesky_downdate"):
        call = dict(factor=FACTOR, x=np.array([0.5, 0.5]))
        of.update({f + " factor": (call, FACTOR * 2), f + " x": (call, np.array([0.5, 1])), f + " lower": (call, True)})
    return of


def arguments(f, skip=()):
    """Returns the names of the arguments of a function, with stars where it takes any."""
    star = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    return [star.get(p.kind, "") + p.name for p in inspect.signature(f).parameters.values() if p.name not in skip]


class Functions(unittest.TestCase):
    def test_every_argument_has_an_effect(self):
        known = {"%s %s" % (name, a) for name in gram.__all__ if inspect.isfunction(getattr(gram, name)) for a in arguments(getattr(gram, name))}
        table = lines()
        if gs:
            self.assertEqual(sorted(known), sorted(table))
        for name, (call, value) in table.items():
            with self.subTest(name):
                function, argument = name.split()
                f = getattr(gram, function)
                change = {value[0]: value[1]} if argument.startswith("**") else {argument: value}
                before = outcome(f, call)
                self.assertEqual(before, outcome(f, call), "two calls without it differ, so that the test cannot fail")
                self.assertEqual(refused(before), function == "load", before[0])
                self.assertNotEqual(before, outcome(f, {**call, **change}))

    def test_no_argument_is_silently_left_out(self):
        """Every argument of fit changes the model, or is refused, in calls of every kind."""
        table, skip = lines(), ("method", "x", "y", "workers", "progress", "seed")  # these are looked at above
        none = {
            "values scale": "the columns are in [-1, 1]", "classes scale": "as for values", "drawn scale": "as for values",
            "trees scale": "none is what trees have anyway", "frame scale": "as for trees", "sets scale": "as for trees",
            "frame task": "the task is that which is found",
        }
        for kind, call in calls().items():
            f = lambda **changed: outcome(gram.fit, {**call, **changed})
            before = f()
            self.assertFalse(refused(before), before[0])
            for argument in arguments(gram.fit, skip)[:-1]:
                if "fit " + argument in table:
                    with self.subTest(kind + " " + argument):
                        value = "classes" if argument == "task" else table["fit " + argument][1]
                        self.assertEqual(f(**{argument: value})[0] == before[0], "%s %s" % (kind, argument) in none)
        for wrong in (dict(y=None, classes=["a"]), dict(x=[[1.0]], target="y"), dict(x=[[1.0]], task="classes")):
            self.assertTrue(refused(outcome(gram.fit, {"method": "krr", "x": X, **wrong})), wrong)

    def test_every_argument_of_a_model_has_an_effect(self):
        """The arguments of the methods of Model arrive."""
        values, classes = gram.fit(**dict(calls()["trees"], conformal=0.4)), gram.fit(**dict(calls()["classes"], probabilities="platt", conformal=0.4))
        table = {"intervals level": (values, dict(level=0.5), 0.8), "sets level": (classes, dict(level=0.6), 0.9)}
        for name in ("class_numbers", "scores", "probabilities", "sets"):
            table[name + " x"] = (classes, dict(level=0.6) if name == "sets" else {}, X[::-1].copy())
        for name in ("predict", "intervals"):
            table[name + " x"] = (values, dict(level=0.5) if name == "intervals" else {}, X[::-1].copy())
        m = gram.fit_map("nystrom", X, m=5, gamma=1)
        table["features x"] = (m, {}, X[::-1].copy())
        if gs:
            sets = gram.fit(**calls()["sets"])
            table["top x"], table["top k"] = (sets, dict(k=2), X[::-1].copy()), (sets, dict(k=2), 1)
        known = {"%s %s" % (n, a) for n, f in inspect.getmembers(gram.Model, inspect.isfunction) if n[0] != "_" for a in arguments(f, ("self",))}
        known.remove("save path")  # files are compared below
        if gs:
            self.assertEqual(sorted(known), sorted(table))
        for name, (model, beside, value) in table.items():
            with self.subTest(name):
                f, argument = getattr(model, name.split()[0]), name.split()[1]
                call = {"x": X, **beside}
                self.assertNotEqual(outcome(f, call), outcome(f, {**call, argument: value}))
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b"):
                m.save(os.path.join(folder, name))
            self.assertEqual(sorted(os.listdir(folder)), ["a", "b"])


# Where a parameter of an estimator has an effect: what is beside it, and another value. A name of an estimator before the
# parameter is for this one alone.
PARAMETERS = {
    "kernel": ({}, "laplacian"),
    "loss": ({}, "hinge"),
    "LogisticRegression tol": ({}, 100.0),
    "approximation": ({}, "fitc"),
    "GaussianProcessRegressor n_components": (dict(approximation="dtc"), 7),
    "n_clusters": ({}, 3),
    "C": ({}, 3.0),
    "nu": ({}, 0.3),
    "gamma": ({}, 0.3),
    "degree": (dict(kernel="polynomial"), 2),
    "coef0": (dict(kernel="sigmoid"), 0.5),
    "NuSVC coef0": (dict(kernel="polynomial"), 0.5),
    "DCSVC coef0": (dict(kernel="polynomial"), 0.5),
    "GaussianProcessClassifier coef0": (dict(kernel="polynomial"), 0.5),
    "tol": ({}, 0.5),
    "epsilon": ({}, 0.5),
    "class_weight": ({}, "balanced"),
    "probability": ({}, True),
    "alpha": ({}, 3.0),
    "fit_intercept": ({}, False),
    "n_estimators": ({}, 3),
    "learning_rate": ({}, 0.5),
    "max_leaf_nodes": ({}, 3),
    "max_depth": ({}, 1),
    "min_samples_leaf": ({}, 15),
    "reg_lambda": ({}, 5.0),
    "max_bins": ({}, 4),
    "subsample": ({}, 0.5),
    "max_features": ({}, 0.5),
    "validation_fraction": ({}, 0.3),
    "n_iter_no_change": (dict(validation_fraction=0.3), 1),
    "n_components": ({}, 7),
    "landmarks": (dict(n_components=7), "uniform"),
    "matrix": (dict(n_components=8), "hadamard"),
    "frequencies": ({}, "orthogonal"),
    "method": ({}, "linear"),
    "Regressor method": ({}, "falkon"),
    "scale": ({}, "minmax"),
    "settings": ({}, {"max-iter": 3}),
    "GBDTClassifier settings": ({}, {"row-sample": 0.5}),
    "GBDTRegressor settings": ({}, {"row-sample": 0.5}),
    "FalkonClassifier landmarks": (dict(n_components=7), "kmeans"),
    "FalkonRegressor landmarks": (dict(n_components=7), "kmeans"),
    "FalkonClassifier settings": ({}, {"no-bias": True}),
    "FalkonRegressor settings": ({}, {"no-bias": True}),
    "GaussianProcessClassifier settings": ({}, {"lambda": 0.5}),
    "GaussianProcessRegressor settings": ({}, {"lambda": 0.5}),
    "MEKAClassifier settings": ({}, {"m": 5}),
    "MEKARegressor settings": ({}, {"m": 5}),
    "Ridge settings": ({}, {"lambda": 5}),
    "KernelRidge settings": ({}, {"no-bias": True}),
    "DCKernelRidge settings": ({}, {"no-bias": True}),
    "Regressor settings": ({}, {"no-bias": True}),
    "Nystroem settings": ({}, {"m": 5}),
    "FastNystroem settings": ({}, {"rows": 2}),
    "RandomFourier settings": ({}, {"m": 5}),
    "n_jobs": ({}, 3),
    "random_state": ({}, 7),
}


@unittest.skipIf(gs is None, "no scikit-learn, SciPy or pandas")
class Estimators(unittest.TestCase):
    def fitted(self, name, parameters, **more):
        e = getattr(gs, name)(**{"random_state": 5, **parameters})
        target = {} if hasattr(e, "transform") else {"y": VALUES if name.endswith(("SVR", "Regressor", "Ridge")) else CLASSES}
        return outcome(lambda **call: e.fit(**call).model_, {"X": X, **target, **more})

    def test_every_parameter_has_an_effect(self):
        """Every parameter of every estimator changes the model; n_jobs and random_state the way the fit runs."""
        used = set()
        for name in gs.__all__:
            for p in getattr(gs, name)().get_params():
                key = "%s %s" % (name, p) if "%s %s" % (name, p) in PARAMETERS else p
                with self.subTest("%s %s" % (name, p)):
                    used.add(key)
                    beside, value = PARAMETERS[key]
                    before, after = self.fitted(name, beside), self.fitted(name, {**beside, p: value})
                    self.assertFalse(refused(before) or refused(after), (before[0], after[0]))
                    if p in ("n_jobs", "random_state"):
                        self.assertNotEqual(before[2], after[2])
                    else:
                        self.assertNotEqual(before[0], after[0])
                        self.assertEqual(before[2], after[2])
        self.assertEqual(sorted(used), sorted(PARAMETERS))

    def test_weights_arrive(self):
        """Weights change the model of every estimator that takes them, and a weight of 2 is the row twice where nothing is drawn."""
        twice, both = np.where(np.arange(60) % 3 == 0, 2.0, 1.0), np.repeat(np.arange(60), np.where(np.arange(60) % 3 == 0, 2, 1))
        for name in gs.__all__:
            if "sample_weight" in arguments(getattr(gs, name).fit):
                with self.subTest(name):
                    self.assertNotEqual(self.fitted(name, {})[0], self.fitted(name, {}, sample_weight=WEIGHTS)[0])
        for e, y in ((gs.SVC(tol=1e-9, gamma=1), CLASSES), (gs.SVR(tol=1e-9, gamma=1, C=1, epsilon=0.1), VALUES), (gs.KernelRidge(gamma=1), VALUES),
                     (gs.SVC(tol=1e-9, gamma=1, class_weight={0: 2, 1: 3}), CLASSES)):
            answers = lambda m: m.decision_function(X) if hasattr(m, "decision_function") else m.predict(X)
            with self.subTest(repr(e)):
                weighted, copied = answers(e.fit(X, y, twice)), answers(e.fit(X[both], y[both]))
                np.testing.assert_allclose(weighted, copied, atol=1e-5)
                self.assertGreater(np.abs(answers(e.fit(X, y)) - copied).max(), 1e-3)


def kind(declared):
    """Returns how C passes what a header declares: a pointer, or a number of a size."""
    if "*" in declared or "gram_progress" in declared:
        return "pointer"
    name = re.findall(r"\b(?:u?int\d+_t|double|char|gram_\w+)\b", declared)[0]
    return {"gram_model": "uint64", "gram_cancel": "uint64", "gram_arrow": "uint64", "gram_status": "int32", "double": "double"}.get(name, name.replace("_t", ""))


def kind_of(t):
    """Returns the same of a type of ctypes."""
    numbers = {ctypes.c_uint64: "uint64", ctypes.c_int64: "int64", ctypes.c_int32: "int32", ctypes.c_double: "double"}
    return numbers.get(t, "pointer")


class Header(unittest.TestCase):
    """The structures and the functions are those of gram.h."""

    def setUp(self):
        with open(HEADER, encoding="utf-8") as f:
            self.text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)

    def test_structures(self):
        ours = {c.__name__.lower(): c for c in (lib.Matrix, lib.Column, lib.Table, lib.Target, lib.Options, lib.Info)}
        for body, name in re.findall(r"typedef struct \{(.*?)\} gram_(\w+);", self.text, re.S):
            if name == "error":
                continue
            want = []
            for line in filter(None, map(str.strip, body.split(";"))):
                for member in line.split(","):
                    want.append((re.findall(r"\w+", member)[-1], kind(line if "," not in line else line.split()[0])))
            rename = {"warm": "from"}  # a word of Python
            self.assertEqual([(rename.get(f[0], f[0]), kind_of(f[1])) for f in ours.pop(name)._fields_], want)
        self.assertEqual(ours, {})

    def test_functions(self):
        loaded, found = lib.loaded(), 0
        for result, name, given in re.findall(r"extern (\w+) (gram_\w+)\(([^)]*)\);", self.text):
            f = getattr(loaded, name)
            with self.subTest(name):
                self.assertEqual([kind_of(t) for t in f.argtypes or []], [kind(a) for a in given.split(",") if a != "void"])
                self.assertEqual("void" if f.restype is None else kind_of(f.restype), "void" if result == "void" else kind(result))
            found += 1
        self.assertGreater(found, 30)
        self.assertEqual(lib.API, int(re.search(r"#define GRAM_API (\d+)", self.text)[1]))


if __name__ == "__main__":
    unittest.main()
