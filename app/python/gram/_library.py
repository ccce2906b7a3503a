"""The functions of the shared library, by ctypes. gram.h says what they do."""

import _thread
import ctypes
import operator
import os
import sys
import threading
import warnings

import numpy as np

API = 3

OK, INVALID, DATA, MEMORY, NOT_DEFINITE, NOT_CONVERGED, CANCELED, FAILED, INTERNAL = range(9)
CLASSES, VALUES, LABEL_SETS, FEATURES = range(4)


class UnknownLevelWarning(UserWarning):
    """Cells of a table hold texts that were not in training; the model takes them for none of its levels."""


class ConvergenceWarning(UserWarning):
    """A fit stopped before its tolerance; the model is the best so far."""


class Error(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 1024)]


class Matrix(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("n", ctypes.c_int64),
        ("d", ctypes.c_int64),
        ("stride", ctypes.c_int64),
        ("ptr", ctypes.c_void_p),
        ("col", ctypes.c_void_p),
        ("type", ctypes.c_int32),
    ]


class Column(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("levels", ctypes.POINTER(ctypes.c_char_p)),
        ("count", ctypes.c_int64),
        ("type", ctypes.c_int32),
    ]


class Table(ctypes.Structure):
    _fields_ = [
        ("column", ctypes.POINTER(Column)),
        ("columns", ctypes.c_int64),
        ("n", ctypes.c_int64),
        ("arrow", ctypes.c_uint64),
    ]


class Target(ctypes.Structure):
    _fields_ = [
        ("label", ctypes.c_void_p),
        ("names", ctypes.POINTER(ctypes.c_char_p)),
        ("classes", ctypes.c_int64),
        ("value", ctypes.c_void_p),
        ("sets", ctypes.POINTER(Matrix)),
    ]


Progress = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_double
)


class Options(ctypes.Structure):
    _fields_ = [
        ("seed", ctypes.c_uint64),
        ("workers", ctypes.c_int64),
        ("memory_limit", ctypes.c_int64),
        ("scale", ctypes.c_char_p),
        ("probabilities", ctypes.c_char_p),
        ("progress", Progress),
        ("context", ctypes.c_void_p),
        ("cancel", ctypes.c_uint64),
        ("conformal", ctypes.c_double),
        ("adaptive", ctypes.c_int64),
        ("warm", ctypes.c_uint64),
        ("search", ctypes.c_char_p),
        ("trials", ctypes.c_int64),
        ("folds", ctypes.c_int64),
        ("metric", ctypes.c_char_p),
        ("budget", ctypes.c_double),
    ]


class Info(ctypes.Structure):
    _fields_ = [
        ("task", ctypes.c_int32),
        ("probabilities", ctypes.c_int32),
        ("columns", ctypes.c_int64),
        ("classes", ctypes.c_int64),
        ("scores", ctypes.c_int64),
        ("features", ctypes.c_int64),
    ]


_matrix, _error, _model = ctypes.POINTER(Matrix), ctypes.POINTER(Error), ctypes.c_uint64
_settings, _int, _address = ctypes.POINTER(ctypes.c_char_p), ctypes.c_int64, ctypes.c_void_p

