package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
)

// wide is a model with a large array.
type wide []float64

func (m wide) Encode(w *Writer) error {
	w.Float64("numbers", m, len(m))
	return w.Header("wide", 1, 0)
}

// ReadFile allocates no more than the size of the file, which it knows.
func TestReadFileOnce(t *testing.T) {
	const n = 1 << 20
	path := filepath.Join(t.TempDir(), "wide.gram")
	must.Do(t, Save(path, make(wide, n)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := ReadFile(path)
	runtime.ReadMemStats(&after)
	if err != nil || f.Method() != "wide" {
		t.Fatal(err)
	}
	if b := after.TotalAlloc - before.TotalAlloc; b > 8*n+8*n/4 {
		t.Errorf("%d bytes are allocated to read %d", b, 8*n)
	}
}

// derived is a model that derives 1 MiB from its file.
type derived struct{}

func (m *derived) form(x *Exchange) {
	x.Header("derived", 1, m)
	x.Reserve(1 << 20)
}

func (m *derived) Encode(w *Writer) error { return Put(w, m.form) }

// What a decoder reserves counts against the limit.
func TestReserve(t *testing.T) {
	text := encode(t, new(derived))
	for limit, want := range map[int64]bool{0: true, 1 << 21: true, 1 << 20: false} {
		f := must.Have(ReadLimited(bytes.NewReader(text), limit))(t)
		_, err := Get(f, new(derived), (*derived).form)
		var m *gram.MemoryError
		if refused := errors.As(err, &m); refused == want || !refused && err != nil {
			t.Errorf("within %d bytes: %v", limit, err)
		}
	}
}

// gaps is a model with arrays of the given lengths.
type gaps []int

func (m gaps) Encode(w *Writer) error {
	for i, n := range m {
		w.Float64(fmt.Sprint("array", i), make([]float64, n), n)
	}
	return w.Header("gaps", 1, 0)
}

// Empty arrays have the offset at which others begin; they are read in any order.
func TestEmptyBetween(t *testing.T) {
	lengths := gaps{0, 0, 3, 0, 0, 2, 0, 1, 0, 0}
	text := encode(t, lengths)
	for range 30 { // the order of maps is another each time
		f := must.Have(Read(bytes.NewReader(text)))(t)
		for i, n := range lengths {
			if v, err := f.Float64(fmt.Sprint("array", i), n); err != nil || len(v) != n {
				t.Fatalf("array %d has %d numbers, want %d, %v", i, len(v), n, err)
			}
		}
	}
}
