package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Poor looks at mostForPoor rows, or fewer, but at least fewestForPoor, if there are more than classesForPoor classes: a
// prediction by pairs of classes takes time for the square of their number. HoldOut holds out a share of so many rows.
const (
	mostForPoor     = 1000
	fewestForPoor   = 200
	classesForPoor  = 100
	fewestForLinear = 100
	mostForLinear   = 2500
	heldForLinear   = .2
	fewestToHold    = 10
	cellsForLinear  = 1 << 24 // weights of a linear model for sets of labels at most
)

// Poor says in a phrase that a model is no better than a constant on at most 1000 of the rows
// it was trained on: values are further from the target than their mean, or classes are right
// no more often than the most frequent one. It is empty for a better model, for sets of labels,
// for clusters, and for rows with weights. A model that is better there may still be poor on
// other rows.
func Poor(m *pipeline.Model, d *dataset.Set, seed uint64) string {
	task := d.Task()
	if method, err := catalog.Find(m.Method); err == nil && method.Clusters {
		return ""
	}
	if d.Weight != nil || m.Task != task || task != dataset.Classes && task != dataset.Regression {
		return ""
	}
	most := mostForPoor
	if k := len(d.Labels.Names); k > classesForPoor {
		most = max(fewestForPoor, int(mostForPoor*math.Pow(classesForPoor/float64(k), 2)))
	}
	if n, _ := d.Dims(); n > most {
		d = d.Select(dataset.Sample(n, most, rng.Derive(seed, "poor")))
	}
	n, _ := d.Dims()
	measure, err := Config{}.measure(task)
	if err != nil {
		return ""
	}
	few := *d
	if few.X, err = m.Scaled(d.X); err != nil {
		return ""
	}
	got, err := scoreModel(m.Model, &few, measure)
	if err != nil {
		return ""
	}
	if task == dataset.Regression {
		if mean := stat.PopStdDev(d.Value, nil); mean > 0 && !(got < mean) {
			return fmt.Sprintf("on %d training rows its error is %.4g, that of their mean %.4g", n, got, mean)
		}
		return ""
	}
	count, often := make([]int, len(d.Labels.Names)), 0
	for _, c := range d.Labels.Class {
		count[c]++
	}
	for c, k := range count {
		if k > count[often] {
			often = c
		}
	}
	if share := float64(count[often]) / float64(n); share < 1 && !(got > share) {
		return fmt.Sprintf("of %d training rows it has %.4g right, the class %q alone %.4g", n, got, d.Labels.Names[often], share)
	}
	return ""
}

// Judged returns d with those rows alone that Poor and HoldOut with the same seed look at, so that a fit may use up the others. It
// has the size and the targets of d; another row has no numbers. Judged returns d itself if that would save little.
func Judged(d *dataset.Set, seed uint64) *dataset.Set {
	n, _ := d.Dims()
	if x, dense := d.X.(*mat.Dense); dense && n > 4*(mostForPoor+mostForLinear) {
		index := append(dataset.Sample(n, mostForPoor, rng.Derive(seed, "poor")), dataset.Sample(n, mostForLinear, rng.Derive(seed, "linear"))...)
		few := *d
		few.X = someRows{n, places(index), dataset.SelectRows(x, index).(*mat.Dense)}
		return &few
	}
	return d
}

// someRows are some of n rows: row i is row at[i] of x.
type someRows struct {
	n  int
	at map[int]int
	x  *mat.Dense
}

func places(index []int) map[int]int {
	at := make(map[int]int, len(index))
	for k, i := range index {
		at[i] = k
	}
	return at
}

// Dims returns the numbers of all rows and of columns.
func (r someRows) Dims() (n, d int) {
	_, d = r.x.Dims()
	return r.n, d
}

// At returns an element of a row that was drawn, and NaN for other rows.
func (r someRows) At(i, j int) float64 {
	if k, is := r.at[i]; is {
		return r.x.At(k, j)
	}
	return math.NaN()
}

// T returns the transpose, which shares the rows.
func (r someRows) T() mat.Matrix { return mat.Transpose{Matrix: r} }

// HeldOut is a method and a linear model that were fitted to some rows, and what they lose on the others: the squared error
// of each, or 1 for a wrong class, or for sets of labels for a first label that the row does not have, and 0 for the right one.
type HeldOut struct {
	Model     *pipeline.Model
	Trained   int          // rows that all were fitted to
	Held      *dataset.Set // the rows on which the losses were measured
	Loss      []float64    // loss of Model for each row of Held
	Linear    []float64    // loss of the linear model for each row of Held; nil: there are too many labels and columns for one
	Centroids []float64    // of sets of labels, the loss for each row of Held where the label with the nearest centroid comes first
}

