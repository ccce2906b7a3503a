"""Estimators for scikit-learn: they work in its pipelines and searches.

Every estimator has a parameter settings: a dictionary of further settings of its method, as gram fit --list --method
NAME shows them. n_jobs is the number of threads, None for all processors; no result depends on it.
"""

import math

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d, compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _library as lib
from ._model import Model
from ._model import fit as _fit
from ._model import fit_map as _fit_map

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data

    def _validate(estimator, *arrays, finite=True, **how):
        return validate_data(estimator, *arrays, ensure_all_finite=finite, **how)

except ImportError:

    def _validate(estimator, *arrays, finite=True, **how):
        return estimator._validate_data(*arrays, force_all_finite=finite, **how)


__all__ = [
    "Classifier",
    "DCKernelRidge",
    "DCSVC",
    "FalkonClassifier",
    "FalkonRegressor",
    "FastNystroem",
    "GBDTClassifier",
    "GBDTRegressor",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "KernelRidge",
    "LinearSVC",
    "LogisticRegression",
    "MEKAClassifier",
    "MEKARegressor",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "RandomFourier",
    "Regressor",
    "Ridge",
    "SVC",
    "SVR",
]

_TYPES = [np.float64, np.float32]


def _mixed(X):
    """Returns the name of the first column of a DataFrame that an array of finite numbers cannot hold, and what is in it; None if
    there is none, and for other rows."""
    if not lib.is_pandas(X):
        return None
    from pandas.api.types import is_numeric_dtype

    for k, name in enumerate(X.columns):
        column = X.iloc[:, k]
        if not is_numeric_dtype(column.dtype):
            return name, "cells of the type %s" % column.dtype
        if column.isna().any():
            return name, "missing cells"
    return None


class _Base(BaseEstimator):
    """What the estimators have in common. A subclass has _method and _values(n), its parameters as
    settings for n rows."""

    _table = None  # "names": fitted to a DataFrame with categories or missing cells; "numbers": to an array with missing cells

    def _run(self):
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return {"seed": int(seed), "workers": self.n_jobs if self.n_jobs and self.n_jobs > 0 else 0}

    def _settings(self, n):
        """Returns the settings for n rows."""
        return {**self._values(n), **(self.settings or {})}

    def _rows(self, X):
        """Returns the rows of a prediction. An array that needs no change is looked through once; what validation makes of
        others takes longer than a small batch."""
        check_is_fitted(self, "model_")
        if self._table == "names":
            if not lib.is_pandas(X):
                raise ValueError("the model was fitted to a DataFrame with categories or missing cells: it predicts for a DataFrame "
                                 "with the columns %s" % ", ".join(self.model_.names))
            return X  # the model finds its columns by name
        if self._table == "numbers":
            return _validate(self, X, dtype=np.float64, order="C", reset=False, finite="allow-nan")
        self._refuse(X, "of which the rows of the fit had none")
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in _TYPES
            and X.flags.c_contiguous
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        ):
            with np.errstate(over="ignore", invalid="ignore"):
                if np.isfinite(X.sum()):
                    return X
        missing = self._missing() and not sparse.issparse(X)
        return _validate(self, X, accept_sparse="csr", dtype=_TYPES, order="C", reset=False, finite="allow-nan" if missing else True)

    def _refuse(self, X, why):
        """Refuses a DataFrame with texts, categories or missing cells."""
        mixed = _mixed(X)
        if mixed:
            raise ValueError("column %r holds %s, %s: make numbers of them, by OneHotEncoder or SimpleImputer" % (*mixed, why))

    def _missing(self):
        """Reports whether the method takes missing cells of an array as they are."""
        return self._method == "gbdt"

    def _unanswered(self, X, bad):
        """Raises an error for rows of an array that have no answer because cells are missing. Of a DataFrame the model has refused
        them."""
        for row in np.flatnonzero(bad)[:1] if isinstance(X, np.ndarray) else ():
            columns = ", ".join(map(str, np.flatnonzero(np.isnan(X[row]))))
            if columns:
                raise ValueError("row %d of X has missing cells in columns %s, of which one had none in the fit" % (row, columns))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._missing()
        tags.input_tags.pairwise = self._precomputed()
        return tags

    def _more_tags(self):  # scikit-learn before 1.6
        return {"pairwise": self._precomputed(), "allow_nan": self._missing(), **self._exceptions()}

    def _exceptions(self):
        """Returns tags with the checks of scikit-learn that do not hold."""
        return {}

    def _precomputed(self):
        """Reports whether the rows are a kernel matrix: their values with the training rows."""
        return getattr(self, "kernel", None) == "precomputed"

    def _ended(self, model):
        """Keeps a fitted model and how many iterations its fit took, the most of any of its problems."""
        self.model_ = model
        self.__dict__.pop("n_iter_", None)
        if len(model.iterations()):
            self.n_iter_ = self._iterations(model.iterations())
        return self

    def _iterations(self, each):
        return int(each.max())

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")


