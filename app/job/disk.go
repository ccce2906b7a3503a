package job

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// onDisk returns a fitter of the method, with its settings, if the method learns from rows that lie in a
// file; else nil.
func (s Spec) onDisk() (catalog.OnDisk, error) {
	m, err := catalog.Find(s.Method)
	if err != nil || s.Cap > 0 {
		return nil, err
	}
	f, ok := catalog.Plain(m.New()).(catalog.OnDisk)
	if !ok {
		return nil, nil
	}
	return f, f.Settings().Set(s.Settings...)
}

// OnDisk reports whether the model is fitted by Features.FitDisk.
func (j *Job) OnDisk() bool {
	f, _ := j.Spec.onDisk()
	return f != nil
}

// kinds describes the columns of a table that the trees split by levels, nil if all are numbers.
func (f *Features) kinds() *dataset.Schema {
	if f.Columns == nil {
		return nil
	}
	return f.j.table.prepare.Kept(f.Info.Schema, f.Columns.Encoding)
}

// onDisk returns a fitter with the settings of the job and those that the sample has decided on.
func (f *Features) onDisk() (catalog.OnDisk, error) {
	fitter, err := f.j.Spec.onDisk()
	if err == nil {
		err = fitter.Settings().Set(f.Settings...)
	}
	if err != nil {
		return nil, err
	}
	return fitter, f.number(fitter.Settings())
}

// chooseRounds sets the number of rounds, unless it is given, to the one that a fit to the sample d takes: for all
// rows, that of a fit in memory.
func (f *Features) chooseRounds(ctx context.Context, d *dataset.Set, run gram.Run) error {
	fitter, err := f.onDisk()
	if err != nil || fitter.Settings().Lookup("rounds").Given() {
		return err
	}
	m, err := fitter.Fit(ctx, d, run)
	if large := (*gram.MemoryError)(nil); errors.As(err, &large) {
		return fmt.Errorf("the number of rounds is chosen on a sample of the rows, unless rounds is set: %w", err)
	}
	if err != nil {
		return err
	}
	if name, v := catalog.HeldOut(m); name == "rounds" {
		f.Settings = append(f.Settings, fmt.Sprint("rounds=", v))
	}
	return nil
}

// FitDisk fits trees to rows that are not in memory, on run.Workers goroutines. It reads the rows once
// and keeps them in a file in the folder dir, with a byte for each cell and 8 bytes for the target and
// for each output of a row, which is gone when FitDisk returns. If ctx
// ends the fit, FitDisk returns a model of the finished rounds, nil if there are none, and ctx.Err().
func (f *Features) FitDisk(ctx context.Context, dir string, run gram.Run) (*pipeline.Model, error) {
	file, err := os.CreateTemp(dir, ".gram-bins-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	_ = os.Remove(file.Name()) // where a file that is open can be removed, nothing is left if the process is killed
	disk, err := f.bins(run).NewDisk(ctx, file)
	if err != nil {
		return nil, err
	}
	meter := run.Meter()
	for k := range f.j.Items {
		if err := f.binned(ctx, k, disk.Add); err != nil {
			return nil, err
		}
		meter.Report(gram.Event{Phase: "bins", Done: int64(k + 1), Total: int64(len(f.j.Items))})
	}
	if err := f.sameRows(int64(disk.Rows())); err != nil {
		return nil, err
	}
	var model modelfile.Model
	if f.Info.Task == dataset.Classes {
		m, short := disk.Fit(ctx)
		if m == nil {
			return nil, short
		}
		model, err = m, short
	} else {
		m, short := disk.FitValues(ctx)
		if m == nil {
			return nil, short
		}
		model, err = m, short
	}
	return f.fitted(model), err
}

// bins returns the bins of the columns, for work on run.Workers goroutines.
func (f *Features) bins(run gram.Run) *gbdt.Bins {
	run.Seed = f.j.Spec.Seed
	return f.Bins.With(run)
}

// binned calls add for the rows of item k, block by block, as the trees learn from them.
func (f *Features) binned(ctx context.Context, k int, add func(x mat.Matrix, value []float64, class []int) error) error {
	return f.parsed(ctx, k, func(x mat.Matrix, set *dataset.Set) error { return add(x, set.Value, set.Labels.Class) })
}
