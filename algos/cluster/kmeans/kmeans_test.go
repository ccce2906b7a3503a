package kmeans

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// blobs returns n rows around k well separated centers, and whose row is whose.
func blobs(seed uint64, n, d, k int, spread, offset float64) (*mat.Dense, []int) {
	r := rng.New(seed, 99)
	center := mat.NewDense(k, d, nil)
	for c := range k {
		for j := range d {
			center.Set(c, j, offset+10*r.NormFloat64())
		}
	}
	x, truth := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		truth[i] = i % k
		for j := range d {
			x.Set(i, j, center.At(truth[i], j)+spread*r.NormFloat64())
		}
	}
	return x, truth
}

// objectiveOf computes the objective from its definition.
func objectiveOf(x, centers mat.Matrix, label []int, w []float64) float64 {
	n, d := x.Dims()
	var s float64
	for i := range n {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		for j := range d {
			v := x.At(i, j) - centers.At(label[i], j)
			s += wi * v * v
		}
	}
	return s
}

// samePartition reports whether two labelings are equal up to names.
func samePartition(a, b []int) bool {
	to, from := map[int]int{}, map[int]int{}
	for i, v := range a {
		if t, ok := to[v]; ok && t != b[i] {
			return false
		}
		if t, ok := from[b[i]]; ok && t != v {
			return false
		}
		to[v], from[b[i]] = b[i], v
	}
	return true
}

func TestFindsSeparatedClusters(t *testing.T) {
	for _, offset := range []float64{0, 1e6} {
		x, truth := blobs(1, 300, 5, 6, 0.5, offset)
		for _, c := range []Config{
			{K: 6, Starts: 5},
			{K: 6, Starts: 5, Sample: 100},
			{K: 6, Starts: 5, Batch: 60},
			{K: 6, Starts: 5, Balance: 1},
		} {
			c.Seed = 7
			m := must.Have(c.Fit(context.Background(), x))(t)
			if !samePartition(m.Labels(), truth) {
				t.Errorf("%+v: not the clusters that are there; sizes %v", c, m.Stats().Sizes)
			}
			got, want := m.Stats().Objective, objectiveOf(x, m.Centers(), m.Labels(), nil)
			if !(math.Abs(got-want) <= 1e-6*want) {
				t.Errorf("%+v: objective %g, by definition %g", c, got, want)
			}
			if c.Balance == 0 && !slices.Equal(m.Assign(nil, x), m.Labels()) {
				t.Errorf("%+v: Assign differs from Labels", c)
			}
			// Sparse rows and other matrices give the same clusters.
			for _, y := range []mat.Matrix{sparse.FromDense(x), mat.Matrix(mat.Transpose{Matrix: mat.DenseCopyOf(x.T())})} {
				m2 := must.Have(c.Fit(context.Background(), y))(t)
				if !samePartition(m2.Labels(), truth) {
					t.Errorf("%+v: %T gives other clusters", c, y)
				}
			}
		}
	}
}

func TestObjectiveNeverIncreases(t *testing.T) {
	for seed := range uint64(5) {
		r := rng.New(seed, 1)
		x := mat.NewDense(500, 3, nil)
		w := make([]float64, 500)
		for i := range 500 {
			w[i] = float64(r.IntN(4))
			for j := range 3 {
				x.Set(i, j, 100+r.NormFloat64())
			}
		}
		for _, weights := range [][]float64{nil, w} {
			c := Config{K: 40, Tol: 1e-300, Run: gram.Run{Seed: seed}}
			m := must.Have(c.FitWeighted(context.Background(), x, weights))(t)
			tr := m.Stats().Trace
			if len(tr) < 3 {
				t.Fatalf("a trace of %d values", len(tr))
			}
			for i := 1; i < len(tr); i++ {
				if !(tr[i] <= tr[i-1]*(1+1e-12)) {
					t.Errorf("objective goes from %g to %g", tr[i-1], tr[i])
				}
			}
			if want := objectiveOf(x, m.Centers(), m.Labels(), weights); !(math.Abs(m.Stats().Objective-want) <= 1e-9*want) {
				t.Errorf("objective %g, by definition %g", m.Stats().Objective, want)
			}
			// A fixed point: every row is next to its center, every center is the mean.
			mean := mat.NewDense(40, 3, nil)
			total := make([]float64, 40)
			for i, k := range m.Labels() {
				wi := 1.0
				if weights != nil {
					wi = weights[i]
				}
				total[k] += wi
				for j := range 3 {
					mean.Set(k, j, mean.At(k, j)+wi*x.At(i, j))
				}
				for c := range 40 {
					if d0, d1 := rowDistance(x, i, m.Centers(), k), rowDistance(x, i, m.Centers(), c); !(d1 >= d0*(1-1e-9)) {
						t.Fatalf("row %d is in cluster %d at %g, cluster %d is at %g", i, k, d0, c, d1)
					}
				}
			}
			for k := range 40 {
				for j := range 3 {
					if total[k] > 0 && !(math.Abs(mean.At(k, j)/total[k]-m.Centers().At(k, j)) < 1e-9) {
						t.Fatalf("centre %d is not the mean of its rows", k)
					}
				}
			}
		}
	}
}

