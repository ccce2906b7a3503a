package gbdt

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// exactRows returns rows whose numbers are made of integers and single operations alone, as package math differs between
// machines: of two columns of many numbers, one of few, one of nine levels and one with missing cells. Targets are counts, or
// so many classes.
func exactRows(n, classes int) *dataset.Set {
	r := rng.New(11, 1)
	x, y, class := mat.NewDense(n, 5, nil), make([]float64, n), make([]int, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = math.Ldexp(float64(r.IntN(1<<20)), -10) // in [0, 1024)
		}
		row[2], row[3] = float64(r.IntN(5)), float64(r.IntN(9))
		y[i] = float64(int(row[0])/200 + int(row[1])/300*int(row[2])/2 + int(row[3])%3 + int(row[4])/400 + r.IntN(3))
		if r.IntN(6) == 0 {
			row[4] = math.NaN()
		}
		class[i] = min(int(y[i])/3, max(classes, 1)-1)
	}
	d := &dataset.Set{X: x}
	if classes == 0 {
		d.Value = y
		return d
	}
	d.Labels = gram.Labels{Names: []string{"a", "b", "c", "d"}[:classes], Class: class}
	return d
}

// exactSum is a checksum of the file of a model and of its losses.
func exactSum(t *testing.T, m modelfile.Model) string {
	t.Helper()
	h := sha256.New()
	stats := m.(interface{ Stats() Stats }).Stats()
	must.Do(t, modelfile.Write(h, m))
	for _, losses := range [][]float64{stats.Objective, stats.Holdout} {
		must.Do(t, binary.Write(h, binary.LittleEndian, losses))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// The same rows and settings give the same trees and losses, bit for bit, at every level, on every machine, with any number of
// goroutines, from memory and from a file. ci/arm64 and ci/platforms run this test on other machines. Sums that
// change on purpose change here.
func TestExactBits(t *testing.T) {
	mixed := []Column{{}, {}, {}, {Levels: 9}, {Missing: true}}
	weights := make([]float64, 5000)
	for i := range weights {
		weights[i] = float64(1+i%7) / 8
	}
	cases := []struct {
		name    string
		c       Config
		n       int
		classes int
		w       []float64
		memory  bool // Disk does not take it
		want    string
	}{
		{"values", Config{Rounds: 5}, 5000, 0, nil, false, "9bd9a72121088615"},
		{"values with weights", Config{Rounds: 5}, 5000, 0, weights, true, "3074b6ee000c5711"},
		{"number of rounds chosen", Config{Shrinkage: .5, Patience: 3}, 2000, 0, nil, true, "a9114e957244d8ef"},
		{"absolute", Config{Rounds: 4, Loss: Absolute}, 5000, 0, nil, true, "83647d77f5cedbfa"},
		{"quantile", Config{Rounds: 4, Loss: Quantile, Level: .8}, 5000, 0, weights, true, "7f071449c6af370e"},
		{"huber", Config{Rounds: 4, Loss: Huber}, 5000, 0, nil, true, "13194a51999dd24f"},
		{"poisson", Config{Rounds: 20, Loss: Poisson}, 5000, 0, nil, false, "4721e0228ef77cc0"},
		{"poisson, monotone", Config{Rounds: 10, Loss: Poisson, Monotone: []int{1, -1, -1}}, 5000, 0, weights, true, "39149d57c6dedf7c"},
		{"monotone", Config{Rounds: 5, Monotone: []int{1, 1, 1}}, 5000, 0, nil, false, "e1bea88d6e23e759"},
		{"two classes", Config{Rounds: 30}, 5000, 2, nil, false, "f966997dade821d9"},
		{"two classes with weights", Config{Rounds: 20, Monotone: []int{1, -1}}, 5000, 2, weights, true, "81235d4cdd7645bc"},
		{"two classes, rounds chosen", Config{Shrinkage: .5, Patience: 3}, 2000, 2, nil, true, "e1f4223795a057a8"},
		{"samples", Config{Rounds: 5, RowSample: .6, ColumnSample: .7, Holdout: .2}, 5000, 2, nil, true, "069856f595a06d83"},
		{"four classes", Config{Rounds: 20, MaxDepth: 5}, 5000, 4, nil, false, "4e70df3c7a9ffae0"},
		{"four classes with weights", Config{Rounds: 4}, 5000, 4, weights, true, "950950a4663be500"},
		{"many bins", Config{Rounds: 3, Exact: true}, 5000, 2, nil, true, "287819533a5c3b01"},
		{"direct", Config{Rounds: 3, Criterion: DirectLoss}, 2000, 2, nil, true, "b82ae75b92c8f859"},
		{"direct, exact", Config{Rounds: 2, Criterion: DirectLoss, Exact: true, MaxLeaves: 4}, 300, 2, weights[:300], true, "3cefe65f760eea3c"},
	}
	counts, all, level := []int{1, 2, 5}, os.Getenv("GRAM_LONG") != "", 0
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		level++
		for k, test := range cases {
			if !all && (k+level)%len(cpu.Levels()) != 0 { // each level has its share of the cases, and all have the same sums
				continue
			}
			d := exactRows(test.n, test.classes)
			check := func(how string, m modelfile.Model, err error) {
				if err != nil {
					t.Fatalf("%s, %s: %v", test.name, how, err)
				}
				if sum := exactSum(t, m); sum != test.want {
					t.Errorf("%s, %s: the sum is %s, want %s", test.name, how, sum, test.want)
				}
			}
			test.c.Columns, test.c.Seed = mixed, 3
			for i, workers := range counts {
				if !all && i != k/len(cpu.Levels())%len(counts) { // each case of a level has another number
					continue
				}
				c := test.c
				c.Workers = workers
				how := fmt.Sprintf("%d workers", workers)
				if test.classes == 0 {
					m, err := c.FitValues(t.Context(), d.X, d.Value, test.w)
					check(how, m, err)
				} else {
					m, err := c.Fit(t.Context(), d.X, d.Labels, test.w)
					check(how, m, err)
				}
				if !test.memory {
					m, err := onDisk(t, c, d, d.X, leastBlock)
					check(how+", from a file", m, err)
				}
			}
		}
	})
}
