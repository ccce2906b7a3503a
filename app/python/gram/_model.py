import ctypes
import typing
import warnings

import numpy as np

from . import _library as lib


class Machine(typing.NamedTuple):
    """The functions of a support vector machine: that of a row x is the sum of coefficient·K(u,x) over the support vectors u, and
    a constant. There is one for values, two classes and one class, else one for each pair of classes, (0,1), (0,2), …, (1,2), …,
    which is above 0 for the second, or one for each class."""

    rows: typing.Optional[np.ndarray]  # the numbers of the training rows that are support vectors; None: the file does not say
    coefficients: np.ndarray  # one row for each support vector; with pairs those of its class with each other one, in order
    counts: typing.Optional[np.ndarray]  # with pairs the number of support vectors of each class, in whose order they lie
    constants: np.ndarray  # one for each function


class Model:
    """A fitted model, or a feature map. fit and load return one.

    It does not change and may be used by several threads at once. It can be pickled: its bytes are those of its file.

    Rows are an array, a sparse matrix, or a table: a DataFrame of pandas, or what exports a stream of Arrow, as tables of polars,
    pyarrow and DuckDB do. Columns of a table are found by name where the model has names: a column that it does not know and one
    that is missing are errors, and texts that were not in training an UnknownLevelWarning.

    Attributes: method is the name of the method; names is the list of the names of the columns, None if they have none; task is "classes", "values", "label sets" or "features"; columns is the number of columns of the rows;
    classes is the list of the names of the classes; n_features is the number of features, 0 without a feature map;
    has_probabilities says whether there are probabilities of the classes.
    """

    def __init__(self, handle):
        self._handle = handle
        info = lib.Info()
        lib.call("gram_model_info", handle, info)
        self.task = ("classes", "values", "label sets", "features")[info.task]
        self.columns = info.columns
        self.n_features = info.features
        self.has_probabilities = bool(info.probabilities)
        self._scores = info.scores
        self.classes = [self._name("gram_class_name", c) for c in range(info.classes)]
        self.names = None
        if self.task != "features" and self.columns and self._name("gram_column_name", 0):
            self.names = [self._name("gram_column_name", j) for j in range(self.columns)]
        self.method = "" if self.task == "features" else self._name("gram_method_name")

    def _name(self, function, *which):
        length = ctypes.c_int64()
        lib.call(function, self._handle, *which, None, 0, length)
        room = ctypes.create_string_buffer(length.value + 1)
        lib.call(function, self._handle, *which, room, length.value + 1, length)
        return room.raw[: length.value].decode("utf-8", "replace")

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", 0), 0
        if handle and lib._library is not None and not lib._forked:
            lib._library.gram_release(handle)

    def __repr__(self):
        return "<gram.Model of %s, %d columns>" % (self.task, self.columns)

    def __reduce__(self):
        return _decode, (self.encode(),)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _view(self, x):
        """Returns lib.view of the rows, in the order of the model's columns if both have names."""
        if not lib.is_frame(x) or self.names is None:
            return lib.view(x)
        table, keep = lib.table(x)
        rows, unknown = np.empty((table.n, self.columns)), np.zeros(self.columns, np.int64)
        if table.n:
            lib.call("gram_rows", self._handle, table, rows.ctypes.data, unknown.ctypes.data)
        for j in np.flatnonzero(unknown):
            warnings.warn("column %r: %d cells hold texts that were not in training" % (self.names[j], unknown[j]),
                          lib.UnknownLevelWarning, stacklevel=4)
        return lib.view(rows)

    def _array(self, function, x, shape, dtype=np.float64):
        m, keep = self._view(x)
        out = np.empty((m.n,) + shape, dtype)
        lib.call(function, self._handle, m, out.ctypes.data)
        return out

    def class_numbers(self, x):
        """Returns the index into classes for every row, -1 for a row with NaN."""
        return self._array("gram_classify", x, (), np.int64)

    def predict(self, x):
        """Returns the name of the class, or the value, of every row. A row with NaN has no class: None."""
        if self.task == "values":
            return self._array("gram_values", x, ())
        names = np.array(self.classes + [None], dtype=object)
        return names[self.class_numbers(x)]

    def scores(self, x):
        """Returns the scores of the classes: one for each row for two classes, positive for the second, else
        n×classes."""
        out = self._array("gram_scores", x, (self._scores,))
        return out[:, 0] if self._scores == 1 else out

    def probabilities(self, x):
        """Returns the probabilities of the classes, n×classes."""
        return self._array("gram_probabilities", x, (len(self.classes),))

    def intervals(self, x, level):
        """Returns the lower and the upper bounds of intervals that hold the value of a row with a probability of at least
        level, of a model of values that was fitted with conformal, or of gp."""
        m, keep = self._view(x)
        low, high = np.empty(m.n), np.empty(m.n)
        lib.call("gram_intervals", self._handle, m, level, low.ctypes.data, high.ctypes.data)
        return low, high

    def sets(self, x, level):
        """Returns n×classes truth values: the classes of the set that holds the class of a row with a probability of at
        least level, of a model of classes that was fitted with conformal."""
        m, keep = self._view(x)
        member = np.empty((m.n, len(self.classes)), np.int8)
        lib.call("gram_sets", self._handle, m, level, member.ctypes.data)
        return member.astype(bool)

    def top(self, x, k):
        """Returns the k best labels of every row and their scores, both n×k, for a model of label sets. Where there
        are fewer the label is -1."""
        m, keep = self._view(x)
        k = lib.whole("k", k)
        labels, scores = np.empty((m.n, k), np.int64), np.empty((m.n, k))
        lib.call("gram_top", self._handle, m, k, labels.ctypes.data, scores.ctypes.data)
        return labels, scores

    def features(self, x):
        """Returns the features of the rows, n×n_features."""
        return self._array("gram_features", x, (self.n_features,))

    def gains(self):
        """Returns what the splits of every column took off the summed loss of the training rows, of a model of gbdt."""
        out = np.empty(self.columns)
        lib.call("gram_gains", self._handle, out.ctypes.data)
        return out

    def iterations(self):
        """Returns how many iterations each problem of the fit took: of support vector machines and linear models one for each
        function, of boosted trees the rounds that were kept. It is empty for a method that does not iterate, and for a model
        that was read from a file or unpickled."""
        count = ctypes.c_int64()
        lib.call("gram_iterations", self._handle, None, 0, count)
        out = np.empty(count.value, np.int64)
        lib.call("gram_iterations", self._handle, out.ctypes.data, len(out), count)
        return out

    def machine(self):
        """Returns the Machine of a model of svm, svr, dc-svm, nu-svm, nu-svr or one-class."""
        vectors, _, width, functions = self._machine_size()
        rows, counts = np.empty(vectors, np.int64), np.empty(len(self.classes), np.int64)
        coefficients, constants = np.empty((vectors, width)), np.empty(functions)
        lib.call("gram_machine", self._handle, rows.ctypes.data, None, coefficients.ctypes.data, counts.ctypes.data, constants.ctypes.data)
        known = lambda numbers: None if (numbers < 0).any() or not len(numbers) else numbers
        return Machine(known(rows), coefficients, known(counts), constants)

    def support_vectors(self):
        """Returns the support vectors of such a model, encoded and scaled as the model does that, in the order of the
        Machine."""
        out = np.empty(self._machine_size()[:2])
        lib.call("gram_machine", self._handle, None, out.ctypes.data, None, None, None)
        return out

    def _machine_size(self):
        sizes = [ctypes.c_int64() for _ in range(4)]
        lib.call("gram_machine_size", self._handle, *sizes)
        return [s.value for s in sizes]

    def save(self, path):
        """Writes the model to a file, which load and the command gram read."""
        lib.call("gram_save", self._handle, lib.path(path))

    def encode(self):
        """Returns the bytes of the file."""
        data, size = ctypes.c_void_p(), ctypes.c_int64()
        lib.call("gram_encode", self._handle, data, size)
        try:
            return ctypes.string_at(data, size.value)
        finally:
            lib.loaded().gram_free(data)


