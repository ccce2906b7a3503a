package routed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

const (
	filled  = 0.8 // share of Cap that a leaf of the tree may have by the estimate
	leastIn = 10  // rows of the sample in a leaf, on which the estimate rests
)

// SampleFor returns the number of rows of a sample that Tree needs for n rows in all.
func SampleFor(n, limit int) int {
	return int(math.Ceil(2 * leastIn * float64(n) / (filled * float64(limit))))
}

// Tree returns the tree of centers for n rows of which the rows of x are a sample. By the estimate
// from the sample no leaf gets more than 80 % of limit rows. The error says so if the sample is too
// small for that.
func Tree(ctx context.Context, x mat.Matrix, n, limit int, run gram.Run) (*kmeans.TreeModel, error) {
	s, _ := x.Dims()
	leaf := s
	if n > limit {
		leaf = int(filled * float64(limit) * float64(s) / float64(n))
		if s == n {
			leaf = limit
		}
		if leaf < min(leastIn, limit) {
			return nil, settings.Refuse("Sample", s, "at least %d rows, for parts of at most %d of %d rows", SampleFor(n, limit), limit, n)
		}
	}
	run.Seed = rng.Derive(run.Seed, "tree")
	return kmeans.Tree{Leaf: leaf, Run: run}.Fit(ctx, x)
}

// MeanParts returns the number of random parts of n rows, with at most about 80 % of limit rows each.
func MeanParts(n, limit int) int { return max(1, int(math.Ceil(float64(n)/(filled*float64(limit))))) }

// Part is the model of the rows of one leaf. It is safe for concurrent use.
type Part struct {
	tree    *kmeans.TreeModel // divides the rows again; nil: there is one local model
	locals  []*local
	classes int // 0: values
	d       int
	bytes   int64 // of its file
}

// local is the model of rows that are not divided any more.
type local struct {
	rows     int
	short    int             // 1: the fit did not converge
	classes  []int           // that the rows have, ascending
	model    modelfile.Model // of these classes, or of values; nil: constant
	constant float64         // value
}

// Fit trains the model of the rows of the given numbers: a gram.Classifier with the classes of y,
// which has a class for each of these rows, or a gram.Regressor if y has no names. The model may
// come with a *gram.ConvergenceError.
type Fit func(ctx context.Context, index []int, y gram.Labels) (modelfile.Model, error)

// FitPart fits the model of the rows of one leaf. If they are more than limit it divides them by a
// tree, so that no local model is of more than limit rows. Of more than limit equal rows, which a tree
// does not divide, limit are used, at even distances. A local model whose rows lack some classes is
// fitted to those that there are. One that does not converge is kept; see Part.Short. Without rows,
// as of a center that no row is nearest to, the part predicts the first class or 0. x is n×columns,
// or empty; y has the classes of its rows, or no names for values, which only fit knows.
func FitPart(ctx context.Context, x mat.Matrix, y gram.Labels, columns, limit int, run gram.Run, fit Fit) (*Part, error) {
	n, _ := x.Dims()
	p := &Part{classes: len(y.Names), d: columns}
	groups := make([][]int, 1)
	for i := range n {
		groups[0] = append(groups[0], i)
	}
	if n > limit {
		run.Seed = rng.Derive(run.Seed, "tree")
		t, err := kmeans.Tree{Leaf: limit, Run: run}.Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		if t.Leaves() > 1 {
			p.tree, groups = t, rows.Groups(t.Labels(), t.Leaves())
		}
	}
	for _, group := range groups {
		l, err := fitLocal(ctx, y, thin(group, limit), fit)
		if err != nil {
			return nil, err
		}
		p.locals = append(p.locals, l)
	}
	return p, nil
}

// thin returns at most most of the indices, at even distances.
func thin(index []int, most int) []int {
	if len(index) <= most {
		return index
	}
	some := make([]int, most)
	for k := range some {
		some[k] = index[int(int64(k)*int64(len(index))/int64(most))]
	}
	return some
}