def _kernel(self):
    """Returns the settings of the kernel among the parameters."""
    kernel = "gaussian" if self.kernel == "rbf" else self.kernel
    values = {"kernel": kernel}
    if kernel in ("gaussian", "laplacian"):
        values["gamma"] = self.gamma
    if kernel in ("polynomial", "homogeneous"):
        values["degree"] = self.degree
    if kernel in ("polynomial", "sigmoid"):
        values["offset"] = self.coef0
    if any(sign in kernel for sign in "+*("):  # what is given beside a sum or a product is for the parts that do not state theirs
        beside = {"gamma": (self.gamma, "scale"), "degree": (self.degree, 3), "offset": (self.coef0, None)}
        values.update({name: value for name, (value, default) in beside.items() if value is not None and value != default})
    return values


class _Weighted(_Base):
    def _training(self, X, y, numeric=False, several=False):
        """Returns the rows and the target of a fit. The rows are a DataFrame if there are categories or missing cells, an array of
        finite numbers or a sparse matrix else."""
        self._table = None
        if self._precomputed():
            self._refuse(X, "which a kernel matrix cannot have")
        if _mixed(X):
            return X, self._beside(X, y, numeric, several)
        missing = self._missing() and not sparse.issparse(X)
        X, y = _validate(self, X, y, accept_sparse="csr", dtype=_TYPES, order="C", y_numeric=numeric, multi_output=several,
                         finite="allow-nan" if missing else True)
        if missing and np.isnan(X).any():
            import pandas

            self._table = "numbers"
            return pandas.DataFrame(X, columns=["x%d" % j for j in range(X.shape[1])]), y
        return X, y

    def _beside(self, X, y, numeric, several):
        """Returns the target of a DataFrame, whose names are kept."""
        if y is None:
            raise ValueError("%s requires y to be passed, but the target y is None" % type(self).__name__)
        y = np.asarray(y)
        if not (several and y.ndim == 2):
            y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        if numeric:
            y = y.astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(y.reshape(len(y), -1)).all(1) if y.dtype.kind == "f" else [c is None or c != c for c in y.ravel()])
        if len(bad):
            raise ValueError("the target of row %d is missing or not finite" % bad[0])
        self._table, self.n_features_in_ = "names", X.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        if all(isinstance(name, str) for name in X.columns):
            self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        return y

    def _weights(self, sample_weight, X, y):
        """Returns X, y and the weights, None for ones, without the rows of weight 0. Those of a kernel matrix stay, with the
        target of another row: predictions have values with all of them."""
        self._used = None
        if sample_weight is None:
            return X, y, None
        w = _check_sample_weight(sample_weight, np.empty(X.shape[0]) if lib.is_pandas(X) else X, dtype=np.float64)
        if (w == 1).all():
            return X, y, None
        if (w == 0).any():
            used = np.flatnonzero(w)
            if not len(used):
                raise ValueError("all weights are 0")
            if self._precomputed():
                return X, None if y is None else np.where(w == 0, y[used[0]], y), w
            self._used = used
            X, y, w = X.iloc[used] if lib.is_pandas(X) else X[used], None if y is None else y[used], w[used]
        return X, y, w


