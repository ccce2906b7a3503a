package reference_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// vectorTrees is what Algorithms 9 and 10 of [S16] make of dense residuals.
type vectorTrees struct {
	probe
	c       gbml.Config
	z       *mat.Dense // columns of the trees
	c0      *mat.Dense // residuals, n×L
	minRows int
}

// sums is Σc over rows, and ‖Σc‖²/(λ+|V|).
func (v *vectorTrees) sums(rows []int) (s []float64, worth float64) {
	_, l := v.c0.Dims()
	s = make([]float64, l)
	for _, i := range rows {
		for j := range s {
			s[j] += v.c0.At(i, j)
		}
	}
	for _, e := range s {
		worth += e * e
	}
	return s, worth / (v.c.Lambda.Value() + float64(len(rows)))
}

// sides cuts rows by a column.
func (v *vectorTrees) sides(rows []int, column int, threshold float64) (left, right []int) {
	for _, i := range rows {
		if v.z.At(i, column) <= threshold {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right
}

// best is the largest gain of all columns and thresholds, not below 0.
func (v *vectorTrees) best(rows []int) float64 {
	_, columns := v.z.Dims()
	_, whole := v.sums(rows)
	best := 0.0
	for j := range columns {
		for _, i := range rows {
			left, right := v.sides(rows, j, v.z.At(i, j))
			if len(left) < v.minRows || len(right) < v.minRows {
				continue
			}
			_, a := v.sums(left)
			_, b := v.sums(right)
			best = max(best, a+b-whole)
		}
	}
	return best
}

// walk holds a tree to the definition, node by node, and takes its leaves off the residuals.
func (v *vectorTrees) walk(nodes []gbml.Node, at int, rows []int, depth int) {
	v.Helper()
	n := nodes[at]
	best := 0.0
	if depth < v.c.Depth {
		best = v.best(rows)
	}
	if n.Left > 0 {
		left, right := v.sides(rows, n.Feature, n.Threshold)
		_, a := v.sums(left)
		_, b := v.sums(right)
		_, whole := v.sums(rows)
		v.near("the gain of a split", n.Gain, a+b-whole, whole)
		v.near("the gain of the best split", n.Gain, best, whole)
		if min(len(left), len(right)) < v.minRows {
			v.Fatalf("a leaf of %d rows", min(len(left), len(right)))
		}
		v.walk(nodes, n.Left, left, depth+1)
		v.walk(nodes, n.Right, right, depth+1)
		return
	}
	sum, worth := v.sums(rows)
	if !(best <= 1e-10*max(1, worth)) {
		v.Fatalf("a leaf of %d rows could gain %v", len(rows), best)
	}
	order := make([]int, 0, len(sum))
	for l, s := range sum {
		if math.Abs(s) > 1e-13 {
			order = append(order, l)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(sum[b]), math.Abs(sum[a])) })
	if kept := min(v.c.Keep, len(order)); len(n.Values) < kept || len(n.Values) > v.c.Keep {
		v.Fatalf("%d labels of a leaf, want %d", len(n.Values), kept)
	} else {
		for _, e := range n.Values {
			least := 0.0
			if kept > 0 {
				least = math.Abs(sum[order[kept-1]])
			}
			if !(math.Abs(sum[e.Label]) >= least-1e-12) {
				v.Fatalf("label %d with |Σc| %v is kept, the least of the %d largest is %v", e.Label, sum[e.Label], kept, least)
			}
			v.near("a leaf's value", e.Score, v.c.Shrinkage*sum[e.Label]/(v.c.Lambda.Value()+float64(len(rows))), 1)
		}
	}
	for _, i := range rows {
		for _, e := range n.Values {
			v.c0.Set(i, e.Label, v.c0.At(i, e.Label)-e.Score)
		}
	}
}

// near holds two numbers to 1e-10 of size.
func (v *vectorTrees) near(what string, got, want, size float64) {
	v.Helper()
	if !(math.Abs(got-want) <= 1e-10*max(1, size)) {
		v.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// GBML, [S16] Algorithms 9 and 10, against dense residuals and all splits.
func TestGBML(t *testing.T) {
	const n, d, l = 70, 3, 6
	x := probeNormal(1, n, d)
	tags := probeTags(2, x, l)
	residuals := probeNormal(3, n, l)
	w, bias := probeNormal(4, d, 2), []float64{.5, -1}
	for _, c := range []struct {
		name string
		c    gbml.Config
	}{
		{"Alg. 9, λ 5", gbml.Config{Given: gbml.Given{Columns: true}}},
		{"Alg. 9, λ 0", gbml.Config{Lambda: gram.Set(0.), Given: gbml.Given{Columns: true}}},
		{"Alg. 9, all labels kept", gbml.Config{Keep: l, Lambda: gram.Set(.5), Given: gbml.Given{Columns: true}}},
		{"Alg. 9, one label kept", gbml.Config{Keep: 1, Lambda: gram.Set(.5), Given: gbml.Given{Columns: true}}},
		{"Alg. 9, stumps", gbml.Config{Depth: 1, Lambda: gram.Set(1.), Given: gbml.Given{Columns: true}}},
		{"Alg. 9, leaves of 12 rows", gbml.Config{MinRows: 12, Lambda: gram.Set(1.), Given: gbml.Given{Columns: true}}},
		{"Alg. 10 as printed, without shrinkage", gbml.Config{Shrinkage: 1, Lambda: gram.Set(1.), Given: gbml.Given{Columns: true}}},
		{"Alg. 10, given projection", gbml.Config{Lambda: gram.Set(1.), Given: gbml.Given{W: w, Bias: bias}}},
		{"Alg. 10, given residuals", gbml.Config{Lambda: gram.Set(1.), Given: gbml.Given{Columns: true, Residuals: sparse.FromDense(residuals)}}},
		{"Alg. 10, LEML's projection", gbml.Config{Lambda: gram.Set(1.), Projection: leml.Config{Rank: 2, Lambda: gram.Set(1.)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.c.Trees, c.c.Bins = 3, 256
			c.c.Keep, c.c.Shrinkage, c.c.Depth, c.c.MinRows = cmp.Or(c.c.Keep, 3), cmp.Or(c.c.Shrinkage, .4), cmp.Or(c.c.Depth, 3), cmp.Or(c.c.MinRows, 4)
			if !c.c.Lambda.Given() {
				c.c.Lambda = gram.Set(5.)
			}
			m := fitted[*gbml.Model](t)(c.c.Fit(t.Context(), x, tags))
			v := &vectorTrees{probe: probe{t}, c: c.c, z: x, c0: tags.Dense(), minRows: c.c.MinRows}
			if r := c.c.Given.Residuals; r != nil {
				v.c0 = r.Dense()
			}
			if p, b := m.Projection(); p != nil {
				v.z = mat.NewDense(n, 2, nil)
				v.z.Mul(x, p)
				v.z.Apply(func(_, j int, e float64) float64 { return e + b[j] }, v.z)
			}
			start, all := mat.DenseCopyOf(v.c0), make([]int, n)
			for i := range all {
				all[i] = i
			}
			loss := m.Stats().Loss
			for tree := range 3 {
				v.near("‖Y−F‖²/n", loss[tree], probeSquares(v.c0)/n, loss[tree])
				v.walk(m.Tree(tree), 0, all, 0)
			}
			v.near("‖Y−F‖²/n", loss[3], probeSquares(v.c0)/n, loss[3])
			v.falls(loss)
			var f mat.Dense
			f.Sub(start, v.c0)
			scores := m.Scores(nil, x)
			v.ranked(m.Top(nil, x, 3), scores)
			scores.Apply(func(_, _ int, e float64) float64 { return max(e, -1e300) }, scores)
			f.Apply(func(i, j int, e float64) float64 {
				if scores.At(i, j) == -1e300 && e == 0 {
					return -1e300
				}
				return e
			}, &f)
			for i := range n {
				for j := range l {
					v.near("F(x)", scores.At(i, j), f.At(i, j), 1)
				}
			}
		})
	}
}

// FastXML: a node sends a row by the sign of w·x + b, and a leaf has the part of its rows with each
// label, whatever the separators are. They keep the numbers of a model in single precision.
func TestFastXML(t *testing.T) {
	const n, l, trees = 80, 5, 3
	x := probeNormal(1, n, 3)
	tags := probeTags(2, x, l)
	m := fitted[*fastxml.Model](t)(fastxml.Config{Trees: trees, Leaf: 8}.Fit(t.Context(), x, tags))
	scores := mat.NewDense(n, l, nil)
	splits := 0
	for tree := range trees {
		nodes := m.Tree(tree)
		rows := make([][]int, len(nodes))
		for i := range n {
			rows[0] = append(rows[0], i)
		}
		for at, node := range nodes {
			if node.Left == 0 {
				t.Run("the shares of a leaf", func(t *testing.T) {
					share := mat.NewDense(1, l, nil)
					for _, i := range rows[at] {
						for j := range l {
							share.Set(0, j, share.At(0, j)+tags.At(i, j)/float64(len(rows[at])))
						}
					}
					got := mat.NewDense(1, l, nil)
					for _, s := range node.Shares {
						got.Set(0, s.Label, s.Score)
					}
					if !mat.EqualApprox(got, share, 1e-7) {
						t.Errorf("shares %v, want %v", got.RawRowView(0), share.RawRowView(0))
					}
					for _, i := range rows[at] {
						for _, s := range node.Shares {
							scores.Set(i, s.Label, scores.At(i, s.Label)+s.Score/trees)
						}
					}
				})
				continue
			}
			splits++
			for _, i := range rows[at] {
				side := node.Bias
				for _, w := range node.Weights {
					side += w.Score * x.At(i, w.Label)
				}
				to := node.Left
				if side > 0 {
					to = node.Right
				}
				rows[to] = append(rows[to], i)
			}
		}
	}
	if splits < trees {
		t.Errorf("%d splits", splits)
	}
	t.Run("scores are the mean of the shares", func(t *testing.T) {
		got := m.Scores(nil, x)
		got.Apply(func(_, _ int, v float64) float64 { return max(0, v) }, got)
		if !mat.EqualApprox(got, scores, 1e-6) {
			t.Error("other scores")
		}
	})
}

// Trees and neighbors of a single leaf and a single cluster say how frequent labels are.
func TestRankersOfOnePart(t *testing.T) {
	const n = 40
	x := probeNormal(1, n, 3)
	tags := probeTags(2, x, 5)
	share := mat.NewDense(n, 5, nil)
	dense := tags.Dense()
	share.Apply(func(_, j int, _ float64) float64 { return mat.Sum(dense.ColView(j)) / n }, share)
	f := fitted[*fastxml.Model](t)(fastxml.Config{Trees: 1, Leaf: n}.Fit(t.Context(), x, tags))
	s := fitted[*sleec.Model](t)(sleec.Config{Learners: 1, Cluster: n, Rank: 3, K: n}.Fit(t.Context(), x, tags))
	for name, scores := range map[string]*mat.Dense{"FastXML, one leaf": f.Scores(nil, x), "SLEEC, n neighbors": s.Scores(nil, x)} {
		t.Run(name, func(t *testing.T) {
			var diff mat.Dense // shares are in single precision
			diff.Sub(scores, share)
			if v := mat.Norm(&diff, math.Inf(1)); !(v <= 1e-5) {
				t.Errorf("scores differ from the frequencies by %v", v)
			}
		})
	}
}

// P@k and nDCG@k by their definitions, from scores.
func TestRankingFigures(t *testing.T) {
	x := probeNormal(1, 30, 3)
	truth := probeTags(2, x, 8)
	scores := probeNormal(3, 30, 8)
	ks := []int{1, 3, 5}
	r := metric.NewRanking(ks, nil)
	top := metric.Top(scores, 5)
	r.Add(top, truth)
	for a, k := range ks {
		var precision, ndcg float64
		for i := range 30 {
			order := []int{0, 1, 2, 3, 4, 5, 6, 7}
			slices.SortFunc(order, func(p, q int) int { return cmp.Compare(scores.At(i, q), scores.At(i, p)) })
			own, _ := truth.Row(i)
			var dcg, ideal float64
			for place := range k {
				hit := truth.At(i, order[place])
				precision += hit / float64(k) / 30
				dcg += hit / math.Log2(float64(place)+2)
				if place < len(own) {
					ideal += 1 / math.Log2(float64(place)+2)
				}
			}
			if ideal > 0 {
				ndcg += dcg / ideal / 30
			}
		}
		t.Run("P@k", func(t *testing.T) {
			probe{t}.number("the precision", r.Precision()[a], precision)
			probe{t}.number("the precision", metric.PrecisionAt(ks, top, truth)[a], precision)
		})
		t.Run("nDCG@k", func(t *testing.T) { probe{t}.number("the gain", r.NDCG()[a], ndcg) })
	}
}
