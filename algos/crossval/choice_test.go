package crossval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// toy is a method with candidates of every kind.
type toy struct {
	C, E, Share, Lambda float64
	Leaf, K, Rounds     int
	Width               float64 // the number of rows; −1: it cannot be found
	seed                uint64  // with which the width was found
	gram.Run
}

func (c *toy) lambda() float64 { return c.Lambda }

func (c *toy) Settings(s *settings.Fields) {
	s.Float(&c.C, "c", "c").Default(1).Above(0).Tries(10, 100, 1000).Tries(.1)
	s.Float(&c.E, "e", "e").DefaultRule(.5, "a tenth of the range").Above(0).InDeviations()
	s.Int(&c.Leaf, "leaf", "leaf").Default(20).Above(0)
	s.Float(&c.Share, "share", "share").Default(1).Above(0)
	s.Float(&c.Lambda, "lambda", "lambda").Default(1).Above(0).LeaveOneOut(settings.AnyTargets)
	s.Int(&c.K, "k", "k").Default(20).Above(0)
	s.Int(&c.Rounds, "rounds", "rounds").Default(9).Above(0)
	s.Tries(settings.Candidates{Names: []string{"e"}, Lists: [][]string{{"e=0.5", "e=0.25"}}, Targets: settings.ForValues})
	s.Tries(settings.Candidates{Names: []string{"leaf", "share"}, Lists: [][]string{{"leaf=5", "leaf=8 share=0.5"}},
		Targets: settings.ForClasses, MostRows: 5000})
	s.Tries(settings.Candidates{Names: []string{"k"}, Lists: [][]string{{"k=10", "k=5"}}, Targets: settings.ForLabels,
		Judge: settings.HeldOut, With: "rounds=1"})
	s.Late(func(x mat.Matrix, seed uint64) error {
		if c.Width < 0 {
			return errWidth
		}
		if c.seed = seed; x != nil {
			n, _ := x.Dims()
			c.Width = float64(n)
		}
		return nil
	})
}

// Plan returns numbers that tell rows, columns, rounds and k apart.
func (c *toy) Plan(s gram.Shape) (gram.Plan, error) {
	r, err := settings.Resolved(*c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	work := s.N*r.Rounds + r.K
	return gram.Plan{Flops: float64(work), PeakBytes: int64(100 * work), Description: "toy"}, nil
}

// Folds decide settings that are not given and matter, for their targets and their number of rows, if each class can have
// its rows among them.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		n, outputs int
		set, want  string
	}{
		{199, 1, "", ""},
		{200, 1, "", "c e"},
		{200, 0, "", "c e"},
		{5001, 1, "", "c e"},
		{199, 2, "", ""},
		{200, 2, "", "c leaf,share"},
		{5000, 2, "", "c leaf,share"},
		{5001, 2, "", "c"},
		{200, 20, "", "c leaf,share"},
		{200, 21, "", ""},
		{6000, 100, "", "c"},
		{6000, 101, "", ""},
		{200, 2, "c=1", "leaf,share"},
		{200, 2, "share=1", "c"},
		{200, 1, "e=1 share=1", "c"},
	} {
		b := settings.Bind(&toy{})
		must.Do(t, b.Set(strings.Fields(c.set)...))
		var got []string
		for _, o := range Open(b, c.n, c.outputs) {
			got = append(got, strings.Join(o.Names, ","))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v are open", c, got)
		}
	}
	b := settings.Bind(&toy{})
	b.Lookup("c").AppliesIf(func() bool { return false })
	if open := Open(b, 200, 1); len(open) != 1 || open[0].Names[0] != "e" {
		t.Errorf("a setting that does not matter is open: %v", open)
	}
}