class _Classifier(ClassifierMixin, _Weighted):
    def fit(self, X, y, sample_weight=None):
        """Fits the model to the rows of X, their classes y and their weights."""
        X, y = self._training(X, y)
        check_classification_targets(y)
        X, y, w = self._weights(sample_weight, X, y)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("the rows have one class, want at least 2 classes")
        if getattr(self, "class_weight", None) is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            w = by_class if w is None else w * by_class
        texts = list(map(lib.text_of, self.classes_))
        probabilities = getattr(self, "probability", False)
        self._ended(
            _fit(
                self._method,
                X,
                index,
                w,
                classes=self.classes_,
                probabilities="platt" if probabilities is True else probabilities or None,
                scale=getattr(self, "scale", "none"),
                **self._run(),
                **self._settings(X.shape[0]),
            )
        )
        # The place of every class among those of the model, which orders the texts of a table by itself.
        self._place = np.array([self.model_.classes.index(text) for text in texts]) if self._table else np.arange(len(texts))
        return self

    def predict(self, X):
        """Returns the class of every row."""
        X = self._rows(X)
        numbers = self.model_.class_numbers(X)
        self._unanswered(X, numbers < 0)
        return self.classes_[np.argsort(self._place)[numbers]]

    def decision_function(self, X):
        """Returns the scores of the classes: one for each row for two classes, positive for the second, else one for
        each class."""
        X = self._rows(X)
        scores = self.model_.scores(X)
        self._unanswered(X, np.isnan(scores.reshape(len(scores), -1)).any(1))
        if scores.ndim == 1:
            return scores if self._place[0] == 0 else -scores
        return scores if (np.diff(self._place) == 1).all() else scores[:, self._place]

    def _has_probabilities(self):
        if hasattr(self, "model_"):
            return self.model_.has_probabilities
        return getattr(self, "probability", False) or self._method in ("gbdt", "gp")

    @available_if(lambda self: self._has_probabilities())
    def predict_proba(self, X):
        """Returns the probabilities of the classes."""
        X = self._rows(X)
        shares = self.model_.probabilities(X)
        self._unanswered(X, np.isnan(shares).any(1))
        return shares if (np.diff(self._place) == 1).all() else shares[:, self._place]


class _Models:
    """A model for each column of a target."""

    task = "values"

    def __init__(self, each):
        self.each = each

    def predict(self, x):
        return np.column_stack([m.predict(x) for m in self.each])

    def intervals(self, x, level):
        return tuple(map(np.column_stack, zip(*(m.intervals(x, level) for m in self.each))))

    def iterations(self):
        return np.concatenate([m.iterations() for m in self.each])

    @property
    def names(self):
        return self.each[0].names


class _Regressor(RegressorMixin, _Weighted):
    _several = False  # whether a target may have columns

    def fit(self, X, y, sample_weight=None):
        """Fits the model to the rows of X, their values y and their weights."""
        X, y = self._training(X, y, numeric=True, several=self._several)
        X, y, w = self._weights(sample_weight, X, np.asarray(y, np.float64))
        how = {"scale": getattr(self, "scale", "none"), **self._run(), **self._settings(X.shape[0])}
        if y.ndim == 1:
            return self._ended(_fit(self._method, X, y, w, **how))
        return self._ended(_Models([_fit(self._method, X, column, w, **how) for column in y.T]))

    def predict(self, X):
        """Returns the value of every row, or a row of values for a target with columns."""
        X = self._rows(X)
        values = self.model_.predict(X)
        self._unanswered(X, np.isnan(values.reshape(len(values), -1)).any(1))
        return values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several
        return tags

    def _more_tags(self):
        return {"multioutput": self._several}


class _Map(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Base):
    def fit(self, X, y=None):
        """Fits the feature map to the rows of X; y is not used."""
        self._refuse(X, "which a feature map does not take")
        X = _validate(self, X, accept_sparse="csr", dtype=_TYPES, order="C")
        values = {**self._sizes(*X.shape), **self._settings(X.shape[0])}
        self.model_ = _fit_map(self._method, X, **self._run(), **values)
        return self

    @property
    def _n_features_out(self):
        return self.model_.n_features

    def transform(self, X):
        """Returns the features of the rows, an array of float64."""
        X = self._rows(X)
        return self.model_.features(X)


def _approximate(tol, least=1e-9):
    """Returns the tags of a machine whose solution is as exact as its tolerance. Weights of 0 are as good as no rows, but
    the check puts the rows in another order and does not know the tolerance."""
    if tol is not None and float(tol) <= least:
        return {}
    why = "the solution depends on the order of the rows within the tolerance; tol=%g passes" % least
    return {"_xfail_checks": {"check_sample_weights_invariance": why}}


