package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// Streamed describes a fit to rows that were not in memory together.
type Streamed struct {
	N, D    int
	Classes []string
	Passes  int    // over the rows
	Parts   int    // of the rows, each with a model; 0: one for all
	Rounds  string // that rows held out of the sample have chosen; empty: none
}

// exceeds returns a *gram.MemoryError if the rows of the job are plainly too many for the limit, as
// the sizes of the files say. That saves reading them to find out. Files that may be pipes are
// not opened.
func exceeds(ctx context.Context, s job.Spec, limit int64) error {
	if limit == 0 {
		return nil
	}
	for _, path := range []string{s.Data, s.TargetFile} {
		if i, err := os.Stat(path); path != "" && err == nil && !i.Mode().IsRegular() {
			return nil
		}
	}
	s.MemoryLimit = limit
	j, err := par.Await(ctx, func() (*job.Job, error) { return job.New(s) })
	if err != nil { // what is wrong is said by who reads the data
		return nil
	}
	if need := j.Bytes(); need > limit+limit/4 {
		return &gram.MemoryError{Need: need, Limit: limit}
	}
	return nil
}

// stream fits the model to rows that do not fit into memory, and stores it. Targets that cannot be learned from a
// stream make the error tooMuch.
func (f *fitting) stream(ctx context.Context, tooMuch error) error {
	if f.Spare != nil {
		defer f.Spare()()
	}
	start := time.Now()
	s := *f.Stream
	s.MemoryLimit = f.Run.MemoryLimit
	var err error
	if s.Cap > 0 {
		err = f.divide(ctx, s)
	} else {
		err = f.pass(ctx, s)
	}
	f.got.Seconds = time.Since(start).Seconds()
	if refused := (*gram.ConfigError)(nil); errors.As(err, &refused) && refused.Field == "task" {
		return tooMuch
	}
	parse := (*dataset.ParseError)(nil)
	if !errors.As(err, &parse) {
		return err
	}
	if f.Name != f.Path {
		parse.File = f.Name
	}
	if s.Cap > 0 {
		return fmt.Errorf("%w (a fit that is divided takes tables of numbers alone)", err)
	}
	return err
}

// divide fits a model to each part of the rows. The states of the job lie in a folder beside the model, which is gone at
// the end.
func (f *fitting) divide(ctx context.Context, s job.Spec) error {
	j, err := job.New(s)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(f.Output), ".gram-parts-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	w, err := job.Create(folder, j)
	if err != nil {
		return err
	}
	if err := w.Make(ctx, j.Scan(), f.Run); err != nil {
		return err
	}
	features, err := w.Features(ctx, f.Run)
	if err != nil {
		return err
	}
	f.say("it divides the rows into %d parts, each with a model of at most %d rows", features.Parts, j.Spec.Cap)
	if f.got.Model, _, err = w.Fit(ctx, f.Run); err != nil {
		return err
	}
	f.got.Streamed = &Streamed{N: features.Info.N, D: features.Info.D, Classes: features.Info.Names, Passes: 2, Parts: features.Parts}
	return job.Save(f.Output, f.got.Model)
}

// say tells how the rows are fitted in place of all in memory.
func (f *fitting) say(format string, args ...any) {
	if f.Streaming != nil {
		f.Streaming(fmt.Sprintf(format, args...))
	}
}

// pass fits one model to all rows, pass after pass over the pieces of the file.
func (f *fitting) pass(ctx context.Context, s job.Spec) error {
	j, scan, err := f.first(ctx, s)
	if err != nil {
		return err
	}
	features, err := j.Features(ctx, scan, f.Run)
	if err != nil {
		return err
	}
	how := "in " + []string{"two", "three", "four"}[j.Before()] + " passes"
	switch {
	case j.OnDisk():
		how += ", and keeps the bins of all cells in a file beside the model"
	case j.ByPasses():
		how = "in a pass for each product of conjugate gradients, some tens"
	case features.Info.Task == dataset.Classes:
		how = "in about ten passes"
	}
	f.say("it reads their %d pieces %s", len(j.Items), how)
	if j.SampledMedians() {
		f.say("missing numbers become medians of a sample of %d rows; --fill mean takes the mean of all rows", j.Spec.Sample)
	}
	passes := 2
	if j.OnDisk() {
		f.got.Model, err = features.FitDisk(ctx, filepath.Dir(f.Output), f.Run)
	} else {
		f.got.Model, passes, err = features.Fit(ctx, f.Run)
	}
	if err := f.judge(err); err != nil {
		return err
	}
	f.got.Streamed = &Streamed{N: features.Info.N, D: features.Info.D, Classes: features.Info.Names, Passes: passes + j.Before()}
	f.got.Chosen = slices.DeleteFunc(slices.Clone(features.Settings), func(s string) bool { // the model has the others
		if strings.HasPrefix(s, "rounds=") {
			f.got.Streamed.Rounds = s
		}
		return strings.HasPrefix(s, "c=") || strings.HasPrefix(s, "lambda=") || strings.HasPrefix(s, "rounds=")
	})
	return modelfile.Save(f.Output, f.got.Model)
}

// first makes the first pass over the rows, as over a table if there are texts or missing cells behind the beginning of
// the data.
func (f *fitting) first(ctx context.Context, s job.Spec) (*job.Job, job.State, error) {
	table := &job.Table{Categories: f.Read.Categories, Ignore: f.Read.Ignore, DropMissing: f.Read.DropMissing, Encode: f.got.Prepare.Encode}
	j, err := job.NewMixed(s, table)
	if err != nil {
		return nil, nil, err
	}
	scan, err := j.First(ctx, f.Run)
	if text := (*dataset.ParseError)(nil); !errors.As(err, &text) || j.Spec.Table != nil || j.Mixed() {
		return j, scan, err
	}
	s.Table = table
	again, refused := job.New(s)
	if refused != nil {
		return j, scan, err
	}
	second, other := again.First(ctx, f.Run)
	if wrong := (*gram.ConfigError)(nil); errors.As(other, &wrong) { // it is no table
		return j, scan, err
	}
	return again, second, other
}
