package algotest

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The numbers of rows of the two batches whose allocations are compared.
const (
	fewRows  = 2048
	manyRows = 8192
)

// workspaces checks the bytes that the model's own functions allocate for many rows with an
// existing destination: little more than for a quarter of these rows, because workspaces
// are made for blocks of rows and used again. Subject.RowBytes bounds the bytes for each
// further row.
func (s Subject) workspaces(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	m := s.fit(t, small(), run)
	if m.Public == nil {
		t.Skip("the model has no functions of rows")
	}
	many := Problem(2, manyRows, 4, 3).X.(*mat.Dense)
	few := many.Slice(0, fewRows, 0, 4).(*mat.Dense)
	for _, f := range append(functions(m.Public), scoreFunctions(m.Public)...) {
		kinds := map[string][2]mat.Matrix{"": {few, many}}
		if !testing.Short() {
			kinds[" of sparse rows"] = [2]mat.Matrix{sparse.FromDense(few), sparse.FromDense(many)}
		}
		for kind, x := range kinds {
			a := least(f.again(x[0]), 0)
			most := a + int64(cmp.Or(s.RowBytes, 6)*(manyRows-fewRows))
			if b := least(f.again(x[1]), most); b > most {
				t.Errorf("%s%s allocates %d bytes for %d rows and %d for %d", f.name, kind, a, fewRows, b, manyRows)
			}
		}
	}
}

// least returns the least number of bytes that calls of f allocate, after a first call. It
// takes three calls, or up to twenty until one allocates no more than enough: on a busy
// machine more goroutines than before may need a workspace.
func least(f func(), enough int64) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would empty the pools
	f()
	bytes := int64(-1)
	for i := 0; i < 3 || i < 20 && bytes > enough && enough > 0; i++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if b := int64(after.TotalAlloc - before.TotalAlloc); bytes < 0 || b < bytes {
			bytes = b
		}
	}
	return bytes
}
