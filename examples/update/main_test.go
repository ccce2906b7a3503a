package main

import (
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	must.Do(t, run([]string{"-d", "20", "-rows", "60"}, &out))
	for _, want := range []string{"above 0: true", "below 1e-12: true"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
}