class _Machine:
    """What support vector machines show of their functions, in the form of scikit-learn."""

    def _parts(self):
        """Returns the order of the support vectors, by class, the Machine of the model, and the sign of its functions: those of
        pairs are above 0 for the second class, in scikit-learn for the first."""
        check_is_fitted(self, "model_")
        if isinstance(self, ClassifierMixin) and (np.diff(self._place) != 1).any():
            raise AttributeError("the table has the classes in the order %s, not in that of classes_" % self.model_.classes)
        m = self.model_.machine()
        order = np.arange(len(m.coefficients))
        if isinstance(self, ClassifierMixin) and len(m.constants) == 1:
            order = np.argsort(m.coefficients[:, 0] > 0, kind="stable")
        return order, m, 1 if m.counts is None else -1

    @property
    def support_(self):
        """The numbers of the rows that are support vectors, in the order of their classes."""
        order, m, _ = self._parts()
        if m.rows is None:
            raise AttributeError("the file of the model does not say which rows are its support vectors")
        rows = m.rows[order]
        return (rows if self._used is None else self._used[rows]).astype(np.int32)

    @property
    def support_vectors_(self):
        """The support vectors; none of a kernel matrix, whose rows are not known."""
        order, _, _ = self._parts()
        return np.empty((0, 0)) if self._precomputed() else self.model_.support_vectors()[order]

    @property
    def n_support_(self):
        """The number of support vectors, of each class."""
        _, m, _ = self._parts()
        counts = m.counts
        if counts is None and not isinstance(self, ClassifierMixin):
            counts = [len(m.coefficients)]
        elif counts is None and len(m.constants) == 1:
            above = np.count_nonzero(m.coefficients > 0)
            counts = [len(m.coefficients) - above, above]
        elif counts is None:
            raise AttributeError("functions of one class against the rest have their support vectors in common")
        return np.array(counts, np.int32)

    @property
    def dual_coef_(self):
        """The coefficients of the support vectors: one row for values and two classes, with pairs of classes a row for each
        other class, in order."""
        order, m, sign = self._parts()
        return sign * m.coefficients[order].T

    @property
    def intercept_(self):
        """The constants, one for each function."""
        _, m, sign = self._parts()
        return sign * m.constants

    @property
    def coef_(self):
        """The slopes of every function of a linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is for a linear kernel, not for %s" % self.kernel)
        dual, points = self.dual_coef_, self.support_vectors_
        if self.model_.machine().counts is None:
            return dual @ points
        ends = np.cumsum(np.append(0, self.n_support_))
        of = lambda c, other: dual[other - (other > c), ends[c] : ends[c + 1]] @ points[ends[c] : ends[c + 1]]
        k = len(self.classes_)
        return np.array([of(a, b) + of(b, a) for a in range(k) for b in range(a + 1, k)])


class SVC(_Machine, _Classifier):
    """Kernel support vector machine for classes, exact.

    kernel is "gaussian" (or "rbf"), "laplacian", "polynomial", "homogeneous", "linear", "matern", "rational-quadratic" or
    "sigmoid"; gamma is a number, "scale", "median" or "mean". With "precomputed" X is the kernel matrix itself: the values of
    the training rows with each other in fit, and of other rows with the training rows in predict.

    C is the weight of a row's loss. decision_function has a score for each class. probability adds predict_proba at the price
    of five more fits, whose scores of held-out rows it is fitted to: "platt" (or True), "isotonic" or "temperature". Only the
    last never ranks classes otherwise than predict does.
    """

    _method = "svm"

    def __init__(self, kernel="gaussian", *, C=1.0, gamma="scale", degree=3, coef0=None, tol=1e-3, class_weight=None,
                 probability=False, settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.probability = probability
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "c": self.C, "tol": self.tol}

    def _iterations(self, each):
        return each.astype(np.int32)

    def _exceptions(self):
        return _approximate(self.tol)


class NuSVC(_Machine, _Classifier):
    """Kernel support vector machine for classes that bounds the share of the rows within the margin by nu, which is at most the
    share of support vectors. Every other parameter is one of SVC."""

    _method = "nu-svm"

    def __init__(self, kernel="gaussian", *, nu=0.5, gamma="scale", degree=3, coef0=None, tol=1e-3, class_weight=None,
                 probability=False, settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.nu = nu
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.probability = probability
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "svm-nu": self.nu, "tol": self.tol}

    def _iterations(self, each):
        return each.astype(np.int32)

    def _exceptions(self):
        why = "nu is at most twice the share of the smaller side, of which the weights of the check leave nothing"
        return {"_xfail_checks": {**_approximate(self.tol).get("_xfail_checks", {}), "check_class_weight_classifiers": why}}


class DCSVC(SVC):
    """Kernel support vector machine by divide and conquer (DC-SVM): SVC on clusters of the rows first, for many rows. The
    parameters are those of SVC; settings has those of the division."""

    _method = "dc-svm"


class SVR(_Machine, _Regressor):
    """Support vector regression, exact. C, epsilon and tol are in units of the target; None stands for the standard
    deviation of the target, a tenth and a thousandth of it. Kernels are those of SVC."""

    _method = "svr"

    def __init__(self, kernel="gaussian", *, C=None, epsilon=None, gamma="scale", degree=3, coef0=None, tol=None,
                 settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "c": self.C, "epsilon": self.epsilon, "tol": self.tol}

    def _exceptions(self):
        return _approximate(self.tol)


class NuSVR(_Machine, _Regressor):
    """Support vector regression that bounds the share of the rows outside the tube by nu, from which the width of the tube
    follows. C None stands for ten standard deviations of the target, tol None for a thousandth of one. Kernels are those of
    SVC."""

    _method = "nu-svr"

    def __init__(self, kernel="gaussian", *, nu=0.5, C=None, gamma="scale", degree=3, coef0=None, tol=None, settings=None,
                 n_jobs=None, random_state=None):
        self.kernel = kernel
        self.nu = nu
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "svm-nu": self.nu, "c": self.C, "tol": self.tol}

    def _exceptions(self):
        return _approximate(self.tol)


class OneClassSVM(_Machine, OutlierMixin, _Weighted):
    """One-class support vector machine: where rows lie, without a target. predict gives 1 for rows inside and -1 for rows
    outside, which are at most the share nu of the training rows. Kernels are those of SVC."""

    _method = "one-class"

    def __init__(self, kernel="gaussian", *, nu=0.5, gamma="scale", degree=3, coef0=None, tol=1e-3, settings=None, n_jobs=None,
                 random_state=None):
        self.kernel = kernel
        self.nu = nu
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Fits the model to the rows of X and their weights; y is not used."""
        self._refuse(X, "which this machine does not take")
        X = _validate(self, X, accept_sparse="csr", dtype=_TYPES, order="C")
        X, _, w = self._weights(sample_weight, X, None)
        return self._ended(_fit(self._method, X, None, w, scale="none", **self._run(), **self._settings(X.shape[0])))

    def decision_function(self, X):
        """Returns how far every row lies inside, in units of the kernel: below 0 for rows outside."""
        X = self._rows(X)
        return self.model_.scores(X)

    def score_samples(self, X):
        """Returns the same without the constant, so that rows outside have less than offset_."""
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        """Returns 1 for every row inside and -1 for every row outside."""
        X = self._rows(X)
        return np.where(self.model_.class_numbers(X) == 1, 1, -1)

    @property
    def offset_(self):
        """What score_samples gives at the border."""
        return -self.intercept_

    def _values(self, n):
        return {**_kernel(self), "svm-nu": self.nu, "tol": self.tol}

    def _exceptions(self):
        why = "the rows of the check lie on the border, on one side or the other by round-off"
        return {"_xfail_checks": {"check_sample_weights_invariance": why}}


