package fastxml

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
)

// generated returns sparse rows whose labels follow from their columns.
func generated(n, d, labels int, seed uint64) (x, y *sparse.CSR) {
	r := rng.New(seed, 0)
	x = &sparse.CSR{N: n, D: d, Ptr: make([]int, n+1)}
	y = &sparse.CSR{N: n, D: labels, Ptr: make([]int, n+1)}
	for i := range n {
		topic := r.IntN(labels)
		in := map[int32]bool{int32(topic % d): true}
		for range 3 {
			in[int32(r.IntN(d))] = true
		}
		has := map[int32]bool{int32(topic): true, int32((topic * 7) % labels): true}
		for j := range int32(d) {
			if in[j] {
				x.Col, x.Val = append(x.Col, j), append(x.Val, 0.5+r.Float64())
			}
		}
		for l := range int32(labels) {
			if has[l] {
				y.Col = append(y.Col, l)
			}
		}
		x.Ptr[i+1], y.Ptr[i+1] = len(x.Col), len(y.Col)
	}
	return x, y
}

// The mean nDCG never falls while sides and rankings alternate, and the rankings
// at the end are those that the definition gives for the sides.
func TestRankSides(t *testing.T) {
	x, y := generated(200, 12, 20, 1)
	c, _ := settings.Resolved(Config{}, gram.Shape{})
	rows := make([]int32, x.N)
	for i := range rows {
		rows[i] = int32(i)
	}
	for seed := range uint64(20) {
		g := newGrower(context.Background(), c, x, y)
		g.r = rng.New(seed, 0)
		side := make([]float64, x.N)
		g.drawSides(side)
		history := g.rankSides(rows, side, nil)
		for k := 1; k < len(history); k++ {
			if !(history[k] >= history[k-1]-1e-9) {
				t.Fatalf("seed %d: %v falls", seed, history)
			}
		}
		var got float64
		g.sums(rows, side)
		for p := range rows {
			label, _ := y.Row(p)
			s := 0
			if side[p] > 0 {
				s = 1
			}
			for _, l := range label {
				got += g.ideal[len(label)] * g.rank[s].value[l]
			}
		}
		want := meanNDCG(y, side)
		if !(math.Abs(got-want) <= 1e-9*want) || want < history[len(history)-1]-1e-9 {
			t.Fatalf("seed %d: sum of nDCG %v, by definition %v, last round %v", seed, got, want, history)
		}
	}
}

// Every round lowers ‖w‖₁ + C·Σ(logistic loss − nDCG), the objective of a node, by the
// definition of its terms; and the trees of several rounds are others than those of one.
func TestRounds(t *testing.T) {
	x, y := generated(200, 12, 20, 1)
	c, _ := settings.Resolved(Config{C: 2}, gram.Shape{})
	rows := make([]int32, x.N)
	for i := range rows {
		rows[i] = int32(i)
	}
	moved := 0
	for seed := range uint64(10) {
		g := newGrower(t.Context(), c, x, y)
		g.r = rng.New(seed, 0)
		side := make([]float64, x.N)
		g.drawSides(side)
		g.rankSides(rows, side, nil)
		last := math.Inf(1)
		for range 5 {
			w, bias := must.Have2(g.separate(rows, side, g.c.C))(t)
			value := math.Abs(float64(bias)) - c.C*meanNDCG(y, side)
			for _, v := range w {
				value += math.Abs(float64(v.value))
			}
			dense := x.Dense()
			for i := range rows {
				product := float64(bias)
				for _, v := range w {
					product += float64(v.value) * dense.At(i, int(v.column))
				}
				value += c.C * math.Log1p(math.Exp(-side[i]*product))
			}
			// w is the minimizer up to the tolerance of the descent.
			if !(value <= last+1e-2*math.Abs(last)) {
				t.Fatalf("seed %d: the objective rises from %v to %v", seed, last, value)
			}
			last = value
			if !g.moveSides(rows, side, w, bias) {
				break
			}
			moved++
		}
	}
	if moved == 0 {
		t.Error("no row moved")
	}
	one := must.Have(Config{Trees: 3}.Fit(t.Context(), x, y))(t)
	several := must.Have(Config{Trees: 3, Rounds: 3}.Fit(t.Context(), x, y))(t)
	if reflect.DeepEqual(one.forest, several.forest) {
		t.Error("three rounds make the trees of one")
	}
}