def _decode(data):
    handle = ctypes.c_uint64()
    lib.call("gram_decode", ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), handle)
    return Model(handle.value)


def load(path):
    """Reads a model that Model.save, gram fit or gram compile has written, or a model of LIBSVM, XGBoost (JSON) or
    LightGBM (text)."""
    handle = ctypes.c_uint64()
    lib.call("gram_load", lib.path(path), handle)
    return Model(handle.value)


def fit(method, x, y=None, weights=None, *, classes=None, seed=0, workers=0, memory_limit=0, scale=None,
        probabilities=None, conformal=0, adaptive=False, warm=None, search=None, trials=0, cv=0, metric=None, budget=0,
        target=None, task=None, progress=None, **settings):
    """Fits a method of the command gram and returns the Model.

    method is its name, as "svm"; gram fit --list shows all. None lets a few methods race; the Model's attribute method names
    the best. settings are those of the method: gram fit --list --method
    NAME shows them, with underscores for dashes. x is an n×d array of float64 or float32, or a sparse matrix.

    y decides the task: an array of real numbers is a target of values; integers, booleans and strings are classes; a
    sparse matrix n×labels stands for sets of labels; None is for methods without a target. classes, a list of names,
    says that y holds indices into it.

    x may be a table, a DataFrame of pandas or what exports a stream of Arrow, of numbers, truth values, texts, categories and
    missing cells. The model keeps the names of its columns and finds them again by name. target names its column that is learned,
    in place of y, and task says whether it holds "classes" or is for "regression", which is else decided as for a file.

    scale is how columns are scaled: "none", "minmax", "unit", "standard", "rows" or "auto", the default (None), which does what the
    command does: kernels and linear models need columns of similar scale. The model scales what it predicts in the same way.

    probabilities stores probabilities of classes, "platt", "isotonic" or "temperature"; conformal is the share of the rows that
    is held out for Model.intervals and Model.sets, .2 say, and adaptive makes sets of the probabilities, and
    intervals of gbdt of two quantiles, so that they are wide where the values scatter. warm is a Model to go on from: gbdt adds rounds of trees, methods with a feature map keep it. search chooses settings by cv folds, 5 if 0: "auto" draws
    trials of them, or {"c": [1, 10], "gamma": [0.1, 1]} has the values to try. metric judges a search or a race, and budget
    limits a race or the search "auto" to CPU seconds.

    progress(phase, done, total, objective) is called at most every 100 ms and ends the fit if it returns true. So does
    Ctrl-C. A fit that stops before its tolerance gives a ConvergenceWarning.
    """
    options = lib.Options(
        scale=scale and lib.text("scale", scale), probabilities=probabilities and lib.text("probabilities", probabilities),
        conformal=conformal, adaptive=int(adaptive), warm=warm._handle if warm is not None else 0, search=_search(search),
        trials=lib.whole("trials", trials), folds=lib.whole("cv", cv), metric=metric and lib.text("metric", metric),
        budget=budget,
    )
    beside = y is not None and not hasattr(y, "tocsr")
    if lib.is_frame(x) and not lib.is_pandas(x) and target is None and beside:
        raise ValueError("target names the column of the table that is learned: y stands beside a DataFrame of pandas alone")
    if target is None and task is None and not (lib.is_pandas(x) and beside):
        return _run("gram_fit", method, x, settings, (y, classes), weights, seed, workers, memory_limit, options, progress)
    if not lib.is_frame(x):
        raise ValueError("target and task are for a table with names")
    if target is None:
        x, target, task = _beside(x, y, classes, task)
    elif y is not None or classes is not None:
        raise ValueError("the target is the column %r: y and classes are not for it" % (target,))
    names = (lib.text("target", str(target)), task and lib.text("task", task))
    return _run("gram_fit_table", method, x, settings, names, weights, seed, workers, memory_limit, options, progress)