// A plan counts a fit to two of three folds of at most 1000 rows for no setting, for each declaration and for each candidate,
// beside two copies of the rows.
func TestPlanChoice(t *testing.T) {
	base := gram.Plan{Flops: 5, PeakBytes: 7}
	var asked []gram.Shape
	plan := func(s gram.Shape) (gram.Plan, error) {
		asked = append(asked, s)
		return gram.Plan{Flops: 3, PeakBytes: 11}, nil
	}
	for _, c := range []struct {
		s, few gram.Shape
		tries  float64
		rows   int64 // bytes
	}{
		{gram.Shape{N: 4000, D: 6, Outputs: 1}, gram.Shape{N: 1000, D: 6, Outputs: 1}, 1 + (1 + 4) + (1 + 2), 8 * 1000 * 6},
		{gram.Shape{N: 300, D: 6, Outputs: 2}, gram.Shape{N: 300, D: 6, Outputs: 2}, 1 + (1 + 4) + (1 + 2), 8 * 300 * 6},
		{gram.Shape{N: 8000, D: 600, Outputs: 2, NNZ: 16000}, gram.Shape{N: 1000, D: 600, Outputs: 2, NNZ: 2000}, 1 + (1 + 4), 12 * 2000},
	} {
		asked = nil
		got := PlanChoice(base, settings.Bind(&toy{}), c.s, plan)
		if want := (gram.Plan{Flops: 5 + 2*c.tries*3, PeakBytes: 11 + 2*c.rows}); got != want || !slices.Equal(asked, []gram.Shape{c.few}) {
			t.Errorf("%+v: the plan is %+v of fits to %+v, want %+v", c.s, got, asked, want)
		}
	}
	s := gram.Shape{N: 300, D: 6, Outputs: 1}
	if got := PlanChoice(gram.Plan{PeakBytes: 1e6}, settings.Bind(&toy{}), s, plan); got.PeakBytes != 1e6 {
		t.Errorf("a larger fit needs %d bytes beside the choice", got.PeakBytes)
	}
	asked = nil
	given := &toy{C: 1, E: 1}
	if got := PlanChoice(base, settings.Bind(given), s, plan); got != base || asked != nil {
		t.Errorf("nothing is open, but the plan is %+v", got)
	}
	few := func(gram.Shape) (gram.Plan, error) { return gram.Plan{Flops: 1}, errors.New("few") }
	if got := PlanChoice(base, settings.Bind(&toy{}), s, few); got != base {
		t.Errorf("so few rows have no plan, but the plan is %+v", got)
	}
}

// judged records the fits of a choice, whose losses are known.
type judged struct {
	loss   func(candidate string, row int) float64
	err    map[string]error // beside the losses
	none   map[string]bool  // there are no losses
	calls  []string         // candidates with the number of their fits
	fits   map[string]int
	seeds  map[uint64]bool
	splits []Split // of the fits without settings
}

// level returns the loss that depends on the candidate alone, of rows of one kind.
func level(of map[string]float64) func(string, int) float64 {
	return func(candidate string, _ int) float64 {
		v, there := of[candidate]
		if !there {
			panic("there is a fit with " + candidate)
		}
		return v
	}
}

func (j *judged) losses(_ context.Context, candidate []string, train, held []int, run gram.Run) ([]float64, error) {
	text := strings.Join(candidate, " ")
	if j.fits == nil {
		j.fits, j.seeds = map[string]int{}, map[uint64]bool{}
	}
	if j.fits[text]++; j.fits[text] == 1 {
		j.calls = append(j.calls, text)
	}
	j.seeds[run.Seed] = true
	if text == "" {
		j.splits = append(j.splits, Split{train, held})
	}
	run.Report(gram.Event{Phase: "fit", Done: 1})
	run.Report(gram.Event{Phase: "fit", Done: 2})
	if j.none[text] {
		return nil, j.err[text]
	}
	out := make([]float64, len(held))
	for k, i := range held {
		out[k] = j.loss(text, i)
	}
	return out, j.err[text]
}