// meanNDCG is the sum of nDCG with the best ranking of each side, from the
// definition.
func meanNDCG(y *sparse.CSR, side []float64) float64 {
	discount := func(place int) float64 { return 1 / math.Log2(float64(place)+1) } // 1, 2, …
	ideal := func(k int) (s float64) {
		for p := 1; p <= k; p++ {
			s += discount(p)
		}
		return s
	}
	total := 0.0
	for _, s := range []float64{-1, 1} {
		vote := make([]float64, y.D)
		for i := range y.N {
			label, _ := y.Row(i)
			for _, l := range label {
				if side[i] == s {
					vote[l] += 1 / ideal(len(label))
				}
			}
		}
		for i := range y.N {
			if side[i] != s {
				continue
			}
			label, _ := y.Row(i)
			for _, l := range label {
				place := 1
				for m, v := range vote {
					if v > vote[l] || v == vote[l] && m < int(l) {
						place++
					}
				}
				total += discount(place) / ideal(len(label))
			}
		}
	}
	return total
}

// The w of a node meets the optimality conditions of the L1 problem to the
// tolerance, and its objective is that of proximal gradient steps run to the end.
func TestSeparate(t *testing.T) {
	algotest.Serial(t)
	x, y := generated(60, 9, 5, 2)
	c, _ := settings.Resolved(Config{C: 0.7}, gram.Shape{})
	g := newGrower(context.Background(), c, x, y)
	r := rng.New(3, 0)
	rows := make([]int32, x.N)
	side := make([]float64, x.N)
	for i := range rows {
		rows[i], side[i] = int32(i), 1
		if x.At(i, 0)+0.5*r.NormFloat64() < 0.2 {
			side[i] = -1
		}
	}
	g.columns.gather(x, rows)
	p := problem{columns: &g.columns, side: side, c: c.C}
	w := must.Have(p.solve(context.Background().Err))(t)
	value := func(w []float64) (f float64, grad []float64) {
		grad = make([]float64, len(w))
		for i := range rows {
			s := w[len(w)-1]
			for k, j := range g.columns.names {
				s += w[k] * x.At(i, int(j))
			}
			f += c.C * math.Log1p(math.Exp(-side[i]*s))
			u := -c.C * side[i] / (1 + math.Exp(side[i]*s))
			for k, j := range g.columns.names {
				grad[k] += u * x.At(i, int(j))
			}
			grad[len(w)-1] += u
		}
		for _, v := range w {
			f += math.Abs(v)
		}
		return f, grad
	}
	got, grad := value(w)
	_, zero := value(make([]float64, len(w)))
	var have, first float64
	for j := range w {
		have += violation(w[j], grad[j])
		first += violation(0, zero[j])
	}
	if !(have <= 0.011*first) {
		t.Errorf("violations %v, at zero %v", have, first)
	}
	best := make([]float64, len(w))
	for range 20000 {
		_, grad := value(best)
		for j := range best {
			v := best[j] - 0.02*grad[j]
			best[j] = math.Copysign(max(0, math.Abs(v)-0.02), v)
		}
	}
	want, _ := value(best)
	if !(math.Abs(got-want) <= 1e-3*want) {
		t.Errorf("objective %v, proximal gradient %v", got, want)
	}
	if nonzero := len(slices.DeleteFunc(slices.Clone(w), func(v float64) bool { return v == 0 })); nonzero == 0 || nonzero == len(w) {
		t.Errorf("%d of %d weights are not zero", nonzero, len(w))
	}
}