func rowDistance(x mat.Matrix, i int, c mat.Matrix, k int) float64 {
	_, d := x.Dims()
	var s float64
	for j := range d {
		v := x.At(i, j) - c.At(k, j)
		s += v * v
	}
	return s
}

func TestWeightsAreRepetitions(t *testing.T) {
	x, _ := blobs(3, 60, 2, 4, 3, 0)
	r := rng.New(4, 0)
	w := make([]float64, 60)
	var rep []int
	for i := range w {
		w[i] = float64(r.IntN(4))
		for range int(w[i]) {
			rep = append(rep, i)
		}
	}
	long := mat.NewDense(len(rep), 2, nil)
	for k, i := range rep {
		long.SetRow(k, x.RawRowView(i))
	}
	best := func(m *Model, err error) float64 {
		if err != nil {
			t.Fatal(err)
		}
		return m.Stats().Objective
	}
	c := Config{K: 4, Starts: 20, Tol: 1e-300}
	a, b := best(c.FitWeighted(context.Background(), x, w)), best(c.Fit(context.Background(), long))
	if !(math.Abs(a-b) <= 1e-9*a) {
		t.Errorf("objective %g with weights, %g with repeated rows", a, b)
	}
}

func TestEmptyClustersAreReseeded(t *testing.T) {
	// 50 copies of one row and 7 others: seeding by chance, as mini-batches do
	// at first, leaves clusters empty.
	x := mat.NewDense(57, 1, nil)
	for i := range 7 {
		x.Set(50+i, 0, float64(1+i))
	}
	for _, c := range []Config{{K: 8}, {K: 8, Batch: 4, MaxIter: 3}, {K: 8, Sample: 30}} {
		for seed := range uint64(10) {
			c.Seed = seed
			m := must.Have(c.Fit(context.Background(), x))(t)
			if c.Sample == 0 && m.Stats().Objective > 1e-12 {
				t.Errorf("%+v: objective %g with as many clusters as different rows", c, m.Stats().Objective)
			}
		}
	}
	// More clusters than different rows: some stay empty, nothing breaks.
	m := must.Have(Config{K: 20}.Fit(context.Background(), x))(t)
	if !(m.Stats().Objective <= 1e-12) {
		t.Errorf("objective %g", m.Stats().Objective)
	}
}

func TestBalanceLimitsSizes(t *testing.T) {
	x, _ := blobs(5, 500, 3, 3, 1, 0)
	for _, b := range []float64{1, 1.2, 2} {
		for _, sampled := range []int{0, 100} {
			m := must.Have(Config{K: 7, Balance: b, Sample: sampled}.Fit(context.Background(), x))(t)
			limit := int(math.Ceil(b * 500 / 7))
			if s := m.Stats().Sizes; slices.Max(s) > limit || sum(s) != 500 {
				t.Errorf("balance %g: sizes %v, limit %d", b, s, limit)
			}
		}
	}
}

func sum(a []int) (s int) {
	for _, v := range a {
		s += v
	}
	return s
}