# The arguments of the functions that return a status, without the last, the error.
_FUNCTIONS = {
    "gram_fwht": [_matrix, ctypes.c_int32, _int],
    "gram_haar": [_matrix, ctypes.c_int32, _int],
    "gram_kernel": [_settings, _matrix, _matrix, _matrix],
    "gram_cholesky_update": [_matrix, ctypes.c_int32, _address],
    "gram_cholesky_downdate": [_matrix, ctypes.c_int32, _address, ctypes.POINTER(ctypes.c_double)],
    "gram_fit": [ctypes.c_char_p, _settings, _matrix, ctypes.POINTER(Target), _address, ctypes.POINTER(Options),
                 ctypes.POINTER(_model)],
    "gram_fit_table": [ctypes.c_char_p, _settings, ctypes.POINTER(Table), ctypes.c_char_p, ctypes.c_char_p, _address,
                       ctypes.POINTER(Options), ctypes.POINTER(_model)],
    "gram_arrow_read": [_address, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(_int)],
    "gram_rows": [_model, ctypes.POINTER(Table), _address, _address],
    "gram_column_name": [_model, _int, _address, _int, ctypes.POINTER(_int)],
    "gram_fit_map": [ctypes.c_char_p, _settings, _matrix, ctypes.POINTER(Options), ctypes.POINTER(_model)],
    "gram_cancel_now": [ctypes.c_uint64],
    "gram_model_info": [_model, ctypes.POINTER(Info)],
    "gram_class_name": [_model, _int, _address, _int, ctypes.POINTER(_int)],
    "gram_method_name": [_model, _address, _int, ctypes.POINTER(_int)],
    "gram_intervals": [_model, _matrix, ctypes.c_double, _address, _address],
    "gram_sets": [_model, _matrix, ctypes.c_double, _address],
    "gram_classify": [_model, _matrix, _address],
    "gram_values": [_model, _matrix, _address],
    "gram_scores": [_model, _matrix, _address],
    "gram_probabilities": [_model, _matrix, _address],
    "gram_top": [_model, _matrix, _int, _address, _address],
    "gram_features": [_model, _matrix, _address],
    "gram_gains": [_model, _address],
    "gram_iterations": [_model, _address, _int, ctypes.POINTER(_int)],
    "gram_machine_size": [_model] + [ctypes.POINTER(_int)] * 4,
    "gram_machine": [_model] + [_address] * 5,
    "gram_save": [_model, ctypes.c_char_p],
    "gram_load": [ctypes.c_char_p, ctypes.POINTER(_model)],
    "gram_encode": [_model, ctypes.POINTER(_address), ctypes.POINTER(_int)],
    "gram_decode": [_address, _int, ctypes.POINTER(_model)],
}

_library = None
_lock = threading.Lock()
_forked = False


