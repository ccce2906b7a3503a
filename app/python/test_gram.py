"""Tests of the Python module: python3 test_gram.py [-v]. GRAM_LIBRARY names the shared library, unless that is in gram/."""

import copy
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import gram
import gram._library as lib

try:
    import scipy.sparse as sparse
    import sklearn
    from sklearn.utils.estimator_checks import check_estimator

    import gram.sklearn as gs
except ImportError:
    sklearn = None


def data(n=200, d=4, dtype=np.float64):
    r = np.random.default_rng(1)
    x = r.uniform(-1, 1, (n, d)).astype(dtype)
    return x, np.sin(3 * x[:, 0]) + x[:, 1], (x[:, 0] ** 2 + x[:, 1] ** 2 < 0.6).astype(int)


class ArrowTable:
    """A DataFrame of numbers, truth values and texts with Arrow's C stream interface, written from its specification."""

    batches = 0  # that were not released

    class Schema(ctypes.Structure):
        pass

    class Array(ctypes.Structure):
        pass

    class Stream(ctypes.Structure):
        pass

    Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                       ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
                       ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]
    Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                      ("n_children", ctypes.c_int64), ("buffers", ctypes.c_void_p), ("children", ctypes.c_void_p),
                      ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]
    Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                       ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                       ("get_last_error", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
                       ("private_data", ctypes.c_void_p)]

    def __init__(self, frame):
        self.frame, self.keep = frame, []

    def held(self, items, kind=None):
        """Returns the address of an array that lives as long as the table."""
        made = items if kind is None else (kind * len(items))(*items)
        self.keep.append(made)
        return made.ctypes.data if kind is None else ctypes.addressof(made)

    def column(self, s):
        """Returns the format of a column and its buffers."""
        there = self.held(np.packbits(s.notna(), bitorder="little"))
        if s.dtype == np.float64:
            return b"g", [there, self.held(s.to_numpy())]
        if s.dtype == np.int64:
            return b"l", [there, self.held(s.to_numpy())]
        if s.dtype == bool:
            return b"b", [there, self.held(np.packbits(s, bitorder="little"))]
        texts = ["" if missing else text for text, missing in zip(s, s.isna())]
        ends = np.cumsum([0] + [len(text.encode()) for text in texts]).astype(np.int64)
        return b"U", [there, self.held(ends), self.held(np.frombuffer(("".join(texts) or " ").encode(), np.uint8))]

    def __arrow_c_stream__(self, requested_schema=None):
        columns = [(name.encode(),) + self.column(self.frame[name]) for name in self.frame.columns]
        done = []
        release_schema = type(self.Schema().release)(lambda s: setattr(s.contents, "release", type(s.contents.release)()))
        release_column = type(self.Array().release)(lambda a: setattr(a.contents, "release", type(a.contents.release)()))

        def release_batch(a):
            ArrowTable.batches -= 1
            a.contents.release = type(a.contents.release)()

        release_array = type(self.Array().release)(release_batch)

        def get_schema(_, out):
            fields = [self.Schema(format, name, None, 2, 0, None, None, release_schema, None) for name, format, _ in columns]
            self.keep.append(fields)
            children = self.held([ctypes.addressof(f) for f in fields], ctypes.c_void_p)
            ctypes.pointer(out.contents)[0] = self.Schema(b"+s", b"", None, 0, len(fields), children, None, release_schema, None)
            return 0

        def get_next(_, out):
            n = len(self.frame)
            if done:
                out.contents.release = type(out.contents.release)()
                return 0
            done.append(True)
            ArrowTable.batches += 1
            arrays = [self.Array(n, -1, 0, len(b), 0, self.held(b, ctypes.c_void_p), None, None, release_column, None) for _, _, b in columns]
            self.keep.append(arrays)
            children = self.held([ctypes.addressof(a) for a in arrays], ctypes.c_void_p)
            ctypes.pointer(out.contents)[0] = self.Array(n, 0, 0, 1, len(arrays), self.held([None], ctypes.c_void_p), children, None, release_array, None)
            return 0

        kinds = dict(self.Stream._fields_)
        release = kinds["release"](lambda s: setattr(s.contents, "release", kinds["release"]()))
        stream = self.Stream(kinds["get_schema"](get_schema), kinds["get_next"](get_next), None, release, None)
        self.keep += [stream, release, release_schema, release_column, release_array]
        new = ctypes.pythonapi.PyCapsule_New
        new.argtypes, new.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)


