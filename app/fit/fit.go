// Package fit makes a model of a file or of rows in memory as gram fit does: it reads the rows, or streams or divides
// those that have no room in memory, lets methods race or searches settings, encodes and scales the columns, fits the
// method and what is stored beside it, and stores the model. The command parses flags and prints what Do returns; the
// C interface and the Python module call the same function.
package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// Request says what is to be fitted to which rows.
type Request struct {
	// Set has the rows, or Path names a file of them, which is read as Read says. Name is what messages call the file;
	// default: Path.
	Set        *dataset.Set
	Path, Name string
	Read       dataset.Options
	// Weigh, if set, gives rows that were read their weights.
	Weigh func(*dataset.Set) error

	// Method is fitted. Without one the methods of the portfolio race, or those of Search do; Find finds them by their names
	// (default: catalog.Find).
	Method   catalog.Method
	Find     func(name string) (catalog.Method, error)
	Settings []string // NAME=VALUE
	Prepare  training.Prepare
	Trust    training.Trust  // Encode is Prepare's
	From     *pipeline.Model // a model to go on from, see training.Continue; nil: none

	// Search, if set, chooses the settings, and the method if there are several; Draw lets it draw the scaling, too.
	// Groups is a column of the file whose equal cells keep rows in one fold.
	Search *search.Config
	Draw   bool
	Groups string
	Report func(larger bool) func(search.Trial) // makes Search.Report; larger: a larger score is better

	Budget time.Duration // CPU time of the process for a race; default: no limit
	Metric string        // of a race
	Strict bool          // a race that the budget ends, and a fit that stops before its tolerance, are errors

	// Output is the file that the model is written to; empty: none. Stream, if set, is the job by which rows that have no
	// room in memory are fitted from the file, in pieces; Output must be given then. With Work they are always, and the states
	// of the pieces stay in that folder: the same request goes on there. With Stream.Whole, which then says what is searched and fitted
	// beside the model, the pieces are trainings, and the rows are in memory. A Search chooses the settings of a stream on a sample. Streaming is told how. Spare is called
	// when that begins and returns what is called at its end: a program may make its garbage collector keep less.
	Output    string
	Stream    *job.Spec
	Work      string
	Streaming func(how string)
	Spare     func() (restore func())

	Run gram.Run
}

// Result is what Do has fitted, and the choices that led to it.
type Result struct {
	Model    *pipeline.Model
	Set      *dataset.Set // nil if the rows were not in memory together; of many rows of a file those of search.Judged alone
	Taken    string       // what a target of whole numbers, or without a name, was taken for
	Numbered string       // the column of a file that names or only counts the rows
	Method   catalog.Method
	Settings []string // those given, and those of the search
	Chosen   []string // those that a default has chosen by folds
	Prepare  training.Prepare
	Seconds  float64 // of the fit, without reading
	Short    error   // a *gram.ConvergenceError: the fit stopped before its tolerance

	Compared *search.Compared // of a race
	Search   *search.Config   // as it was made
	Found    *search.Found
	Searched float64 // seconds

	Streamed *Streamed // nil for rows in memory
}

// fitting is a request while Do works on it. got fills up on the way; streams says that the rows need not be in memory together.
type fitting struct {
	Request
	got     Result
	streams bool
}

// Do fits the model of r and stores it. The error of a fit that stops before its tolerance, unless r is strict, is in
// the result.
func Do(ctx context.Context, r Request) (*Result, error) {
	if r.Find == nil {
		r.Find = catalog.Find
	}
	r.Name = cmp.Or(r.Name, r.Path)
	r.Trust.Encode = r.Prepare.Encode
	if r.Method.WithoutTarget() && r.Read.Task == dataset.AutoTask {
		r.Read.Task = dataset.NoTarget
	}
	f := &fitting{Request: r, streams: r.Stream != nil}
	f.got.Method, f.got.Settings, f.got.Prepare = r.Method, r.Settings, r.Prepare
	if err := f.do(ctx); err != nil {
		return nil, err
	}
	return &f.got, nil
}