// Every training row ends in the leaf it was put into, and the leaves hold the
// shares of their rows.
func TestLeaves(t *testing.T) {
	x, y := generated(300, 30, 40, 4)
	m := must.Have(Config{Trees: 3, Leaf: 8, Run: gram.Run{Seed: 5}}.Fit(context.Background(), x, y))(t)
	z := make([]float32, x.D)
	f := &m.forest
	leaves := m.Leaves(x)
	for tree, root := range f.roots {
		nodes := m.Tree(tree)
		members := map[int32][]int{}
		for i := range x.N {
			for j := range z {
				z[j] = float32(x.At(i, j))
			}
			e := ^f.child[f.walk(root, z)]
			if n := nodes[leaves[i][tree]]; n.Left != 0 || !reflect.DeepEqual(n.Shares, listed(f.label[f.ptr[e]:f.ptr[e+1]], f.share[f.ptr[e]:f.ptr[e+1]])) {
				t.Fatalf("row %d is not in leaf %d of tree %d", i, leaves[i][tree], tree)
			}
			members[e] = append(members[e], i)
		}
		if len(members) < 300/8/4 {
			t.Fatalf("%d leaves", len(members))
		}
		for e, rows := range members {
			for q := f.ptr[e]; q < f.ptr[e+1]; q++ {
				var have float64
				for _, i := range rows {
					if y.At(i, int(f.label[q])) != 0 {
						have++
					}
				}
				if want := float32(have / float64(len(rows))); f.share[q] != want {
					t.Fatalf("leaf %d, label %d: share %v, want %v", e, f.label[q], f.share[q], want)
				}
			}
		}
	}
	hits := 0
	for i, list := range m.Top(nil, x, 1) {
		if len(list) > 0 && y.At(i, list[0].Label) != 0 {
			hits++
		}
	}
	if hits < 200 {
		t.Errorf("%d of 300 first labels are right", hits)
	}
}

func TestFewerTrees(t *testing.T) {
	x, y := generated(100, 10, 8, 6)
	fit := func(trees int) *Model {
		m := must.Have(Config{Trees: trees}.Fit(context.Background(), x, y))(t)
		return m
	}
	a, b := fit(7).First(4), fit(4)
	if !reflect.DeepEqual(a.forest, b.forest) {
		t.Error("the first trees are not those of a smaller fit, or more is kept than they need")
	}
	if s := a.Stats(); s.Trees != 4 || s.Leaves != b.Stats().Leaves || s.Weights != b.Stats().Weights {
		t.Errorf("sizes %+v, want those of %+v", s, b.Stats())
	}
	for _, trees := range []int{-1, 5} {
		if p := must.Recovered(func() { a.First(trees) }); p != "fastxml: the model does not have so many trees" {
			t.Errorf("the first %d trees of 4: panic %v", trees, p)
		}
	}
	if none := a.First(0); len(none.Top(nil, x, 5)[0]) != 0 || len(none.forest.child) != 0 {
		t.Error("no trees are not empty")
	}
	got, want := a.Top(nil, x, 5), b.Top(nil, x, 5)
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("row %d: %v, want %v", i, got[i], want[i])
		}
	}
}

func TestContract(t *testing.T) {
	at := func(run gram.Run) Config { return Config{Trees: 6, Leaf: 4, Run: run} }
	wrap := algotest.Ranking[*Model](0)
	algotest.Check(t, algotest.Subject{
		Kind: algotest.MultiLabel,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return wrap(at(run).Fit(ctx, d.X, d.Tags))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return wrap(Decode(f)) },
		Golden:   "fastxml.v1.gram",
		DenseNaN: true,
		Kept:     8, // trees may grow larger
		Random:   []string{"seed"},
		Memory:   gram.Shape{N: 5_000, D: 8, Outputs: 5},
	})
}

// On these rows no leaf has more than Leaf, unless they are equal, also where the loss has so little weight that most nodes
// are not divided at C.
func TestLeaf(t *testing.T) {
	x, y := generated(400, 12, 20, 3)
	twice := &sparse.CSR{N: 12, D: x.D, Ptr: []int{0}}
	none := &sparse.CSR{N: 12, D: y.D, Ptr: []int{0}}
	for i := range 12 { // equal rows with other labels
		col, val := x.Row(0)
		label, _ := y.Row(i)
		twice.Col, twice.Val, twice.Ptr = append(twice.Col, col...), append(twice.Val, val...), append(twice.Ptr, len(twice.Col)+len(col))
		none.Col, none.Ptr = append(none.Col, label...), append(none.Ptr, len(none.Col)+len(label))
	}
	for _, c := range []struct {
		x, y *sparse.CSR
		most int
	}{{x, y, 5}, {twice, none, 12}} {
		m := must.Have(Config{Trees: 3, Leaf: 5, C: .05}.Fit(t.Context(), c.x, c.y))(t)
		count := map[[2]int]int{}
		for _, leaves := range m.Leaves(c.x) {
			for tree, leaf := range leaves {
				count[[2]int{tree, leaf}]++
			}
		}
		for at, rows := range count {
			if rows > c.most {
				t.Errorf("leaf %d of tree %d has %d rows", at[1], at[0], rows)
			}
		}
	}
}
