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
	if got := Hint("t", []string{"x", "y"}); got != "" {
		t.Errorf("another letter is near: %q", got)
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