// A choice takes the best of the candidates, one setting after the other, ends a list at the first that is worse, a candidate
// as soon as it must be worse, and keeps what is only a little better.
func TestChoiceChoose(t *testing.T) {
	alternating := func(n int, a, b float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			if v[i] = a; i%2 == 1 {
				v[i] = b
			}
		}
		return v
	}
	// noisy are losses of which the mean is less by gain, and each by gain ± spread.
	noisy := func(gain, spread float64) func(string, int) float64 {
		return func(candidate string, row int) float64 {
			if candidate != "c=10" {
				return 1
			}
			return 1 - gain + spread*float64(row%2*2-1)
		}
	}
	third := []float64{2, -2, 100} // of which the last has no weight
	values, weights := make([]float64, 300), make([]float64, 300)
	for i := range values {
		values[i] = third[i%3]
		if i%3 < 2 {
			weights[i] = 1
		}
	}
	trouble, memory, few := errors.New("trouble"), &gram.MemoryError{Need: 2, Limit: 1}, &gram.ConvergenceError{}
	class := make([]int, 300)
	for i := range class {
		class[i] = i % 2
	}
	for name, c := range map[string]struct {
		judged
		set    string
		class  []int
		value  []float64
		weight []float64
		all    int // 0: as many as there are
		want   string
		calls  string // candidates, each with the number of its fits
		err    error
	}{
		"one after the other": {judged: judged{loss: level(map[string]float64{"": .4, "c=10": .3, "c=100": .35, "c=0.1": .95,
			"c=10 leaf=5": .296, "c=10 leaf=8 share=0.5": .2945})},
			class: class, want: "c=10 leaf=8 share=0.5", calls: "3, c=10 3, c=100 3, c=0.1 1, c=10 leaf=5 3, c=10 leaf=8 share=0.5 3"},
		"equal ones": {judged: judged{loss: level(map[string]float64{"": .5, "c=10": .5, "c=100": .25, "c=1000": .5, "c=0.1": .125,
			"c=0.1 leaf=5": .75})},
			class: class, want: "c=0.1", calls: "3, c=10 3, c=100 3, c=1000 2, c=0.1 3, c=0.1 leaf=5 1"},
		"a little better": {judged: judged{loss: level(map[string]float64{"": .4, "c=10": .396, "c=100": .4, "c=0.1": .4, "leaf=5": .4})},
			class: class, want: "", calls: "3, c=10 3, c=100 3, c=0.1 3, leaf=5 3"},
		"of many rows": {judged: judged{loss: level(map[string]float64{"": .4, "c=10": .5, "c=0.1": .5})},
			class: class, all: 6000, want: "", calls: "3, c=10 3, c=0.1 3"},
		"given": {judged: judged{loss: level(map[string]float64{"": .4, "leaf=5": .3, "leaf=8 share=0.5": .4})}, set: "c=1",
			class: class, want: "leaf=5", calls: "3, leaf=5 3, leaf=8 share=0.5 3"},
		"nothing open":     {set: "c=1 leaf=1", class: class},
		"values":           {judged: judged{loss: noisy(.032, 0)}, set: "e=1", value: values, want: "c=10", calls: "any"},
		"values, a little": {judged: judged{loss: noisy(.028, 0)}, set: "e=1", value: values, calls: "any"},
		// The standard error of a difference of .8 is .0462 of 300 rows, that of 1 is .0577.
		"values that differ":     {judged: judged{loss: noisy(.05, .8)}, set: "e=1", value: values, want: "c=10", calls: "any"},
		"values that differ too": {judged: judged{loss: noisy(.05, 1)}, set: "e=1", value: values, calls: "any"},
		"deviations": {judged: judged{loss: level(map[string]float64{"": .5, "e=0.5": .25, "e=0.25": .5})}, set: "c=1",
			value: alternating(300, 1, -1), want: "e=0.5", calls: "3, e=0.5 3, e=0.25 2"},
		"deviations with weights": {judged: judged{loss: level(map[string]float64{"": .5, "e=1": .25, "e=0.5": .125})}, set: "c=1",
			value: values, weight: weights, want: "e=0.5", calls: "3, e=1 3, e=0.5 3"},
		"no deviation": {judged: judged{loss: level(map[string]float64{"": .5})}, set: "c=1", value: alternating(300, 3, 3), calls: "3"},
		"weights": {judged: judged{loss: func(candidate string, row int) float64 {
			if candidate != "c=10" {
				return .5
			}
			return .25 + .75*float64(row%2)
		}}, set: "leaf=1", class: class, weight: alternating(300, 9, 1), want: "c=10", calls: "any"},
		"one fails": {judged: judged{loss: level(map[string]float64{"": .5, "c=0.1": .25}), none: map[string]bool{"c=10": true},
			err: map[string]error{"c=10": trouble}},
			set: "leaf=1", class: class, want: "c=0.1", calls: "3, c=10 1, c=0.1 3"},
		"one fails with losses": {judged: judged{loss: level(map[string]float64{"": .5, "c=10": .25, "c=0.1": .5}),
			err: map[string]error{"c=10": trouble}},
			set: "leaf=1", class: class, calls: "3, c=10 1, c=0.1 3"},
		"one is no number": {judged: judged{loss: level(map[string]float64{"": .5, "c=10": nan, "c=0.1": .25})},
			set: "leaf=1", class: class, want: "c=0.1", calls: "3, c=10 1, c=0.1 3"},
		"one is not finished": {judged: judged{loss: level(map[string]float64{"": .5, "c=10": .25, "c=100": .5, "c=0.1": .5}),
			err: map[string]error{"c=10": few}},
			set: "leaf=1", class: class, want: "c=10", calls: "3, c=10 3, c=100 2, c=0.1 2"},
		"the default fails": {judged: judged{loss: level(map[string]float64{"c=10": .5, "c=100": .75, "c=0.1": .5}),
			none: map[string]bool{"": true}, err: map[string]error{"": trouble}},
			set: "leaf=1", class: class, want: "c=10", calls: "1, c=10 3, c=100 3, c=0.1 3"},
		"the default is no number": {judged: judged{loss: level(map[string]float64{"": nan, "c=10": 5, "c=100": 7, "c=0.1": 7})},
			set: "e=1", value: values, want: "c=10", calls: "any"},
		"memory of the first": {judged: judged{loss: level(map[string]float64{"": .5}),
			err: map[string]error{"": fmt.Errorf("fit: %w", memory)}}, class: class, err: memory, calls: "any"},
		"memory of another": {judged: judged{none: map[string]bool{"c=10": true}, loss: level(map[string]float64{"": .5}),
			err: map[string]error{"c=10": memory}}, class: class, err: memory, calls: "any"},
	} {
		t.Run(name, func(t *testing.T) {
			var events []gram.Event
			n := max(len(c.class), len(c.value))
			choice := Choice{Class: c.class, Value: c.value, Weight: c.weight, Outputs: 1, Losses: c.judged.losses,
				Run: gram.Run{Seed: 4, Progress: func(e gram.Event) { events = append(events, e) }}}
			if c.class != nil {
				choice.Outputs = 2
			}
			b := settings.Bind(&toy{})
			must.Do(t, b.Set(strings.Fields(c.set)...))
			chosen, err := choice.Choose(t.Context(), b, n, cmp.Or(c.all, n))
			if !errors.Is(err, c.err) || strings.Join(chosen, " ") != c.want {
				t.Errorf("%v are chosen, %v, want %q", chosen, err, c.want)
			}
			var calls []string
			fits := 0
			for _, text := range c.judged.calls {
				calls = append(calls, strings.TrimSpace(fmt.Sprint(text, " ", c.fits[text])))
				fits += c.fits[text]
			}
			if got := strings.Join(calls, ", "); got != c.calls && c.calls != "any" {
				t.Errorf("the fits are %s, want %s", got, c.calls)
			}
			for k, e := range events {
				if e != (gram.Event{Phase: "settings by folds", Done: int64(k + 1)}) {
					t.Errorf("event %d is %+v", k, e)
				}
			}
			if len(events) != 2*fits || len(c.seeds) != fits {
				t.Errorf("%d events and %d seeds of %d fits", len(events), len(c.seeds), fits)
			}
		})
	}
}

