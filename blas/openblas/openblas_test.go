package openblas

import (
	"flag"
	"strings"
	"testing"

	"github.com/gramworks/gram/blas/blastest"
)

var full = flag.Bool("full", false, "run all of gonum's suites (minutes)")

func TestBackend(t *testing.T) {
	b, err := New()
	if err != nil {
		if !strings.Contains(err.Error(), "libopenblas-dev") {
			t.Errorf("the error does not say what to install: %v", err)
		}
		if _, err := Describe(); err == nil {
			t.Error("Describe describes a library that is not there")
		}
		t.Skip("OpenBLAS is not here: ", err)
	}
	i, err := Describe()
	if err != nil || i.Version == "" || i.Core == "" || i.Threads < 1 {
		t.Errorf("Describe: %+v, %v", i, err)
	}
	t.Logf("%+v", i)
	blastest.Run(t, b, blastest.Options{Full: *full, SkipZero: true})
}

func TestCore(t *testing.T) {
	if _, err := New(); err != nil {
		t.Skip("OpenBLAS is not here: ", err)
	}
	before, _ := Describe()
	if _, err := NewCore("NoSuchCore"); err == nil {
		t.Error("kernels that do not exist were accepted")
	}
	if _, err := NewCore(before.Core); err != nil {
		t.Error(err)
	}
	if after, _ := Describe(); after.Core != before.Core {
		t.Errorf("core %s, want %s", after.Core, before.Core)
	}
}