class KernelRidge(_Regressor):
    """Kernel ridge regression on all rows. alpha is the weight of the squared norm; None chooses it by the
    leave-one-out error of at most 500 rows. There is a constant unless fit_intercept is false. Kernels are those of
    SVC."""

    _method, _several = "krr", True

    def __init__(self, kernel="gaussian", *, alpha=1.0, gamma="scale", degree=3, coef0=None, fit_intercept=True,
                 settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "lambda": self.alpha, "no-bias": not self.fit_intercept}


class DCKernelRidge(KernelRidge):
    """Kernel ridge regression in parts (DC-KRR): clusters of the rows, each with a model of its own. The parameters are
    those of KernelRidge; settings has those of the division."""

    _method = "dc-krr"


class _Boosted:
    _method = "gbdt"

    def __init__(self, n_estimators=100, *, learning_rate=0.1, max_leaf_nodes=31, max_depth=None, min_samples_leaf=None,
                 reg_lambda=1.0, max_bins=255, subsample=1.0, max_features=1.0, validation_fraction=0.0,
                 n_iter_no_change=10, settings=None, n_jobs=None, random_state=None):
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.reg_lambda = reg_lambda
        self.max_bins = max_bins
        self.subsample = subsample
        self.max_features = max_features
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def feature_importances_(self):
        """What the splits of every column took off the loss, as shares of the whole."""
        check_is_fitted(self, "model_")
        gains = self.model_.gains()
        return gains / (gains.sum() or 1.0)

    def _values(self, n):
        return {
            "rounds": self.n_estimators,
            "shrinkage": self.learning_rate,
            "leaves": self.max_leaf_nodes,
            "depth": self.max_depth,
            "min-rows": self.min_samples_leaf or max(1, min(20, n // 20)),
            "lambda": self.reg_lambda,
            "bins": self.max_bins,
            "row-sample": self.subsample,
            "column-sample": self.max_features,
            "holdout": self.validation_fraction,
            "patience": self.n_iter_no_change,
        }


class GBDTClassifier(_Boosted, _Classifier):
    """Gradient boosted decision trees with histograms, for classes. predict_proba is the model's own.

    n_estimators is the number of trees, of each class if there are more than two; max_features and subsample are the
    shares of the columns for a tree and of the rows for a round; with a validation_fraction boosting stops
    n_iter_no_change rounds after the best one. min_samples_leaf is 20 or, of fewer than 400 rows, a twentieth of them
    unless it is given.
    """


class GBDTRegressor(_Boosted, _Regressor):
    """Gradient boosted decision trees with histograms, for values, with the squared loss. The parameters are those of
    GBDTClassifier."""


class _Linear:
    """coef_ and intercept_ of a model that is linear in the columns, from its scores."""

    def _affine(self):
        """Returns the differences of the scores in the direction of every column, and the scores of a row of zeros. A step along
        a column is a power of 2 at which both terms of the difference have the same size."""
        check_is_fitted(self, "model_")
        if self._table:
            raise AttributeError("the slopes of a model of a table are those of its encoded columns")
        d = self.n_features_in_
        score = lambda rows: np.reshape(self.model_.predict(rows) if self.model_.task == "values" else self.model_.scores(rows), (rows.shape[0], -1))
        start = score(np.zeros((1, d)))
        slopes = score(sparse.identity(d, format="csr")) - start
        least = np.where(slopes == 0, np.inf, np.abs(slopes)).min(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = 2.0 ** np.clip(np.ceil(np.log2(np.abs(start).max() / least)), 0, 60)
        steps[~np.isfinite(steps)] = 1.0
        return (score(sparse.diags(steps, format="csr")) - start) / steps[:, None], start[0]

    @property
    def coef_(self):
        """The slopes: of the value, or of the score of every class, one row for two classes."""
        slopes = self._affine()[0].T
        return slopes[0] if isinstance(self.model_, Model) and self.model_.task == "values" else slopes

    @property
    def intercept_(self):
        """The value, or the scores, of a row of zeros."""
        start = self._affine()[1]
        return start[0] if isinstance(self.model_, Model) and self.model_.task == "values" else start


class LinearSVC(_Linear, _Classifier):
    """Linear support vector machine for classes. C is the weight of a row's loss, loss "squared_hinge" or "hinge". The constant
    is penalized as a weight of a column of ones unless fit_intercept is false."""

    _method, _model = "linear", "svm"

    def __init__(self, *, C=1.0, loss="squared_hinge", tol=1e-3, fit_intercept=True, class_weight=None, probability=False,
                 settings=None, n_jobs=None, random_state=None):
        self.C = C
        self.loss = loss
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.probability = probability
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        values = {"model": self._model, "c": self.C, "tol": self.tol, "no-bias": not self.fit_intercept}
        return {**values, "loss": self.loss.replace("_", "-")} if hasattr(self, "loss") else values

    def _exceptions(self):
        return _approximate(self.tol)


class LogisticRegression(LinearSVC):
    """Logistic regression. C is the weight of a row's loss. The constant is penalized as a weight of a column of ones unless
    fit_intercept is false; settings={"bias": 100} makes that negligible. predict_proba needs probability."""

    _model = "logistic"

    def __init__(self, *, C=1.0, tol=1e-5, fit_intercept=True, class_weight=None, probability=False, settings=None, n_jobs=None,
                 random_state=None):
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.probability = probability
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state


class Ridge(_Linear, _Regressor):
    """Ridge regression. alpha is the weight of the squared norm of the slopes; the constant, unless fit_intercept is false, is not
    penalized."""

    _method, _several = "linear", True

    def __init__(self, alpha=1.0, *, fit_intercept=True, settings=None, n_jobs=None, random_state=None):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {"model": "ridge", "lambda": self.alpha, "no-bias": not self.fit_intercept}


class _Falkon:
    _method = "falkon"

    def __init__(self, kernel="gaussian", *, n_components=None, alpha=None, gamma="scale", degree=3, coef0=None, landmarks="uniform",
                 tol=1e-6, settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.landmarks = landmarks
        self.tol = tol
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        m = self.n_components and min(self.n_components, n)
        return {**_kernel(self), "m": m, "lambda": self.alpha, "landmarks": self.landmarks, "tol": self.tol}


class FalkonClassifier(_Falkon, _Classifier):
    """FalkonRegressor with one value of 1 and -1 for each class, of which the largest wins."""


class FalkonRegressor(_Falkon, _Regressor):
    """Kernel ridge regression on n_components landmarks by conjugate gradients (Falkon), for many rows. None stands for ten times
    the root of the number of rows, at most 4096. alpha is the weight of the squared norm; None chooses it by the leave-one-out
    error of at most 500 rows. Kernels are those of SVC, landmarks those of Nystroem."""

    _several = True


class GaussianProcessClassifier(_Classifier):
    """Gaussian process classification by Laplace's approximation. The covariance of the logarithm of the odds is the kernel over alpha;
    None chooses alpha by the approximate marginal likelihood. More than two classes have a process each, for the class against the rest. Kernels
    are those of SVC. A fit takes memory for n² numbers for each class."""

    _method = "gp"

    def __init__(self, kernel="gaussian", *, alpha=None, gamma="scale", degree=3, coef0=None, settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "lambda": self.alpha}


class GaussianProcessRegressor(_Regressor):
    """Gaussian process regression. alpha is the variance of the noise in units of the amplitude of the kernel, which follows from
    the rows; None chooses it by the marginal likelihood. approximation is "exact", or "dtc" or "fitc" on n_components
    landmarks for many rows. Kernels are those of SVC."""

    _method, _several = "gp", True

    def __init__(self, kernel="gaussian", *, alpha=None, gamma="scale", degree=3, coef0=None, fit_intercept=True,
                 approximation="exact", n_components=None, settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.approximation = approximation
        self.n_components = n_components
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        values = {**_kernel(self), "lambda": self.alpha, "no-bias": not self.fit_intercept, "approximation": self.approximation}
        if self.n_components is not None:
            values["landmarks"] = min(self.n_components, n)
        return values

    def predict(self, X, return_std=False):
        """Returns the mean of every row's value, and with return_std its standard deviation, noise included, too."""
        mean = super().predict(X)
        if not return_std:
            return mean
        low, high = self.model_.intervals(self._rows(X), math.erf(math.sqrt(0.5)))
        return mean, (high - low) / 2


class _MEKA:
    _method = "meka"

    def __init__(self, kernel="gaussian", *, n_components=128, n_clusters=None, gamma=None, degree=3, coef0=None, settings=None,
                 n_jobs=None, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "m": min(self.n_components, n), "clusters": self.n_clusters and min(self.n_clusters, n)}


class MEKAClassifier(_MEKA, _Classifier):
    """Linear support vector machine on the features of a memory efficient kernel approximation (MEKA): clusters of the rows, each
    with a basis of n_components, and links between them. n_clusters None stands for 10, or a hundredth of the rows if that is less;
    gamma None chooses the width in folds. Kernels are those of SVC, further settings those of gram fit --method meka."""

    def _exceptions(self):
        return _approximate((self.settings or {}).get("tol"), 1e-13)


class MEKARegressor(_MEKA, _Regressor):
    """Ridge regression on these features. The parameters are those of MEKAClassifier."""


class Nystroem(_Map):
    """Nyström features: the inner products of n_components features approximate the kernel.

    landmarks says how the points are chosen: "kmeans", "uniform", "leverage", "column-norm", "farthest" or "rpcholesky".
    There are at most as many features as rows. Kernels are those of SVC.
    """

    _method = "nystrom"

    def __init__(self, kernel="gaussian", *, n_components=100, gamma="scale", degree=3, coef0=None, landmarks="kmeans",
                 settings=None, n_jobs=None, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.landmarks = landmarks
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {**_kernel(self), "landmarks": self.landmarks}

    def _sizes(self, n, d):
        return {"m": min(self.n_components, n)}


class FastNystroem(_Map):
    """Nyström features of landmarks that are products of few seeds with a fast transform (Fast-Nys), for many columns:
    features cost O(log d) operations for each landmark, not O(d). matrix is "haar" or "hadamard", the kernel gaussian.
    """

    _method = "fastnys"

    def __init__(self, *, n_components=100, gamma="scale", matrix="haar", settings=None, n_jobs=None, random_state=None):
        self.n_components = n_components
        self.gamma = gamma
        self.matrix = matrix
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {"gamma": self.gamma, "matrix": self.matrix}

    def _sizes(self, n, d):
        width = 1
        while width < d:
            width *= 2
        rows = int((self.settings or {}).get("rows", 0)) or min(8, width)
        return {"rows": rows, "m": min(max(1, self.n_components // rows), n) * rows}


class RandomFourier(_Map):
    """Random Fourier features of a gaussian or laplacian kernel, the cosines and sines of half as many
    frequencies as n_components, which counts as the next even number.

    frequencies says how they are drawn: "independent", "orthogonal", "halton", or "fastfood", whose products cost
    O(log d) operations for each feature.
    """

    _method = "rff"

    def __init__(self, kernel="gaussian", *, n_components=100, gamma="scale", frequencies="independent", settings=None,
                 n_jobs=None, random_state=None):
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.frequencies = frequencies
        self.settings = settings
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _values(self, n):
        return {"kernel": "gaussian" if self.kernel == "rbf" else self.kernel, "gamma": self.gamma,
                "frequencies": self.frequencies}

    def _sizes(self, n, d):
        return {"m": (self.n_components + 1) // 2}


class _ByName:
    """What Classifier and Regressor share: the method is a parameter, as are its settings."""

    @property
    def _method(self):
        return self.method

    def _values(self, n):
        return {}

    def _exceptions(self):
        tol = (self.settings or {}).get("tol")
        if self.method in ("svm", "svr", "dc-svm", "bka-svm", "aesvm"):
            return _approximate(tol)
        if not isinstance(self, ClassifierMixin):
            return {}  # the other methods solve problems of values exactly
        if self.method in ("linear", "nystrom", "rff", "meka", "fastnys", "pseudo"):
            return _approximate(tol, 1e-13)
        if self.method == "ldkl":
            tags = {"_xfail_checks": {}, **_approximate(tol, 1e-12)}
            why = "the columns of the check are not scaled, and the fit does not converge"
            tags["_xfail_checks"]["check_class_weight_classifiers"] = why
            return tags
        why = {
            "dcpred": "the machines in the leaves depend on the order of the rows within their tolerance",
            "sideinfo": "the pairs that are drawn depend on the order of the rows",
            "bregman": "the pairs that are drawn depend on the order of the rows",
        }.get(self.method)
        return {"_xfail_checks": {"check_sample_weights_invariance": why}} if why else {}


class Classifier(_ByName, _Classifier):
    """Any method of the command gram that learns classes, by its name, with settings as gram fit --list --method NAME
    shows them. scale is how columns are scaled: "none", "minmax", "unit", "standard", "rows" or "auto", the
    default, which does what the command does."""

    def __init__(self, method="svm", *, settings=None, scale="auto", class_weight=None, probability=False, n_jobs=None,
                 random_state=None):
        self.method = method
        self.settings = settings
        self.scale = scale
        self.class_weight = class_weight
        self.probability = probability
        self.n_jobs = n_jobs
        self.random_state = random_state


class Regressor(_ByName, _Regressor):
    """Any method of the command gram that learns values; see Classifier."""

    def __init__(self, method="krr", *, settings=None, scale="auto", n_jobs=None, random_state=None):
        self.method = method
        self.settings = settings
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state