// The folds are three of a sample of 1000 rows, in which each class has its share, and the same again for the same seed.
func TestChoiceFolds(t *testing.T) {
	const n = 1500
	class := make([]int, n)
	for i := range class {
		class[i] = i % 5 / 4 // a fifth is of class 1
	}
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(1 + i%3)
	}
	once := func(seed uint64) judged {
		j := judged{loss: func(string, int) float64 { return .5 }}
		c := Choice{Class: class, Outputs: 2, Losses: j.losses, Run: gram.Run{Seed: seed}}
		must.Have(c.Choose(t.Context(), settings.Bind(&toy{}), n, n))(t)
		return j
	}
	first := once(1)
	if len(first.splits) != 3 {
		t.Fatalf("%d folds", len(first.splits))
	}
	var rows, ones []int
	for f, s := range first.splits {
		held := 0
		for _, i := range s.Held {
			held += class[i]
		}
		if k := len(s.Held); k < 333 || k > 334 || k+len(s.Train) != 1000 {
			t.Errorf("fold %d holds out %d rows and trains on %d", f, k, len(s.Train))
		}
		for g, other := range first.splits {
			if g != f && !within(other.Held, s.Train) {
				t.Errorf("fold %d does not train on the rows that fold %d holds out", f, g)
			}
		}
		rows, ones = append(rows, s.Held...), append(ones, held)
	}
	if slices.Max(ones) > slices.Min(ones)+1 || slices.Min(ones) < 50 {
		t.Errorf("the folds hold out %v rows of class 1", ones)
	}
	slices.Sort(rows)
	if rows = slices.Compact(rows); len(rows) != 1000 || rows[999] < 1000 {
		t.Errorf("%d rows are held out, the last of %d is %d", len(rows), n, rows[len(rows)-1])
	}
	same := func(a, b Split) bool { return slices.Equal(a.Held, b.Held) }
	if again := once(1); !slices.EqualFunc(again.splits, first.splits, same) || !maps.Equal(again.seeds, first.seeds) {
		t.Error("the same seed gives other folds, or other seeds of the fits")
	}
	if other := once(2); slices.Equal(other.splits[0].Held, first.splits[0].Held) || maps.Equal(other.seeds, first.seeds) {
		t.Error("another seed gives the same folds, or the same seeds of the fits")
	}
	// The weights of the rows of the sample are divided by their own mean.
	f := Choice{Class: class, Weight: w, Losses: (&judged{loss: func(_ string, i int) float64 { return float64(i % 3) }}).losses}.folds(n)
	var sum, all float64
	for _, i := range f.rows {
		sum, all = sum+w[i]*float64(i%3), all+w[i]
	}
	if got := meanOf(must.Have(f.losses(t.Context(), nil, math.Inf(1)))(t)); !(math.Abs(got-sum/all) <= 1e-12) {
		t.Errorf("the mean with weights is %g, want %g", got, sum/all)
	}
}

