package training

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
)

// mixedTable has two categories of six levels, and two numbers of which one has missing cells.
func mixedTable(t *testing.T, n int, seed uint64) *dataset.Set {
	t.Helper()
	r, level := rng.New(seed, 1), rng.New(1, 2)
	var effect [2][6]float64
	for c := range effect {
		for k := range effect[c] {
			effect[c][k] = 2 * level.NormFloat64()
		}
	}
	var b strings.Builder
	b.WriteString("kind,size,shape,weight,y\n")
	for range n {
		k, s, u, v := r.IntN(6), r.IntN(6), r.NormFloat64(), r.NormFloat64()
		weight := fmt.Sprint(v)
		if r.IntN(10) == 0 {
			weight = ""
		}
		fmt.Fprintf(&b, "k%d,%v,s%d,%s,%v\n", k, u, s, weight, math.Sin(effect[0][k]+effect[1][s])+.5*u+.1*v+.05*r.NormFloat64())
	}
	d, err := dataset.Read(strings.NewReader(b.String()), dataset.Options{Table: true, Name: "a.csv", Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The numbers that encode a category are a block of the metric of rfm: it has no entries between them and others.
func TestBlocks(t *testing.T) {
	m, d, other := catalog.Must("rfm"), mixedTable(t, 300, 2), mixedTable(t, 200, 3)
	p, err := Prepare{Scale: AutoScale}.Train(t.Context(), m, catalogtest.Trainable(t, m, "metric=full", "length=2", "lambda=0.01"), d, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	metric, places := p.Model.(*krr.Regressor).Model().(*rfm.Model).Metric(), p.Encoding.Places()
	block := func(k int) int {
		if c := places[k]; d.Schema.Columns[c].Kind == dataset.Category {
			return c
		}
		return -1
	}
	within := 0.0
	for k := range places {
		for l := range k {
			v := math.Abs(metric.At(k, l))
			if block(k) == block(l) {
				within += v
			} else if v > 1e-12 {
				t.Errorf("columns %d and %d have the entry %v", k, l, v)
			}
		}
	}
	if len(places) < 14 || !(within > .1) {
		t.Errorf("%d columns, entries of %v within blocks", len(places), within)
	}
	x, err := p.Scaled(other.X)
	if err != nil {
		t.Fatal(err)
	}
	var square, moment float64
	for i, v := range p.Model.(gram.Regressor).Predict(nil, x) {
		square += (v - other.Value[i]) * (v - other.Value[i])
		moment += other.Value[i] * other.Value[i]
	}
	t.Logf("relative error %.3g", math.Sqrt(square/moment))
	if !(square < .1*moment) {
		t.Errorf("the error on other rows is %v of the values", math.Sqrt(square/moment))
	}
}
