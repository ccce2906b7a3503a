package settings

import "testing"

func TestHint(t *testing.T) {
	names := []string{"linear", "svm", "svr", "nystrom", "landmarks"}
	for name, want := range map[string]string{
		"nystorm": "nystrom", "nystroem": "nystrom", "landmark": "landmarks", "lnear": "linear", "svn": "svm", "svr": "svr", "vsm": "svm", "": "", "gbdt": "", "linaer": "linear", "x": "", "SVM": "svm", "Nystroem": "nystrom",
	} {
		if want != "" {
			want = " (did you mean " + want + "?)"
		}
		if got := Hint(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	names = []string{"c", "lambda", "rounds", "shrinkage", "depth", "min-rows", "max-iter", "accuracy", "balanced_accuracy", "macro_f1", "log_loss", "p@1", "standard", "gaussian", "row-sample", "column-sample"}
	for name, want := range map[string]string{
		"C": "c", "f1": "macro_f1", "F1": "macro_f1", "max_depth": "depth", "n_estimators": "rounds", "learning_rate": "shrinkage", "eta": "shrinkage",
		"alpha": "lambda", "acc": "accuracy", "logloss": "log_loss", "min_rows": "min-rows", "max iter": "max-iter", "std": "standard", "RBF": "gaussian",
		"balanced": "balanced_accuracy", "subsample": "row-sample", "Precision": "p@1",
		"sample": "", "": "", "k": "", "weather": "", // two have the word sample
	} {
		if want != "" {
			want = " (did you mean " + want + "?)"
		}
		if got := Hint(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Hint("t", []string{"x", "y"}); got != "" {
		t.Errorf("another letter is near: %q", got)
	}
	if got := Hint("k", []string{"k1"}); got != " (did you mean k1?)" {
		t.Errorf("one more letter is not near: %q", got)
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
