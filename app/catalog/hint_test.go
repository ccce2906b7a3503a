package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/metric"
)

// Names that other libraries have for methods, settings, values and measures lead to those of this one.
func TestHints(t *testing.T) {
	method := func(name string) error { _, err := catalog.Find(name); return err }
	set := func(method, assignment string) error { return catalog.Must(method).New().Settings().Set(assignment) }
	measure := func(name string) error { _, err := metric.Find(name); return err }
	values := catalogtest.Set(algotest.Problem(1, 9, 2, 2), algotest.Regression)
	classes := catalogtest.Set(algotest.Problem(1, 9, 2, 2), algotest.Classification)
	for _, c := range []struct {
		err  error
		want string
	}{
		{method("SVM"), "svm"}, {method("xgboost"), "gbdt"}, {method("LogisticRegression"), "linear"}, {method("logistic_regression"), "linear"},
		{method("kernel-ridge"), "krr"}, {method("random forest"), "gbdt"}, {method("gpr"), "gp"}, {method("RBFSampler"), "rff"},
		{set("svm", "C=1"), "c"}, {set("svm", "kernel=rbf"), "gaussian"}, {set("svm", "kernel=poly"), "polynomial"}, {set("svm", "sigma=2"), "gamma"},
		{set("svr", "tube=1"), "epsilon"}, {set("linear", "fit_intercept=true"), "no-bias"}, {set("linear", "model=logreg"), "logistic"}, {set("linear", "model=SVM"), "svm"},
		{set("krr", "reg=1"), "lambda"}, {set("krr", "coef0=1"), "offset"}, {set("nystrom", "n_components=9"), "m"}, {set("nystrom", "cost=9"), "c"},
		{set("gbdt", "n_estimators=9"), "rounds"}, {set("gbdt", "learning-rate=.1"), "shrinkage"}, {set("gbdt", "max_depth=3"), "depth"},
		{set("gbdt", "num_leaves=3"), "leaves"}, {set("gbdt", "min_data_in_leaf=3"), "min-rows"}, {set("gbdt", "subsample=.5"), "row-sample"},
		{set("gbdt", "colsample_bytree=.5"), "column-sample"}, {set("gbdt", "max_bin=9"), "bins"}, {set("gbdt", "early_stopping_rounds=9"), "patience"},
		{set("gbdt", "validation_fraction=.1"), "holdout"}, {set("gbdt", "min_child_weight=1"), "min-curvature"}, {set("svm", "epochs=3"), "max-iter"},
		{measure("f1"), "macro_f1"}, {measure("AUROC"), "auc"}, {measure("logloss"), "log_loss"}, {measure("mse"), "rmse"}, {measure("ECE"), "calibration_error"},
		{measure("R-squared"), "r2"}, {measure("ap"), "average_precision"}, {measure("precision"), "p@1"},
		{catalog.Must("svm").Check(values), "svr"}, {catalog.Must("svr").Check(classes), "svm"}, {catalog.Must("leml").Check(classes), ""},
	} {
		if c.err == nil || strings.Contains(c.err.Error(), "did you mean") != (c.want != "") || c.want != "" && !strings.Contains(c.err.Error(), "(did you mean "+c.want+"?)") {
			t.Errorf("%v, want a hint at %q", c.err, c.want)
		}
	}
	if config := (*gram.ConfigError)(nil); !errors.As(catalog.Must("svm").Check(values), &config) {
		t.Error("a task of another kind is no error of the settings")
	}
}

// A setting of another kernel than the chosen one is refused, by every method that has both, for the plan and for the fit;
// with its kernel, and before or after it, the setting is taken.
func TestUnusedKernelSettings(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(1, 30, 2, 2), algotest.Classification)
	methods := 0
	for _, m := range catalog.Methods() {
		if s := m.New().Settings(); s.Lookup("kernel") == nil || s.Lookup("alpha") == nil {
			continue
		}
		methods++
		f := catalogtest.Trainable(t, m, "alpha=2")
		var c *gram.ConfigError
		if _, err := f.Plan(d.Task(), d.Shape(), gram.Run{}); !errors.As(err, &c) || c.Field != "alpha" || !strings.Contains(c.Want, "unset: kernel gaussian does not use it") {
			t.Errorf("%s: the plan says %v", m.Name, err)
		}
		if _, err := f.Fit(t.Context(), d, gram.Run{}); !errors.As(err, &c) || c.Field != "alpha" {
			t.Errorf("%s: the fit says %v", m.Name, err)
		}
		f = catalogtest.Trainable(t, m, "alpha=2", "kernel=rational-quadratic")
		if _, err := f.Plan(d.Task(), d.Shape(), gram.Run{}); err != nil {
			t.Errorf("%s: %v with its kernel", m.Name, err)
		}
	}
	if methods < 10 {
		t.Errorf("%d methods have kernels with settings", methods)
	}
}
