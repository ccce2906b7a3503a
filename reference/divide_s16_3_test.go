package reference_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// labels is a column of numbers of parts.
func labels(l []int) *mat.Dense {
	v := make([]float64, len(l))
	for i, a := range l {
		v[i] = float64(a)
	}
	return column(v)
}

// Lloyd's steps, trees and kernel k-means: what a partition sends where.
func TestClusters(t *testing.T) {
	x, label := groups(51, 18, 2, 3)
	z := normal(52, 9, 2, 2)
	centers := meansOf(x, label, 3)
	near := func(x *mat.Dense) []int {
		n, _ := x.Dims()
		at := make([]int, n)
		for i := range at {
			at[i] = nearestOf(x.RawRowView(i), centers)
		}
		return at
	}
	m := kmeans.NewModel(centers)
	agree(t, "[Lloyd82] the nearest center", labels(m.Assign(nil, z)), labels(near(z)))
	distances := mat.NewDense(9, 3, nil)
	for i := range 9 {
		for c := range 3 {
			distances.Set(i, c, square(z.RawRowView(i), centers.RawRowView(c)))
		}
	}
	agree(t, "[Lloyd82] ‖x−c‖²", m.Distances(nil, z), distances)
	fitted := must.Have(kmeans.Config{K: 3, Tol: 1e-15}.Fit(t.Context(), x))(t)
	agree(t, "[Lloyd82] the centers are the means of their rows", fitted.Centers(), meansOf(x, fitted.Labels(), 3))
	var objective float64
	for i, l := range fitted.Labels() {
		objective += square(x.RawRowView(i), fitted.Centers().RawRowView(l))
	}
	agree(t, "[Lloyd82] Σ‖x_i−c_{a(i)}‖²", scalar(fitted.Stats().Objective), scalar(objective))

	// Two levels: the root's children 1 and 2, of which 1 has the children 3 and 4.
	nodes := normal(53, 5, 2, 2)
	tree := must.Have(kmeans.NewTree(2, []int{1, 3, 0, 0, 0}, nodes))(t)
	walk := make([]int, 9)
	for i := range walk {
		v := z.RawRowView(i)
		if nearestOf(v, pick(nodes, []int{1, 2})) == 1 {
			walk[i] = 0 // leaves are counted in the order of the nodes
		} else {
			walk[i] = 1 + nearestOf(v, pick(nodes, []int{3, 4}))
		}
	}
	agree(t, "[S16] Algorithm 4, down a tree of centers", labels(tree.Assign(nil, z)), labels(walk))

	// ‖φ(x) − mean of φ over a cluster‖².
	k := kernel.Gaussian{Gamma: 0.2}
	kk := must.Have(kernelkmeans.Config{Kernel: k, K: 3}.Fit(t.Context(), x))(t)
	g, c := gramMatrix(k, x, x), gramMatrix(k, z, x)
	for i := range 9 {
		for s, of := range members(kk.Labels(), 3) {
			v := 1.0
			for _, a := range of {
				v -= 2 * c.At(i, a) / float64(len(of))
				for _, b := range of {
					v += g.At(a, b) / float64(len(of)*len(of))
				}
			}
			distances.Set(i, s, v)
		}
	}
	agree(t, "[DGK04] distances from the means in the kernel's space", kk.Distances(nil, z), distances)
}