class Module(unittest.TestCase):
    def test_transforms(self):
        x = np.random.default_rng(0).normal(size=(5, 8))
        h = np.array([[1.0]])
        while len(h) < 8:
            h = np.block([[h, h], [h, -h]])
        np.testing.assert_allclose(gram.fwht(x), x @ h, atol=1e-12)
        np.testing.assert_allclose(gram.fwht(x[0], "orthonormal"), h @ x[0] / np.sqrt(8), atol=1e-12)
        np.testing.assert_allclose(gram.fwht(gram.fwht(x), "inverse"), x, atol=1e-12)
        np.testing.assert_allclose(gram.haar(gram.haar(x), "inverse"), x, atol=1e-12)
        self.assertEqual(gram.fwht([1, 2, 3, 4]).tolist(), [10, -2, -4, 0])
        self.assertEqual(gram.haar(np.float32([1, 2, 3, 5])).dtype, np.float32)
        self.assertEqual(gram.fwht_length(9), 12)
        y = x.copy()
        self.assertIs(gram.fwht(y, overwrite_x=True), y)
        self.assertIsNot(gram.fwht(y), y)
        with self.assertRaises(ValueError):
            gram.fwht(np.zeros(3))
        with self.assertRaises(ValueError):
            gram.haar(np.zeros(4), "sequency")

    @unittest.skipUnless(sklearn and os.environ.get("GRAM_FRAME"), "needs pandas, and GRAM_FRAME with a table and its model")
    def test_frames(self):
        """A DataFrame gives the model of its file, and the model finds columns by name."""
        import pandas as pd

        folder = os.environ["GRAM_FRAME"]
        frame = pd.read_csv(os.path.join(folder, "table.csv"))
        with open(os.path.join(folder, "table.gram"), "rb") as f:
            want = f.read()
        model = gram.fit("gbdt", frame, target="kind", seed=1)
        self.assertEqual(model.encode(), want)
        self.assertEqual(model.names, [c for c in frame.columns if c != "kind"])
        beside = gram.fit("gbdt", frame.drop(columns="kind"), frame["kind"], seed=1)
        self.assertEqual(beside.encode(), want)
        category = frame.assign(color=frame["color"].astype("category"))
        self.assertEqual(gram.fit("gbdt", category, target="kind", seed=1).encode(), want)
        answers = model.predict(frame)
        self.assertGreater(np.mean(answers == frame["kind"]), 0.9)
        turned = frame.drop(columns="kind")[frame.columns[::-1].drop("kind")]
        np.testing.assert_array_equal(model.predict(turned), answers)
        for wrong in (turned.drop(columns="size"), turned.rename(columns={"size": "sise"}), turned.assign(more=1)):
            with self.assertRaisesRegex(ValueError, "size|more"):
                model.predict(wrong)
        with self.assertWarnsRegex(gram.UnknownLevelWarning, "color.*2 cells"):
            model.predict(turned.assign(color=["mauve"] * 2 + list(frame["color"][2:])))
        for column in (frame["size"].astype(complex), [[1]] * len(frame)):
            with self.assertRaisesRegex(ValueError, "odd"):
                gram.fit("gbdt", frame.assign(odd=column), target="kind")
        with self.assertRaisesRegex(ValueError, "sort"):
            gram.fit("gbdt", frame, target="sort")

    @unittest.skipUnless(sklearn and os.environ.get("GRAM_FRAME"), "needs pandas, and GRAM_FRAME with a table and its model")
    def test_arrow(self):
        """A table that exports a stream of Arrow gives the model of its file, too."""
        import pandas as pd

        folder = os.environ["GRAM_FRAME"]
        frame = pd.read_csv(os.path.join(folder, "table.csv"))
        with open(os.path.join(folder, "table.gram"), "rb") as f:
            want = f.read()
        exports = ArrowTable(frame)
        model = gram.fit("gbdt", exports, target="kind", seed=1)
        self.assertEqual(model.encode(), want)
        np.testing.assert_array_equal(model.predict(exports), model.predict(frame))
        with self.assertRaisesRegex(ValueError, "size"):
            model.predict(ArrowTable(frame.drop(columns="size")))
        with self.assertRaisesRegex(ValueError, "target names the column"):
            gram.fit("gbdt", exports, frame["kind"])
        del model
        gc.collect()
        self.assertEqual(ArrowTable.batches, 0)

    def test_choices(self):
        """Methods race, settings are searched, a model goes on from another, and rows are held out for sets and intervals."""
        x, v, c = data()
        raced = gram.fit(None, x, c, seed=1)
        self.assertIn(raced.method, ("linear", "gbdt", "nystrom", "svm", "krr", "rfm"))
        self.assertGreater(np.mean(raced.class_numbers(x) == c), 0.9)
        found = gram.fit("svm", x, c, gamma=1, search={"c": [1e-5, 10.0]}, cv=3)
        self.assertEqual(found.encode(), gram.fit("svm", x, c, gamma=1, c=10.0).encode())
        drawn = gram.fit("svm", x, c, search="auto", trials=3, cv=3, metric="accuracy")
        self.assertEqual(drawn.method, "svm")
        sets = gram.fit("svm", x, c, probabilities="platt", conformal=0.3, adaptive=True).sets(x, 0.8)
        self.assertGreater(np.mean(sets[np.arange(len(c)), c]), 0.7)
        trees = gram.fit("gbdt", x, v, conformal=0.3)
        low, high = trees.intervals(x, 0.8)
        self.assertTrue(np.all(low < high) and np.mean((low <= v) & (v <= high)) > 0.7)
        more = gram.fit("gbdt", x, v, warm=trees, rounds=20)
        self.assertLess(np.mean((more.predict(x) - v) ** 2), np.mean((trees.predict(x) - v) ** 2))
        for wrong in (dict(metric="rmse"), dict(search={"alpha": [1]}), dict(warm=trees, scale="none"), dict(conformal=2)):
            with self.assertRaises(ValueError):
                gram.fit("gbdt", x, v, **wrong)
        with self.assertRaises(ValueError):
            raced.sets(x, 0.8)

    def test_kinds_of_transforms(self):
        """Every kind is the transform that its name says, of vectors and of rows."""
        h = np.array([[1.0]])
        while len(h) < 8:
            h = np.block([[h, h], [h, -h]])
        x = np.random.default_rng(0).normal(size=(3, 8))
        changes = (np.diff(h) != 0).sum(1)
        np.testing.assert_allclose(gram.fwht(x, "sequency"), x @ h[np.argsort(changes)].T, atol=1e-12)
        w = gram.haar(np.eye(8)).T  # rows of the transform, which are orthogonal
        self.assertGreater(np.abs(w @ w.T - np.eye(8)).max(), 0.1)
        q = w / np.linalg.norm(w, axis=1)[:, None]
        for kind, a in (
            ("transform", w), ("orthonormal", q), ("inverse", np.linalg.inv(w)), ("transpose", w.T), ("inverse_orthonormal", q.T),
        ):
            with self.subTest(kind):
                np.testing.assert_allclose(gram.haar(x, kind), x @ a.T, atol=1e-12)
                np.testing.assert_allclose(gram.haar(x[0].astype(np.float32), kind), a @ x[0], atol=1e-5)

    def test_many_rows_of_float32(self):
        """Rows of float32 are predicted in blocks, each at its place."""
        x, y, c = data(5000, dtype=np.float32)
        wide, few = x.astype(np.float64), slice(0, 100)
        self.assertTrue((wide == x).all())
        m = gram.fit("svm", x[few], c[few], probabilities="platt")
        for f in (m.class_numbers, m.scores, m.probabilities):
            np.testing.assert_array_equal(f(x), f(wide))
        for m in (gram.fit("krr", x[few], y[few]), gram.fit("rff", x[few], y[few], m=10)):
            np.testing.assert_array_equal(m.predict(x), m.predict(wide))
        np.testing.assert_array_equal(m.features(x), m.features(wide))

    @unittest.skipIf(sklearn is None, "no SciPy")
    def test_label_sets(self):
        x, _, c = data()
        tags = sparse.csr_matrix(np.stack([c == 0, c == 1, x[:, 2] > 0.5, np.zeros(len(x), bool)], 1).astype(float))
        m = gram.fit("fastxml", x, tags)
        self.assertEqual((m.task, m.classes, m.n_features), ("label sets", [], 0))
        labels, scores = m.top(x, 2)
        self.assertEqual((labels.shape, scores.shape), ((200, 2), (200, 2)))
        self.assertGreater((labels[:, 0] == c).mean(), 0.6)
        self.assertTrue((scores[:, 0] >= scores[:, 1]).all() and (labels < 3).all())
        single, same = m.top(np.tile(x, (30, 1)).astype(np.float32), 2), m.top(np.tile(x, (30, 1)).astype(np.float32).astype(float), 2)
        np.testing.assert_array_equal(single, same)
        with self.assertRaisesRegex(ValueError, "199 rows"):
            gram.fit("fastxml", x, tags[:-1])
        self.assertRaises(ValueError, m.top, x, -1)
        self.assertRaises(ValueError, m.predict, x)

    def test_seeds_and_scales(self):
        x, y, _ = data()
        a, same, b = (gram.fit("rff", x, y, m=5, gamma=1, seed=s).predict(x) for s in (3, 3, 2**64 - 1))
        np.testing.assert_array_equal(a, same)
        self.assertTrue((a != b).any())
        wide = x * [1, 10, 100, 1000]
        scaled = gram.fit("krr", wide, y, gamma=1, lambda_=1e-4, scale="standard")
        np.testing.assert_array_equal(gram.fit("krr", wide, y, gamma=1, lambda_=1e-4).predict(wide), scaled.predict(wide))
        self.assertFalse(np.allclose(gram.fit("krr", wide, y, gamma=1, lambda_=1e-4, scale="none").predict(wide), scaled.predict(wide)))
        self.assertLess(np.abs(scaled.predict(x * [1, 10, 100, 1000]) - y).max(), 0.1)
        z = gram.fit("krr", x, y, lambda_=1e-4, gamma=1)
        w = gram.fit("krr", x, y, np.linspace(0.1, 2, len(x)), lambda_=1e-4, gamma=1)
        self.assertTrue((z.predict(x) != w.predict(x)).any())
        self.assertIn("values, 4 columns", repr(z))
        self.assertIn("go1.", gram.version())

    def test_models_of_others(self):
        """load reads a model of LIBSVM, whose classes are its labels."""
        text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 7 -7\nnr_sv 1 1\nSV\n1 1:1\n-1 2:1\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.model")
            with open(path, "w") as f:
                f.write(text)
            m = gram.load(path)
        rows = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 0.6], [1.0, 0.4]])
        self.assertEqual(m.predict(rows).tolist(), ["7", "-7", "-7", "7"])

    def test_settings(self):
        """How values of Python become those of settings."""
        def of(**settings):
            return [b.decode() for b in lib.assignments(settings) if b is not None]

        self.assertEqual(of(no_bias=True, b=np.bool_(False)), ["no-bias=true", "b=false"])
        self.assertEqual(of(lambda_=1e-4, gamma=np.float32(0.5), c=None, m=np.int64(3)), ["lambda=0.0001", "gamma=0.5", "m=3"])
        self.assertEqual(lib.assignments({})[0], None)

    def test_kernel_matrix(self):
        x, _, _ = data()
        z = x[:7]
        squares = ((x[:, None] - z[None]) ** 2).sum(2)
        np.testing.assert_allclose(gram.kernel_matrix(x, z, gamma=0.5), np.exp(-0.5 * squares), rtol=1e-12)
        single = gram.kernel_matrix(x.astype(np.float32), z, gamma=0.5)
        self.assertEqual(single.dtype, np.float32)
        np.testing.assert_allclose(single, np.exp(-0.5 * squares), rtol=1e-5)
        np.testing.assert_allclose(gram.kernel_matrix(x, kernel="linear"), x @ x.T, atol=1e-12)
        with self.assertRaises(ValueError):
            gram.kernel_matrix(x, z[:, :2])
        with self.assertRaises(ValueError):
            gram.kernel_matrix(x, kernel="nonsense")

    def test_cholesky(self):
        r = np.random.default_rng(2)
        a = r.normal(size=(6, 6))
        a = a @ a.T + np.eye(6)
        v = r.normal(size=6)
        for dtype, tol in ((np.float64, 1e-12), (np.float32, 1e-4)):
            for lower in (False, True):
                f = np.linalg.cholesky(a).astype(dtype)
                f = np.ascontiguousarray(f if lower else f.T)
                before = f.copy()
                gram.cholesky_update(f, v, lower)
                got = f @ f.T if lower else f.T @ f
                np.testing.assert_allclose(got, a + np.outer(v, v), rtol=tol, atol=tol)
                margin = gram.cholesky_downdate(f, v, lower)
                np.testing.assert_allclose(f, before, rtol=tol, atol=tol)
                b = a + np.outer(v, v)
                self.assertAlmostEqual(margin, 1 - v @ np.linalg.solve(b, v), places=4)
                with self.assertRaises(np.linalg.LinAlgError):
                    gram.cholesky_downdate(f, 100 * v, lower)
        with self.assertRaises(ValueError):
            gram.cholesky_update(np.eye(3)[:, ::-1], np.ones(3))
        with self.assertRaises(ValueError):
            gram.cholesky_update(np.eye(3), np.ones(2))

    def test_models(self):
        x, y, c = data()
        m = gram.fit("krr", x, y, gamma=1, lambda_=1e-4)
        self.assertEqual((m.task, m.columns, m.classes, m.has_probabilities), ("values", 4, [], False))
        self.assertLess(np.abs(m.predict(x) - y).max(), 0.1)
        np.testing.assert_array_equal(m.predict(x.astype(np.float32).astype(np.float64)), m.predict(x.astype(np.float32)))
        self.assertRaises(ValueError, m.scores, x)
        self.assertRaises(ValueError, m.predict, x[:, :2])
        self.assertRaises(ValueError, gram.fit, "krr", x, y[:-1])
        self.assertRaises(ValueError, gram.fit, "krr", x, y, np.ones(3))
        self.assertRaises(ValueError, gram.fit, "krr", x, y, nonsense=1)
        self.assertRaises(MemoryError, gram.fit, "krr", x, y, memory_limit=1000)
        m = gram.fit("svm", x, np.where(c, "in", "out"), probabilities="platt")
        self.assertEqual(m.classes, ["in", "out"])
        self.assertEqual(gram.fit("svm", x, c.astype(bool)).classes, ["false", "true"])  # as gram fit names them
        self.assertTrue(((m.scores(x) > 0) == (m.predict(x) == "out")).all())
        np.testing.assert_allclose(m.probabilities(x).sum(1), 1)
        self.assertIsNone(m.predict(np.full((1, 4), np.nan))[0])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.gram")
            m.save(path)
            for same in (gram.load(path), pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
                np.testing.assert_array_equal(same.scores(x), m.scores(x))
            self.assertRaises(OSError, gram.load, os.path.join(folder, "none"))
        f = gram.fit_map("nystrom", x, m=20, seed=5)
        self.assertEqual((f.task, f.features(x).shape), ("features", (200, f.n_features)))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(f)).features(x), f.features(x))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            gram.fit("svr", x, y, max_iter=1, tol=1e-12)
        self.assertEqual([w.category for w in seen], [gram.ConvergenceWarning])

    def test_progress_and_interrupts(self):
        x, y, _ = data()
        seen = []
        gram.fit("gbdt", x, y, rounds=5, progress=lambda *event: seen.append(event))
        self.assertEqual(seen[-1][:3], ("boosting", 5, 5))
        self.assertRaises(KeyboardInterrupt, gram.fit, "gbdt", x, y, rounds=10**7, progress=lambda *event: True)
        with self.assertRaises(ZeroDivisionError):
            gram.fit("gbdt", x, y, rounds=10**7, progress=lambda *event: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            lib.interruptible(lambda: 1 / 0, None)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                gram.fit("gbdt", x, y, rounds=10**7, progress=lambda *event: os.kill(os.getpid(), signal.SIGINT))
        finally:
            signal.signal(signal.SIGINT, before)

    def test_interrupted_work_ends_first(self):
        """However often Ctrl-C comes, interruptible does not end before the work that it began."""
        canceled, ended = threading.Event(), []

        def work():
            canceled.wait()
            for _ in range(5):  # the second interrupt of a Thread.join ends it at once
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)
            ended.append(True)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                lib.interruptible(work, canceled.set)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(ended, [True])

    def test_interrupted_fit_of_borrowed_rows(self):
        """Arrays that nobody else holds are freed after an interrupted fit: their memory is given back to the system."""
        program = """if True:
            import os, signal, threading, time
            import numpy as np
            import gram

            for _ in range(3):
                begun = []

                def interrupt():
                    time.sleep(0.03)
                    os.kill(os.getpid(), signal.SIGINT)

                def progress(*event):
                    if not begun:
                        begun.append(threading.Thread(target=interrupt))
                        begun[0].start()

                try:
                    gram.fit("linear", np.ones((300000, 20)), np.arange(300000) % 2, model="svm", progress=progress)
                except KeyboardInterrupt:
                    print("interrupted")
                time.sleep(0.3)
        """
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, 3 * "interrupted\n"), done.stderr)

    def test_numbers_and_texts_that_do_not_fit(self):
        x, y, c = data()
        for wrong in (
            dict(seed=-1),
            dict(seed=2**64),
            dict(workers=-1),
            dict(workers=2**64 + 1),
            dict(memory_limit=2**64 + 2**40),
            dict(scale="none\0"),
            dict(kernel="gaussian\0"),
            dict(classes=["a\0b", "a\0c"]),
            dict(classes=["a", "a"]),
        ):
            with self.subTest(wrong), self.assertRaises(ValueError):
                gram.fit("svm", x, c, **wrong)
        with self.assertRaisesRegex(ValueError, "indices"):
            gram.fit("svm", x, c + 0.5, classes=["a", "b"])
        with self.assertRaisesRegex(ValueError, "NUL"):
            gram.fit("svm\0", x, c)
        m = gram.fit("svm", x, c)
        self.assertRaises(ValueError, m.save, "model\0.gram")
        self.assertRaises(ValueError, gram.load, "model\0.gram")
        self.assertRaises(ValueError, gram.fwht, np.ones(4), workers=2**64)
        self.assertRaises(ValueError, gram.fwht_length, 2**64 + 5)

    def test_rows_without_columns(self):
        none = np.empty((5, 0))
        for rows in (none, none.astype(np.float32)) + ((sparse.csr_matrix(none),) if sklearn else ()):
            with self.assertRaisesRegex(ValueError, "column"):
                gram.fit("krr", rows, np.ones(5))
            with self.assertRaisesRegex(ValueError, "column"):
                gram.kernel_matrix(rows)
        factor = np.empty((0, 0))
        gram.cholesky_update(factor, np.empty(0))

    def test_views(self):
        for dtype in (np.float64, np.float32):
            x, _, _ = data(dtype=dtype)
            for a in (x, x[:, 1:3], x[::2]):
                m, kept = lib.view(a)
                self.assertIs(kept, a)
                self.assertEqual((m.data, m.stride), (a.ctypes.data, a.strides[0] // a.itemsize))
            m, kept = lib.view(x[:, ::-1])
            np.testing.assert_array_equal(kept, x[:, ::-1])
        self.assertEqual(lib.view(np.asfortranarray(x))[1].flags.c_contiguous, True)
        x = data()[0]
        unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(x.shape)
        overlapping = np.lib.stride_tricks.sliding_window_view(x.ravel(), 4)[:100]
        ints = np.arange(800).reshape(200, 4)
        for a in (x[::-1], np.broadcast_to(x[0], x.shape), unaligned, overlapping, ints, ints > 9, x.tolist(), x.astype(np.float16)):
            m, kept = lib.view(a)
            want = np.asarray(a, np.float64)
            self.assertTrue(kept.flags.aligned and kept.flags.c_contiguous and m.data == kept.ctypes.data)
            self.assertEqual((m.n, m.d, m.stride, m.type), want.shape + (4, 0))
            np.testing.assert_array_equal(kept, want)
        self.assertRaises(ValueError, lib.view, np.full((2, 2), "1"))
        self.assertRaises(ValueError, lib.view, np.zeros(3))
        self.assertRaises(ValueError, lib.view, np.zeros((2, 2), complex))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork(self):
        m = gram.fit("krr", *data(20)[:2])
        child = os.fork()
        if child == 0:
            lib._library = object()  # a model of the parent must not call it
            try:
                m.__del__()
            except AttributeError:
                os._exit(8)
            try:
                gram.version()
            except RuntimeError:
                os._exit(7)
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1] >> 8, 7)


