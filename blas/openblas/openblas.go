package openblas

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
)

// Info describes the library.
type Info struct {
	Version string // as the library gives it, with its build options
	Core    string // the kernels in use
	Threads int
	Advice  string // empty, or what to set because the kernels are not the best for this CPU
}

// New returns the backend, with the kernels that GRAM_OPENBLAS_CORE names if it
// is set. It returns an error if the library was not built in, does not have
// those kernels or fails its self-test of some 50 ms. Every call returns the
// same library: settings are shared. OpenBLAS does not know every CPU; Describe says
// in its advice whether the kernels that it chose leave out instructions that this
// CPU has.
func New() (blas.Backend, error) { return open("") }

// NewCore is New with the kernels of the named core ("SkylakeX"), whatever
// GRAM_OPENBLAS_CORE says. An empty core leaves the choice to the library.
func NewCore(core string) (blas.Backend, error) { return open(core) }

// Describe describes the library without opening it. It returns an error if it
// was not built in.
func Describe() (Info, error) { return describe() }

// Kernels of OpenBLAS that use AVX-512 and those that use AVX2 and FMA.
var (
	cores512 = []string{"skylakex", "cooperlake", "sapphirerapids", "zen4", "zen5"}
	cores256 = []string{"haswell", "zen", "excavator"}
)

// advice says what to set where the kernels of a core do not use what a CPU of the
// given level has.
func advice(core string, level cpu.Level) string {
	name := strings.ToLower(core)
	has, better := "", ""
	switch {
	case slices.Contains(cores512, name):
	case level == cpu.AVX512:
		has, better = "AVX-512", "SkylakeX"
	case level == cpu.AVX2 && !slices.Contains(cores256, name):
		has, better = "AVX2", "Haswell"
	}
	if better == "" {
		return ""
	}
	return fmt.Sprintf("this CPU has %s, the kernels of %s do not use it: set GRAM_OPENBLAS_CORE=%s", has, core, better)
}
