package plt

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// generated returns rows of words: each label has words of its own, and a row has words of its
// one or two labels and some of all words, by inverse frequency.
func generated(n, d, labels int, seed uint64) (x, y *sparse.CSR) {
	const topic, taken, noise = 12, 7, 10
	words := make([][]int32, labels)
	r := rng.New(seed, 0)
	for l := range words {
		for range topic {
			words[l] = append(words[l], int32(r.IntN(d)))
		}
	}
	x, y = &sparse.CSR{N: n, D: d, Ptr: []int{0}}, &sparse.CSR{N: n, D: labels, Ptr: []int{0}}
	count := make([]float64, d)
	for range n {
		has := []int32{int32(r.IntN(labels))}
		if other := int32(r.IntN(labels)); r.IntN(2) == 0 && other != has[0] {
			has = append(has, other)
		}
		slices.Sort(has)
		var row []int32
		for _, l := range has {
			for range taken {
				row = append(row, words[l][r.IntN(topic)])
			}
		}
		for range noise {
			row = append(row, int32(float64(d)*math.Pow(r.Float64(), 4)))
		}
		slices.Sort(row)
		row = slices.Compact(row)
		for _, j := range row {
			count[j]++
		}
		x.Col, y.Col = append(x.Col, row...), append(y.Col, has...)
		x.Ptr, y.Ptr = append(x.Ptr, len(x.Col)), append(y.Ptr, len(y.Col))
	}
	for _, j := range x.Col {
		x.Val = append(x.Val, math.Log(float64(n+1)/count[j]))
	}
	return x, y
}

// precision is P@1.
func precision(m *Model, x, y *sparse.CSR) float64 {
	hits := 0
	for i, list := range m.Top(nil, x, 1) {
		if len(list) > 0 && y.At(i, list[0].Label) != 0 {
			hits++
		}
	}
	return float64(hits) / float64(x.N)
}

// The parts of a division are as large as they can be, every label with rows is in the tree
// once, and every node holds the labels of its children.
func TestDivide(t *testing.T) {
	x, y := generated(2000, 300, 170, 1)
	m := must.Have(Config{Leaf: 6, Branch: 5, Run: gram.Run{Seed: 2}}.Fit(t.Context(), x, y))(t)
	f := &m.forest
	size := make([]int, len(f.first)-1)
	seen := make([]bool, y.D)
	for v := len(size) - 1; v >= 0; v-- {
		children := f.child[f.first[v]:f.first[v+1]]
		least, most := math.MaxInt, 0
		for _, k := range children {
			if k < 0 {
				if seen[^k] {
					t.Fatalf("label %d is in the tree twice", ^k)
				}
				seen[^k] = true
				size[v]++
				continue
			}
			size[v] += size[k]
			least, most = min(least, size[k]), max(most, size[k])
		}
		if children[0] < 0 && len(children) > 6 || children[0] >= 0 && (len(children) > 5 || most-least > 1+len(children)/2) {
			t.Errorf("node %d has %d children of %d to %d labels", v, len(children), least, most)
		}
	}
	if size[0] != m.Stats().Labels || slices.Contains(seen, false) {
		t.Errorf("%d of %d labels are in the tree", size[0], y.D)
	}
}

// The division puts labels that share rows into one part.
func TestAlike(t *testing.T) {
	x, y := &sparse.CSR{N: 400, D: 8, Ptr: []int{0}}, &sparse.CSR{N: 400, D: 8, Ptr: []int{0}}
	for i := range 400 { // labels and columns of equal parity occur together
		for j := range int32(4) {
			x.Col = append(x.Col, 2*j+int32(i%2))
			if j == int32(i/2%4) {
				y.Col = append(y.Col, 2*j+int32(i%2))
			}
		}
		x.Ptr, y.Ptr = append(x.Ptr, len(x.Col)), append(y.Ptr, len(y.Col))
	}
	m := must.Have(Config{Leaf: 4, Branch: 2}.Fit(t.Context(), x, y))(t)
	for v := 1; v < 3; v++ {
		list := m.forest.child[m.forest.first[v]:m.forest.first[v+1]]
		for _, k := range list {
			if (^k)%2 != (^list[0])%2 {
				t.Fatalf("node %d has the labels ^%v", v, list)
			}
		}
	}
}

// The functions of a node with all its columns kept meet the optimality conditions of
// their problem, by its definition.
func TestDescent(t *testing.T) {
	algotest.Serial(t)
	x, y := generated(300, 40, 6, 3)
	c := Config{C: .7, Cut: gram.Set(0.), Tol: 1e-6, Passes: 10_000, Rarity: gram.Set(0.), Near: gram.Set(0.)}
	m := must.Have(c.Fit(t.Context(), x, y))(t)
	f := &m.forest
	for k, child := range f.child {
		w := make([]float64, x.D+1)
		w[x.D] = float64(f.bias[k])
		for q, j := range f.column {
			for e := f.ptr[q]; e < f.ptr[q+1]; e++ {
				if int(f.which[e]) == k {
					w[j] = float64(f.value[e])
				}
			}
		}
		slope := slices.Clone(w) // of ½‖w‖² + C·Σ max(0, 1−y·w·x̃)²
		for i := range x.N {
			sign := 2*y.At(i, int(^child)) - 1
			norm, s := 0.0, w[x.D]
			for j := range x.D {
				norm += x.At(i, j) * x.At(i, j)
			}
			for j := range x.D {
				s += w[j] * x.At(i, j) / math.Sqrt(norm)
			}
			pull := -2 * c.C * sign * max(0, 1-sign*s)
			for j := range x.D {
				slope[j] += pull * x.At(i, j) / math.Sqrt(norm)
			}
			slope[x.D] += pull
		}
		for j, v := range slope {
			if !(math.Abs(v) <= 1e-4) {
				t.Fatalf("label %d, column %d: the slope is %v", ^child, j, v)
			}
		}
	}
}