def estimators():
    """Returns one of each, and more where a parameter opens other checks."""
    return [getattr(gs, name)() for name in gs.__all__] + [
        gs.SVC(tol=1e-9),
        gs.SVC(probability="temperature", kernel="laplacian", tol=1e-9),
        gs.SVR(tol=1e-9),
        gs.NuSVR(tol=1e-9),
        gs.SVC("precomputed", tol=1e-9),
        gs.KernelRidge("precomputed"),
        gs.DCSVC(tol=1e-9),
        gs.RandomFourier(frequencies="fastfood"),
        gs.Classifier("nystrom"),
        gs.Classifier("nystrom", settings={"tol": 1e-13}),
        gs.Classifier("rff", scale="auto", settings={"tol": 1e-13}),
        gs.Classifier("dcpred"),
        gs.Classifier("ldkl", settings={"tol": 1e-12}),
        gs.Classifier("aesvm", settings={"tol": 1e-9}),
        gs.Classifier("bregman"),
        gs.Classifier("krr", settings={"lambda": 0.1}),
        gs.Regressor("rff"),
        gs.Regressor("falkon"),
        gs.Regressor("gp"),
    ]


@unittest.skipIf(sklearn is None, "no scikit-learn")
class Estimators(unittest.TestCase):
    def test_checks(self):
        """scikit-learn's own checks."""
        for e in estimators():
            passed, skipped = 0, []
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for e1, check in check_estimator(e, generate_only=True):
                    name = getattr(check, "func", check).__name__
                    with self.subTest(estimator=repr(e), check=name):
                        try:
                            check(e1)
                            passed += 1
                        except unittest.SkipTest as why:
                            skipped.append(str(why))
            self.assertGreater(passed, 30)
            if "-v" in sys.argv:
                print("%-45s %d checks%s" % (e, passed, "".join("\n    " + s for s in skipped)))

    def test_searches(self):
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        x, y, c = data()
        p = make_pipeline(StandardScaler(), gs.Nystroem(n_components=50, random_state=0), LogisticRegression(C=100))
        s = GridSearchCV(p, {"nystroem__gamma": [0.01, 1.0], "nystroem__landmarks": ["uniform", "kmeans"]}, cv=3).fit(x, c)
        self.assertGreater(s.best_score_, 0.85)
        self.assertEqual(s.best_params_["nystroem__gamma"], 1.0)
        s = GridSearchCV(gs.SVC(), {"C": [1e-3, 10.0], "kernel": ["rbf", "linear"]}, cv=3, n_jobs=2).fit(x, c)
        self.assertEqual(s.best_params_, {"C": 10.0, "kernel": "rbf"})
        self.assertGreater(cross_val_score(gs.KernelRidge(alpha=1e-3), x, y, cv=3).min(), 0.95)

    def test_definitions(self):
        from sklearn.kernel_ridge import KernelRidge as Reference
        from sklearn.svm import SVC as Machine

        x, y, c = data()
        ours = gs.KernelRidge(alpha=0.1, gamma=0.7, fit_intercept=False).fit(x, y).predict(x)
        np.testing.assert_allclose(ours, Reference(alpha=0.1, gamma=0.7, kernel="rbf").fit(x, y).predict(x), rtol=1e-8)
        w = np.linspace(0, 2, len(x))
        ours = gs.SVC(C=3, gamma=0.7, tol=1e-9).fit(x, c, w).decision_function(x)
        theirs = Machine(C=3, gamma=0.7, tol=1e-9).fit(x, c, w).decision_function(x)
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
        z = gs.Nystroem(n_components=200, gamma=0.7, landmarks="uniform").fit_transform(x)
        np.testing.assert_allclose(z @ z.T, gram.kernel_matrix(x, gamma=0.7), atol=1e-6)

    def test_attributes(self):
        """What estimators show of their models, beside scikit-learn's or the definition."""
        from sklearn.gaussian_process import GaussianProcessRegressor as Process
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
        from sklearn.linear_model import Ridge as Reference
        from sklearn.svm import LinearSVC as Machine

        x, y, c = data(n=60)
        x = x * [1, 1e3, 1e-3, 1]  # slopes of very different sizes
        for target in (y, y + 1e6):
            ours, theirs = gs.Ridge(alpha=1e-9).fit(x, target), Reference(alpha=1e-9).fit(x, target)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-12)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(x @ ours.coef_ + ours.intercept_, ours.predict(x), rtol=1e-9)
        x, y, c = data(n=60)
        three = c + 2 * (x[:, 2] > 0.5)
        for target in (c, three):
            ours, theirs = gs.LinearSVC(C=2, tol=1e-9).fit(x, target), Machine(C=2, tol=1e-12, max_iter=100000, dual=False).fit(x, target)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
        ours = gs.LogisticRegression().fit(x, three)
        np.testing.assert_allclose(x @ ours.coef_.T + ours.intercept_, ours.decision_function(x), atol=1e-12)
        kernel = ConstantKernel(1.0, "fixed") * RBF(1.0, "fixed")
        ours = gs.GaussianProcessRegressor(gamma=0.5, alpha=0.01, fit_intercept=False).fit(x, y)
        theirs = Process(kernel + WhiteKernel(0.01, "fixed")).fit(x, y)
        (mean, std), (want, more) = ours.predict(x[:9] + 1, return_std=True), theirs.predict(x[:9] + 1, return_std=True)
        np.testing.assert_allclose(mean, want, atol=1e-8)
        np.testing.assert_allclose(std / more, np.full(9, std[0] / more[0]), rtol=1e-6)  # but for the amplitude, which is estimated
        from sklearn.gaussian_process import GaussianProcessClassifier as Posterior

        for target in (c, three):  # scikit-learn averages by five error functions, to about 1e-3
            ours = gs.GaussianProcessClassifier(gamma=0.5, alpha=0.5).fit(x, target)
            theirs = Posterior(ConstantKernel(2.0, "fixed") * RBF(1.0, "fixed")).fit(x, target)
            np.testing.assert_allclose(ours.predict_proba(x[:9] + 1), theirs.predict_proba(x[:9] + 1), atol=3e-3)
            self.assertTrue(hasattr(gs.GaussianProcessClassifier(), "predict_proba"))
        ours = gs.KernelRidge("gaussian+0.5*linear", alpha=0.1, gamma=0.5, fit_intercept=False).fit(x, y)
        matrix = RBF(1.0)(x) + 0.5 * x @ x.T
        np.testing.assert_allclose(ours.predict(x), matrix @ np.linalg.solve(matrix + 0.1 * np.eye(len(x)), y), atol=1e-9)
        for e, target in ((gs.GBDTRegressor(), y), (gs.GBDTClassifier(), three)):
            shares = e.fit(x, target).feature_importances_
            self.assertAlmostEqual(shares.sum(), 1)
            self.assertTrue((shares >= 0).all() and shares[3] < shares[0])
        self.assertGreater(gs.GBDTRegressor().fit(x, y).feature_importances_[:2].sum(), 0.8)
        with self.assertRaisesRegex(ValueError, "no gains"):
            gram.fit("krr", x, y).gains()

    def same_machine(self, ours, theirs, tol):
        """Two machines have the same attributes; of the support vectors those count whose coefficients are not next to 0."""
        np.testing.assert_allclose(ours.intercept_, np.atleast_1d(theirs.intercept_), atol=tol)
        full = []
        for e in (ours, theirs):
            self.assertEqual(e.dual_coef_.shape[1], len(e.support_))
            self.assertEqual(e.n_support_.sum(), len(e.support_))
            dual = np.zeros((len(e.dual_coef_), 1 + max(ours.support_.max(), theirs.support_.max())))
            dual[:, e.support_] = e.dual_coef_
            full.append(dual)
        np.testing.assert_allclose(*full, atol=tol * max(1, np.abs(full[1]).max()))
        firm = lambda e: e.support_[np.abs(e.dual_coef_).max(0) > 1e-3 * np.abs(e.dual_coef_).max()]
        np.testing.assert_array_equal(firm(ours), firm(theirs))
        self.assertEqual(ours.n_support_.shape, theirs.n_support_.shape)
        self.assertEqual(np.shape(ours.n_iter_), np.shape(theirs.n_iter_))
        self.assertTrue(np.min(ours.n_iter_) > 0)

    def test_machines(self):
        """Support vector machines are those of scikit-learn, with every parameter and attribute, on data of its own."""
        from sklearn import datasets, svm
        from sklearn.preprocessing import StandardScaler

        x2, two = datasets.load_breast_cancer(return_X_y=True)
        x3, three = datasets.load_wine(return_X_y=True)
        xv, values = datasets.load_diabetes(return_X_y=True)
        x2, x3, xv = (StandardScaler().fit_transform(x) for x in (x2[::2], x3, xv[::2]))
        two, values = two[::2], values[::2]
        weights = np.linspace(0, 2, len(x2))
        same = dict(tol=1e-7)
        for name, x, y, ours, theirs in (
            ("SVC", x2, two, {}, {}),
            ("SVC", x2, two, dict(kernel="linear", C=0.1), dict(kernel="linear", C=0.1)),
            ("SVC", x3, three, dict(gamma=0.05, C=2), dict(gamma=0.05, C=2)),
            ("SVC", x3, three, dict(kernel="linear"), dict(kernel="linear")),
            ("SVC", x3, three, dict(class_weight={0: 1, 1: 2, 2: 0.5}), dict(class_weight={0: 1, 1: 2, 2: 0.5})),
            ("NuSVC", x2, two, {}, {}),
            ("NuSVC", x2, two, dict(nu=0.2), dict(nu=0.2)),
            ("NuSVC", x2, two, dict(gamma=0.1), dict(gamma=0.1)),
            ("NuSVC", x2, two, dict(kernel="linear", nu=0.3), dict(kernel="linear", nu=0.3)),
            ("NuSVC", x2, two, dict(kernel="polynomial", degree=2, coef0=1), dict(kernel="poly", degree=2, coef0=1, gamma=1)),
            ("NuSVC", x3, three, dict(nu=0.3), dict(nu=0.3)),
            ("NuSVR", xv, values, dict(C=1), {}),
            ("NuSVR", xv, values, dict(C=100, nu=0.3), dict(C=100, nu=0.3)),
            ("NuSVR", xv, values, dict(C=10, gamma=0.02), dict(C=10, gamma=0.02)),
            ("NuSVR", xv, values, dict(C=1, kernel="linear"), dict(C=1, kernel="linear")),
            ("NuSVR", xv, values, dict(C=0.1, kernel="polynomial", degree=2, coef0=2), dict(C=0.1, kernel="poly", degree=2, coef0=2, gamma=1)),
            ("SVR", xv, values, dict(C=10, epsilon=5), dict(C=10, epsilon=5)),
            ("OneClassSVM", x2, None, {}, {}),
            ("OneClassSVM", x2, None, dict(nu=0.1, gamma=0.05), dict(nu=0.1, gamma=0.05)),
            ("OneClassSVM", np.abs(x3), None, dict(kernel="linear", nu=0.2), dict(kernel="linear", nu=0.2)),
            ("OneClassSVM", x2, None, dict(kernel="polynomial", degree=2, coef0=1), dict(kernel="poly", degree=2, coef0=1, gamma=1)),
        ):
            with self.subTest(name, **ours):
                a = getattr(gs, name)(**same, **ours).fit(x, y)
                b = getattr(svm, name)(max_iter=100000, **same, **theirs).fit(x, y)
                size = np.abs(b.decision_function(x) if hasattr(b, "decision_function") else b.predict(x)).max()
                if name in ("SVR", "NuSVR"):
                    np.testing.assert_allclose(a.predict(x), b.predict(x), atol=1e-5 * size)
                else:
                    firm = np.ones(len(x), bool)
                    if y is not three:  # scores of three classes are votes
                        np.testing.assert_allclose(a.decision_function(x), b.decision_function(x), atol=1e-5 * size)
                        firm = np.abs(b.decision_function(x)) > 1e-5 * size
                    np.testing.assert_array_equal(a.predict(x)[firm], b.predict(x)[firm])
                if name == "OneClassSVM":
                    np.testing.assert_allclose(a.score_samples(x), b.score_samples(x), rtol=1e-5)
                    np.testing.assert_allclose(a.offset_, b.offset_, rtol=1e-5)
                self.assertEqual(hasattr(a, "coef_"), a.kernel == "linear")
                if a.kernel == "linear":
                    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-4 * np.abs(b.coef_).max())
                    continue  # the coefficients of linear kernels are not unique
                self.same_machine(a, b, 1e-4)
                np.testing.assert_array_equal(a.support_vectors_, x[a.support_])
        for a, b, y in ((gs.SVC, svm.SVC, two), (gs.OneClassSVM, svm.OneClassSVM, None)):
            a = a(gamma=0.05, **same).fit(x2, y, sample_weight=weights)
            b = b(gamma=0.05, **same).fit(x2[1:], None if y is None else y[1:], sample_weight=weights[1:])
            b.support_ += 1  # the row of weight 0, which scikit-learn does not count
            self.same_machine(a, b, 1e-4)
        with self.assertRaisesRegex(ValueError, "svm-nu.*at most"):
            gs.NuSVC(nu=0.9).fit(x2, two)
        again = pickle.loads(pickle.dumps(a))
        np.testing.assert_array_equal(again.dual_coef_, a.dual_coef_)
        np.testing.assert_array_equal(again.support_, a.support_)
        self.assertFalse(hasattr(gs.SVC(settings={"multi": "one-vs-rest"}).fit(x3, three), "n_support_"))
        with self.assertRaisesRegex(ValueError, "no support vector machine"):
            gram.fit("krr", xv, values).machine()

    def test_iterations(self):
        """Estimators that iterate say how often; those that do not have no such attribute."""
        x, y, c = data(60)
        three = c + 2 * (x[:, 2] > 0.5)
        self.assertEqual(gs.SVC().fit(x, three).n_iter_.shape, (6 if three.max() == 3 else 3,))
        self.assertEqual(gs.GBDTClassifier(n_estimators=7).fit(x, three).n_iter_, 7)
        for e in (gs.LinearSVC(), gs.LogisticRegression(), gs.FalkonRegressor(), gs.SVR(), gs.OneClassSVM()):
            self.assertGreater(e.fit(x, y if isinstance(e, (gs.SVR, gs.FalkonRegressor)) else c).n_iter_, 0, repr(e))
        for e in (gs.KernelRidge(), gs.GaussianProcessRegressor()):
            self.assertFalse(hasattr(e.fit(x, y), "n_iter_"), repr(e))

    def test_precomputed(self):
        """A kernel matrix in place of the rows gives the machine of the rows, in cross-validation, too."""
        from sklearn.model_selection import cross_val_score

        x, y, c = data(150)
        three = c + 2 * (x[:, 2] > 0.5)
        z = x[:40] + 0.01
        k, rest = gram.kernel_matrix(x, gamma=0.7), gram.kernel_matrix(z, x, gamma=0.7)
        w = np.linspace(0, 2, len(x))
        for name, target, more in (
            ("SVC", c, dict(tol=1e-9)), ("SVC", three, dict(tol=1e-9)), ("NuSVC", c, dict(tol=1e-9, nu=0.3)), ("SVR", y, dict(tol=1e-9)),
            ("NuSVR", y, dict(tol=1e-9)), ("KernelRidge", y, {}), ("OneClassSVM", None, dict(tol=1e-9)),
        ):
            for weights in (None, w):
                with self.subTest(name, weights=weights is not None):
                    a = getattr(gs, name)("precomputed", **more).fit(k, target, sample_weight=weights)
                    b = getattr(gs, name)(gamma=0.7, **more).fit(x, target, sample_weight=weights)
                    answer = "decision_function" if hasattr(a, "decision_function") else "predict"
                    np.testing.assert_allclose(getattr(a, answer)(rest), getattr(b, answer)(z), atol=1e-6)
                    np.testing.assert_array_equal(a.predict(k) == a.predict(k[::-1])[::-1], np.ones(len(k), bool))
                    if hasattr(a, "support_"):
                        np.testing.assert_array_equal(a.support_, b.support_)
                        self.assertEqual(a.support_vectors_.shape, (0, 0))
                    again = pickle.loads(pickle.dumps(a))
                    np.testing.assert_array_equal(again.predict(rest), a.predict(rest))
        scores = [cross_val_score(gs.SVC(kernel, gamma=0.7), rows, c, cv=3) for kernel, rows in (("gaussian", x), ("precomputed", k))]
        np.testing.assert_array_equal(*scores)
        for wrong, what in ((k[:, :50], "columns|square|features"), (x, "columns"), (np.triu(k), "symmetric")):
            with self.assertRaisesRegex(ValueError, what):
                gs.KernelRidge("precomputed").fit(wrong, y[: len(wrong)])
        with self.assertRaisesRegex(ValueError, "features"):
            gs.SVC("precomputed").fit(k, c).predict(rest[:, :-1])

    def test_tables(self):
        """A DataFrame with texts, categories and missing cells is a table of its method, whatever the order of classes and columns."""
        import pandas as pd

        r = np.random.default_rng(0)
        frame = pd.DataFrame({"size": r.normal(size=200), "color": pd.Categorical(np.array(["red", "green", "blue"])[r.integers(0, 3, 200)]),
                              "age": r.integers(0, 90, 200) / 90, "kind": np.where(r.uniform(size=200) < 0.5, "old", "new")})
        values = (frame["color"] == "red") * 3.0 + frame["age"] + (frame["kind"] == "old")
        frame.loc[3, "size"], frame.loc[5, "color"] = np.nan, None
        texts, numbers, truths = np.where(values > 2, "a", "B"), np.where(values > 2, 9, 10), values > 2
        three = np.array(["10", "9", "7"])[np.digitize(values, [1, 3])]  # the table has 7 and 9 before 10
        for e, y in (
            (gs.GBDTClassifier(), texts), (gs.GBDTClassifier(), numbers), (gs.GBDTClassifier(), truths), (gs.GBDTClassifier(), three),
            (gs.SVC(C=100, probability="temperature"), numbers), (gs.SVC(C=100), np.array(["10", "9"])[truths.astype(int)]),
            (gs.LogisticRegression(C=100, probability="temperature"), three), (gs.Classifier("krr"), three),
            (gs.GBDTRegressor(), values), (gs.KernelRidge(alpha=0.1), values), (gs.Regressor("gbdt"), values), (gs.Ridge(), values),
        ):
            with self.subTest(repr(e), target=str(y[0])):
                e.fit(frame, y)
                self.assertEqual((e.n_features_in_, list(e.feature_names_in_)), (4, list(frame.columns)))
                answers = e.predict(frame[frame.columns[::-1]])
                if y is values:
                    self.assertGreater(e.score(frame, y), 0.9)
                else:
                    self.assertGreater(np.mean(answers == y), 0.9)
                    scores = e.decision_function(frame)
                    places = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(1)
                    np.testing.assert_array_equal(e.classes_[places], answers)
                    if e._has_probabilities():
                        np.testing.assert_array_equal(e.classes_[e.predict_proba(frame).argmax(1)], answers)
                again = pickle.loads(pickle.dumps(e))
                np.testing.assert_array_equal(again.predict(frame), answers)
                for wrong, what in ((frame.assign(age=np.nan), "age.*missing"), (frame.drop(columns="color"), "color"), (frame[["age"]].to_numpy(), "DataFrame")):
                    with self.assertRaisesRegex(ValueError, what):
                        e.predict(wrong)
                self.assertFalse(hasattr(e, "coef_"))
                self.assertEqual(hasattr(e, "dual_coef_"), isinstance(e, gs.SVC) and y is numbers)
        with self.assertRaisesRegex(ValueError, "target of row 1 "):
            gs.KernelRidge().fit(frame, values.where(values.index != 1))
        weights = np.ones(200)
        weights[1::3] = 0
        left = weights > 0
        np.testing.assert_array_equal(gs.GBDTRegressor().fit(frame, values, weights).predict(frame),
                                      gs.GBDTRegressor().fit(frame[left], values[left]).predict(frame))
        for e in (gs.Nystroem(), gs.OneClassSVM(), gs.SVC("precomputed")):
            with self.assertRaisesRegex(ValueError, "column 'size' holds missing cells.*SimpleImputer"):
                e.fit(frame, texts)
        with self.assertRaisesRegex(ValueError, "column 'kind' holds cells of the type object.*OneHotEncoder"):
            gs.KernelRidge().fit(frame[["age"]], values).predict(frame[["kind"]])

    def test_missing_cells(self):
        """Boosted trees take missing cells of an array, where training had some in the column."""
        x, y, c = data()
        x[::4, 0] = np.nan
        y = np.where(np.isnan(x[:, 0]), 3, y)
        self.assertGreater(gs.GBDTRegressor().fit(x, y).score(x, y), 0.95)
        e = gs.GBDTClassifier().fit(x, y > 1)
        self.assertGreater(e.score(x, y > 1), 0.95)
        self.assertEqual((e.n_features_in_, len(e.feature_importances_)), (4, 4))
        x[7, 2] = np.nan
        for f in (e.predict, e.decision_function, e.predict_proba, gs.GBDTRegressor().fit(x[::4, 1:], y[::4]).predict):
            with self.assertRaisesRegex(ValueError, "row 7 .*columns 2|4 features"):
                f(x)
        e = gs.GBDTClassifier().fit(x[1:4], [0, 1, 1])
        for f in (e.predict, e.decision_function, e.predict_proba, gs.GBDTRegressor().fit(x[1:4], y[1:4]).predict):
            with self.assertRaisesRegex(ValueError, "row 0 .*columns 0"):
                f(x)
        for wrong in (gs.KernelRidge(), gs.GBDTRegressor()):
            with self.assertRaisesRegex(ValueError, "NaN|infinity"):
                wrong.fit(np.where(np.isnan(x), np.inf if isinstance(wrong, gs.GBDTRegressor) else np.nan, x), y)

    def test_targets_with_columns(self):
        """A target with columns gives what each of them gives alone, and scikit-learn's answers."""
        from sklearn.kernel_ridge import KernelRidge
        from sklearn.linear_model import Ridge

        x, y, c = data()
        both = np.c_[y, y**2 - 5, x[:, 2]]
        for e in (gs.KernelRidge(alpha=0.1), gs.Ridge(), gs.FalkonRegressor(alpha=1e-3, random_state=0), gs.GaussianProcessRegressor(), gs.DCKernelRidge(random_state=0)):
            with self.subTest(repr(e)):
                alone = np.column_stack([e.fit(x, t).predict(x) for t in both.T])
                np.testing.assert_array_equal(e.fit(x, both, sample_weight=np.ones(len(x))).predict(x), alone)
                self.assertEqual(pickle.loads(pickle.dumps(e)).predict(x[:2]).shape, (2, 3))
        mean, std = gs.GaussianProcessRegressor(alpha=0.01).fit(x, both).predict(x[:7], return_std=True)
        self.assertEqual((mean.shape, std.shape), ((7, 3), (7, 3)))
        ours, theirs = gs.Ridge(alpha=0.3).fit(x, both), Ridge(alpha=0.3).fit(x, both)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
        ours = gs.KernelRidge(alpha=0.1, gamma=0.7, fit_intercept=False).fit(x, both).predict(x)
        np.testing.assert_allclose(ours, KernelRidge(alpha=0.1, gamma=0.7, kernel="rbf").fit(x, both).predict(x), rtol=1e-7)
        with self.assertRaises(ValueError):
            gs.SVR().fit(x, both)

    def test_sparse_rows(self):
        x, y, c = data()
        x[np.abs(x) < 0.5] = 0
        a = sparse.csr_matrix(x)
        for e in (gs.SVC(), gs.KernelRidge(), gs.GBDTClassifier(random_state=0), gs.Nystroem(random_state=0)):
            if isinstance(e, gs.Nystroem):
                np.testing.assert_allclose(e.fit(a).transform(a), e.fit(x).transform(x), atol=1e-8)
            else:
                t = y if isinstance(e, gs.KernelRidge) else c
                np.testing.assert_allclose(e.fit(a, t).predict(a), e.fit(x, t).predict(x), atol=1e-8)
        m, kept = lib.view(a)
        self.assertEqual((m.data, m.col), (a.data.ctypes.data, a.indices.ctypes.data))

    def test_parameters(self):
        """The parameters of every estimator are settings of its method: the fitted model is the same to the byte."""
        x, y, c = data(60)
        seed = int(np.random.RandomState(5).randint(2**31 - 1))
        polynomial = dict(kernel="polynomial", degree=2)
        trees = dict(rounds=7, shrinkage=0.3, leaves=5, depth=3, min_rows=4, lambda_=0.7, bins=16, row_sample=0.8,
                     column_sample=0.5, holdout=0.2, patience=3)
        boosted = dict(n_estimators=7, learning_rate=0.3, max_leaf_nodes=5, max_depth=3, min_samples_leaf=4, reg_lambda=0.7,
                       max_bins=16, subsample=0.8, max_features=0.5, validation_fraction=0.2, n_iter_no_change=3)
        for e, target, method, settings in (
            (gs.SVC(C=2, coef0=0.5, tol=1e-6, **polynomial), c, "svm", dict(c=2, offset=0.5, tol=1e-6, **polynomial)),
            (gs.SVC("sigmoid", coef0=0.1, settings={"no-bias": True}), c, "svm",
             dict(kernel="sigmoid", offset=0.1, c=1.0, tol=1e-3, no_bias=True)),
            (gs.SVC("rbf", gamma=0.3, probability=True), c, "svm", dict(gamma=0.3, c=1, tol=1e-3, probabilities="platt")),
            (gs.DCSVC("laplacian", gamma=0.3), c, "dc-svm", dict(kernel="laplacian", gamma=0.3, c=1, tol=1e-3)),
            (gs.SVR(C=2, epsilon=0.2, gamma=0.3, tol=1e-4), y, "svr", dict(c=2, epsilon=0.2, gamma=0.3, tol=1e-4)),
            (gs.KernelRidge(alpha=0.5, gamma=0.3), y, "krr", dict(lambda_=0.5, gamma=0.3)),
            (gs.KernelRidge("homogeneous", degree=2, alpha=0.5, fit_intercept=False), y, "krr",
             dict(kernel="homogeneous", degree=2, lambda_=0.5, no_bias=True)),
            (gs.DCKernelRidge(alpha=0.5, gamma=0.3), y, "dc-krr", dict(lambda_=0.5, gamma=0.3)),
            (gs.GBDTClassifier(**boosted), c, "gbdt", trees),
            (gs.GBDTRegressor(**boosted), y, "gbdt", trees),
            (gs.LinearSVC(C=2, loss="squared_hinge", tol=1e-4, fit_intercept=False), c, "linear",
             dict(model="svm", c=2, loss="squared-hinge", tol=1e-4, no_bias=True)),
            (gs.LogisticRegression(C=2, tol=1e-4), c, "linear", dict(model="logistic", c=2, tol=1e-4)),
            (gs.Ridge(0.5), y, "linear", dict(model="ridge", lambda_=0.5)),
            (gs.FalkonRegressor(n_components=9, alpha=0.5, gamma=0.3, landmarks="kmeans", tol=1e-4), y, "falkon",
             dict(m=9, lambda_=0.5, gamma=0.3, landmarks="kmeans", tol=1e-4)),
            (gs.GaussianProcessRegressor("matern", alpha=0.5), y, "gp", dict(kernel="matern", lambda_=0.5)),
            (gs.GaussianProcessClassifier("matern", alpha=0.5), c, "gp", dict(kernel="matern", lambda_=0.5)),
            (gs.MEKARegressor(n_components=9, n_clusters=2, gamma=0.3), y, "meka", dict(m=9, clusters=2, gamma=0.3)),
            # The defaults, as the documentation and scikit-learn have them.
            (gs.SVC("polynomial"), c, "svm", dict(kernel="polynomial", degree=3, c=1, tol=1e-3)),
            (gs.SVC(), c, "svm", dict(gamma="scale", c=1, tol=1e-3)),
            (gs.SVR("polynomial"), y, "svr", dict(kernel="polynomial", degree=3)),
            (gs.SVR(), y, "svr", dict(gamma="scale")),
            (gs.KernelRidge("polynomial"), y, "krr", dict(kernel="polynomial", degree=3, lambda_=1)),
            (gs.KernelRidge(), y, "krr", dict(gamma="scale", lambda_=1)),
            (gs.Nystroem("polynomial", n_components=9), None, "nystrom", dict(kernel="polynomial", degree=3, m=9, landmarks="kmeans")),
            (gs.Nystroem(), None, "nystrom", dict(gamma="scale", m=60)),
            (gs.FastNystroem(), None, "fastnys", dict(gamma="scale", matrix="haar", rows=4, m=100)),
            (gs.RandomFourier(), None, "rff", dict(gamma="scale", m=50, frequencies="independent")),
            (gs.GBDTClassifier(), c, "gbdt", dict(rounds=100, shrinkage=0.1, leaves=31, min_rows=3, lambda_=1, bins=255,
             row_sample=1, column_sample=1, holdout=0, patience=10)),
            (gs.Nystroem(n_components=9, gamma=0.3, landmarks="uniform"), None, "nystrom", dict(m=9, gamma=0.3, landmarks="uniform")),
            (gs.FastNystroem(n_components=20, gamma=0.3, matrix="hadamard"), None, "fastnys",
             dict(gamma=0.3, matrix="hadamard", rows=4, m=20)),
            (gs.RandomFourier("laplacian", n_components=9, gamma=0.3, frequencies="halton"), None, "rff",
             dict(kernel="laplacian", gamma=0.3, frequencies="halton", m=5)),
            (gs.Classifier("rff", scale="standard", settings={"m": 20}, probability="temperature"), c, "rff",
             dict(m=20, scale="standard", probabilities="temperature")),
            (gs.Regressor("falkon", scale="minmax", settings={"m": 20}), y, "falkon", dict(m=20, scale="minmax")),
        ):
            with self.subTest(repr(e)):
                e.set_params(random_state=5).fit(x, target)
                if target is None:
                    m = gram.fit_map(method, x, seed=seed, **settings)
                else:
                    m = gram.fit(method, x, target, classes=[0, 1] if target is c else None, seed=seed, **settings)
                self.assertEqual(e.model_.encode(), m.encode())

    def test_sparse_forms(self):
        """Entries in any order, twice or of other types are those of the matrix that they stand for."""
        a = sparse.csr_matrix((np.float32([1, 2, 3, 4]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])), shape=(2, 3))
        wide = sparse.csr_matrix((a.data, a.indices.astype(np.int64), a.indptr.astype(np.int64)), shape=(2, 3))
        d = np.array([[2.0, 0, 4], [0, 4, 0]])
        for x in (a, wide, sparse.csc_matrix(d), sparse.coo_matrix(d)):
            for z in (d, x):
                np.testing.assert_array_equal(gram.kernel_matrix(x, z, kernel="linear"), d @ d.T)
        self.assertEqual(gram.kernel_matrix(d, a, kernel="linear").dtype, np.float64)
        self.assertEqual(gram.kernel_matrix(a, np.float32(d), kernel="linear").dtype, np.float32)
        self.assertEqual(a.nnz, 4)  # the argument is unchanged

    def test_seeds(self):
        x, _, c = data()
        a, b, other = (gs.RandomFourier(random_state=s).fit(x).transform(x) for s in (1, 1, 2))
        np.testing.assert_array_equal(a, b)
        self.assertTrue((a != other).any())
        self.assertEqual(len(gs.Nystroem(n_components=7).fit(x).get_feature_names_out()), 7)


if __name__ == "__main__":
    unittest.main()