// [S16] (3.9): the dual of a support vector machine with G̃ falls apart into clusters.
func TestClusterMachines(t *testing.T) {
	const n, parts = 24, 3
	x, label := groups(61, n, 2, parts)
	z := normal(62, 8, 2, 2)
	y, s := signs(target(63, x))
	for i, l := range label { // the last cluster has one class
		if l == 2 {
			y.Class[i], s[i] = 1, 1
		}
	}
	k := kernel.Gaussian{Gamma: 0.5}
	const c = 3.0
	machine := svm.Config{Kernel: k, C: c, Tol: 1e-11, Double: true}
	for _, way := range []struct {
		name          string
		noBias, whole bool
	}{
		{"[S16] (3.9) with a constant", false, false}, {"[S16] (3.9) without a constant", true, false}, {"[S16] (3.8) all coefficients together", true, true},
	} {
		machine.NoBias = way.noBias
		m, err := bka.SVM{Machine: machine, Partition: bka.Partition{Given: kmeans.Partition{Labels: label}}, Whole: way.whole}.Fit(t.Context(), x, y, nil)
		if err != nil {
			t.Fatal(way.name, err)
		}
		centers := meansOf(x, label, parts)
		var objective float64
		scores, beta := mat.NewDense(8, 1, nil), mat.NewDense(n, 1, nil)
		for l, of := range members(label, parts) {
			own := pick(x, of)
			target := pickOf(s, of)
			low, high := make([]float64, len(of)), make([]float64, len(of))
			for i, v := range target {
				low[i], high[i] = min(0, c*v), max(0, c*v)
			}
			b, value, bias := dualOf(gramMatrix(k, own, own), target, low, high, 0, !way.noBias)
			objective += value
			for i, v := range b {
				beta.Set(of[i], 0, v)
			}
			f := times(gramMatrix(k, z, own), column(b))
			for i := range 8 {
				if nearestOf(z.RawRowView(i), centers) == l {
					scores.Set(i, 0, f.At(i, 0)+bias)
					if l == 2 && !way.noBias {
						scores.Set(i, 0, 1) // one class: the constant says it
					}
				}
			}
		}
		agree(t, way.name+", sum of the duals", scalar(m.Stats().Objective), scalar(objective))
		if way.whole {
			scores = times(gramMatrix(k, z, x), beta)
		}
		agree(t, way.name+", values of new rows", m.Scores(nil, z), scores)
	}
}

