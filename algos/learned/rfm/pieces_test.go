package rfm

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// bytesOf is the model's file.
func bytesOf(t *testing.T, m modelfile.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	return b.Bytes()
}

// inPieces fits by processes of which each makes one piece, the last one first.
func inPieces(t *testing.T, begin func() *Pieces) (m *Model, leaves int) {
	t.Helper()
	p := begin()
	read := func(d *Division) *Division {
		return must.Have(algotest.Reread(d, &Division{}, (*Division).Exchange))(t)
	}
	divided := func(workers int) *Division {
		return must.Have(begin().Divide(t.Context(), gram.Run{Workers: workers}))(t)
	}
	division, again := read(divided(2)), divided(1)
	must.Do(t, p.SetDivision(division))
	if p.whole() != (division.parts == nil) {
		t.Errorf("%d leaves are stored", len(division.parts))
	}
	made := make([]*Leaf, p.Number())
	for k := len(made) - 1; k >= 0; k-- {
		other := begin()
		must.Do(t, other.SetDivision(read(again)))
		made[k] = must.Have(algotest.Reread(must.Have(other.Train(t.Context(), k, gram.Run{Workers: 1 + k%2}))(t), &Leaf{}, (*Leaf).Exchange))(t)
	}
	next := 0
	m = must.Have(p.Join(t.Context(), func(k int) (*Leaf, error) {
		if k != next {
			t.Errorf("leaf %d is asked for, want %d", k, next)
		}
		next++
		return made[k], nil
	}, gram.Run{Workers: 2}))(t)
	if next != len(made) {
		t.Errorf("%d leaves of %d were joined", next, len(made))
	}
	return m, len(made)
}

// codedProblem returns rows of three numbers and a code of four levels, with two targets.
func codedProblem(n int) (*mat.Dense, *mat.Dense) {
	numbers, y := problem(n, 3, 6)
	x := mat.NewDense(n, 7, nil)
	r := rng.New(3, 0)
	for i := range n {
		copy(x.RawRowView(i), numbers.RawRowView(i))
		level := r.IntN(4)
		x.Set(i, 3+level, 1)
		y.Set(i, 0, y.At(i, 0)+float64(level))
	}
	return x, y
}

// A fit in pieces gives the bytes of FitAll: of several leaves and of one, with all metrics, categories, weights and overlap.
func TestPiecesAreTheFit(t *testing.T) {
	x, y := problem(300, 4, 6)
	codes, codedY := codedProblem(300)
	only := mat.DenseCopyOf(codes.Slice(0, 300, 3, 7))
	equal := mat.NewDense(300, 4, nil)
	weights, ones := make([]float64, 300), make([]float64, 300)
	r := rng.New(8, 0)
	for i := range weights {
		weights[i], ones[i] = float64(r.IntN(3)), 1+r.Float64()
	}
	set := func(leaf int, more func(c *Config)) Config {
		c := Config{Rounds: gram.Set(1), Leaf: gram.Set(leaf), Run: gram.Run{Seed: 5}}
		if more != nil {
			more(&c)
		}
		return c
	}
	groups := func(c *Config) { c.Given.Groups = [][]int{{3, 4, 5, 6}} }
	for name, test := range map[string]struct {
		c      Config
		x, y   *mat.Dense
		w      []float64
		leaves int
	}{
		"all is chosen":         {set(60, nil), x, y, nil, 4},
		"diagonal, overlap":     {set(60, func(c *Config) { c.Metric, c.Overlap, c.Length = Diagonal, gram.Set(.1), gram.Set(2.) }), x, y, nil, 6},
		"manhattan, weights":    {set(60, func(c *Config) { c.Metric, c.Lambda = Manhattan, gram.Set(.1) }), x, y, weights, 3},
		"none held out":         {set(100, func(c *Config) { c.Holdout = gram.Set(0.) }), x, y, nil, 3},
		"absolute, soft":        {set(100, func(c *Config) { c.Absolute, c.Length, c.Soft = true, gram.Set(3.), gram.Set(.2) }), x, y, nil, 3},
		"categories":            {set(60, groups), codes, codedY, nil, 4},
		"categories, manhattan": {set(60, func(c *Config) { groups(c); c.Metric = Manhattan }), codes, codedY, nil, 4},
		"categories alone": {set(60, func(c *Config) {
			c.Given.Groups, c.Metric, c.Lambda = [][]int{{0, 1, 2, 3}}, Full, gram.Set(1.)
		}), only, codedY, nil, 3},
		"equal rows":    {set(60, func(c *Config) { c.Lambda = gram.Set(1.) }), equal, y, nil, 1},
		"no rounds":     {set(60, func(c *Config) { c.Rounds, c.Metric = gram.Set(0), Diagonal }), x, y, nil, 4},
		"not divided":   {set(300, nil), x, y, weights, 1},
		"one leaf held": {set(300, func(c *Config) { c.Metric, c.Given.Held = Diagonal, []int{3, 7, 200} }), codes, codedY, nil, 1},
		"held are given": {set(60, func(c *Config) {
			groups(c)
			c.Metric, c.Length = Diagonal, gram.Set(2.)
			c.Given.Held = []int{3, 7, 8, 9, 10, 11, 200}
		}), codes, codedY, ones, 4},
	} {
		t.Run(name, func(t *testing.T) {
			want := must.Have(test.c.FitAll(t.Context(), test.x, test.y, test.w))(t)
			got, leaves := inPieces(t, func() *Pieces { return must.Have(test.c.Pieces(test.x, test.y, test.w))(t) })
			if !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
				t.Error("another model than that of FitAll")
			}
			if leaves < test.leaves || leaves > 1 && test.leaves == 1 || leaves > 1 && leaves != len(want.Leaves()) {
				t.Errorf("%d leaves, want %d", leaves, test.leaves)
			}
			if a, b := got.Stats(), want.Stats(); leaves > 1 && (a.Held != b.Held || a.Chosen != b.Chosen || a.Tried != b.Tried || a.Rows != b.Rows) {
				t.Errorf("statistics %+v, want %+v", a, b)
			}
		})
	}
}