// The loss of a candidate is the mean over the rows held out, with their weights, and infinite if a fit fails.
func TestChoiceLoss(t *testing.T) {
	v := []float64{1, 2, 3, 4, 5, 6}
	loss := func(_ string, i int) float64 { return v[i] }
	for name, c := range map[string]struct {
		Choice
		judged
		want float64
	}{
		"values":            {Choice{Value: v}, judged{loss: loss}, 3.5},
		"classes":           {Choice{Class: make([]int, 6)}, judged{loss: loss}, 3.5},
		"weights":           {Choice{Value: v, Weight: []float64{2, 2, 2, 2, 2, 10}}, judged{loss: loss}, (2*15 + 60) / 20.},
		"one that fails":    {Choice{Value: v}, judged{none: map[string]bool{"c=2": true}}, math.Inf(1)},
		"one of no numbers": {Choice{Value: v}, judged{loss: func(string, int) float64 { return nan }}, math.Inf(1)},
	} {
		c.Losses = c.judged.losses
		if got, err := c.Loss(t.Context(), []string{"c=2"}, Folds(6, 2, nil, 1)); err != nil ||
			!(math.Abs(got-c.want) <= 1e-12 || got == c.want) {
			t.Errorf("%s: the loss is %g, %v, want %g", name, got, err, c.want)
		}
	}
}

// The best of the values has the largest score on the fifth of at most 2500 rows that is held out; of equals the first. Those
// that cannot be trained do not count, and of fewer than 100 rows the first is taken.
func TestByPart(t *testing.T) {
	trouble := errors.New("trouble")
	for _, c := range []struct {
		n      int
		scores []float64
		errs   []error
		want   int
		held   int // rows; 0: there is no fit
	}{
		{99, []float64{1, 2, 3}, make([]error, 3), 0, 0},
		{100, []float64{1, 3, 2}, make([]error, 3), 1, 20},
		{100, []float64{2, 3, 3}, make([]error, 3), 1, 20},
		{100, []float64{-3, -2, -1}, []error{nil, nil, trouble}, 1, 20},
		{2600, []float64{1, 3, 2}, []error{nil, trouble, &gram.ConvergenceError{}}, 2, 500},
		{100, []float64{nan, nan, nan}, []error{trouble, trouble, trouble}, 0, 20},
	} {
		class := make([]int, c.n)
		for i := range class {
			class[i] = i % 2
		}
		seeds := map[uint64]bool{}
		fits := 0
		score := func(v int, seed uint64, s Split) (float64, error) {
			fits++
			seeds[seed] = true
			ones := 0
			for _, i := range s.Held {
				ones += class[i]
			}
			if len(s.Held) != c.held || len(s.Train) != 4*c.held || !slices.IsSorted(s.Held) || !slices.IsSorted(s.Train) {
				t.Errorf("%+v: %d rows are held out of %d", c, len(s.Held), len(s.Held)+len(s.Train))
			}
			if c.n == 100 {
				partition(t, 100, s)
				if ones != 10 {
					t.Errorf("%d of the 20 rows held out are of class 1, want 10", ones)
				}
			}
			if all := slices.Concat(s.Train, s.Held); c.n > 2500 &&
				(slices.Max(all) < 2500 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 2500) {
				t.Error("rows come twice, or are the first ones")
			}
			return c.scores[v], c.errs[v]
		}
		if got, err := ByPart(t.Context(), []int{0, 1, 2}, c.n, class, 5, score); err != nil || got != c.want {
			t.Errorf("%+v: value %d, %v", c, got, err)
		}
		if want := map[bool]int{true: 0, false: 3}[c.held == 0]; fits != want || len(seeds) != want {
			t.Errorf("%+v: %d fits with %d seeds", c, fits, len(seeds))
		}
	}
}

