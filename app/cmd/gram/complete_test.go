package main

import (
	"strings"
	"testing"
)

// The shell completes methods, their settings and the choices of these.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fit", "--method", "ny"}, "nystrom\t"},
		{[]string{"part", "items", "--method", "lin"}, "linear\t"},
		{[]string{"fit", "--method", "gbdt", "--set", "row"}, "row-sample=\tshare of the rows"},
		{[]string{"fit", "--method", "gbdt", "--set", "criterion="}, "criterion=direct\n"},
		{[]string{"fit", "--method", "gbdt", "--set", "exact="}, "exact=true\n"},
		{[]string{"fit", "--scale", ""}, "standard\n"},
		{[]string{"fit", "--format", ""}, "parquet\n"},
		{[]string{"part", "items", "--task", ""}, "regression\n"},
	} {
		if out, stderr, code := cli(t, append([]string{"__complete"}, c.args...)...); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%v: %q, want %q; exit code %d, %s", c.args, out, c.want, code, stderr)
		}
	}
}