// Classes in pieces have the classifier of FitClasses.
func TestPiecesOfClasses(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := algotest.Problem(3, 160, 3, classes)
		c := Config{Rounds: gram.Set(1), Leaf: gram.Set(40), Metric: Diagonal}
		want := must.Have(c.FitClasses(t.Context(), d.X, d.Labels, d.Weights))(t)
		m, leaves := inPieces(t, func() *Pieces { return must.Have(c.PiecesClasses(d.X, d.Labels, d.Weights))(t) })
		if got := krr.NewClassifier(m, Method, d.Labels.Names); leaves < 3 || !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
			t.Errorf("%d classes, %d leaves: another classifier than that of FitClasses", classes, leaves)
		}
	}
}

// Every step of a fit in pieces ends with its context, whole or not at all.
func TestPiecesEndWithTheirContext(t *testing.T) {
	x, y := problem(60, 3, 6)
	for _, leaf := range []int{25, 60} {
		c := Config{Leaf: gram.Set(leaf), Metric: Full, Rounds: gram.Set(1), Length: gram.Set(2.), Lambda: gram.Set(.1), Run: gram.Run{Workers: 1}}
		run := gram.Run{Workers: 1}
		begin := func() *Pieces { return must.Have(c.Pieces(x, y, nil))(t) }
		p := begin()
		division := must.Have(p.Divide(t.Context(), run))(t)
		must.Do(t, p.SetDivision(division))
		looktest.Every(t, func(ctx context.Context) (any, error) {
			d, err := begin().Divide(ctx, run)
			return looktest.Unless(err, func() any { return d.parts })
		})
		fitted := func(ctx context.Context, k int) (*Leaf, error) { return p.Train(ctx, k, run) }
		looktest.Every(t, func(ctx context.Context) (any, error) {
			l, err := fitted(ctx, 0)
			return looktest.Unless(err, func() any { return bytesOf(t, l.model) })
		})
		looktest.Every(t, func(ctx context.Context) (any, error) {
			m, err := p.Join(ctx, func(k int) (*Leaf, error) { return fitted(t.Context(), k) }, run)
			return looktest.Unless(err, func() any { return bytesOf(t, m) })
		})
	}
}