// Defaults say which values are tried beside them, by which rows, and with which other settings.
func TestDescribe(t *testing.T) {
	b := settings.Bind(&toy{})
	b.Lookup("lambda").Search = &settings.Range{Low: 1, High: 2}
	b.Candidates = append(b.Candidates,
		settings.Candidates{Names: []string{"share"}, Lists: [][]string{{"share=0.25"}}, Targets: settings.ForClasses, Judge: settings.HeldOut},
		settings.Candidates{Names: []string{"rounds"}, Lists: [][]string{{"rounds=9", "rounds=3"}}},
		settings.Candidates{Names: []string{"c"}, Lists: [][]string{{"c=7"}}})
	Describe(b)
	for name, want := range map[string]string{
		"c": "the one of 1, 10, 100, 1000 and 0.1 with the least error in three folds of at most 1000; of fewer than 200 rows 1",
		"e": "the one of 0.5 and 0.25 standard deviations of the target and the default of few rows with the least error in three folds of at most 1000; " +
			"of fewer than 200 rows a tenth of the range",
		"leaf":   "the one of 20, 5 and 8, together with share, with the least error in three folds of at most 1000; of fewer than 200 or more than 5000 rows 20",
		"lambda": "that of least leave-one-out error on at most 500 rows",
		"k":      "of at least 100 rows the one of 20, 10 and 5 with the best first labels of a fit with rounds=1 on a fifth held out of at most 2500; of fewer 20",
		"rounds": "the one of 9 and 3 with the least error in three folds of at most 1000; of fewer than 200 rows 9",
		// What a part of the rows decides comes first.
		"share": "the one of 0.5 and the default of few rows, together with leaf, with the least error in three folds of at most 1000; of fewer than 200 or more than 5000 rows " +
			"of at least 100 rows the one of 1 and 0.25 with the least error on a fifth held out of at most 2500; of fewer 1",
	} {
		if s := b.Lookup(name); s.Default != want || name == "lambda" && s.Search != nil {
			t.Errorf("%s: the default is %q, want %q", name, s.Default, want)
		}
	}
	// Of values alone, the search and the default for classes stay.
	b = settings.Bind(&toy{})
	b.Lookup("lambda").Search = &settings.Range{Low: 1, High: 2}
	b.Candidates = []settings.Candidates{{Names: []string{"lambda"}, Judge: settings.LeaveOneOut, Targets: settings.ForValues},
		{Names: []string{"c", "leaf"}, Lists: [][]string{{"c=3 leaf=2"}}, Targets: settings.ForValues}}
	Describe(b)
	for name, want := range map[string]string{
		"lambda": "values: that of least leave-one-out error on at most 500 rows; classes: 1",
		"leaf":   "the one of 20 and 2, for values together with c, with the least error in three folds of at most 1000; of fewer than 200 rows 20",
	} {
		if s := b.Lookup(name); s.Default != want || name == "lambda" && s.Search == nil {
			t.Errorf("%s for values: the default is %q, want %q", name, s.Default, want)
		}
	}
}

// rounder predicts the number in the first column.
type rounder struct{}

func (rounder) Predict(_ []float64, x mat.Matrix) []float64 { return mat.Col(nil, 0, x) }

// naming is a classifier whose class is the number in the first column.
type naming struct{ gram.Classifier }

func (naming) Predict(_ []int, x mat.Matrix) []int {
	var class []int
	for _, v := range mat.Col(nil, 0, x) {
		class = append(class, int(v))
	}
	return class
}

// Losses are squared errors of values and wrong classes.
func TestLosses(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 2, 3})
	if got := Losses(rounder{}, x, nil, []float64{0, 5, 1}); !slices.Equal(got, []float64{0, 9, 4}) {
		t.Errorf("losses of values %v", got)
	}
	if got := Losses(naming{}, x, []int{0, 1, 3}, nil); !slices.Equal(got, []float64{0, 1, 0}) {
		t.Errorf("losses of classes %v", got)
	}
	if got := Losses(toy{}, x, nil, nil); got != nil {
		t.Errorf("losses of no model %v", got)
	}
}