// A beam as wide as the tree gives every label the product of the probabilities along its path.
func TestProducts(t *testing.T) {
	x, y := generated(500, 60, 40, 4)
	m := must.Have(Config{Leaf: 3, Branch: 3, Beam: 100, Rarity: gram.Set(0.), Near: gram.Set(0.)}.Fit(t.Context(), x, y))(t)
	f := &m.forest
	scores := m.Scores(nil, x)
	for i := range 20 {
		norm := math.Sqrt(x.SumSquares(i))
		var down func(v int32, p float64)
		down = func(v int32, p float64) {
			for k := f.first[v]; k < f.first[v+1]; k++ {
				s := float64(f.bias[k])
				for q := f.at[v]; q < f.at[v+1]; q++ {
					for e := f.ptr[q]; e < f.ptr[q+1]; e++ {
						if f.which[e] == k-f.first[v] {
							s += float64(f.value[e]) * x.At(i, int(f.column[q])) / norm
						}
					}
				}
				child := p / (1 + math.Exp(-2*s))
				if c := f.child[k]; c >= 0 {
					down(c, child)
				} else if got := scores.At(i, int(^c)); !(math.Abs(got-child) <= 1e-9) {
					t.Fatalf("row %d, label %d: %v, want %v", i, ^c, got, child)
				}
			}
		}
		down(0, 1)
	}
}

// A narrow beam reaches a part of the labels, and the best of them nearly always; the search
// for a column finds what the scan finds.
func TestBeam(t *testing.T) {
	algotest.Serial(t)
	x, y := generated(4000, 3000, 300, 5)
	fit := func(c Config) *Model {
		m := must.Have(c.Fit(t.Context(), x.Slice(0, 3000), y.Slice(0, 3000)))(t)
		return m
	}
	x2, y2 := x.Slice(3000, 4000), y.Slice(3000, 4000)
	wide, narrow := fit(Config{Leaf: 10, Branch: 4, Beam: 1000, Near: gram.Set(0.)}), fit(Config{Leaf: 10, Branch: 4, Beam: 3, Near: gram.Set(0.)})
	if a, b := precision(wide, x2, y2), precision(narrow, x2, y2); !(a > .95) || !(b > a-.02) {
		t.Errorf("P@1 of all nodes %v, of a beam of 3 %v", a, b)
	}
	if got := len(narrow.Top(nil, x2, 1000)[0]); got < 10 || got > 30 {
		t.Errorf("a beam of 3 reaches %d labels", got)
	}
	dense := wide.Scores(nil, x2.Slice(0, 20).Dense())
	for i := range 20 {
		for _, s := range wide.Top(nil, x2, 1000)[i] {
			if dense.At(i, s.Label) != s.Score {
				t.Fatalf("row %d, label %d: %v, of the dense row %v", i, s.Label, s.Score, dense.At(i, s.Label))
			}
		}
	}
}

// Rows count by their directions: multiples of them have the same scores.
func TestLengths(t *testing.T) {
	x, y := generated(200, 30, 10, 6)
	m := must.Have(Config{}.Fit(t.Context(), x, y))(t)
	f := make([]float64, x.N)
	for i := range f {
		f[i] = math.Ldexp(1, 100-i)
	}
	long := must.Have(Config{}.Fit(t.Context(), x.ScaleRows(f), y))(t)
	for i, list := range m.Top(nil, x, 3) {
		if !slices.Equal(list, long.Top(nil, x.ScaleRows(f).Slice(i, i+1), 3)[0]) {
			t.Fatalf("row %d has other labels if it is longer", i)
		}
	}
}

func TestContract(t *testing.T) {
	at := func(run gram.Run) Config { return Config{Trees: 2, Leaf: 2, Branch: 2, Run: run} }
	wrap := algotest.Ranking[*Model](0)
	algotest.Check(t, algotest.Subject{
		Kind: algotest.MultiLabel,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return wrap(at(run).Fit(ctx, d.X, d.Tags))
		},
		Plan:     func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
		Decode:   func(f *modelfile.File) (*algotest.Model, error) { return wrap(Decode(f)) },
		Golden:   "plt.v1.gram",
		DenseNaN: true,
		Random:   []string{"centers of labels", "fit without the rows held out/centers of labels", "fit without the rows held out/order of rows", "held out", "order of rows"},
		Memory:   gram.Shape{N: 20_000, D: 8, Outputs: 5},
	})
}
