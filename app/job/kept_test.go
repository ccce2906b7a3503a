package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Blocks of dense and of sparse rows come back with the bits of their numbers and targets, whatever the lengths are.
func TestKeptRowsComeBack(t *testing.T) {
	const d = 7
	odd := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(-1), 5e-324, math.MaxFloat64, 1. / 3}
	dense := func(n int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		for i := range n * d {
			x.RawMatrix().Data[i] = odd[(i+n)%len(odd)]
		}
		return x
	}
	wide := mat.NewDense(5, d+3, nil)
	wide.Set(1, 2, 4)
	a := &sparse.CSR{N: 3, D: d, Ptr: []int{0, 2, 2, 5}, Col: []int32{0, 6, 1, 2, 3}, Val: []float64{1, -2, 3, math.NaN(), 0}}
	sets := []*dataset.Set{
		{X: dense(1), Value: []float64{3}},
		{X: dense(1024), Labels: gram.Labels{Class: make([]int, 1024)}},
		{X: wide.Slice(1, 4, 2, 2+d), Value: []float64{1, 2, math.Copysign(0, -1)}},
		{X: a, Labels: gram.Labels{Class: []int{2, 0, 1}}},
		{X: a.Slice(1, 3)},
		{X: &sparse.CSR{N: 1, D: d, Ptr: []int{0, 2}, Col: []int32{1, 4}}, Value: []float64{1}}, // of ones
		{X: &sparse.CSR{N: 2, D: d, Ptr: []int{0, 0, 0}}},
		{X: dense(1000), Value: make([]float64, 1000)},
	}
	sets[1].Labels.Class[1023] = 1 << 30
	var file bytes.Buffer
	w := rowWriter{to: &file}
	for range 3 { // more than a buffer
		for _, s := range sets {
			if err := w.block(s.X, s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	kept := &Features{Info: dataset.Info{D: d}}
	k := 0
	read := func(x mat.Matrix, got *dataset.Set) error {
		want := sets[k%len(sets)]
		k++
		if (gram.CSR(x) == nil) != (gram.CSR(want.X) == nil) {
			t.Fatalf("block %d: %T, want %T", k, x, want.X)
		}
		n, c := want.X.Dims()
		if rows, columns := x.Dims(); rows != n || columns != c {
			t.Fatalf("block %d: %d×%d numbers, want %d×%d", k, rows, columns, n, c)
		}
		for i := range n {
			for j := range d {
				if math.Float64bits(x.At(i, j)) != math.Float64bits(want.X.At(i, j)) {
					t.Fatalf("block %d: %v at %d, %d, want %v", k, x.At(i, j), i, j, want.X.At(i, j))
				}
			}
		}
		if b := gram.CSR(x); b != nil && (b.Validate() != nil || b.NNZ() != gram.CSR(want.X).NNZ()) {
			t.Fatalf("block %d: %v, %d entries", k, b.Validate(), b.NNZ())
		}
		if fmt.Sprint(got.Value, got.Labels.Class) != fmt.Sprint(want.Value, want.Labels.Class) {
			t.Fatalf("block %d: the targets differ", k)
		}
		return nil
	}
	whole := file.Bytes()
	if err := kept.recall(t.Context(), bytes.NewReader(whole), read); err != nil || k != 3*len(sets) {
		t.Errorf("%d blocks of %d, %v", k, 3*len(sets), err)
	}
	k = 0
	if err := kept.recall(t.Context(), bytes.NewReader(whole[:len(whole)-1]), read); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("without the last byte: %v", err)
	}
	kept.Info.D++
	if err := kept.recall(t.Context(), bytes.NewReader(whole), read); err == nil || !strings.Contains(err.Error(), "a block of 1 rows of 7 columns") {
		t.Errorf("rows of other columns: %v", err)
	}
}

// Items that are written to one file at the same time, in parts of any length, come back as they were written; one whose writing failed
// is not there.
func TestKeptItemsDoNotMix(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "rows"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := &keptFile{file: file, items: make([][]extent, 4)}
	parts := []string{"a", "bcd", "", "ef", "ghij", "k"}
	turn := make(chan int, 1)
	turn <- 0
	var both sync.WaitGroup
	for k := range 2 {
		both.Go(func() {
			err := s.write(k, func(to io.Writer) error {
				for i, part := range parts {
					for n := range turn { // in turns, but for the last two parts of an item
						if n%2 == k || i >= len(parts)-2 {
							_, err := io.WriteString(to, strings.Repeat(part, k+1))
							turn <- n + 1
							if err != nil {
								return err
							}
							break
						}
						turn <- n
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	failed := errors.New("failed")
	if err := s.write(2, func(to io.Writer) error { _, _ = to.Write([]byte("x")); return failed }); err != failed {
		t.Error(err)
	}
	if err := s.write(3, func(io.Writer) error { return nil }); err != nil { // an item without rows
		t.Error(err)
	}
	for k, want := range []string{"abcdefghijk", "aabcdbcdefefghijghijkk", "", ""} {
		from, err := s.open(k)
		if err != nil || (from == nil) != (k == 2) {
			t.Fatalf("item %d: %v, %v", k, from, err)
		}
		if from == nil {
			continue
		}
		if have, err := io.ReadAll(from); err != nil || string(have) != want {
			t.Errorf("item %d: %q, %v", k, have, err)
		}
	}
}

// severalPasses are fits that read the rows in several passes after Scan: dense, sparse, scaled, with text in the columns, for
// values and for classes.
func severalPasses(t *testing.T) map[string]Spec {
	rings := dataset.Rings(1500, 3, .2, 1)
	var text strings.Builder
	text.WriteString("color,size,y\n")
	for i := range 1500 {
		fmt.Fprintf(&text, "%s,%d,%s\n", []string{"red", "green", "blue"}[i%7%3], i*37%91, []string{"no", "yes"}[(i*37%91/40+i%7%3)%2])
	}
	table := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(table, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	falkon := []string{"m=20", "gamma=0.5", "lambda=0.1", "tol=0.001"}
	return map[string]Spec{
		"values":  {Data: saved(t, "a.csv", dataset.Friedman1(1500, 5, .5, 1)), Method: "falkon", Settings: falkon, Scale: "minmax"},
		"classes": {Data: saved(t, "b.libsvm", rings), Method: "falkon", Settings: falkon},
		"newton":  {Data: saved(t, "c.libsvm", rings), Method: "nystrom", Settings: []string{"m=16", "gamma=1"}},
		"table":   {Data: table, Method: "falkon", Settings: falkon, Table: &Table{}, Scale: "auto"},
	}
}

// gone is a Progress that removes a file once a pass is complete.
func gone(path, pass string) func(gram.Event) {
	return func(e gram.Event) {
		if e.Phase == pass && e.Done == e.Total {
			_ = os.Remove(path) // it may be told twice
		}
	}
}

// A fit that keeps the rows has the bytes of one that reads the files in each pass. After the first pass behind Scan it needs no
// data, and it leaves no file; nor does one that is interrupted.
func TestKeptRowsAreThoseOfTheFiles(t *testing.T) {
	for name, s := range severalPasses(t) {
		t.Run(name, func(t *testing.T) {
			info, err := os.Stat(s.Data)
			if err != nil {
				t.Fatal(err)
			}
			s.Seed, s.ItemBytes = 3, info.Size()/5+1
			j, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := j.Fit(t.Context(), gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			scan, err := j.First(t.Context(), gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			f, err := j.Features(t.Context(), scan, gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			release, err := f.Keep(dir)
			if err != nil {
				t.Fatal(err)
			}
			first := productName(0)
			if f.Passes == nil {
				first = newtonName(0)
			}
			m, passes, err := f.Fit(t.Context(), gram.Run{Workers: 2, Progress: gone(s.Data, first)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(s.Data); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the data are still there, %v", err)
			}
			if passes < 4 || !bytes.Equal(bytesOf(t, m), bytesOf(t, want)) {
				t.Errorf("%d passes, another model", passes)
			}
			if said, keeps := f.Keeps(); !keeps || !(math.Abs(float64(f.kept.(*keptFile).end.Load()-said)) <= float64(said)/4) {
				t.Errorf("the rows take %d bytes, want about %d", f.kept.(*keptFile).end.Load(), said)
			}
			release()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// The rows of a folder are there for all its processes: the data may go once the first pass behind Scan is complete. Rows that are
// damaged, or of another job, are read again; none is left at the end.
func TestKeptRowsOfFolders(t *testing.T) {
	for name, s := range severalPasses(t) {
		t.Run(name, func(t *testing.T) {
			info, err := os.Stat(s.Data)
			if err != nil {
				t.Fatal(err)
			}
			s.Seed, s.ItemBytes = 3, info.Size()/3+1
			j, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := j.Fit(t.Context(), gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := Create(filepath.Join(t.TempDir(), "work"), j)
			if err != nil {
				t.Fatal(err)
			}
			kept := func() []string {
				paths, err := filepath.Glob(filepath.Join(w.Dir, "*.rows"))
				if err != nil {
					t.Fatal(err)
				}
				return paths
			}
			data, err := os.ReadFile(s.Data)
			if err != nil {
				t.Fatal(err)
			}
			for pass := 0; ; pass++ {
				if w, err = Open(w.Dir); err != nil {
					t.Fatal(err)
				}
				next, err := w.Next(t.Context(), gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if next == "" {
					break
				}
				p, err := w.Pass(t.Context(), next, gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				before := kept()
				if n := len(before); n != 0 && n != len(j.Items) {
					t.Fatalf("pass %s: the rows of %d items of %d", next, n, len(j.Items))
				} else if n > 0 {
					spoil(t, before[0], pass)
					if pass%3 == 0 { // nothing is damaged
						if err := os.Remove(s.Data); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := w.Make(t.Context(), p, gram.Run{}); err != nil {
					t.Fatalf("pass %s: %v", next, err)
				}
				if err := os.WriteFile(s.Data, data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			m, _, err := w.Model(t.Context(), gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, m), bytesOf(t, want)) {
				t.Error("another model")
			}
			if left := kept(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// spoil damages a file of rows in one pass of three, and makes it one of another job, with other rows, in the next.
func spoil(t *testing.T, path string, pass int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch pass % 3 {
	case 1:
		b[len(b)/2] ^= 1
		err = os.WriteFile(path, b, 0o666)
	case 2:
		body := bytes.Clone(b[:len(b)-4])
		copy(body, "another job")
		for i := len(body) - 200; i < len(body); i++ {
			body[i] = 0
		}
		err = writeSummed(path, func(to io.Writer) error { _, err := to.Write(body); return err })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A disk without room, or a folder that is not there, is an error that says what was to be written.
func TestKeptRowsWithoutRoom(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full: ", err)
	}
	defer full.Close()
	j, err := New(Spec{Data: saved(t, "a.csv", dataset.Friedman1(300, 5, .5, 1)), Method: "falkon", Settings: []string{"m=10", "gamma=0.5", "lambda=0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	scan, err := j.First(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := j.Features(t.Context(), scan, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	f.kept = &keptFile{file: full, items: make([][]extent, len(j.Items))}
	if _, _, err = f.Fit(t.Context(), gram.Run{}); !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "the file that keeps the rows as numbers: ") {
		t.Errorf("%v", err)
	}
	if _, err := f.Keep(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// The bytes that kept rows take are those of their numbers and targets, or of entries and both.
func TestKeptBytes(t *testing.T) {
	for nnz, want := range map[int64]int64{-1: 8 * 3 * 6, 0: 16 * 3, 4: 16*3 + 12*4} {
		if got := keptBytes(3, 5, nnz); got != want {
			t.Errorf("%d entries: %d bytes, want %d", nnz, got, want)
		}
	}
}
