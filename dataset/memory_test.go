package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"gonum.org/v1/gonum/mat"
)

// A table is read into little more memory than its rows take: the share of the file that has been read says how many are
// to come. Rows of another length than the first ones are read, too.
func TestReadingTakesLittleMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("arithmetic: runs without the race detector")
	}
	const n, d = 100_000, 10
	r := rand.New(rand.NewPCG(1, 2))
	var text, uneven bytes.Buffer
	for i := range n {
		for range d {
			fmt.Fprintf(&text, "%.4f,", r.Float64())
			if i < n/4 {
				fmt.Fprintf(&uneven, "%.17f,", r.Float64())
			} else {
				uneven.WriteString("1,")
			}
		}
		fmt.Fprintf(&text, "%d\n", i)
		fmt.Fprintf(&uneven, "%d\n", i)
	}
	packed := func(b []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		z.Write(b)
		z.Close()
		return out.Bytes()
	}
	half := bytes.IndexByte(text.Bytes()[text.Len()/2:], '\n') + 1 + text.Len()/2
	zeros := strings.Repeat(strings.Repeat("0,", d)+"0\n", n/2) // takes a thousandth of what follows
	for name, c := range map[string]struct {
		files [][]byte
		rows  int
		most  float64 // times the rows, beside what parsing takes
	}{
		"a file":       {[][]byte{text.Bytes()}, n, 3.2},
		"gzip":         {[][]byte{packed(text.Bytes())}, n, 3.2},
		"two files":    {[][]byte{text.Bytes()[:half], text.Bytes()[half:]}, n, 3.2},
		"other rows":   {[][]byte{uneven.Bytes()}, n, 4.2},
		"zeros before": {[][]byte{packed(append([]byte(zeros), text.Bytes()...))}, n + n/2, 4.6},
	} {
		dir := t.TempDir()
		for k, b := range c.files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.csv", k)), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		size := float64(8 * c.rows * (d + 1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := Open(filepath.Join(dir, "*.csv"), Options{Format: CSV, NoHeader: true, Task: Regression, MemoryLimit: 1 << 30})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if rows, columns := s.Dims(); rows != c.rows || columns != d || s.Value[rows-1] != n-1 {
			t.Errorf("%s: %d×%d, %v", name, rows, columns, s.Value[rows-1])
		}
		if used := float64(after.TotalAlloc - before.TotalAlloc); used > c.most*size {
			t.Errorf("%s: %.2f times the rows", name, used/size)
		} else {
			t.Logf("%s: %.2f times the rows", name, used/size)
		}
	}
	// A limit that has room for the rows, but not for them twice, suffices.
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{Format: CSV, NoHeader: true, Task: Regression, MemoryLimit: 8 * n * (d + 4)}); err != nil {
		t.Error(err)
	}
}

// Several files whose headers say how many rows each has are copied as seldom as text is.
func TestReadingFilesTakesLittleMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("arithmetic: runs without the race detector")
	}
	const n, d, files = 5000, 20, 8
	dir := t.TempDir()
	x := mat.NewDense(n, d, nil)
	for k := range files {
		for i := range n {
			x.Set(i, 0, float64(k*n+i))
		}
		must.Do(t, Save(t.Context(), filepath.Join(dir, fmt.Sprintf("%d.npy", k)), &Set{X: x}))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := must.Have(Open(filepath.Join(dir, "*.npy"), Options{Task: NoTarget, Storage: Dense}))(t)
	runtime.ReadMemStats(&after)
	if rows, _ := s.Dims(); rows != files*n || s.X.At(rows-1, 0) != float64(rows-1) {
		t.Errorf("%d rows, the last one begins with %g", rows, s.X.At(rows-1, 0))
	}
	if used, size := after.TotalAlloc-before.TotalAlloc, uint64(8*files*n*d); used > 4*size {
		t.Errorf("%d bytes are allocated for rows of %d", used, size)
	}
}
