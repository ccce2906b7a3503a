// Package tuning has the block sizes and cut-offs of packages blas, kernel and
// asm/hadamard that depend on the CPU and change no result. They say how much is packed or
// kept in a cache at a time, and from which size on a call packs its operands or
// uses several goroutines. Numbers that decide the order of a summation, such as
// how many products are summed before the sum is added to C, are not among them.
//
// The values in force are the defaults unless a profile has values for this CPU
// and level. A profile is a file that gram tune writes; see Path and Loaded.
package tuning

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

// A Parameter is one number that can be tuned.
type Parameter int

// The parameters. Work is counted in multiply-adds.
const (
	ProductThreads Parameter = iota // work from which on several goroutines share a level-3 call
	VectorThreads                   // work from which on several goroutines share a matrix times a vector
	Small64                         // work up to which a product in float64 packs only what it must
	Small32                         // the same for float32
	SmallShared                     // the same for either type, if several goroutines share the product
	Panels64                        // panels of B, in float64, that each row panel of A passes before the next
	Panels32                        // the same for float32
	Lines                           // rows of A, and columns of B, packed at a time
	Packed                          // elements packed at a time
	KernelRows                      // bytes of rows of X that are packed at a time
	HadamardLeaf                    // bytes of a Hadamard transform whose stages are all done in L1
	HadamardNear                    // logarithm of the number of rows that a pass over caches takes
	HadamardLast                    // bytes of a block that stays in a last-level cache
	KernelColumns                   // bytes of rows of Z that these pass before the next ones, if K is stored
	KernelStream                    // bytes of K from which on it is written past the caches
	parameters
)

// Type returns p for float64 and q for float32.
func Type[F num.Float](p, q Parameter) Parameter {
	if unsafe.Sizeof(F(0)) == 8 {
		return p
	}
	return q
}

var table = [parameters]struct {
	name     string
	min, max int
}{
	ProductThreads: {"product_threads", 1 << 10, 1 << 30},
	VectorThreads:  {"vector_threads", 1 << 10, 1 << 30},
	Small64:        {"small_float64", 1, 1 << 30},
	Small32:        {"small_float32", 1, 1 << 30},
	SmallShared:    {"small_shared", 1, 1 << 30},
	Panels64:       {"panels_float64", 1, 4096},
	Panels32:       {"panels_float32", 1, 4096},
	Lines:          {"lines", 48, 1 << 20},
	Packed:         {"packed", 1 << 14, 1 << 26},
	KernelRows:     {"kernel_rows", 1 << 10, 1 << 24},
	HadamardLeaf:   {"hadamard_leaf", 8 << 10, 1 << 18},
	HadamardNear:   {"hadamard_near", 1, 4},
	HadamardLast:   {"hadamard_last", 1 << 20, 1 << 30},
	KernelColumns:  {"kernel_columns", 1 << 10, 1 << 24},
	KernelStream:   {"kernel_stream", 1 << 16, min(1<<40, math.MaxInt)},
}

// String returns the name of the parameter in profiles.
func (p Parameter) String() string { return table[p].name }

// Limits returns the least and the largest allowed value.
func (p Parameter) Limits() (least, most int) { return table[p].min, table[p].max }

// All returns all parameters, in the order of their numbers.
func All() []Parameter {
	all := make([]Parameter, parameters)
	for i := range all {
		all[i] = Parameter(i)
	}
	return all
}

// Values holds the number of each Parameter, with the Parameter as the index.
type Values [parameters]int

// Defaults returns the values that are in force without a profile.
func Defaults() Values { return defaultValues(cpu.Describe().L2) }

// defaultValues returns the defaults for a second-level cache of l2 bytes; 0 means
// unknown.
func defaultValues(l2 int) Values {
	if l2 == 0 {
		l2 = 512 << 10
	}
	v := Values{
		ProductThreads: 1 << 20,
		VectorThreads:  1 << 20,
		Small64:        128 * 128 * 128,
		Small32:        128 * 128 * 128,
		SmallShared:    320 * 320 * 320,
		Panels64:       min(max(l2/2/2048/24, 2), 24),
		Lines:          4080,
		Packed:         4 << 20,
		KernelRows:     256 << 10,
		HadamardLeaf:   16 << 10, // of 32 KiB the passes would evict each other's lines
		HadamardNear:   3,
		HadamardLast:   8 << 20,
		KernelColumns:  min(max(l2/4, 64<<10), 448<<10),
		KernelStream:   32 << 20, // where reading the block again costs what writing it gains
	}
	v[Panels32] = v[Panels64]
	return v
}

// check returns an error that names the first value out of range, or nil.
func (v *Values) check() error {
	for p, x := range v {
		if lo, hi := Parameter(p).Limits(); x < lo || x > hi {
			return fmt.Errorf("%s is %d, want %d to %d", Parameter(p), x, lo, hi)
		}
	}
	return nil
}

var (
	once        sync.Once
	fileProfile Source
	force       [4]atomic.Pointer[Values] // by level
)

// Current returns the values in force at the current level. They must not be
// changed.
func Current() *Values {
	once.Do(load)
	return force[cpu.Current()].Load()
}

// Set puts v in force at the current level until restore is called. It panics if
// a value is out of range.
func Set(v Values) (restore func()) {
	if err := v.check(); err != nil {
		panic("tuning: " + err.Error())
	}
	Current()
	p := &force[cpu.Current()]
	before := p.Swap(&v)
	return func() { p.Store(before) }
}
