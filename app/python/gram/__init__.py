"""Kernel methods at scale, by way of the shared library of the Go module gram.

fit, fit_map and load return a Model. kernel_matrix, fwht, haar, cholesky_update and cholesky_downdate are the routines
below the methods. gram.sklearn has estimators for scikit-learn. Arrays of float64 and float32 whose rows are contiguous,
and sparse matrices in canonical CSR form, are not copied.
"""

import ctypes

import numpy as np

from . import _library as lib
from ._library import ConvergenceWarning, UnknownLevelWarning
from ._model import Model, fit, fit_map, load

__version__ = "0.1.0.dev0"

__all__ = [
    "ConvergenceWarning",
    "Model",
    "UnknownLevelWarning",
    "cholesky_downdate",
    "cholesky_update",
    "fit",
    "fit_map",
    "fwht",
    "fwht_length",
    "haar",
    "kernel_matrix",
    "load",
    "version",
]

_KINDS = {
    "transform": 0,
    "orthonormal": 1,
    "inverse": 2,
    "sequency": 3,
    "transpose": 4,
    "inverse_orthonormal": 5,
}


def version():
    """Returns the version of the library and of Go."""
    room = ctypes.create_string_buffer(128)
    lib.loaded().gram_version(room, len(room))
    return room.value.decode()


def fwht(x, kind="transform", *, overwrite_x=False, workers=0):
    """Returns the Walsh-Hadamard transform of a vector or of every row.

    kind is "transform", not normalized, "orthonormal", "inverse" or "sequency". The length is m·2^k, m = 1, 12, 20, 28
    and more: fwht_length(n) is the next one. With overwrite_x the result takes the memory of x where that is possible.
    """
    return _transform("gram_fwht", x, kind, overwrite_x, workers)


def fwht_length(n):
    """Returns the smallest length of fwht that is at least n."""
    return lib.loaded().gram_fwht_length(lib.whole("n", n))


def haar(x, kind="transform", *, overwrite_x=False, workers=0):
    """Returns the Haar transform of a vector or of every row, whose length is a power of two.

    kind is "transform", not normalized, "orthonormal", "inverse", "transpose" or "inverse_orthonormal".
    """
    return _transform("gram_haar", x, kind, overwrite_x, workers)


def _transform(function, x, kind, overwrite, workers):
    if kind not in _KINDS:
        raise ValueError("kind is %r, want one of %s" % (kind, ", ".join(_KINDS)))
    y = np.array(lib.numbers(x), order="C", copy=not (overwrite and _writable(x)), subok=False)
    m, keep = lib.view(y.reshape(1, -1) if y.ndim == 1 else y)
    lib.call(function, m, _KINDS[kind], lib.whole("workers", workers))
    return y


def _writable(x):
    return isinstance(x, np.ndarray) and x.flags.c_contiguous and x.flags.writeable and x.flags.aligned


def kernel_matrix(x, z=None, kernel="gaussian", **parameters):
    """Returns the matrix of the kernel's values for the rows of x and z; z is x if None.

    parameters are those of the kernel, as gamma=0.5: gram fit --list --method krr shows kernels and parameters. gamma
    "scale", "median" and "mean" follow from z. The result is float32 if x is an array of float32, and float64 else.
    """
    if not hasattr(x, "tocsr"):
        x = lib.numbers(x)
    z = x if z is None else z
    if hasattr(x, "tocsr"):
        kind = np.float64 if hasattr(z, "tocsr") else lib.numbers(z).dtype
    else:
        kind = x.dtype
        if not hasattr(z, "tocsr") and lib.numbers(z).dtype != kind:
            z = np.asarray(z, kind)
    a, keep_a = lib.view(x)
    b, keep_b = lib.view(z)
    out = np.empty((a.n, b.n), kind)
    c, keep_c = lib.view(out)
    lib.call("gram_kernel", lib.assignments(dict(kernel=kernel, **parameters)), a, b, c)
    return out


def cholesky_update(factor, x, lower=False):
    """Replaces the factor of A by that of A + x·xᵀ, in place.

    factor is a square array of float64 or float32 whose rows are contiguous: U with A = UᵀU or, if lower, L with
    A = LLᵀ. The other triangle is not touched. Cost: 2n² operations.
    """
    m, v = _factor(factor, x)
    lib.call("gram_cholesky_update", m, int(lower), v.ctypes.data)


def cholesky_downdate(factor, x, lower=False):
    """Replaces the factor of A by that of A - x·xᵀ, in place, and returns 1 - xᵀA⁻¹x. It raises numpy's LinAlgError, and
    leaves the factor, if the result would not be positive definite."""
    m, v = _factor(factor, x)
    margin = ctypes.c_double()
    lib.call("gram_cholesky_downdate", m, int(lower), v.ctypes.data, margin)
    return margin.value


def _factor(factor, x):
    if not (isinstance(factor, np.ndarray) and factor.dtype in (np.float64, np.float32) and factor.flags.writeable):
        raise ValueError("the factor is changed in place: a writable array of float64 or float32 is wanted")
    m, same = lib.view(factor)
    if same is not factor:
        raise ValueError("the factor is changed in place: its rows must be contiguous")
    v = np.ascontiguousarray(x, factor.dtype)
    if v.shape != factor.shape[:1]:
        raise ValueError("x has shape %s for a factor of shape %s" % (v.shape, factor.shape))
    return m, v
