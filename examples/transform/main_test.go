package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"-n", "20", "-d", "60"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"20 rows of 64", "Haar"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
}
