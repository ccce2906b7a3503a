package plt

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// inPieces fits by processes of which each makes one piece, the last one first.
func inPieces(t *testing.T, c Config, x, y *sparse.CSR) (m *Model, pieces int) {
	t.Helper()
	begin := func() *Pieces {
		p := must.Have(c.Pieces(x, y))(t)
		p.share = int64(x.NNZ()) // so that there are more than one
		return p
	}
	p := begin()
	trees := make([]*Tree, p.Trees())
	for k := range slices.Backward(trees) {
		trees[k] = must.Have(algotest.Reread(must.Have(begin().Divide(t.Context(), k, gram.Run{Workers: 1 + k%2}))(t), &Tree{}, (*Tree).Exchange))(t)
	}
	must.Do(t, p.SetTrees(t.Context(), trees))
	made := make([]*Piece, p.Number())
	for k := range slices.Backward(made) {
		other := begin()
		must.Do(t, other.SetTrees(t.Context(), trees))
		made[k] = must.Have(algotest.Reread(must.Have(other.Train(t.Context(), k, gram.Run{Workers: 1 + k%2}))(t), &Piece{}, (*Piece).Exchange))(t)
	}
	next := 0
	m = must.Have(p.Join(t.Context(), func(k int) (*Piece, error) {
		if k != next {
			t.Errorf("piece %d is asked for, want %d", k, next)
		}
		next++
		return made[k], nil
	}, gram.Run{Workers: 2}))(t)
	if next != len(made) {
		t.Errorf("%d pieces of %d were joined", next, len(made))
	}
	return m, len(made)
}

// bytesOf is the model's file.
func bytesOf(t *testing.T, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	return b.Bytes()
}

// A fit in pieces gives the bytes of Fit: with one and several trees, without labels, and where Near is chosen by held-out rows.
func TestPiecesAreTheFit(t *testing.T) {
	x, y := generated(1200, 300, 170, 1)
	few, fewTags := generated(60, 50, 7, 2)
	for name, test := range map[string]struct {
		c      Config
		x, y   *sparse.CSR
		pieces int // at least
	}{
		"near chosen":     {Config{Leaf: 6, Branch: 5, Passes: 3}, x, y, 10},
		"trees":           {Config{Trees: 3, Leaf: 20, Near: gram.Set(0.), Passes: 3}, x, y, 10},
		"near given":      {Config{Near: gram.Set(2.), Rarity: gram.Set(0.), Passes: 3}, x, y, 10},
		"few rows":        {Config{Leaf: 2, Branch: 2}, few, fewTags, 1},
		"one node":        {Config{}, few, fewTags, 1},
		"no labels":       {Config{}, few, &sparse.CSR{N: 60, D: 7, Ptr: make([]int, 61)}, 1},
		"nothing is kept": {Config{Cut: gram.Set(1e9)}, few, fewTags, 1},
	} {
		t.Run(name, func(t *testing.T) {
			test.c.Seed = 5
			want := must.Have(test.c.Fit(t.Context(), test.x, test.y))(t)
			got, pieces := inPieces(t, test.c, test.x, test.y)
			if !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
				t.Error("another model than that of Fit")
			}
			if got.Stats().Labels != want.Stats().Labels || got.Stats().Near != want.Stats().Near {
				t.Errorf("statistics %+v, want %+v", got.Stats(), want.Stats())
			}
			if pieces < test.pieces {
				t.Errorf("%d pieces, want at least %d", pieces, test.pieces)
			}
		})
	}
}

// Every step of a fit in pieces ends with its context, whole or not at all.
func TestPiecesEndWithTheirContext(t *testing.T) {
	x, y := generated(60, 50, 7, 2)
	begin := func() *Pieces { return must.Have(Config{Leaf: 3, Branch: 2}.Pieces(x, y))(t) }
	p := begin()
	trees := []*Tree{must.Have(p.Divide(t.Context(), 0, gram.Run{}))(t)}
	must.Do(t, p.SetTrees(t.Context(), trees))
	made := must.Have(p.Train(t.Context(), 0, gram.Run{}))(t)
	looktest.Every(t, func(ctx context.Context) (any, error) { return begin().Divide(ctx, 0, gram.Run{Workers: 1}) })
	looktest.Every(t, func(ctx context.Context) (any, error) {
		p := begin()
		err := p.SetTrees(ctx, trees)
		return p.Number(), err
	})
	looktest.Every(t, func(ctx context.Context) (any, error) { return p.Train(ctx, 0, gram.Run{Workers: 1}) })
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, err := p.Join(ctx, func(int) (*Piece, error) { return made, nil }, gram.Run{Workers: 1})
		if err != nil {
			return nil, err
		}
		return bytesOf(t, m), nil
	})
}

