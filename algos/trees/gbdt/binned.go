package gbdt

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Bins is what a fit by passes over the rows knows beforehand: the settings, the classes and the bins of the
// columns, which follow from a sample. It is safe for concurrent use.
//
// A fit in pieces goes as follows. Each piece of the rows is a Piece, whose Counts are merged. Boost begins the fit, and
// until Boosting.Done, each piece answers Boosting.Pass with Sums, which are merged, and Boosting.Step takes them. When
// that gives a Round, the pieces add its trees to their scores. Sums are exact: the trees have the same bits for any
// pieces of the rows, in the order of the rows, and any order in which sums are merged.
type Bins struct {
	c     Config
	names []string // of the classes; nil: values
	t     *bins.Table
	k     int   // outputs
	width int   // bytes of a cell in a file
	bins  int64 // of all columns
}

// NewBins divides the columns of the sample into bins. names are the classes, nil for values. Settings that need
// all rows in memory are refused, as by NewDisk.
func (c Config) NewBins(ctx context.Context, sample mat.Matrix, names []string) (*Bins, error) {
	c, err := settings.Resolved(c, gram.Shape{Outputs: max(1, len(names))})
	if err != nil {
		return nil, err
	}
	if err := c.passes(); err != nil {
		return nil, err
	}
	x := gram.Of(sample)
	n, d := x.Dims()
	if err := c.checkColumns(d); err != nil {
		return nil, err
	}
	most, mixed := c.binning()
	for _, about := range mixed {
		if about.Missing && about.Levels == 0 {
			most = min(most, 255)
		}
	}
	if err := c.checkCells(x); err != nil {
		return nil, err
	}
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	t, err := bins.Make(ctx, c.Workers, x, most, rng.Derive(c.Seed, "gbdt bins"), mixed)
	if err != nil {
		return nil, err
	}
	t.N, t.Narrow, t.Wide = 0, nil, nil
	b := &Bins{c: c, names: names, t: t}
	b.complete()
	return b, nil
}

// passes returns an error if the settings ask for more of the rows than passes over them give.
func (c Config) passes() error {
	for _, s := range []struct {
		bad         bool
		field, want string
		value       any
	}{
		{c.RowSample < 1, "RowSample", "1", c.RowSample},
		{c.Holdout > 0, "Holdout", "0", c.Holdout},
		{c.Exact, "Exact", "false", c.Exact},
		{c.Criterion != SecondOrder, "Criterion", "second-order", c.Criterion},
		{c.Loss != Squared && c.Loss != Poisson, "Loss", "squared or poisson", c.Loss},
		{c.Bins > 256, "Bins", "at most 256", c.Bins},
		{c.Given.Scores != nil, "Given.Scores", "none", "given"},
	} {
		if s.bad {
			return settings.Refuse(s.field, s.value, "%s for rows that are not in memory", s.want)
		}
	}
	return nil
}

// complete sets the numbers of functions and bins and the bytes of a cell, which follow from the names of the classes and the
// bins of the columns.
func (b *Bins) complete() {
	b.k, b.width, b.bins = multiclass.Functions(len(b.names)), 1, 0
	for j := range b.t.Cuts {
		b.bins += int64(b.t.Bins(j))
		if b.t.Bins(j) > 256 {
			b.width = 2
		}
	}
}

// Dim returns the number d of columns that rows to predict must have.
func (b *Bins) Dim() int { return len(b.t.Cuts) }

// With returns the same bins with other settings of the run, which are not stored in a file.
func (b *Bins) With(run gram.Run) *Bins {
	c := *b
	c.c.Run = run
	return &c
}

// Exchange describes the settings, the classes and the bins in a file.
func (b *Bins) Exchange(x *modelfile.Exchange) {
	c := b.c
	c.Columns = nil
	x.Header("gbdt.bins", 1, &c)
	x.Strings("classes", &b.names)
	var cuts []float64
	starts := []int32{0}
	var levels, missing []int
	if x.Writing() {
		for _, of := range b.t.Cuts {
			cuts = append(cuts, of...)
			starts = append(starts, int32(len(cuts)))
		}
		levels, missing = kindsOf(b.c.Columns)
	}
	n := x.Offsets("starts", &starts, -1)
	d := len(starts) - 1
	x.Float64("cuts", &cuts, n)
	mixed := x.Optional("levels", b.c.Columns != nil)
	if mixed {
		x.Ints("levels", &levels, d, 0, maxLevels)
		x.Ints("missing", &missing, d, 0, 1)
	}
	if !x.Reading() {
		return
	}
	if len(b.names) == 0 {
		b.names = nil
	}
	for j := range levels {
		c.Columns = append(c.Columns, Column{levels[j], missing[j] == 1})
	}
	resolved, err := settings.Resolved(c, gram.Shape{Outputs: max(1, len(b.names))})
	if err == nil {
		err = resolved.passes()
	}
	x.Require(err == nil, "", "%v", err)
	x.Require(d > 0 && len(b.names) != 1, "starts", "%d columns, %d classes", d, len(b.names))
	b.c, b.t = resolved, &bins.Table{}
	_, b.t.Mixed = b.c.binning()
	for j := range d {
		of := cuts[starts[j]:starts[j+1]]
		b.t.Cuts = append(b.t.Cuts, of)
		for i := 1; i < len(of); i++ {
			x.Require(of[i-1] < of[i], "cuts", "those of column %d do not ascend", j)
		}
		x.Require(b.t.Levels(j) == 0 || len(of) == b.t.Levels(j)-1, "cuts", "%d of column %d, which has %d levels", len(of), j, b.t.Levels(j))
		x.Require(b.t.Bins(j) <= 1<<16, "cuts", "column %d has %d", j, len(of))
	}
	b.complete()
}

// kindsOf returns the levels of the columns, and 1 for those that may have missing cells.
func kindsOf(columns []Column) (levels, missing []int) {
	for _, c := range columns {
		levels = append(levels, c.Levels)
		if missing = append(missing, 0); c.Missing {
			missing[len(missing)-1] = 1
		}
	}
	return levels, missing
}