def _after_fork():
    global _forked
    _forked = _library is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _path():
    name = {"win32": "gram.dll", "darwin": "libgram.dylib"}.get(sys.platform, "libgram.so")
    return os.environ.get("GRAM_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def loaded():
    """Returns the library, which the first call loads: a program may fork before that, not after."""
    global _library
    if _forked:
        raise RuntimeError(
            "gram was used before this process was forked, which its runtime does not survive; "
            "start processes by spawn or by loky instead"
        )
    if _library is None:
        with _lock:
            if _library is None:
                _library = _load()
    return _library


def _load():
    path = _path()
    try:
        lib = ctypes.CDLL(path)
    except OSError as e:
        raise ImportError(
            "there is no shared library of gram at %s (GRAM_LIBRARY names another place): %s; "
            "go build -buildmode=c-shared -o %s ./app/capi makes it" % (path, e, path)
        ) from e
    lib.gram_api.restype = ctypes.c_int32
    if lib.gram_api() != API:
        raise ImportError("%s has version %d of the interface, want %d" % (path, lib.gram_api(), API))
    for name, arguments in _FUNCTIONS.items():
        f = getattr(lib, name)
        f.argtypes, f.restype = arguments + [_error], ctypes.c_int32
    lib.gram_version.argtypes, lib.gram_version.restype = [ctypes.c_char_p, ctypes.c_int64], None
    lib.gram_fwht_length.argtypes, lib.gram_fwht_length.restype = [ctypes.c_int64], ctypes.c_int64
    lib.gram_cancel_new.argtypes, lib.gram_cancel_new.restype = [], ctypes.c_uint64
    lib.gram_cancel_free.argtypes, lib.gram_cancel_free.restype = [ctypes.c_uint64], None
    lib.gram_arrow_free.argtypes, lib.gram_arrow_free.restype = [ctypes.c_uint64], None
    lib.gram_release.argtypes, lib.gram_release.restype = [_model], None
    lib.gram_free.argtypes, lib.gram_free.restype = [_address], None
    return lib


def call(name, *arguments):
    """Calls a function and raises its error. A fit that did not converge is a warning."""
    error = Error()
    check(getattr(loaded(), name)(*arguments, error), error)


def check(status, error):
    """Raises the error of a status."""
    if status == OK:
        return
    text = error.message.decode("utf-8", "replace")
    if status == NOT_CONVERGED:
        warnings.warn(text, ConvergenceWarning, stacklevel=4)
    elif status in (INVALID, DATA):
        raise ValueError(text)
    elif status == MEMORY:
        raise MemoryError(text)
    elif status == NOT_DEFINITE:
        raise np.linalg.LinAlgError(text)
    elif status == CANCELED:
        raise KeyboardInterrupt(text)
    elif status == FAILED:
        raise OSError(text)
    else:
        raise RuntimeError(text)


_KINDS = {np.dtype(np.float64): 0, np.dtype(np.float32): 1}


def numbers(x):
    """Returns x as an array of float64 or float32: x itself if it is one."""
    if not isinstance(x, np.ndarray):
        x = np.asarray(x)
    if x.dtype not in _KINDS:
        if x.dtype.kind not in "buif":
            raise ValueError("numbers are wanted, not the type %s" % x.dtype)
        x = x.astype(np.float64)
    return x


def view(x):
    """Returns the Matrix of a 2-dimensional array or a sparse matrix, and what must live as long as it. An array whose
    rows are contiguous and a matrix in canonical CSR form are not copied."""
    if hasattr(x, "tocsr"):
        return _sparse(x)
    x = numbers(x)
    if x.ndim != 2:
        raise ValueError("an array with 2 dimensions is wanted, not %d" % x.ndim)
    n, d = x.shape
    size = x.itemsize
    if not x.flags.c_contiguous:
        rows, columns = x.strides
        if not (x.flags.aligned and columns == size and rows >= d * size and rows % size == 0):
            x = np.ascontiguousarray(x)
    elif not x.flags.aligned:
        x = x.copy()
    stride = x.strides[0] // size if n > 1 else d
    return Matrix(x.ctypes.data, n, d, stride, None, None, _KINDS[x.dtype]), x


def _sparse(x):
    x = x.tocsr()
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    if x.indices.dtype != np.int32 and x.shape[1] > np.iinfo(np.int32).max:
        raise ValueError("a sparse matrix has %d columns, want fewer than 2**31" % x.shape[1])
    data = np.ascontiguousarray(x.data, dtype=np.float64)
    ptr = np.ascontiguousarray(x.indptr, dtype=np.int64)
    col = np.ascontiguousarray(x.indices, dtype=np.int32)
    m = Matrix(data.ctypes.data, x.shape[0], x.shape[1], 0, ptr.ctypes.data, col.ctypes.data, 0)
    return m, (data, ptr, col)


def is_pandas(x):
    """Reports whether x is a DataFrame of pandas."""
    return hasattr(x, "iloc") and hasattr(x, "columns")


def is_frame(x):
    """Reports whether x is a table with names: a DataFrame of pandas, or what exports a stream of Arrow, such as those of polars,
    pyarrow and DuckDB."""
    return is_pandas(x) or hasattr(x, "__arrow_c_stream__")


_FLOAT64, _INT64, _TEXT, _CATEGORY = 0, 2, 3, 4


class _Arrow:
    """A table of Arrow that the library holds until this object is gone."""

    def __init__(self, frame):
        capsule, handle, rows = frame.__arrow_c_stream__(), ctypes.c_uint64(), ctypes.c_int64()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.argtypes, pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
        call("gram_arrow_read", pointer(capsule, b"arrow_array_stream"), handle, rows)
        self.handle, self.rows = handle.value, rows.value

    def __del__(self):
        if getattr(self, "handle", 0) and _library is not None and not _forked:
            _library.gram_arrow_free(self.handle)


def table(frame):
    """Returns the Table of a table with names, and what must live as long as it."""
    if not is_pandas(frame):
        held = _Arrow(frame)
        return Table(None, 0, held.rows, held.handle), held
    columns, keep = (Column * len(frame.columns))(), []
    for k, name in enumerate(frame.columns):
        kind, data, levels = _cells(name, frame.iloc[:, k])
        names = None if levels is None else texts("a text of column %r" % name, levels)
        keep.append((data, names))
        columns[k] = Column(text("the name of a column", str(name)), data.ctypes.data, names, len(levels or ()), kind)
    return Table(columns, len(columns), len(frame), 0), (columns, keep)


def _cells(name, s):
    """Returns the type of a column of a DataFrame, its numbers or the places of its texts, and these texts."""
    import pandas as pd

    if isinstance(s.dtype, pd.CategoricalDtype):
        return _CATEGORY, np.ascontiguousarray(s.cat.codes, np.int32), [text_of(c) for c in s.cat.categories]
    what = pd.api.types.infer_dtype(s, skipna=True)
    if what == "integer" and not s.isna().any():
        return _INT64, np.ascontiguousarray(s, np.int64), None
    if what in ("integer", "floating", "mixed-integer-float", "decimal", "empty"):
        return _FLOAT64, np.ascontiguousarray(pd.to_numeric(s).to_numpy(dtype=np.float64, na_value=np.nan)), None
    if what in ("datetime64", "datetime", "date"):
        s = pd.to_datetime(s)
        s = s.dt.strftime("%Y-%m-%d" if (s.dropna() == s.dropna().dt.normalize()).all() else "%Y-%m-%dT%H:%M:%S")
    elif what not in ("string", "boolean", "categorical"):
        raise ValueError("column %r holds %s: make numbers, texts or a category of it" % (name, what))
    places, levels = pd.factorize(s)
    return _TEXT, np.ascontiguousarray(places, np.int32), [text_of(c) for c in levels]


def text_of(value):
    """Returns the text of a level or a class. Truth values are called true and false, as in tables of all formats."""
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


def whole(name, value, bits=63):
    """Returns a whole number of at least 0 that C takes as one of so many bits."""
    value = operator.index(value)
    if not 0 <= value < 1 << bits:
        raise ValueError("%s is %d, want a whole number from 0 to 2**%d-1" % (name, value, bits))
    return value


def text(name, value):
    """Returns the bytes of a text that C takes, which ends at its first NUL."""
    value = value if isinstance(value, bytes) else value.encode("utf-8")
    if b"\0" in value:
        raise ValueError("%s is %r, it holds a NUL" % (name, value.decode("utf-8", "replace")))
    return value


def path(value):
    """Returns the bytes of the name of a file."""
    return text("the name of the file", os.fsencode(value))


def texts(name, items):
    """Returns a NULL-terminated array of strings."""
    items = [text(name, s) for s in items]
    return (ctypes.c_char_p * (len(items) + 1))(*items, None)


def assignments(settings):
    """Returns settings as texts NAME=VALUE. An underscore in a name stands for a dash, and one at its end (lambda_)
    for nothing. None leaves the default."""
    items = []
    for name, value in settings.items():
        if value is None:
            continue
        items.append("%s=%s" % (setting(name), value_text(value)))
    return texts("a setting", items)


def setting(name):
    """Returns the name of a setting as the command writes it."""
    return name.rstrip("_").replace("_", "-")


def value_text(value):
    """Returns the value of a setting as the command writes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def interruptible(run, cancel):
    """Calls run and returns its result. In the main thread run has a thread of its own, so that Ctrl-C, which calls
    cancel, is not held up by it. In any case run has ended when interruptible returns or raises: what run reads, and
    the caller may free, is its own until then. So interrupts after the first one only call cancel again, and a lock is
    waited for, not Thread.join: up to CPython 3.12 a join returns at once after one that was interrupted. What a thread
    would read all the same, if an interrupt came between two lines below, run keeps alive itself."""
    if threading.current_thread() is not threading.main_thread():
        return run()
    ended, interrupts = [], []
    gate = _thread.allocate_lock()
    gate.acquire()

    def work():
        try:
            ended.append((run(), None))
        except BaseException as e:  # it is raised where interruptible was called
            ended.append((None, e))
        gate.release()

    _thread.start_new_thread(work, ())
    while not ended:
        try:
            if interrupts:
                cancel()
            gate.acquire()
        except BaseException as e:
            interrupts.append(e)
    result, failed = ended[0]
    if interrupts:
        raise interrupts[0]
    if failed:
        raise failed
    return result