// do fits the model, in memory if the rows and the fit have room there.
func (f *fitting) do(ctx context.Context) error {
	if f.streams && f.Work != "" {
		return f.stream(ctx, nil)
	}
	if f.streams {
		if err := exceeds(ctx, *f.Stream, f.Run.MemoryLimit); err != nil {
			return f.stream(ctx, err)
		}
	}
	whole := f.Run
	if err := f.open(ctx); err != nil {
		if f.streams && tooLarge(err) {
			f.Run = whole
			return f.stream(ctx, err)
		}
		return err
	}
	if err := f.choose(ctx); err != nil {
		if f.streams && tooLarge(err) {
			f.got.Set, f.Run = nil, whole
			return f.stream(ctx, err)
		}
		return err
	}
	err := f.train(ctx)
	if f.streams && tooLarge(err) {
		f.got.Set, f.Run = nil, whole // the rows are given up
		return f.stream(ctx, err)
	}
	if err := f.judge(err); err != nil {
		return inParts(f.blame(err), f.got.Method.Name)
	}
	if f.Output == "" {
		return nil
	}
	return modelfile.Save(f.Output, f.got.Model)
}

// judge keeps the error of a fit that stopped before its tolerance, unless that is one.
func (f *fitting) judge(err error) error {
	var short *gram.ConvergenceError
	if f.got.Model != nil && !f.Strict && errors.As(err, &short) && short.Residual == short.Residual {
		f.got.Short, err = err, nil
	}
	return err
}

// open reads the rows and checks that the method can learn from them.
func (f *fitting) open(ctx context.Context) (err error) {
	if f.got.Set = f.Set; f.Path != "" {
		if f.got.Set, err = par.Await(ctx, func() (*dataset.Set, error) { return dataset.Open(f.Path, f.Read) }); err == nil {
			f.Run, err = f.Run.Beside(f.got.Set.Bytes()) // for what is done while the rows are held
			runtime.GC()                                 // or the fit may take as much again before what reading has left is freed
		}
	}
	switch {
	case f.streams && tooLarge(err):
		return err
	case f.Method.Name == "" && tooLarge(err):
		return inMemory(err)
	case err != nil:
		return inParts(err, f.Method.Name)
	}
	if f.Path != "" { // of rows in memory the fit itself says it
		if err := f.learns(); err != nil {
			return f.about(err)
		}
	}
	if f.Weigh == nil {
		return nil
	}
	return f.Weigh(f.got.Set)
}

// learns is the error of a method that cannot learn from the rows of a file, in words that name the flags.
func (f *fitting) learns() error {
	m, set := f.got.Method, f.got.Set
	f.got.Taken, f.got.Numbered = cmp.Or(f.taken(set), f.unnamedTarget(set)), rowNumbers(set)
	task := set.Task()
	switch {
	case task == dataset.NoTarget && !slices.Contains(m.Tasks, dataset.NoTarget):
		return errors.New("there is no target to learn (--target or --target-file names one)")
	case m.WithoutTarget() && task != dataset.NoTarget:
		return fmt.Errorf("method %s learns without a target: --task none takes all columns", m.Name)
	case m.Name != "" && !slices.Contains(m.Tasks, task) && task != dataset.NoTarget:
		return fmt.Errorf("method %s does not learn %s: %s", m.Name, task, cmp.Or(f.got.Taken, learners(task)))
	}
	return nil
}