// Pieces that there are not are refused.
func TestPiecesThatAreNotThere(t *testing.T) {
	x, y := generated(60, 50, 7, 2)
	p := must.Have(Config{}.Pieces(x, y))(t)
	piece := func(int) (*Piece, error) { return &Piece{}, nil }
	var bad *gram.ConfigError
	if _, err := p.Join(t.Context(), piece, gram.Run{}); !errors.As(err, &bad) {
		t.Errorf("a model without trees: %v", err)
	}
	for _, k := range []int{-1, 0} {
		if _, err := p.Train(t.Context(), k, gram.Run{}); !errors.As(err, &bad) {
			t.Errorf("piece %d without trees: %v", k, err)
		}
	}
}

// A dense matrix has the pieces of its nonzeros.
func TestPiecesOfDense(t *testing.T) {
	x, y := generated(60, 50, 7, 2)
	c := Config{Leaf: 3, Branch: 2}
	want := must.Have(c.Fit(t.Context(), x, y))(t)
	p := must.Have(c.Pieces(x.Dense(), y))(t)
	must.Do(t, p.SetTrees(t.Context(), []*Tree{must.Have(p.Divide(t.Context(), 0, gram.Run{}))(t)}))
	got := must.Have(p.Join(t.Context(), func(k int) (*Piece, error) { return p.Train(t.Context(), k, gram.Run{}) }, gram.Run{}))(t)
	if !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
		t.Error("another model than that of the sparse matrix")
	}
}

// Every child is in one piece, pieces have shares of the work that are alike, and none is empty.
func TestCut(t *testing.T) {
	const share = 1000
	r := rng.New(3, 0)
	for range 50 {
		var list []place
		var work []int64
		total := int64(0)
		for v := range 1 + r.IntN(20) {
			entries := int64(r.IntN(share / 2))
			for child := range 1 + r.IntN(30) {
				list, work = append(list, place{0, 0, part{v, child, child + 1}}), append(work, entries)
				total += entries
			}
		}
		at := 0
		pieces := cut(list, work, share)
		for k, p := range pieces {
			sum := int64(0)
			for _, q := range p {
				for child := q.lo; child < q.hi; child++ {
					if list[at].node != q.node || list[at].lo != child {
						t.Fatalf("piece %d has child %d of node %d, want %v", k, child, q.node, list[at])
					}
					sum += work[at]
					at++
				}
			}
			if len(p) == 0 || sum > share+share/2 {
				t.Errorf("piece %d of %d has %d nodes and %d entries", k, len(pieces), len(p), sum)
			}
		}
		if at != len(list) || int64(len(pieces)) > total/share+1 {
			t.Fatalf("%d children in %d pieces, want %d", at, len(pieces), len(list))
		}
	}
}

