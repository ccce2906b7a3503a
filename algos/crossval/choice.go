package crossval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Settings are chosen, of at least minRows rows, in numFolds folds of at most maxRows. A
// candidate must be better than the setting before it by betterClass of the rows, or by betterValue of the mean
// squared error, and there by more than the standard error of the difference.
const (
	minRows     = 200
	maxRows     = 1000
	numFolds    = 3
	betterClass = .005
	betterValue = .03
)

// minOfClass is the number of these rows that there must be for each class.
const minOfClass = 10

// A choice by one part of the rows holds out heldShare of at most maxOfPart rows, if there are minOfPart.
const (
	minOfPart = 100
	maxOfPart = 2500
	heldShare = .2
)

// Choice chooses settings of a method by the loss of rows that are held out in folds. The candidates are those
// that the configuration declares for settings that are not given; see settings.Candidates. They are chosen
// one declaration after the other. Of fewer than 200 rows nothing is chosen, and of more than 1000 a sample chooses.
type Choice struct {
	Class   []int     // classes of the rows; nil: the targets are values
	Outputs int       // number of classes
	Value   []float64 // targets of the rows; nil: the targets are classes
	Weight  []float64 // of the rows; nil: ones
	// Losses trains with the settings NAME=VALUE on the rows train and returns the loss of each of the rows
	// held, without its weight. It returns nil with the reason if there is no model.
	Losses func(ctx context.Context, settings []string, train, held []int, run gram.Run) ([]float64, error)
	gram.Run
}

// Open returns the declarations of b that a choice by folds decides for n rows with that many classes, at most 1
// for values: settings that are not given and matter for such targets.
func Open(b *settings.Bound, n, outputs int) []settings.Candidates {
	classes := outputs > 1
	if n < minRows || classes && min(n, maxRows) < minOfClass*outputs {
		return nil
	}
	var open []settings.Candidates
	for _, c := range b.Candidates {
		settled := func(name string) bool { s := b.Lookup(name); return s.Given() || !s.Applies() }
		switch {
		case c.Judge != settings.Folds, slices.ContainsFunc(c.Names, settled):
		case c.Targets == settings.ForClasses && !classes, c.Targets == settings.ForValues && classes:
		case c.MostRows > 0 && n > c.MostRows:
		default:
			open = append(open, c)
		}
	}
	return open
}

// PlanChoice adds to the plan p of a fit to data of shape s, with the settings b, the cost of the choice by folds. plan returns
// the plan of the fit of one candidate to data of a shape.
func PlanChoice(p gram.Plan, b *settings.Bound, s gram.Shape, plan func(gram.Shape) (gram.Plan, error)) gram.Plan {
	open := Open(b, s.N, s.Outputs)
	if open == nil {
		return p
	}
	tries := 1
	for _, c := range open {
		tries++
		for _, list := range c.Lists {
			tries += len(list)
		}
	}
	return planFits(p, s, maxRows, tries*(numFolds-1), plan)
}

// planFits adds to the plan p of a fit to data of shape s the cost of so many fits to at most most rows, whose
// plan is plan, and of two copies of these rows. Nothing is added if there is no plan for so few.
func planFits(p gram.Plan, s gram.Shape, most, fits int, plan func(gram.Shape) (gram.Plan, error)) gram.Plan {
	few := s
	few.N = min(s.N, most)
	few.NNZ = int64(float64(s.NNZ) * float64(few.N) / float64(s.N))
	part, err := plan(few)
	if err != nil {
		return p
	}
	rows := 8 * int64(few.N) * int64(s.D)
	if s.NNZ > 0 {
		rows = 12 * few.NNZ
	}
	p.Flops += float64(fits) * part.Flops
	p.PeakBytes = max(p.PeakBytes, part.PeakBytes+2*rows)
	return p
}

// Choose returns the settings NAME=VALUE that it chooses besides the given ones of b. They are for a fit to all rows, of which n
// are here: a sample, or all. A setting that stays as it would be without a choice is left out. The error is ctx.Err(), or a
// *gram.MemoryError: with more memory the choice could be another one.
func (c Choice) Choose(ctx context.Context, b *settings.Bound, n, all int) ([]string, error) {
	open := Open(b, all, c.Outputs)
	if len(open) == 0 {
		return nil, nil
	}
	f := c.folds(n)
	chosen := []string{}
	least, err := f.losses(ctx, chosen, math.Inf(1)) // of the settings chosen so far
	if err != nil {
		return nil, err
	}
	for _, o := range open {
		before := chosen
		for _, list := range o.Lists {
			lowest := meanOf(least) // of the list
			for _, text := range list {
				candidate, ok := f.assignments(b, text)
				if !ok {
					break
				}
				candidate = slices.Concat(before, candidate)
				by, err := f.losses(ctx, candidate, lowest)
				if err != nil {
					return nil, err
				}
				if clearlyLess(by, least, c.Class != nil) {
					chosen, least = candidate, by
				}
				if mean := meanOf(by); !(mean > lowest) && by != nil {
					lowest = mean
					continue
				}
				break
			}
		}
	}
	return chosen, nil
}

