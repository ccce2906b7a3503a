package catalog

import (
	"context"
	"fmt"
	"io"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

var gbdtMethod = Method{
	Name:    "gbdt",
	Trees:   true,
	Mixed:   true,
	Summary: "gradient boosted decision trees with histograms; criterion=direct splits by the logistic loss itself",
	Tasks:   []dataset.Task{dataset.Classes, dataset.Regression},
	New:     newTrees,
	Decode: func(f *modelfile.File) (modelfile.Model, error) {
		if f.Has("classes") {
			return gbdt.DecodeClassifier(f)
		}
		return gbdt.DecodeRegressor(f)
	},
}

// newTrees returns the Fitter that chooses the shape of the trees.
var newTrees = choosing(func() Fitter {
	return treesFitter{of(gbdt.Config{}, fitTrees)().(*estimator[gbdt.Config, *gbdt.Config])}
})

// OnDisk is a Fitter that learns from rows that lie in files; see gbdt.Bins.
type OnDisk interface {
	Fitter
	// NewBins returns what the passes over the rows have to know; see gbdt.Config.NewBins. kinds says which columns
	// are categories or may be missing; nil: none.
	NewBins(ctx context.Context, sample mat.Matrix, kinds *dataset.Schema, names []string, run gram.Run) (*gbdt.Bins, error)
}

// treesFitter is the Fitter of boosted trees, which also continues a model and learns from rows on disk.
type treesFitter struct {
	*estimator[gbdt.Config, *gbdt.Config]
}

// Kept returns nil: trees may be continued with any settings.
func (treesFitter) Kept() []string { return nil }

// Continue adds rounds to the trees, of the shape, the loss and the signs that these have unless others are given.
func (f treesFitter) Continue(ctx context.Context, from modelfile.Model, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	if _, err := f.complete(d.X, run); err != nil {
		return nil, err
	}
	c := f.config
	given := func(setting string) bool { return f.bound.Lookup(setting).Given() }
	if m, is := from.(interface {
		Config() gbdt.Config
		Columns() []gbdt.Column
	}); is {
		old := m.Config()
		c.Columns = m.Columns()
		if old.MinRows > 0 && !given("min-rows") {
			c.MinRows = old.MinRows
		}
		if old.MaxLeaves > 0 && !given("leaves") {
			c.MaxLeaves = old.MaxLeaves
		}
		if old.ColumnSample > 0 && !given("column-sample") {
			c.ColumnSample = old.ColumnSample
		}
		if !given("loss") && !given("level") && !given("delta") {
			c.Loss, c.Level, c.Delta = old.Loss, old.Level, old.Delta
		}
		if !given("monotone") {
			c.Monotone = old.Monotone
		}
	}
	var more modelfile.Model
	var err error
	switch m := from.(type) {
	case *gbdt.Classifier:
		more, err = result(c.More(ctx, m, d.X, d.Labels, d.Weight))
	case *gbdt.Regressor:
		more, err = result(c.MoreValues(ctx, m, d.X, d.Value, d.Weight))
	default:
		return nil, settings.Refuse("warm", "a model without trees", "one of gbdt")
	}
	return more, f.bound.Named(err)
}

// NewBins returns what the passes over the rows have to know.
func (f treesFitter) NewBins(ctx context.Context, sample mat.Matrix, kinds *dataset.Schema, names []string, run gram.Run) (*gbdt.Bins, error) {
	if _, err := f.complete(sample, run); err != nil {
		return nil, err
	}
	c := f.config
	c.Columns = kindsOf(kinds)
	b, err := c.NewBins(ctx, sample, names)
	return b, f.bound.Named(err)
}

func fitTrees(ctx context.Context, c gbdt.Config, d *dataset.Set) (modelfile.Model, error) {
	c.Columns = kindsOf(d.Schema)
	return byTask(classes(gbdt.Config.Fit), values(gbdt.Config.FitValues))(ctx, c, d)
}

// kindsOf returns what the columns hold beside numbers, nil if nothing.
func kindsOf(s *dataset.Schema) (kinds []gbdt.Column) {
	if s.Mixed() {
		for _, about := range s.Columns {
			kinds = append(kinds, gbdt.Column{Levels: len(about.Levels), Missing: about.Missing})
		}
	}
	return kinds
}

// loadTrees reads a model file of XGBoost or LightGBM; nil without an error if path is not one.
func loadTrees(path string) (modelfile.Model, error) {
	f, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, gbdt.ImportHead)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	if !gbdt.Importable(head[:n]) {
		return nil, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	m, err := gbdt.Import(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return pipeline.New(m, m.(interface{ Dim() int }).Dim(), nil)
}