def _beside(x, y, classes, task):
    """Returns a DataFrame with y as one more column, the name of this column and the task."""
    if y is None:
        raise ValueError("task is for a target")
    name = str(getattr(y, "name", None) or "target")
    while name in map(str, x.columns):
        name += "_"
    y = np.asarray(y)
    if y.shape != (len(x),):
        raise ValueError("there is a target of shape %s for %d rows" % (y.shape, len(x)))
    if classes is not None:
        y = np.asarray(list(map(lib.text_of, classes)), dtype=object)[y]
    elif y.dtype.kind != "f":
        y = np.array([lib.text_of(c) for c in y], dtype=object)
    return x.assign(**{name: y}), name, task or ("regression" if y.dtype.kind == "f" else "classes")


def _search(search):
    """Returns the text of a search, NULL for None."""
    if search is None or isinstance(search, str):
        return search and lib.text("search", search)
    part = "%s=%s"
    return lib.text("search", ";".join(part % (lib.setting(n), ",".join(map(lib.value_text, v))) for n, v in search.items()))


def fit_map(method, x, *, seed=0, workers=0, memory_limit=0, progress=None, **settings):
    """Fits the feature map of nystrom, rff, fastnys or pseudo alone and returns it as a Model with features."""
    return _run("gram_fit_map", method, x, settings, None, None, seed, workers, memory_limit, lib.Options(), progress)