// HoldOut fits method m with the given settings NAME=VALUE, and a linear model, to four fifths of at most 2500 rows of d,
// and judges both by the others; of sets of labels also the centroids of labels. The error says why that cannot be: of clusters, of fewer than 10 rows, of
// rows with weights, of settings that name a file, whose contents may be about rows by their numbers, or if one of the fits
// fails.
//
// HoldOut chooses no default by the data: settings must hold what the fit of the model has chosen. Of more than 625 rows it takes
// so few, but at least 625, that its fit takes at most a quarter of the operations that are planned for all rows.
func HoldOut(ctx context.Context, p training.Prepare, m catalog.Method, settings []string, d *dataset.Set, run gram.Run) (*HeldOut, error) {
	n, _ := d.Dims()
	switch task := d.Task(); {
	case m.Clusters || task == dataset.NoTarget:
		return nil, errors.New("rows are held out of fits of classes, values and sets of labels alone")
	case d.Weight != nil:
		return nil, errors.New("rows with weights are not held out")
	case n < fewestToHold:
		return nil, fmt.Errorf("of %d rows none are held out, want at least %d", n, fewestToHold)
	}
	f := m.New()
	if err := f.Settings().Set(settings...); err != nil {
		return nil, err
	}
	for _, s := range f.Settings().Settings {
		if s.Kind == "file" && s.String() != "" {
			return nil, fmt.Errorf("no rows are held out, as the file of the setting %s may name rows by their numbers", s.Name)
		}
	}
	f = catalog.Plain(f)
	seed := rng.Derive(run.Seed, "linear")
	if part := cheapRows(f, d.Task(), d.Shape()); part < n {
		d = d.Select(dataset.Sample(n, part, seed))
		n = part
	}
	split := crossval.Share(n, heldForLinear, d.Labels.Class, seed)
	train, held := d.Select(split.Train), d.Select(split.Held)
	run.Progress = nil
	out := &HeldOut{Trained: len(split.Train), Held: held}
	var err error
	if out.Model, err = p.Train(ctx, m, f, train, run); out.Model == nil || err != nil && !crossval.Unfinished(err) {
		return nil, err
	}
	x, err := out.Model.Scaled(held.X)
	if err != nil {
		return nil, err
	}
	if held.Task() == dataset.MultiLabel {
		if err := out.rank(ctx, train, x, run); err != nil {
			return nil, err
		}
		return out, nil
	}
	out.Loss = catalog.Losses(out.Model.Model, x, held)
	ready, err := p.Fit(train, run.Seed)
	if err != nil {
		return nil, err
	}
	l, err := catalog.Must("linear").New().Fit(ctx, ready.Set, run)
	if l == nil || err != nil && !crossval.Unfinished(err) {
		return nil, err
	}
	out.Linear = catalog.Losses(l, ready.Apply(held.X), held)
	if out.Loss == nil || out.Linear == nil {
		return nil, fmt.Errorf("models of method %s are not judged by rows that are held out", m.Name)
	}
	return out, nil
}

// rank sets the losses for sets of labels. x are the rows held out as the model takes them. The centroids are those of the rows as the
// linear model scales them, or with length 1 if there is none.
func (h *HeldOut) rank(ctx context.Context, train *dataset.Set, x mat.Matrix, run gram.Run) error {
	m, is := h.Model.Model.(gram.Ranker)
	if !is {
		return fmt.Errorf("models of method %s are not judged by rows that are held out", h.Model.Method)
	}
	h.Loss = topLosses(m, x, h.Held.Tags)
	if _, d := train.Dims(); int64(d)*int64(train.Tags.D) > cellsForLinear {
		h.Centroids = centroidLosses(dataset.NormalizeRows(train.X), train.Tags, dataset.NormalizeRows(h.Held.X), h.Held.Tags)
		return nil
	}
	method := catalog.Must("linear")
	l, err := training.Prepare{Scale: training.AutoScale}.Train(ctx, method, method.New(), train, run)
	if l == nil || err != nil && !crossval.Unfinished(err) {
		return err
	}
	from, err := l.Scaled(train.X)
	if err != nil {
		return err
	}
	to, err := l.Scaled(h.Held.X)
	if err != nil {
		return err
	}
	h.Linear = topLosses(l.Model.(gram.Ranker), to, h.Held.Tags)
	h.Centroids = centroidLosses(from, train.Tags, to, h.Held.Tags)
	return nil
}