func fitLocal(ctx context.Context, y gram.Labels, index []int, fit Fit) (*local, error) {
	l := &local{rows: len(index)}
	if len(index) == 0 { // a center that no row is nearest to
		l.classes = []int{0}
		return l, nil
	}
	var own gram.Labels
	if len(y.Names) > 0 {
		number := make([]int, len(y.Names))
		for _, i := range index {
			number[y.Class[i]] = 1
		}
		var names []string
		for c, have := range number {
			if have == 1 {
				number[c] = len(l.classes)
				l.classes, names = append(l.classes, c), append(names, y.Names[c])
			}
		}
		if len(names) == 1 {
			return l, nil
		}
		class := make([]int, len(index))
		for k, i := range index {
			class[k] = number[y.Class[i]]
		}
		own = gram.Labels{Class: class, Names: names}
	}
	var err error
	l.model, err = fit(ctx, index, own)
	var limit *gram.ConvergenceError
	switch {
	case l.model != nil && errors.As(err, &limit):
		l.short, err = 1, nil
	case l.model == nil && err == nil:
		err = errors.New("routed: no model")
	}
	return l, err
}

// Short returns the number of local models that did not converge.
func (p *Part) Short() int {
	n := 0
	for _, l := range p.locals {
		n += l.short
	}
	return n
}

// Rows returns the numbers of rows that the local models were fitted to.
func (p *Part) Rows() []int {
	var n []int
	for _, l := range p.locals {
		n = append(n, l.rows)
	}
	return n
}

// Values sets dst to the scores of the classes, as those of a gram.Classifier, or to the values
// of the rows of x. A row with NaN gets NaN.
func (p *Part) Values(dst *mat.Dense, x gram.Samples[float64]) {
	if p.tree == nil {
		p.locals[0].values(dst, x, p.classes)
		return
	}
	scatter(dst, x, p.tree.Assign(nil, gram.Matrix(x)), len(p.locals), func(k int, dst *mat.Dense, x gram.Samples[float64]) error {
		p.locals[k].values(dst, x, p.classes)
		return nil
	})
}

// scatter calls body for each part with the rows of it, and puts the results in their places. Rows
// of part −1 get NaN.
func scatter(dst *mat.Dense, x gram.Samples[float64], label []int, parts int, body func(k int, dst *mat.Dense, x gram.Samples[float64]) error) error {
	index := make([][]int, parts)
	_, width := dst.Dims()
	for i, k := range label {
		if k >= 0 {
			index[k] = append(index[k], i)
			continue
		}
		for j := range width {
			dst.Set(i, j, math.NaN())
		}
	}
	for k, members := range index {
		if len(members) == 0 {
			continue
		}
		out := mat.NewDense(len(members), width, nil)
		if err := body(k, out, x.Select(members)); err != nil {
			return err
		}
		for j, i := range members {
			dst.SetRow(i, out.RawRowView(j))
		}
	}
	return nil
}

// values sets dst to the scores of the classes, or to the values if classes is 0, that the local model gives the rows of x.
// Classes that none of its rows had come last. A row with NaN gets NaN.
func (l *local) values(dst *mat.Dense, x gram.Samples[float64], classes int) {
	n, width := dst.Dims()
	switch {
	case classes == 0 && l.model == nil:
		for i := range n {
			dst.Set(i, 0, l.constant)
		}
	case classes == 0:
		for i, v := range l.model.(gram.Regressor).Predict(nil, gram.Matrix(x)) {
			dst.Set(i, 0, v)
		}
	case len(l.classes) == classes:
		l.model.(gram.Classifier).Scores(dst, gram.Matrix(x))
	case len(l.classes) == 1:
		for i := range n {
			row := dst.RawRowView(i)
			for c := range row {
				row[c] = -1
			}
			if width > 1 {
				row[l.classes[0]] = 1
			} else if l.classes[0] == 1 {
				row[0] = 1
			}
		}
	default: // classes that no row had come last
		s := l.model.(gram.Classifier).Scores(nil, gram.Matrix(x))
		for i := range n {
			row, own := dst.RawRowView(i), s.RawRowView(i)
			if len(own) == 1 {
				own = []float64{-own[0], own[0]}
			}
			last := slices.Min(own) - 1
			for c := range row {
				row[c] = last
			}
			for j, c := range l.classes {
				row[c] = own[j]
			}
		}
	}
	if l.model != nil {
		return
	}
	_, d := x.Dims()
	room := make([]float64, d)
	for i := range n {
		if row := dst.RawRowView(i); program.HasNaN(x.Row(room, i)) {
			program.Fill(row, math.NaN())
		}
	}
}

