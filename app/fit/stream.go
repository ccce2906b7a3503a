package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	"github.com/gramworks/gram/num"
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
	s.MemoryLimit, s.ItemBytes = limit, math.MaxInt64 // nothing is cut
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
// stream make the error memoryErr, unless that is nil.
func (f *fitting) stream(ctx context.Context, memoryErr error) error {
	if f.Spare != nil {
		defer f.Spare()()
	}
	start := time.Now()
	s := *f.Stream
	s.MemoryLimit = f.Run.MemoryLimit
	var err error
	if f.Search != nil && s.Whole == nil {
		s, err = f.onSample(ctx, s)
	}
	switch {
	case err != nil:
	case s.Whole != nil:
		err = f.resumeWhole(ctx, s)
	case f.Work != "":
		err = f.resume(ctx, s)
	case s.Cap > 0:
		err = f.divide(ctx, s)
	default:
		err = f.pass(ctx, s)
	}
	f.got.Seconds = time.Since(start).Seconds()
	if refused := (*gram.ConfigError)(nil); errors.As(err, &refused) && refused.Field == "task" && memoryErr != nil {
		return memoryErr
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

// onSample searches the settings on a sample of the rows, and returns the job with those that were found. It takes a pass over the rows.
func (f *fitting) onSample(ctx context.Context, s job.Spec) (job.Spec, error) {
	j, scan, err := f.first(ctx, s, true)
	if err != nil {
		return s, err
	}
	d, err := j.Sample(scan)
	if err != nil {
		return s, err
	}
	n, _ := d.Dims()
	f.say("it searches on a sample of %d rows, and fits the model to all rows with the settings that are found", n)
	c := *f.Search
	if c.Run, err = f.Run.Beside(d.Bytes()); err != nil {
		return s, err
	}
	if err := f.findOn(ctx, c, d); err != nil {
		return s, err
	}
	s.Settings, s.Scale = f.got.Settings, f.got.Prepare.Scale.String()
	return s, nil
}

// resumeWhole makes the trainings of a search, of the model and of what is fitted beside it one by one in the folder Work, from
// where an earlier fit has stopped. The rows are in memory.
func (f *fitting) resumeWhole(ctx context.Context, s job.Spec) error {
	j, err := job.NewWhole(ctx, s)
	if err != nil {
		return err
	}
	f.got.Set = j.Rows()
	if err := f.learns(); err != nil {
		return f.about(err)
	}
	w, err := job.Create(f.Work, j)
	if err != nil {
		return err
	}
	w = &job.Work{Dir: w.Dir, Job: j} // with the rows
	if _, err := w.Begin(ctx, f.Run); err != nil {
		return err
	}
	if err := f.sayWork(w); err != nil {
		return err
	}
	m, features, err := w.Fit(ctx, f.Run)
	f.got.Model = m
	if err := f.judge(err); err != nil {
		return f.blame(err)
	}
	f.got.Chosen = features.Settings
	if f.got.Found, err = w.Found(ctx, f.Run); err != nil {
		return err
	}
	if f.got.Found != nil {
		c := *f.Search
		f.got.Search = &c
		if err := f.take(f.got.Found); err != nil {
			return err
		}
		for _, t := range f.got.Found.Trials {
			f.got.Searched += t.Seconds
		}
	}
	return job.Save(f.Output, m)
}

// divide fits a model to each part of the rows. The states of the job lie in a folder beside the model, which is gone at
// the end.
func (f *fitting) divide(ctx context.Context, s job.Spec) error {
	j, err := par.Await(ctx, func() (*job.Job, error) { return job.New(s) })
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
	j, scan, err := f.first(ctx, s, false)
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
	if bytes, keeps := features.Keeps(); keeps {
		how += fmt.Sprintf(", and keeps the rows as numbers in a file of about %s beside the model", num.FormatBytes(bytes))
	}
	f.say("it reads their %d pieces %s", len(j.Items), how)
	if j.SampledMedians() {
		f.sayMedians(j)
	}
	passes := 2
	if j.OnDisk() {
		f.got.Model, err = features.FitDisk(ctx, filepath.Dir(f.Output), f.Run)
	} else {
		var release func()
		if release, err = features.Keep(filepath.Dir(f.Output)); err != nil {
			return err
		}
		defer release()
		f.got.Model, passes, err = features.Fit(ctx, f.Run)
	}
	if err := f.judge(err); err != nil {
		return err
	}
	if passes += j.Before(); f.got.Found != nil { // the search had passes for its sample
		passes += 1 + j.Before()
	}
	f.streamed(features, passes)
	return modelfile.Save(f.Output, f.got.Model)
}

// streamed says what a fit from a stream was.
func (f *fitting) streamed(features *job.Features, passes int) {
	f.got.Streamed = &Streamed{N: features.Info.N, D: features.Info.D, Classes: features.Info.Names, Passes: passes, Parts: features.Parts}
	f.got.Chosen = slices.DeleteFunc(slices.Clone(features.Settings), func(s string) bool { // the model has the others
		if strings.HasPrefix(s, "rounds=") {
			f.got.Streamed.Rounds = s
		}
		return strings.HasPrefix(s, "c=") || strings.HasPrefix(s, "lambda=") || strings.HasPrefix(s, "rounds=")
	})
}

// resume fits the model piece by piece in the folder Work, from where an earlier fit has stopped.
func (f *fitting) resume(ctx context.Context, s job.Spec) error {
	w, err := f.begun(ctx, s)
	if err != nil {
		return err
	}
	if w.Job.SampledMedians() {
		f.sayMedians(w.Job)
	}
	var features *job.Features
	f.got.Model, features, err = w.Fit(ctx, f.Run)
	if err := f.judge(err); err != nil {
		return err
	}
	status, err := w.Status()
	if err != nil {
		return err
	}
	f.streamed(features, status.Reads)
	return job.Save(f.Output, f.got.Model)
}

// begun returns the folder Work with the job and its passes up to that which scans the rows. As in first, the job becomes one of a
// table if there are texts or missing cells behind the beginning of the data.
func (f *fitting) begun(ctx context.Context, s job.Spec) (*job.Work, error) {
	table := f.table()
	j, err := par.Await(ctx, func() (*job.Job, error) { return job.NewMixed(s, table) })
	if err != nil {
		return nil, err
	}
	may := j.Spec.Table == nil && !j.Mixed() && s.Cap == 0
	w, err := job.Create(f.Work, j)
	if other := (*job.OtherError)(nil); errors.As(err, &other) && may { // which an earlier fit may have found to be one of a table
		if again, refused := j.WithTable(table); refused == nil && again.ID() == other.ID {
			w, err = job.Create(f.Work, again)
		}
	}
	if err == nil {
		err = w.Unchanged()
	}
	if err != nil {
		return nil, err
	}
	if err := f.sayWork(w); err != nil {
		return nil, err
	}
	err = w.First(ctx, f.Run)
	if text := (*dataset.ParseError)(nil); !errors.As(err, &text) || !may || w.Job.Spec.Table != nil {
		return w, err
	}
	again, refused := j.WithTable(table)
	if refused != nil {
		return nil, err
	}
	second, other := job.Replace(f.Work, again)
	if other == nil {
		other = second.First(ctx, f.Run)
	}
	if wrong := (*gram.ConfigError)(nil); errors.As(other, &wrong) { // it is no table
		if _, other = job.Replace(f.Work, j); other == nil {
			return nil, err
		}
	}
	return second, other
}

// sayWork tells where the work in a folder begins or goes on.
func (f *fitting) sayWork(w *job.Work) error {
	s, err := w.Status()
	if err != nil {
		return err
	}
	how := "it reads the rows in one piece"
	if w.Job.Spec.Whole != nil {
		how = "it keeps each training"
	}
	if s.Items > 1 {
		how = fmt.Sprintf("it reads the rows in %d pieces", s.Items)
	}
	if w.Job.Spec.Cap > 0 {
		how += fmt.Sprintf(" and divides them into parts of at most %d, each with a model", w.Job.Spec.Cap)
	}
	for _, p := range s.Passes {
		if p.Done > 0 {
			how = fmt.Sprintf("it goes on with the pass %s, of which %d of %d pieces are done", p.Pass, p.Done, p.Pieces)
		}
	}
	f.say("%s", how)
	if uncut := w.Job.Uncut(); uncut != "" {
		f.say("%s", uncut)
	}
	return nil
}

// sayMedians tells the user that missing numbers become medians of a sample, not of all rows.
func (f *fitting) sayMedians(j *job.Job) {
	f.say("missing numbers become medians of a sample of %d rows; --fill mean takes the mean of all rows", j.Spec.Sample)
}

// table says how texts and missing cells are read.
func (f *fitting) table() *job.Table {
	return &job.Table{Categories: f.Read.Categories, Ignore: f.Read.Ignore, DropMissing: f.Read.DropMissing, Encode: f.got.Prepare.Encode}
}

// first makes the first pass over the rows, as over a table if there are texts or missing cells behind the beginning of
// the data. It draws a sample for a method without one, too, if sample is set.
func (f *fitting) first(ctx context.Context, s job.Spec, sample bool) (*job.Job, job.State, error) {
	table := f.table()
	j, err := par.Await(ctx, func() (*job.Job, error) { return job.NewMixed(s, table) })
	if err != nil {
		return nil, nil, err
	}
	if sample {
		j.Drawing()
	}
	scan, err := j.First(ctx, f.Run)
	if text := (*dataset.ParseError)(nil); !errors.As(err, &text) || j.Spec.Table != nil || j.Mixed() {
		return j, scan, err
	}
	again, refused := j.WithTable(table)
	if refused != nil {
		return j, scan, err
	}
	if sample {
		again.Drawing()
	}
	second, other := again.First(ctx, f.Run)
	if wrong := (*gram.ConfigError)(nil); errors.As(other, &wrong) { // it is no table
		return j, scan, err
	}
	return again, second, other
}
