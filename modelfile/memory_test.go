package modelfile

import (
	"path/filepath"
	"runtime"
	"testing"
)

// wide is a model with a large array.
type wide []float64

func (m wide) Encode(w *Writer) error {
	w.Float64("numbers", m, len(m))
	return w.Header("wide", 1, 0)
}

// A file by name is read into memory of its size: its length is known.
func TestReadFileOnce(t *testing.T) {
	const n = 1 << 20
	path := filepath.Join(t.TempDir(), "wide.gram")
	if err := Save(path, make(wide, n)); err != nil {
		t.Fatal(err)
	}
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