// folded is a Choice with the folds on which candidates are compared.
type folded struct {
	Choice
	rows   []int // those in the folds
	splits []Split
}

// folds returns the folds of at most maxRows of n rows.
func (c Choice) folds(n int) folded {
	seed := rng.Derive(c.Seed, "tried")
	f := folded{Choice: c, rows: seq(n)}
	if n > maxRows {
		f.rows = Sample(n, maxRows, seed)
	}
	f.splits = Folds(len(f.rows), numFolds, pick(c.Class, f.rows), seed)
	for i, s := range f.splits {
		f.splits[i] = Split{pick(f.rows, s.Train), pick(f.rows, s.Held)}
	}
	if f.Seed = seed; c.Progress != nil {
		events := int64(0) // of all fits, so that who looks at the progress can end any of them
		f.Progress = func(gram.Event) {
			events++
			c.Progress(gram.Event{Phase: "settings by folds", Done: events})
		}
	}
	return f
}

// assignments returns the assignments in text with values in units of the target's deviation made
// absolute. There are none if that has no deviation.
func (f folded) assignments(b *settings.Bound, text string) ([]string, bool) {
	var out []string
	for _, a := range strings.Fields(text) {
		name, value, _ := strings.Cut(a, "=")
		if b.Lookup(name).InDeviations {
			sd := metric.Deviation(pick(f.Value, f.rows), pick(f.Weight, f.rows))
			v, err := strconv.ParseFloat(value, 64)
			if err != nil || sd == 0 {
				return nil, false
			}
			a = fmt.Sprint(name, "=", v*sd)
		}
		out = append(out, a)
	}
	return out, true
}

// losses returns the loss of each row, held out once, times its weight over the mean weight, in the
// order of the folds. They are nil if a fit fails, or as soon as their mean must be larger than most.
func (f folded) losses(ctx context.Context, candidate []string, most float64) ([]float64, error) {
	n := float64(len(f.rows))
	all := n
	if f.Weight != nil {
		all = floats.Sum(pick(f.Weight, f.rows))
	}
	var out []float64
	var sum float64
	for fold, split := range f.splits {
		run := f.Run
		run.Seed = rng.Derive(f.Seed, fmt.Sprint(candidate, fold))
		losses, err := f.Losses(ctx, candidate, split.Train, split.Held, run)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, large := errors.AsType[*gram.MemoryError](err); large {
			return nil, err
		}
		if losses == nil || err != nil && !Unfinished(err) {
			return nil, nil // the fit to all rows says why
		}
		for k, v := range losses {
			v *= weightOf(f.Weight, split.Held[k]) * n / all
			sum += v
			out = append(out, v)
		}
		if sum > most*n || sum != sum {
			return nil, nil
		}
	}
	return out, nil
}

// Loss returns the mean loss of the rows that splits hold out, with their weights, after training with the candidate settings
// NAME=VALUE. It is +Inf if a fit fails. By it candidates are compared.
func (c Choice) Loss(ctx context.Context, candidate []string, splits []Split) (float64, error) {
	losses, err := folded{c, seq(max(len(c.Class), len(c.Value))), splits}.losses(ctx, candidate, math.Inf(1))
	return meanOf(losses), err
}

// clearlyLess reports whether the losses a, of the same rows as b, are so much less that it counts.
// Losses that are nil are the largest.
func clearlyLess(a, b []float64, classes bool) bool {
	switch {
	case a == nil || b == nil:
		return a != nil
	case classes:
		return meanOf(a) < meanOf(b)-betterClass
	}
	less := make([]float64, len(a))
	floats.SubTo(less, b, a)
	mean, sd := stat.MeanStdDev(less, nil)
	return mean > betterValue*meanOf(b) && mean > sd/math.Sqrt(float64(len(a)))
}

// meanOf returns the mean of the losses, and +Inf if there are none.
func meanOf(losses []float64) float64 {
	if losses == nil {
		return math.Inf(1)
	}
	return stat.Mean(losses, nil)
}

// weightOf returns the weight of row i, which is 1 if w is nil.
func weightOf(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// pick returns the entries of v at index; nil of nil.
func pick[T any](v []T, index []int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(index))
	for k, i := range index {
		out[k] = v[i]
	}
	return out
}