// partMethod is the name of a part in files.
const partMethod = "routed.part"

// stored is a part in a file, with the model that it belongs to.
type stored struct {
	*Part
	id     string
	number int
}

// Encode writes the number of the part, its tree and its local models.
func (s *stored) Encode(w *modelfile.Writer) error { return modelfile.Put(w, s.form) }

// form lists what a file holds of the part. Writing and reading a file go through these same statements.
func (s *stored) form(x *modelfile.Exchange) {
	head := struct {
		ID           string
		Part, Locals int
		Classes, D   int
	}{s.id, s.number, len(s.locals), s.classes, s.d}
	x.Header(partMethod, 1, &head)
	if x.Reading() {
		x.Require(head.ID == s.id && head.Part == s.number, "", "part %d of another model", head.Part)
		x.Require(head.Locals > 0 && head.Locals <= modelfile.MaxCount && head.Classes == s.classes && head.D == s.d, "", "%d models of %d classes and %d columns", head.Locals, head.Classes, head.D)
	}
	if x.OptionalPart("tree", s.tree != nil) {
		modelfile.Part(x, "tree", &s.tree, kmeans.DecodeTree)
	}
	if x.Reading() {
		s.locals = nil
		if s.tree != nil {
			leaves, d := s.tree.Dims()
			x.Require(leaves == head.Locals && d == s.d, "tree", "a tree of %d leaves for %d columns", leaves, d)
		} else {
			x.Require(head.Locals == 1, "", "%d models and no tree", head.Locals)
		}
	}
	for k := range head.Locals {
		l := &local{}
		if x.Writing() {
			l = s.locals[k]
		} else if !x.Reading() {
			return
		}
		l.exchange(x, fmt.Sprint("local", k), s.classes)
		if x.Reading() {
			s.locals = append(s.locals, l)
		}
	}
}

// reader is what the value of a file that holds models knows: how they are read.
type reader interface {
	Model(f *modelfile.File) (modelfile.Model, error)
}

func (l *local) exchange(x *modelfile.Exchange, prefix string, classes int) {
	x.Int(prefix+".rows", &l.rows, 0, math.MaxInt)
	x.Int(prefix+".short", &l.short, 0, 1)
	x.Number(prefix+".constant", &l.constant)
	x.Ints(prefix+".classes", &l.classes, -1, 0, max(0, classes-1))
	if x.Reading() {
		x.Require(slices.IsSorted(l.classes) && len(slices.Compact(slices.Clone(l.classes))) == len(l.classes), prefix+".classes", "they do not ascend")
		x.Require(classes == 0 || len(l.classes) > 0, prefix+".classes", "there are none")
	}
	if !x.OptionalPart(prefix, l.model != nil) {
		x.Require(classes == 0 || len(l.classes) == 1, prefix, "there is no model")
		return
	}
	modelfile.Part(x, prefix, &l.model, func(f *modelfile.File) (modelfile.Model, error) {
		r, ok := f.Value().(reader)
		if !ok {
			return nil, errors.New("routed: the file has no registry of models")
		}
		m, err := r.Model(f)
		if err != nil {
			return nil, err
		}
		c, is := m.(gram.Classifier)
		if classes > 0 && (!is || len(c.Classes()) != len(l.classes)) {
			return nil, f.Errorf("", "no classifier for %d classes", len(l.classes))
		}
		if _, is := m.(gram.Regressor); classes == 0 && !is {
			return nil, f.Errorf("", "no model of values")
		}
		return m, nil
	})
}