// about puts the name of the data, if they have one, before an error.
func (f *fitting) about(err error) error {
	if f.Name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// blame names the data in an error that they cause.
func (f *fitting) blame(err error) error {
	if bad := (*gram.DataError)(nil); errors.As(err, &bad) {
		return f.about(err)
	}
	return err
}

// choose finds the method by a race, or the settings by a search.
func (f *fitting) choose(ctx context.Context) error {
	switch {
	case f.Search != nil:
		return f.find(ctx)
	case f.Method.Name == "":
		return f.blame(f.race(ctx))
	}
	return nil
}

// race compares the methods of the portfolio and takes the best.
func (f *fitting) race(ctx context.Context) error {
	c := search.Compare{Budget: f.Budget, Scale: f.got.Prepare.Scale, Metric: f.Metric, Trust: f.Trust, Run: f.Run}
	portfolio, err := search.Portfolio(f.got.Set)
	if err != nil {
		return err
	}
	for _, m := range portfolio {
		if m, err = f.Find(m.Name); err != nil {
			return err
		}
		c.Methods = append(c.Methods, m)
	}
	f.got.Compared, err = c.Do(ctx, f.got.Set)
	switch {
	case err == nil && f.Strict && f.got.Compared.LeftOut != "":
		return errors.New(f.got.Compared.LeftOut)
	case tooLarge(err):
		return inMemory(err)
	case err != nil:
		return err
	}
	f.got.Method = c.Methods[f.got.Compared.Best]
	return nil
}

// find searches the settings on the rows in memory, with the groups that the column f.Groups of the file gives.
func (f *fitting) find(ctx context.Context) (err error) {
	s := *f.Search
	if s.Group == nil && f.Groups != "" {
		if s.Group, err = search.ReadGroups(ctx, f.Path, f.Read, f.Groups); err != nil {
			return fmt.Errorf("--search: --groups: %w", err)
		}
	}
	s.Run = f.Run
	return f.findOn(ctx, s, f.got.Set)
}

// findOn searches the settings on the rows of d by s, whose groups and limits are there.
func (f *fitting) findOn(ctx context.Context, s search.Config, d *dataset.Set) (err error) {
	start := time.Now()
	f.got.Search = &s
	s.Scale, s.Encode = f.got.Prepare.Scale, f.got.Prepare.Encode
	if f.Draw {
		s.Scales = search.Scales(d)
	}
	if f.Report != nil {
		s.Report = f.Report(s.Larger(d.Task()))
	}
	if f.got.Found, err = s.Do(ctx, d); err != nil {
		return fmt.Errorf("--search: %w", err)
	}
	if err := f.take(f.got.Found); err != nil {
		return err
	}
	f.got.Searched = time.Since(start).Seconds()
	return nil
}

// take makes the best of a search the method, the scaling and the settings of the fit.
func (f *fitting) take(found *search.Found) (err error) {
	best := found.Trials[found.Best]
	if f.Method.Name == "" {
		if f.got.Method, err = f.Find(best.Method); err != nil {
			return err
		}
	}
	if f.got.Prepare.Scale, err = training.ParseScale(best.Scale); err != nil {
		return err
	}
	f.got.Settings = append(slices.Clone(f.got.Settings), best.Settings...)
	return nil
}

// train fits the model to the rows in memory, or continues f.From with them. Of many rows of a file only those of search.Judged
// stay in f.got.Set.
func (f *fitting) train(ctx context.Context) (err error) {
	f.Trust.Chosen = func(settings []string) {
		if f.got.Chosen == nil { // the first training is that of the model, the others are of folds
			f.got.Chosen = append([]string{}, settings...)
		}
	}
	start, set := time.Now(), f.got.Set
	if f.Path != "" && f.From == nil { // the rows are this fit's own
		f.got.Set = search.Judged(set, f.Run.Seed)
		f.Trust.InPlace = f.got.Set != set
	}
	if f.From != nil {
		f.got.Model, err = training.Continue(ctx, f.From, f.got.Settings, set, f.Run)
	} else {
		f.got.Model, err = f.Trust.Train(ctx, f.got.Method, f.got.Settings, set, f.got.Prepare.Scale, f.Run)
	}
	f.got.Seconds = time.Since(start).Seconds()
	return err
}

// tooLarge reports whether err says that the memory limit does not suffice.
func tooLarge(err error) bool {
	var m *gram.MemoryError
	return errors.As(err, &m)
}

// inMemory says that methods are not compared on a stream.
func inMemory(memoryErr error) error {
	return fmt.Errorf("%w; without --method all rows must fit into memory (gram fit --help names the methods that learn from a stream)", memoryErr)
}

// inParts adds to an error of a fit that needs too much memory what fits the method all the same.
func inParts(err error, method string) error {
	if !tooLarge(err) || job.Divides(method) != nil {
		return err
	}
	return fmt.Errorf("%w; gram part items --cap 3000 --method %s divides the rows into parts with a model each, and gram fit --method nystrom learns from a stream of all rows", err, method)
}