// [HSD14] Algorithm 1, DC-SVM: clusters of each level, then the whole problem.
func TestDivideAndConquerMachine(t *testing.T) {
	const n = 24
	x, low := groups(64, n, 2, 4)
	y, s := signs(target(65, x))
	k := kernel.Gaussian{Gamma: 0.4}
	const c = 2.0
	high := make([]int, n) // clusters 0 and 1, and 2 and 3
	for i, l := range low {
		high[i] = l / 2
	}
	solved := func(of []int, noBias bool) (beta []float64, value, bias float64) {
		own, target := pick(x, of), pickOf(s, of)
		lo, hi := make([]float64, len(of)), make([]float64, len(of))
		for i, v := range target {
			lo[i], hi[i] = min(0, c*v), max(0, c*v)
		}
		return dualOf(gramMatrix(k, own, own), target, lo, hi, 0, !noBias)
	}
	for _, noBias := range []bool{false, true} {
		name := fmt.Sprintf("[HSD14] Algorithm 1, no bias %v", noBias)
		m, stats, err := dcsvm.Config{Machine: svm.Config{Kernel: k, C: c, Tol: 1e-11, Double: true, NoBias: noBias}, LevelTol: 1e-11,
			Given: []kmeans.Partition{{Labels: low}, {Labels: high}}}.Fit(t.Context(), x, y, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		for level, label := range [][]int{low, high} {
			var sum float64
			for _, of := range members(label, []int{4, 2}[level]) {
				_, value, _ := solved(of, noBias)
				sum += value
			}
			agree(t, fmt.Sprintf("%s, duals of level %d", name, level+1), scalar(stats.Levels[level].Objective), scalar(sum))
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		beta, value, bias := solved(all, noBias)
		agree(t, name+", the dual of all rows", scalar(stats.Levels[len(stats.Levels)-1].Objective), scalar(value))
		z := normal(66, 6, 2, 2)
		f := times(gramMatrix(k, z, x), column(beta))
		for i := range 6 {
			f.Set(i, 0, f.At(i, 0)+bias)
		}
		agree(t, name+", values of new rows", m.Scores(nil, z), f)
	}
}

// [S16] §3.3: kernel ridge regression of each part.
func TestDividedRidge(t *testing.T) {
	const n, parts = 22, 3
	x, label := groups(71, n, 2, parts)
	y := target(72, x)
	z := normal(73, 9, 2, 2)
	k := kernel.Gaussian{Gamma: 0.3}
	const lambda = 0.05
	w := make([]float64, n)
	r := rand.New(rand.NewPCG(74, 0))
	for i := range w {
		w[i] = 0.5 + r.Float64()
	}
	centers := meansOf(x, label, parts)
	router := normal(75, 4, 2, 2)
	routed := make([]int, n)
	for i := range routed {
		routed[i] = nearestOf(x.RawRowView(i), router)
	}
	// local is f_i at the rows of z for every part, 9×parts.
	local := func(label []int, parts int, w []float64, lambda func(rows int) float64, bias bool) *mat.Dense {
		f := mat.NewDense(9, parts, nil)
		for l, of := range members(label, parts) {
			if len(of) == 0 {
				continue
			}
			var weight []float64
			if w != nil {
				weight = pickOf(w, of)
			}
			own := pick(x, of)
			v := ridgeOf(gramMatrix(k, own, own), pickOf(y, of), weight, lambda(len(of)), bias, gramMatrix(k, z, own))
			f.SetCol(l, v.RawMatrix().Data)
		}
		return f
	}
	// A cluster without rows has no function: rows go to the nearest that has one.
	used := mat.DenseCopyOf(router)
	for c, of := range members(routed, 4) {
		if len(of) == 0 {
			used.SetRow(c, constant(2, math.Inf(1)))
		}
	}
	nearest := func(f, centers *mat.Dense) *mat.Dense {
		v := mat.NewDense(9, 1, nil)
		for i := range 9 {
			v.Set(i, 0, f.At(i, nearestOf(z.RawRowView(i), centers)))
		}
		return v
	}
	total := func(int) float64 { return lambda }
	perRow := func(rows int) float64 { return lambda * float64(rows) }
	config := krr.Config{Kernel: k, Lambda: gram.Set(lambda), NoBias: true}
	for _, c := range []struct {
		name string
		c    dckrr.Config
		w    []float64
		want *mat.Dense
	}{
		{"[S16] §3.3 (G_i+λI)α_i = y_i, given labels", dckrr.Config{Local: config, Given: kmeans.Partition{Labels: label}}, nil, nearest(local(label, parts, nil, total, false), centers)},
		{"[S16] §3.3 (G_i+n_iλI)α_i = y_i", dckrr.Config{Local: krr.Config{Kernel: k, Lambda: gram.Set(lambda), Penalty: solve.PerRow, NoBias: true}, Given: kmeans.Partition{Labels: label}}, nil, nearest(local(label, parts, nil, perRow, false), centers)},
		{"[S16] §3.3 with constants and weights", dckrr.Config{Local: krr.Config{Kernel: k, Lambda: gram.Set(lambda)}, Given: kmeans.Partition{Labels: label}}, w, nearest(local(label, parts, w, total, true), centers)},
		{"[S16] §3.3 given centers", dckrr.Config{Local: config, Given: kmeans.Partition{Router: kmeans.NewModel(router)}}, nil, nearest(local(routed, 4, nil, total, false), used)},
		{"[S16] §3.3 labels and other centers", dckrr.Config{Local: config, Given: kmeans.Partition{Labels: label, Router: kmeans.NewModel(pick(router, []int{0, 1, 2}))}}, nil, nearest(local(label, parts, nil, total, false), pick(router, []int{0, 1, 2}))},
	} {
		m, err := c.c.FitAll(t.Context(), x, column(y), c.w)
		if err != nil {
			t.Fatal(c.name, err)
		}
		agree(t, c.name, m.PredictAll(nil, z), c.want)
	}

	m := must.Have(dckrr.Config{Local: config, Given: kmeans.Partition{Labels: label}, Soft: 2}.Fit(t.Context(), x, y, nil))(t)
	// 1/d⁸ − 1/D⁸ for the two nearest parts, D the distance of the third.
	f, want := local(label, parts, nil, total, false), mat.NewDense(9, 1, nil)
	for i := range 9 {
		d := make([]float64, parts)
		far := 0
		for s := range d {
			if d[s] = math.Pow(square(z.RawRowView(i), centers.RawRowView(s)), 4); d[s] > d[far] {
				far = s
			}
		}
		var over, under float64
		for s := range d {
			if s != far {
				over += (1/d[s] - 1/d[far]) * f.At(i, s)
				under += 1/d[s] - 1/d[far]
			}
		}
		want.Set(i, 0, over/under)
	}
	agree(t, "1/d⁸ − 1/D⁸ of two parts", m.PredictAll(nil, z), want)

	for _, by := range []dckrr.Partition{dckrr.KMeans, dckrr.KernelKMeans, dckrr.Voronoi} {
		m := must.Have(dckrr.Config{Local: config, Partition: by, Parts: 3}.Fit(t.Context(), x, y, nil))(t)
		given := m.Given()
		f := local(given.Labels, given.Parts(), nil, total, false)
		want := mat.NewDense(9, 1, nil)
		for i, l := range given.Router.Assign(nil, z) {
			want.Set(i, 0, f.At(i, l))
		}
		name := map[dckrr.Partition]string{dckrr.KMeans: "[S16] §3.3 DC-KRR", dckrr.KernelKMeans: "[S16] §3.3 DC-KRR, kernel k-means", dckrr.Voronoi: "[EC16] VP-KRR"}[by]
		agree(t, name+", by the partition that is shown", m.PredictAll(nil, z), want)
	}

	random := dckrr.Random{Local: config, Given: kmeans.Partition{Labels: label}}
	mean := func(label []int) *mat.Dense {
		f := local(label, parts, nil, total, false)
		return times(f, column(constant(parts, 1./parts)))
	}
	whole := must.Have(random.Fit(t.Context(), x, y, nil))(t)
	agree(t, "[ZDW13] the mean over given parts", whole.PredictAll(nil, z), mean(label))
	random = dckrr.Random{Local: config, Parts: parts, Run: gram.Run{Seed: 5}}
	whole = must.Have(random.Fit(t.Context(), x, y, nil))(t)
	agree(t, "[ZDW13] the mean over parts that are dealt out", whole.PredictAll(nil, z), mean(random.Deal(n)))
}

// [S16] §3.3.4: S(λ) = Σ μ/(μ+λ) and g(λ) = Σ_i S_i(λ)/S(λ).
func TestGoodness(t *testing.T) {
	x, label := groups(81, 17, 2, 3)
	k := kernel.Gaussian{Gamma: 0.2}
	grid := []float64{1e-4, 1e-2, 1}
	dimension := func(x *mat.Dense, lambda float64) (s float64) {
		n, _ := x.Dims()
		spectral(gramMatrix(k, x, x), func(_ int, v float64) float64 {
			if v > 0 {
				s += v / (v + float64(n)*lambda)
			}
			return v
		})
		return s
	}
	got := must.Have(krr.Goodness(t.Context(), k, x, label, grid, gram.Run{}))(t)
	for q, lambda := range grid {
		var parts float64
		for _, of := range members(label, 3) {
			parts += dimension(pick(x, of), lambda)
		}
		agree(t, fmt.Sprintf("[S16] §3.3.4 g(%g)", lambda), scalar(got[q]), scalar(parts/dimension(x, lambda)))
	}
	agree(t, "[S16] §3.3.4 S(λ)", scalar(krr.EffectiveDimension([]float64{2, 0.5, 0}, 0.5)), scalar(2/2.5+0.5/1))
}

// [S16] Algorithm 4, DC-Pred++: the last step is ridge regression on G̃ = C̄W̄C̄ᵀ in a leaf.
func TestFastPrediction(t *testing.T) {
	const n, parts = 30, 2
	x, label := groups(91, n, 2, parts)
	y := target(92, x)
	z := normal(93, 7, 2, 1.5)
	k := kernel.Gaussian{Gamma: 0.3}
	const lambda = 0.1
	for _, kind := range []pseudo.Kind{pseudo.Products, pseudo.Lower, pseudo.Upper, pseudo.Mid} {
		m := must.Have(dcpred.Config{Kernel: k, Lambda: gram.Set(lambda), M: 3, P: 2, Kind: kind, Given: kmeans.Partition{Labels: label}}.FitValues(t.Context(), x, y, nil))(t)
		centers, want := meansOf(x, label, parts), mat.NewDense(7, 1, nil)
		for l, of := range members(label, parts) {
			own := pick(x, of)
			leaf := m.Machine().Leaf(l)
			cbar, at := leaf.Columns.Map(nil, own), leaf.Columns.Map(nil, z)
			inverse := pseudoInverse(cbar, 1e-12)
			core := times(inverse, gramMatrix(k, own, own), inverse.T())
			f := ridgeOf(times(cbar, core, cbar.T()), pickOf(y, of), nil, lambda, true, times(at, core, cbar.T()))
			low, high := math.Inf(1), math.Inf(-1)
			for _, i := range of {
				low, high = min(low, y[i]), max(high, y[i])
			}
			for i := range 7 {
				if nearestOf(z.RawRowView(i), centers) == l {
					want.Set(i, 0, min(high+(high-low)/10, max(low-(high-low)/10, f.At(i, 0))))
				}
			}
		}
		agree(t, fmt.Sprintf("[S16] Algorithm 4, %v", kind), column(m.Predict(nil, z)), want)
	}
}
