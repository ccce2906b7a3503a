package main

import (
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	must.Do(t, run([]string{"-n", "20", "-d", "60"}, &out))
	for _, want := range []string{"20 rows of 64", "Haar"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
}