// Ranked says for which share of the rows held out of a fit of sets of labels the first label was right: P@1.
type Ranked struct {
	Trained   int      `json:"trained"` // rows that all were fitted to
	Rows      int      `json:"rows"`    // that were held out
	Model     float64  `json:"p@1"`
	Linear    *float64 `json:"linear,omitempty"` // ridge regression for each label; nil: there are too many labels and columns for it
	Centroids float64  `json:"centroids"`        // the label whose centroid is nearest
}

// String returns the shares in a phrase.
func (r Ranked) String() string {
	linear := ""
	if r.Linear != nil {
		linear = fmt.Sprintf("of a linear model %.4g, ", *r.Linear)
	}
	return fmt.Sprintf("p@1 %.4g on %d rows held out of a fit to %d; %sof centroids %.4g", r.Model, r.Rows, r.Trained, linear, r.Centroids)
}

// Ranked returns the shares for sets of labels, and nil for classes and values.
func (h *HeldOut) Ranked() *Ranked {
	if h.Centroids == nil {
		return nil
	}
	right := func(losses []float64) float64 { return 1 - stat.Mean(losses, nil) }
	r := &Ranked{Trained: h.Trained, Rows: len(h.Loss), Model: right(h.Loss), Centroids: right(h.Centroids)}
	if h.Linear != nil {
		linear := right(h.Linear)
		r.Linear = &linear
	}
	return r
}

// WorseThanLinear says in a phrase that the linear model did better: the mean of the squared error, or of the rows with a
// wrong class or first label, must differ by more than twice its standard error. The phrase is empty otherwise, of fewer than 20 rows, and without a linear model.
func (h *HeldOut) WorseThanLinear() string {
	if len(h.Loss) < heldForLinear*fewestForLinear || h.Linear == nil {
		return ""
	}
	more := make([]float64, len(h.Loss))
	for i, v := range h.Loss {
		more[i] = v - h.Linear[i]
	}
	if mean, sd := stat.MeanStdDev(more, nil); !(mean > 2*sd/math.Sqrt(float64(len(more)))) {
		return ""
	}
	a, b := stat.Mean(h.Loss, nil), stat.Mean(h.Linear, nil)
	if h.Held.Task() == dataset.Regression {
		return fmt.Sprintf("fitted to %d of the rows, its error on %d others is %.4g, that of a linear model %.4g", h.Trained, len(h.Loss), math.Sqrt(a), math.Sqrt(b))
	}
	of := "others"
	if h.Centroids != nil {
		of = "first labels of others"
	}
	return fmt.Sprintf("fitted to %d of the rows, it has %.4g of %d %s right, a linear model %.4g", h.Trained, 1-a, len(h.Loss), of, 1-b)
}

// LinearLosses fits linear models to four fifths of the rows of d and returns what they lose on the others, each fifth in
// turn: the squared error of each row, or 1 for a wrong class and 0 for the right one. d has values or classes, and at
// least 10 rows.
func LinearLosses(ctx context.Context, d *dataset.Set, run gram.Run) ([]float64, error) {
	n, _ := d.Dims()
	switch {
	case d.Weight != nil:
		return nil, errors.New("rows with weights are not held out")
	case n < fewestToHold:
		return nil, fmt.Errorf("of %d rows none are held out, want at least %d", n, fewestToHold)
	}
	m := catalog.Must("linear")
	losses := make([]float64, n)
	run.Progress = nil
	for _, s := range crossval.Folds(n, int(1/heldForLinear), d.Labels.Class, rng.Derive(run.Seed, "linear")) {
		model, err := training.Prepare{Scale: training.AutoScale}.Train(ctx, m, m.New(), d.Select(s.Train), run)
		if model == nil || err != nil && !crossval.Unfinished(err) {
			return nil, err
		}
		held := d.Select(s.Held)
		x, err := model.Scaled(held.X)
		if err != nil {
			return nil, err
		}
		for k, v := range catalog.Losses(model.Model, x, held) {
			losses[s.Held[k]] = v
		}
	}
	return losses, nil
}

// cheapRows returns how many rows of data of a task and of shape s HoldOut looks at.
func cheapRows(f catalog.Fitter, task dataset.Task, s gram.Shape) int {
	const fewest, share = mostForLinear / 4, .25
	part := min(s.N, mostForLinear)
	whole, err := f.Plan(task, s, gram.Run{})
	for err == nil && part > fewest {
		few := s
		few.N = int((1 - heldForLinear) * float64(part))
		few.NNZ = int64(float64(s.NNZ) * float64(few.N) / float64(s.N))
		var p gram.Plan
		if p, err = f.Plan(task, few, gram.Run{}); err == nil && p.Flops <= share*whole.Flops {
			break
		}
		part = max(fewest, part*4/5)
	}
	return part
}
