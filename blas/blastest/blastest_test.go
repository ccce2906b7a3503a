package blastest

import (
	"flag"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
)

var full = flag.Bool("full", false, "run all of gonum's suites at every level (minutes)")

func TestNative(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		// LAPACK stands on level 3: in the short run it is tested at one level
		Run(t, blas.Native, Options{Full: *full, Bitwise: true, NoLapack: !*full && (testing.Short() || cpu.Current() != cpu.Detected())})
	})
}

func TestGonum(t *testing.T) {
	Run(t, blas.Gonum, Options{Full: *full, NoLapack: !*full, SkipZero: true, GonumGer: true})
}