def _target(y, classes, n):
    """Returns the Target of n rows, None without one, and what must live as long as it."""
    if classes is not None and (y is None or hasattr(y, "tocsr")):
        raise ValueError("classes names those that y has the numbers of; y is %s" % ("None" if y is None else "a sparse matrix"))
    if y is None:
        return None, None
    target = lib.Target()
    if hasattr(y, "tocsr"):
        sets, keep = lib.view(y)
        sets.data = None
        target.sets = ctypes.pointer(sets)
        return target, (sets, keep)
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError("there is a target of shape %s for %d rows" % (y.shape, n))
    if classes is None:
        if y.dtype.kind == "f":
            y = np.ascontiguousarray(y, np.float64)
            target.value = y.ctypes.data
            return target, y
        classes, y = np.unique(y, return_inverse=True)
    if y.dtype.kind not in "bui":
        raise ValueError("with classes, y holds indices into them, not the type %s" % y.dtype)
    y = np.ascontiguousarray(y, np.int64)
    names = lib.texts("the name of a class", map(lib.text_of, classes))
    target.label, target.names, target.classes = y.ctypes.data, names, len(classes)
    return target, (y, names)


def _run(function, method, x, settings, target, weights, seed, workers, memory_limit, options, progress):
    """Calls gram_fit, gram_fit_table or, if target is None, gram_fit_map, and returns the Model."""
    m, keep = lib.table(x) if function == "gram_fit_table" else lib.view(x)
    options.seed, options.workers = lib.whole("seed", seed, 64), lib.whole("workers", workers)
    options.memory_limit = lib.whole("memory_limit", memory_limit)
    failed = []

    def report(_, phase, done, total, objective):
        try:
            return 1 if progress(phase.decode("utf-8", "replace"), done, total, objective) else 0
        except BaseException as e:  # it ends the fit, and is raised after that
            failed.append(e)
            return 1

    if progress is not None:
        options.progress = lib.Progress(report)
    handle, error = ctypes.c_uint64(), lib.Error()
    arguments = [method if method is None else lib.text("method", method), lib.assignments(settings), m]
    held = [keep]  # what the arguments point at
    if function == "gram_fit_table":
        arguments += target
    elif target is not None:
        wanted, keep_target = _target(*target, m.n)
        held.append(keep_target)
        arguments.append(wanted)
    if target is not None:
        if weights is not None:
            weights = np.ascontiguousarray(weights, np.float64)
            if weights.shape != (m.n,):
                raise ValueError("there are weights of shape %s for %d rows" % (weights.shape, m.n))
        held.append(weights)
        arguments.append(None if weights is None else weights.ctypes.data)
    arguments += [options, handle, error]
    shared = lib.loaded()
    options.cancel = shared.gram_cancel_new()
    try:
        status = lib.interruptible(
            lambda held=held: getattr(shared, function)(*arguments), lambda: lib.call("gram_cancel_now", options.cancel)
        )
        if failed:
            raise failed[0]
        lib.check(status, error)
        return Model(handle.value)
    except BaseException:
        shared.gram_release(handle)
        raise
    finally:
        shared.gram_cancel_free(options.cancel)