func TestSameForAnyNumberOfWorkers(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 1200 // more than one block of rows
	}
	x, _ := blobs(6, n, 4, 5, 4, 0)
	for _, c := range []Config{{K: 20, Starts: 2}, {K: 20, Batch: 300}, {K: 20, Balance: 1.1}, {K: 20, Sample: 900}} {
		var first *Model
		for _, workers := range []int{1, 2, 7} {
			c.Workers = workers
			m := must.Have(c.Fit(context.Background(), x))(t)
			if first == nil {
				first = m
			}
			if !mat.Equal(m.Centers(), first.Centers()) || !slices.Equal(m.Labels(), first.Labels()) {
				t.Errorf("%+v: other bits with %d workers", c, workers)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	x, _ := blobs(7, 20, 2, 2, 1, 0)
	var ce *gram.ConfigError
	for _, c := range []Config{{K: 21}, {K: -1}, {K: 2, Balance: 0.5}, {K: 2, Starts: -1}, {K: 2, Tol: math.NaN()}, {K: 5, Sample: 4}} {
		if _, err := c.Fit(context.Background(), x); !errors.As(err, &ce) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	var me *gram.MemoryError
	if _, err := (Config{K: 3, Run: gram.Run{MemoryLimit: 100}}).Fit(context.Background(), x); !errors.As(err, &me) {
		t.Errorf("error %v under a limit of 100 bytes", err)
	}
	if m, err := (Config{}).Fit(context.Background(), x); err != nil || m.Config().K != 8 {
		t.Errorf("the zero Config is not usable: %v", err)
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.NaN())
	var de *gram.DataError
	if _, err := (Config{K: 2}).Fit(context.Background(), bad); !errors.As(err, &de) || de.Row != 3 || de.Col != 1 {
		t.Errorf("error %v for NaN", err)
	}
	m := must.Have(Config{K: 2}.Fit(context.Background(), x))(t)
	if a := m.Assign(nil, bad); a[3] != -1 || a[2] < 0 {
		t.Errorf("a row with NaN is assigned to %d", a[3])
	}
}

// Seeding that skips rows draws the rows that plain k-means++ draws, and takes of several the one that lowers the objective most.
func TestSeedingSkipsNothingThatMatters(t *testing.T) {
	const n, k = 300, 25
	x, _ := blobs(8, n, 3, 10, 2, 0)
	for seed := range uint64(5) {
		candidates := 1 + int(seed)%3
		p := must.Have(newPoints(context.Background(), gram.Of(x), nil, 0))(t)
		e := must.Have(p.plusPlus(context.Background(), k, candidates, rng.New(seed, 0)))(t)
		r := rng.New(seed, 0)
		mass := slices.Repeat([]float64{1}, n)
		dist := slices.Repeat([]float64{math.Inf(1)}, n)
		for c := range k {
			at, least := clusters.Draw(mass, r), math.Inf(1)
			rival := at
			for again := 0; again < candidates && c > 0; again++ {
				if again > 0 {
					rival = clusters.Draw(mass, r)
				}
				var sum float64
				for i := range n {
					sum += min(dist[i], rowDistance(x, i, x, rival))
				}
				if sum < least*(1-1e-12) {
					at, least = rival, sum
				}
			}
			for j, v := range e.RawRowView(c) {
				if !(math.Abs(v+p.mean[j]-x.At(at, j)) < 1e-9) {
					t.Fatalf("seed %d: centre %d is not row %d", seed, c, at)
				}
			}
			for i := range n {
				dist[i] = min(dist[i], rowDistance(x, i, x, at))
				mass[i] = dist[i]
			}
		}
	}
}

func TestFillEmpty(t *testing.T) {
	x, _ := blobs(9, 50, 2, 5, 1, 0)
	p := must.Have(newPoints(context.Background(), gram.Of(x), nil, 0))(t)
	c := must.Have(settings.Resolved(Config{K: 4}, gram.Shape{N: 50}))(t)
	// Three of the four centers are far from all rows.
	q := &clustering{e: mat.NewDense(4, 2, []float64{0, 0, 1e6, 0, 0, 1e6, 1e6, 1e6}), label: make([]int, 50), dist: make([]float64, 50)}
	must.Do(t, c.assign(context.Background(), p, q))
	before := q.objective
	must.Do(t, p.fillEmpty(context.Background(), c, q))
	if s := clusters.Sizes(q.label, 4); slices.Contains(s, 0) || !(q.objective < before) || q.reseeded < 3 {
		t.Errorf("sizes %v, objective %g after %g", s, q.objective, before)
	}
}