// What does not belong together is refused, and a context ends a piece.
func TestPiecesRefused(t *testing.T) {
	x, y := generated(300, 100, 40, 1)
	c := Config{Leaf: 6, Branch: 3, Near: gram.Set(1.)}
	p := must.Have(c.Pieces(x, y))(t)
	tree := must.Have(p.Divide(t.Context(), 0, gram.Run{}))(t)
	refused := func(what string, err error) {
		t.Helper()
		if e := (*gram.ConfigError)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("no tree", p.SetTrees(t.Context(), nil))
	other := *tree
	other.order = slices.Clone(tree.order)
	other.order[0] = other.order[1]
	refused("a label that is there twice", p.SetTrees(t.Context(), []*Tree{&other}))
	for _, k := range []int{-1, p.Trees()} {
		_, err := p.Divide(t.Context(), k, gram.Run{})
		refused("no such tree", err)
	}
	_, err := Config{Leaf: -1}.Pieces(x, y)
	refused("a setting", err)
	must.Do(t, p.SetTrees(t.Context(), []*Tree{tree}))
	_, err = p.Join(t.Context(), func(int) (*Piece, error) { return &Piece{}, nil }, gram.Run{})
	refused("an empty piece", err)
	first := must.Have(p.Train(t.Context(), 0, gram.Run{}))(t)
	first.chunks[0].column[len(first.chunks[0].column)-1] = int32(x.D)
	_, err = p.Join(t.Context(), func(int) (*Piece, error) { return first, nil }, gram.Run{})
	refused("a column beyond the rows", err)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	none := func(int) (*Piece, error) { t.Error("a piece is asked for"); return nil, nil }
	_, a := p.Divide(ended, 0, gram.Run{})
	_, b := p.Train(ended, 0, gram.Run{})
	_, d := p.Join(ended, none, gram.Run{})
	for k, err := range []error{a, b, d, p.SetTrees(ended, []*Tree{tree})} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("step %d without a context: %v", k, err)
		}
	}
	small := gram.Run{MemoryLimit: 1000}
	_, a = p.Divide(t.Context(), 0, small)
	_, b = p.Train(t.Context(), 0, small)
	_, d = p.Join(t.Context(), none, small)
	for k, err := range []error{a, b, d} {
		if large := (*gram.MemoryError)(nil); !errors.As(err, &large) {
			t.Errorf("step %d with little memory: %v", k, err)
		}
	}
}

// Trees whose nodes do not have the labels of their children are not read.
func TestForgedTrees(t *testing.T) {
	for name, test := range map[string]struct{ parts, sizes []int32 }{
		"no node":       {nil, nil},
		"too few":       {[]int32{2}, []int32{2, 3}},
		"too many":      {[]int32{0, 0}, nil},
		"other labels":  {[]int32{2, 0, 0}, []int32{2, 2}},
		"too large":     {[]int32{2, 0, 0}, []int32{2, math.MaxInt32}},
		"sizes missing": {[]int32{2, 0, 0}, []int32{5}},
		"sizes beyond":  {[]int32{0}, []int32{5}},
	} {
		if (&Tree{order: make([]int32, 5)}).grow(test.parts, test.sizes) {
			t.Errorf("%s: a tree", name)
		}
	}
	good := &Tree{order: make([]int32, 5)}
	if !good.grow([]int32{2, 0, 2, 0, 0}, []int32{2, 3, 1, 2}) || len(good.nodes) != 5 || good.nodes[4] != (span{3, 5}) {
		t.Errorf("nodes %v", good.nodes)
	}
	var order []int
	good.walk(func(v int) { order = append(order, v) })
	if !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
		t.Errorf("the walk %v", order)
	}
}

// The plans are within a factor of two of what is used; of the weights that are kept, they are estimates.
func TestPiecesPlans(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	x, y := generated(6000, 6000, 3000, 1)
	c, run := Config{Passes: 3}, gram.Run{Workers: 1}
	fresh := func(trees []*Tree) *Pieces {
		p := must.Have(c.Pieces(x, y))(t)
		if trees != nil {
			must.Do(t, p.SetTrees(t.Context(), trees))
		}
		return p
	}
	p := fresh(nil)
	trees := make([]*Tree, p.Trees())
	for k := range trees {
		algotest.CheckPeak(t, p.PlanDivide(k, run).PeakBytes, func() { trees[k] = must.Have(fresh(nil).Divide(t.Context(), k, run))(t) })
	}
	p = fresh(trees)
	made := make([]*Piece, p.Number())
	for k := range made {
		if k%3 == 0 {
			algotest.CheckPeak(t, p.PlanTrain(k, run).PeakBytes, func() { must.Have(fresh(trees).Train(t.Context(), k, run))(t) })
		}
		made[k] = must.Have(p.Train(t.Context(), k, run))(t)
	}
	algotest.CheckPeak(t, p.PlanJoin().PeakBytes, func() {
		must.Have(fresh(trees).Join(t.Context(), func(k int) (*Piece, error) { return made[k], nil }, run))(t)
	})
}
