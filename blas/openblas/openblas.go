package openblas

import (
	"github.com/gramworks/gram/blas"
)

// Info describes the OpenBLAS that this program is linked with.
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
func Describe() (Info, error) { return describeMissing() }
