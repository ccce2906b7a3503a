package dataset

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// linesOf returns the rows of all blocks as text.
func linesOf(blocks iter.Seq2[*Set, error]) (any, error) {
	var lines []string
	for s, err := range blocks {
		if err != nil {
			if s != nil {
				return nil, fmt.Errorf("a set comes with the error %v", err)
			}
			return nil, err
		}
		lines = append(lines, text(s)...)
	}
	return lines, nil
}

// Whatever reads rows ends with the error of its context at whichever look it ends, and says
// that it has read everything only if it has.
func TestReadLooks(t *testing.T) {
	dir := t.TempDir()
	svm, csv := new(strings.Builder), new(strings.Builder)
	csv.WriteString("a,b,c\n")
	for i := range 700 { // three looks
		fmt.Fprintf(svm, "%g 1:%d %d:1\n", float64(i)+.25, i, 2+i%5)
		fmt.Fprintf(csv, "%d,%s,%g\n", i%3, []string{"x", "y", "", "z"}[i%4], float64(i)/8)
	}
	put(t, dir, map[string]string{"1.svm": svm.String(), "2.svm": svm.String(), "a.csv": csv.String()})
	pattern := filepath.Join(dir, "*.svm")
	table := Options{Format: CSV, Target: "a", Categories: []string{"b"}}
	files := must.Have(filesOf(pattern))(t)
	tables := must.Have(filesOf(filepath.Join(dir, "a.csv")))(t)
	item, of := files[0], tables[0]
	whole := Options{Format: LIBSVM, Task: Regression, Dim: 7, Storage: Dense}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"Scan": func(ctx context.Context) (any, error) { return Scan(ctx, pattern, Options{}) },
		"Scan of a table": func(ctx context.Context) (any, error) {
			o := table
			o.Table = true
			return Scan(ctx, filepath.Join(dir, "a.csv"), o)
		},
		"Blocks":                func(ctx context.Context) (any, error) { return linesOf(Blocks(ctx, pattern, Options{}, 100)) },
		"Blocks of known files": func(ctx context.Context) (any, error) { return linesOf(Blocks(ctx, pattern, whole, 300)) },
		"Item.Blocks":           func(ctx context.Context) (any, error) { return linesOf(item.Blocks(ctx, whole, 256)) },
		"ReadBlocks": func(ctx context.Context) (any, error) {
			return linesOf(ReadBlocks(ctx, strings.NewReader(svm.String()), whole, 100))
		},
		"Item.Scan": func(ctx context.Context) (any, error) {
			rows := 0
			s, err := item.Scan(ctx, Options{}, 100, func(x *Set, targets []string) error { rows += len(targets); return nil })
			return []any{s, rows}, err
		},
		"ReadScan": func(ctx context.Context) (any, error) {
			return ReadScan(ctx, strings.NewReader(svm.String()), Options{Format: LIBSVM}, 0, nil)
		},
		"Item.Survey": func(ctx context.Context) (any, error) {
			rows := 0
			s, err := of.Survey(ctx, table, func([]float64) error { rows++; return nil })
			if err != nil {
				return nil, err
			}
			info, err := s.Info("a")
			return []any{info, rows}, err
		},
		"ReadSurvey": func(ctx context.Context) (any, error) {
			s, err := ReadSurvey(ctx, strings.NewReader(csv.String()), table, nil)
			if err != nil {
				return nil, err
			}
			return s.Info("a")
		},
	})
}

// Save and Convert end with the error of their context at whichever look it ends, and then
// there is no file at all, also none of the target.
func TestWriteLooks(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.csv")
	s := Friedman1(560, 250, .1, 1) // three blocks
	x := s.X.(*mat.Dense)
	x.Apply(func(_, _ int, v float64) float64 { return math.Ceil(9 * v) }, x) // short texts, which take less time to compress
	must.Do(t, Save(t.Context(), in, s))
	written := func(t *testing.T, write func(path string) error, name string) (any, error) {
		dir := t.TempDir()
		err := write(filepath.Join(dir, name))
		there, _ := os.ReadDir(dir)
		if err != nil && len(there) > 0 {
			t.Errorf("%s and an error", there[0].Name())
		}
		var files []string
		for _, e := range there {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Error(err)
			}
			files = append(files, e.Name(), string(text))
		}
		return files, err
	}
	for _, name := range []string{"a.csv", "a.npy", "a.libsvm.gz"} {
		t.Run("Save "+name, func(t *testing.T) {
			looktest.Every(t, func(ctx context.Context) (any, error) {
				return written(t, func(path string) error { return Save(ctx, path, s) }, name)
			})
		})
		t.Run("Convert "+name, func(t *testing.T) {
			looktest.Every(t, func(ctx context.Context) (any, error) {
				return written(t, func(path string) error {
					_, err := Convert(ctx, in, path, Options{Target: "1"}, AutoFormat, gram.Run{})
					return err
				}, name)
			})
		})
	}
}