// What does not belong together is refused, and so is too little memory.
func TestPiecesRefused(t *testing.T) {
	x, y := problem(120, 4, 6)
	codes, codedY := codedProblem(120)
	c := Config{Leaf: gram.Set(40), Metric: Full, Rounds: gram.Set(1), Length: gram.Set(2.), Lambda: gram.Set(.1)}
	refused := func(what string, err error) {
		t.Helper()
		if e := (*gram.ConfigError)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %v", what, err)
		}
	}
	begin := func(c Config, x, y *mat.Dense) *Pieces { return must.Have(c.Pieces(x, y, nil))(t) }
	p := begin(c, x, y)
	_, err := p.Train(t.Context(), 0, gram.Run{})
	refused("a leaf of no division", err)
	_, err = p.Join(t.Context(), nil, gram.Run{})
	refused("the leaves of no division", err)
	if p.PlanTrain(gram.Run{}).PeakBytes < 8*40*40 || p.PlanJoin(gram.Run{}).PeakBytes < 8*120*4 {
		t.Error("plans of no division")
	}
	division := must.Have(p.Divide(t.Context(), gram.Run{}))(t)
	must.Do(t, p.SetDivision(division))
	_, err = p.Train(t.Context(), p.Number(), gram.Run{})
	refused("a leaf behind the last", err)
	refused("no division", p.SetDivision(&Division{}))
	refused("other columns", begin(c, codes, codedY).SetDivision(division))
	refused("fewer rows", begin(c, mat.DenseCopyOf(x.Slice(0, 60, 0, 4)), mat.DenseCopyOf(y.Slice(0, 60, 0, 2))).SetDivision(division))
	grouped, one := c, c
	grouped.Given.Groups = [][]int{{3, 4, 5, 6}}
	refused("no categories", begin(grouped, codes, codedY).SetDivision(must.Have(begin(c, codes, codedY).Divide(t.Context(), gram.Run{}))(t)))
	one.Leaf = gram.Set(120)
	refused("one leaf", begin(one, x, y).SetDivision(division))
	less := *division
	less.parts = less.parts[1:]
	refused("a leaf is missing", p.SetDivision(&less))
	_, err = Config{Leaf: gram.Set(-1)}.Pieces(x, y, nil)
	refused("a setting", err)
	_, err = c.Pieces(x, &mat.Dense{}, nil)
	if err == nil {
		t.Error("no targets")
	}
	_, err = c.PiecesClasses(&mat.Dense{}, gram.Labels{}, nil)
	refused("no rows", err)
	alien := must.Have(one.FitAll(t.Context(), codes, codedY, nil))(t)
	_, err = p.Join(t.Context(), func(int) (*Leaf, error) { return &Leaf{alien}, nil }, gram.Run{})
	refused("a leaf of other columns", err)
	broken := errors.New("broken")
	if _, err := p.Join(t.Context(), func(int) (*Leaf, error) { return nil, broken }, gram.Run{}); !errors.Is(err, broken) {
		t.Errorf("a leaf that cannot be read: %v", err)
	}
	small := gram.Run{MemoryLimit: 1000}
	_, a := p.Divide(t.Context(), small)
	_, b := p.Train(t.Context(), 0, small)
	_, d := p.Join(t.Context(), func(int) (*Leaf, error) { t.Error("a leaf is asked for"); return nil, nil }, small)
	for k, err := range []error{a, b, d} {
		if large := (*gram.MemoryError)(nil); !errors.As(err, &large) {
			t.Errorf("step %d with little memory: %v", k, err)
		}
	}
}

// A division whose file has been changed is refused.
func TestForgedDivisions(t *testing.T) {
	x, y := problem(120, 4, 6)
	c := Config{Leaf: gram.Set(40), Metric: Full, Rounds: gram.Set(1), Length: gram.Set(2.), Lambda: gram.Set(.1)}
	division := must.Have(must.Have(c.Pieces(x, y, nil))(t).Divide(t.Context(), gram.Run{}))(t)
	for name, change := range map[string]func(d *Division){
		"no length":    func(d *Division) { d.cfg.Length = gram.Opt[float64]{} },
		"no metric":    func(d *Division) { d.cfg.Metric = Auto },
		"no leaves":    func(d *Division) { d.parts = [][]int{} },
		"an empty one": func(d *Division) { d.parts = append([][]int{{}}, d.parts...) },
		"a row below":  func(d *Division) { d.parts = [][]int{{-1}} },
	} {
		d := *division
		change(&d)
		if _, err := algotest.Reread(&d, &Division{}, (*Division).Exchange); err == nil {
			t.Errorf("%s: a division", name)
		}
	}
}

// The plans are within a factor of what is used.
func TestPiecesPlans(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	x, y := problem(2400, 6, 6)
	c, run := Config{Leaf: gram.Set(800), Metric: Full, Rounds: gram.Set(1), Length: gram.Set(2.), Lambda: gram.Set(.1), Run: gram.Run{Workers: 1}}, gram.Run{Workers: 1}
	fresh := func(d *Division) *Pieces {
		p := must.Have(c.Pieces(x, y, nil))(t)
		if d != nil {
			must.Do(t, p.SetDivision(d))
		}
		return p
	}
	var division *Division
	algotest.CheckPeak(t, fresh(nil).PlanDivide(run).PeakBytes, func() { division = must.Have(fresh(nil).Divide(t.Context(), run))(t) })
	p := fresh(division)
	made := make([]*Leaf, p.Number())
	for k := range made {
		algotest.CheckPeak(t, p.PlanTrain(run).PeakBytes, func() { made[k] = must.Have(fresh(division).Train(t.Context(), k, run))(t) })
	}
	algotest.CheckPeak(t, p.PlanJoin(run).PeakBytes, func() {
		must.Have(fresh(division).Join(t.Context(), func(k int) (*Leaf, error) { return made[k], nil }, run))(t)
	})
}
