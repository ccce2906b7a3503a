package gram_test

import (
	"fmt"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// A class number is the position of the name in the sorted list of names.
func ExampleNewLabels() {
	l := gram.NewLabels([]string{"10", "9", "9.0", "10"})
	fmt.Println(l.Names, l.Class)
	// Output: [9 10] [1 0 0 1]
}

// A Run checks the memory that a plan needs before anything is allocated.
func ExampleRun_Check() {
	run := gram.Run{MemoryLimit: 1 << 20}
	fmt.Println(run.Check(gram.Plan{PeakBytes: 1 << 10}))
	fmt.Println(run.Check(gram.Plan{PeakBytes: 1 << 30}) != nil)
	// Output:
	// <nil>
	// true
}

// Samples of a matrix share its memory.
func ExampleOf() {
	x := mat.NewDense(2, 3, []float64{1, 0, 2, 0, 0, 3})
	s := gram.Of(x)
	x.Set(1, 2, 4)
	n, d := s.Dims()
	fmt.Println(n, d, s.At(1, 2))
	// Output: 2 3 4
}