// seq returns the numbers 0, …, n−1.
func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// ByPart returns the first of the values with the largest score: score trains with a value and the seed on split.Train, numbers
// of at most 2500 of the n rows, and judges by the fifth of them that is held out. class has the classes of the rows; nil: none.
// ByPart returns the first value if there are fewer than 100 rows or if nothing can be trained. The error is ctx.Err().
func ByPart[V any](ctx context.Context, values []V, n int, class []int, seed uint64, score func(v V, seed uint64, split Split) (float64, error)) (V, error) {
	if n < minOfPart {
		return values[0], nil
	}
	few := seq(n)
	if n > maxOfPart {
		few = Sample(n, maxOfPart, seed)
	}
	split := Share(len(few), heldShare, pick(class, few), seed)
	split = Split{pick(few, split.Train), pick(few, split.Held)}
	best := Best[V]{Larger: true, Value: values[0]}
	for _, v := range values {
		s, err := score(v, rng.Derive(seed, fmt.Sprint(v)), split)
		if ctx.Err() != nil {
			return values[0], ctx.Err()
		}
		if err == nil || Unfinished(err) { // else the fit on all rows says why
			best.Offer(v, s)
		}
	}
	return best.Value, nil
}

// Describe says in the defaults of b what a choice does for them.
func Describe(b *settings.Bound) {
	for _, folds := range []bool{false, true} {
		described := map[string]bool{}
		for _, c := range b.Candidates {
			if folds != (c.Judge == settings.Folds) {
				continue
			}
			for _, name := range c.Names {
				s := b.Lookup(name)
				if described[name] {
					continue
				}
				described[name] = true
				switch c.Judge {
				case settings.LeaveOneOut:
					leaveOneOut(s, c)
				case settings.HeldOut:
					words := "with the least error"
					if c.Targets == settings.ForLabels {
						words = "with the best first labels"
					}
					if c.With != "" {
						words += " of a fit with " + c.With
					}
					s.Default = fmt.Sprintf("of at least %d rows the one of %s %s on a fifth held out of at most %d; of fewer %s", minOfPart, values(s, c), words, maxOfPart, s.Default)
				default:
					own := fmt.Sprintf("of fewer than %d rows %s", minRows, s.Default)
					if c.MostRows > 0 {
						own = fmt.Sprintf("of fewer than %d or more than %d rows %s", minRows, c.MostRows, s.Default)
					}
					s.Default = fmt.Sprintf("the one of %s with the least error in three folds of at most %d; %s", values(s, c), maxRows, own)
				}
			}
		}
	}
}

// leaveOneOut describes the default of s. A search then leaves the setting to the choice.
func leaveOneOut(s *settings.Setting, c settings.Candidates) {
	const words = "that of least leave-one-out error on at most 500 rows"
	if c.Targets == settings.ForValues {
		s.Default = fmt.Sprintf("values: %s; classes: %s", words, s.Default)
		return
	}
	s.Default, s.Search = words, nil
}

// values says in words what is tried for a setting.
func values(s *settings.Setting, c settings.Candidates) string {
	var list []string
	if !strings.Contains(s.Default, " ") {
		list = []string{s.Default}
	}
	for _, text := range slices.Concat(c.Lists...) {
		for _, a := range strings.Fields(text) {
			if name, v, _ := strings.Cut(a, "="); name == s.Name && !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	if s.InDeviations {
		list = []string{strings.Join(list, " and ") + " standard deviations of the target"}
	}
	if strings.Contains(s.Default, " ") {
		list = append(list, "the default of few rows")
	}
	words := strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
	if others := slices.DeleteFunc(slices.Clone(c.Names), func(n string) bool { return n == s.Name }); len(others) > 0 {
		words += ", "
		if c.Targets == settings.ForValues {
			words += "for values "
		}
		words += "together with " + strings.Join(others, " and ") + ","
	}
	return words
}

// Losses returns the squared error of each row of x by a gram.Regressor m, or by a gram.Classifier 1 for a wrong class and 0
// for the right one. class or value holds the targets. It returns nil if m is neither.
func Losses(m any, x mat.Matrix, class []int, value []float64) []float64 {
	n, _ := x.Dims()
	out := make([]float64, n)
	switch m := m.(type) {
	case gram.Classifier:
		for i, c := range m.Predict(nil, x) {
			if c != class[i] {
				out[i] = 1
			}
		}
	case gram.Regressor:
		for i, v := range m.Predict(nil, x) {
			out[i] = (v - value[i]) * (v - value[i])
		}
	default:
		return nil
	}
	return out
}
