package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
)

// Work is a folder in which the pieces of a job leave their states. Processes on any machines
// that share the folder may work on pieces at the same time. A file is there completely or not
// at all, so that a piece that died can be started again, and a piece whose state is there does
// nothing. Two processes that work on the same piece write the same bytes. So the folder may be a prefix of a bucket, whose objects
// cannot be renamed: see package store.
type Work struct {
	Dir string
	Job *Job
}

const jobFile, featuresFile = "job.json", "features.state"

// Create begins work in the folder dir, which it makes if it is not there. The same job may be
// created again; another job in the folder is an *OtherError.
func Create(dir string, j *Job) (*Work, error) {
	if !store.Remote(dir) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	path := store.Join(dir, jobFile)
	switch have, err := Open(dir); {
	case err == nil && have.Job.id == j.id:
		return have, nil
	case err == nil:
		return nil, &OtherError{path, have.Job.id, j.differs(have.Job)}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return Replace(dir, j)
}

// Open continues the work in the folder dir.
func Open(dir string) (*Work, error) {
	path := store.Join(dir, jobFile)
	text, err := store.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no folder of a job: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	j, err := read(text, path)
	return &Work{dir, j}, err
}

func write(path string, b []byte) error {
	return modelfile.WriteFile(path, func(w io.Writer) error { _, err := w.Write(b); return err })
}

// path returns the file of the state of a node of a pass: PASS-DEPTH-INDEX.state in the folder.
func (w *Work) path(p Pass, at node) string {
	return store.Join(w.Dir, fmt.Sprintf("%s-%d-%06d.state", p.Name, at.Depth, at.Index))
}

// load reads a state that must be there. Errors name its file.
func (w *Work) load(p Pass, at node) (State, error) {
	f, err := modelfile.ReadFile(w.path(p, at))
	if errors.Is(err, fs.ErrNotExist) && at.Depth == 0 {
		return nil, fmt.Errorf("pass %s has not read item %d: %w", p.Name, at.Index, err)
	}
	if err != nil {
		return nil, err
	}
	s, err := p.decode(f, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.path(p, at), err)
	}
	return s, nil
}

// save writes a state to its file, together with the job, the pass and the node that it belongs to.
func (w *Work) save(p Pass, at node, s stored) error {
	write := modelfile.WriteFile
	if p.unsynced {
		write = modelfile.WriteUnsynced
	}
	return write(w.path(p, at), func(to io.Writer) error { return modelfile.Write(to, p.envelope(s, at)) })
}

// ready reports whether a state of the job is there, complete.
func (w *Work) ready(p Pass, at node) bool {
	if p.compute != nil {
		return p.verify(at.Index)
	}
	_, err := w.load(p, at)
	return err == nil
}

// before returns the first pass before Scan that is not complete, empty if there is none.
func (w *Work) before(ctx context.Context) (string, error) {
	if w.Job.Spec.Table == nil {
		return "", nil
	}
	if p := w.Job.survey(); !w.complete(p) {
		return p.Name, nil
	}
	if err := w.Job.surveyed(func(p Pass) (State, error) { return w.Sum(ctx, p) }, false); err != nil {
		return "", err
	}
	if p := w.Job.means(); w.Job.table.averaged && !w.complete(p) {
		return p.Name, nil
	}
	return "", w.Job.surveyed(func(p Pass) (State, error) { return w.Sum(ctx, p) }, true)
}

// Pass returns the pass of that name: survey and means, which tables with categories and missing
// cells have before the others; scan; normal for values; for classes newton-T, which is
// pass number T of Newton's method, from 0, or newton for the one that is to be made. The
// passes after scan need the features, and those of Newton's method the ones before. A pass
// that Newton's method does not need has nothing to do. The method falkon has the passes products-P, of which number 0 is for
// the targets and each further one for a product of conjugate gradients, or products for the one that Next has named last. Trees have the passes bins and trees-R-P, which is pass number P
// of round R, both from 0, or trees for the one that Next has named last. A divided fit has the passes assign,
// which sends the rows to their parts, and fit, whose pieces are the parts. A fit to rows in memory has the passes search-R, which is rung
// R of its search, or search for the last one that Next has named, and fit, whose pieces are the model and what is fitted beside it.
func (w *Work) Pass(ctx context.Context, name string, run gram.Run) (Pass, error) {
	if w.Job.Spec.Whole != nil {
		return w.wholePass(ctx, name, run)
	}
	switch name {
	case surveyPass:
		if w.Job.Spec.Table != nil {
			return w.Job.survey(), nil
		}
	case meansPass, scanPass:
		if err := w.Job.surveyed(func(p Pass) (State, error) { return w.Sum(ctx, p) }, name == scanPass); err != nil {
			return Pass{}, err
		}
		if name == scanPass {
			return w.Job.Scan(), nil
		}
		if w.Job.table.averaged {
			return w.Job.means(), nil
		}
	}
	ofTrees := name == binsPass || name == treesPass || strings.HasPrefix(name, treesPass+"-")
	var step int
	switch _, err := fmt.Sscanf(name, newtonPass+"-%d", &step); {
	case name == newtonPass:
		step = -1
	case err == nil && step >= 0:
	case name != normalPass && name != assignPass && name != fitPass && !ofTrees && !isProduct(name):
		return Pass{}, settings.Refuse("pass", name, "survey, means, scan, normal, newton, newton-T, products, products-P, bins, trees, trees-R-P, assign or fit")
	}
	f, err := w.Features(ctx, run)
	if err != nil {
		return Pass{}, err
	}
	if divided := name == assignPass || name == fitPass; divided != (w.Job.Spec.Cap > 0) || ofTrees != (f.Bins != nil) || isProduct(name) != (f.Passes != nil) {
		return Pass{}, settings.Refuse("pass", name, "another one: gram part next says which")
	}
	if ofTrees {
		return w.ofTrees(ctx, f, name)
	}
	if f.Passes != nil {
		return w.ofProducts(f, name)
	}
	switch name {
	case assignPass:
		return w.assign(f), nil
	case fitPass:
		return w.fit(f), nil
	}
	if classes := f.Info.Task == dataset.Classes; classes == (name == normalPass) {
		return Pass{}, settings.Refuse("pass", name, "another one: the targets are %s", f.Info.Task)
	} else if !classes {
		return w.Job.Normal(f), nil
	}
	var t *linear.Newton
	if step < 0 {
		t, err = w.latest(f)
	} else {
		t, err = w.search(ctx, f, step)
	}
	if err != nil {
		return Pass{}, err
	}
	return w.Job.Newton(f, t), nil
}

// recall reads what the folder keeps under a name and a number. It reports whether that is there.
func (w *Work) recall(name string, number int, body stored) (bool, error) {
	at := node{0, number}
	path := w.path(Pass{Name: name}, at)
	file, err := modelfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		_, err = modelfile.Get(file, &envelope{job: w.Job.id, pass: name, at: at, body: body}, (*envelope).Exchange)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return true, nil
}

// keep writes body to the file from which recall reads it.
func (w *Work) keep(name string, number int, body stored) error {
	return w.save(Pass{Name: name, j: w.Job, unsynced: name == askPass}, node{0, number}, body)
}

// searchPass is the name under which a folder keeps where Newton's method stands.
const searchPass = "search"

// stored reads where Newton's method stood before the given pass. t is nil if that is not there.
func (w *Work) stored(step int) (*linear.Newton, error) {
	t := &linear.Newton{}
	if have, err := w.recall(searchPass, step, t); !have {
		return nil, err
	}
	return t, nil
}

// search returns where Newton's method stands before the given pass, or where it has ended if
// that is earlier. It makes the steps that are missing from the sums of the passes before.
func (w *Work) search(ctx context.Context, f *Features, step int) (*linear.Newton, error) {
	t, err := w.stored(step)
	if t != nil || err != nil {
		return t, err
	}
	if step == 0 {
		if t, err = f.begin(); err != nil {
			return nil, err
		}
	} else {
		if t, err = w.search(ctx, f, step-1); err != nil || t.Done() {
			return t, err
		}
		s, err := w.Sum(ctx, w.Job.Newton(f, t))
		if err != nil {
			return nil, err
		}
		if err := f.step(ctx, t, s); err != nil {
			return nil, err
		}
	}
	return t, w.keep(searchPass, step, t)
}

// latest returns where Newton's method stands as far as its steps were made.
func (w *Work) latest(f *Features) (*linear.Newton, error) {
	var last *linear.Newton
	for step := 0; ; step++ {
		t, err := w.stored(step)
		if err != nil {
			return nil, err
		}
		if t == nil && last == nil {
			return f.begin()
		}
		if t == nil {
			return last, nil
		}
		last = t
	}
}

// complete reports whether the states of all items are there, or that of their sum.
func (w *Work) complete(p Pass) bool {
	if p.done || p.compute == nil && w.ready(p, node{w.Job.Depth(), 0}) {
		return true
	}
	for k := range p.Pieces() {
		if !w.ready(p, node{0, k}) {
			return false
		}
	}
	return true
}

// begun reports whether the state of an item is there.
func (w *Work) begun(p Pass) bool {
	for k := range w.Job.Items {
		if _, err := store.Stat(w.path(p, node{0, k})); err == nil {
			return true
		}
	}
	return false
}

// Next returns the name of the first pass that is not complete, empty if the model can be made.
// It fits the features and makes the steps of Newton's method that the complete passes allow. A
// scheduler calls it until it returns no name, and each time has all items of the pass made.
func (w *Work) Next(ctx context.Context, run gram.Run) (string, error) {
	if w.Job.Spec.Whole != nil {
		return w.nextWhole(ctx, run)
	}
	f, err := w.features()
	if err != nil {
		return "", err
	}
	if f == nil {
		if name, err := w.before(ctx); name != "" || err != nil {
			return name, err
		}
		if p := w.Job.Scan(); !w.complete(p) {
			return p.Name, nil
		}
		if f, err = w.Features(ctx, run); err != nil {
			return "", err
		}
	}
	if f.Bins != nil {
		return w.nextOfTrees(ctx, f)
	}
	if f.Passes != nil {
		return w.nextProduct(ctx, f, run)
	}
	if w.Job.Spec.Cap > 0 {
		for _, p := range []Pass{w.assign(f), w.fit(f)} {
			if !w.complete(p) {
				return p.Name, nil
			}
		}
		return "", nil
	}
	if f.Info.Task == dataset.Regression {
		if p := w.Job.Normal(f); !w.complete(p) {
			return p.Name, nil
		}
		return "", nil
	}
	for step := 0; ; step++ {
		t, err := w.search(ctx, f, step)
		if err != nil {
			return "", err
		}
		if t.Done() {
			return "", w.forgetRows()
		}
		if p := w.Job.Newton(f, t); !w.complete(p) {
			return p.Name, nil
		}
	}
}

// Item makes the state of item k unless it is there. The error is a *gram.MemoryError if the
// piece needs more than run.MemoryLimit; see Pass.Forgoing.
func (w *Work) Item(ctx context.Context, p Pass, k int, run gram.Run) error {
	if p.done || w.ready(p, node{0, k}) {
		return nil
	}
	err := w.make(ctx, p, k, run)
	if large := (*gram.MemoryError)(nil); p.forgoes && errors.As(err, &large) {
		err = p.forgo(ctx, k, large)
	}
	if ctx.Err() == nil && k >= 0 && k < p.Pieces() {
		w.note(p.Name, k, err)
	}
	return err
}

// make makes piece k of the pass, or the state of item k, which it saves. The error is a *gram.MemoryError if that needs more
// than run.MemoryLimit.
func (w *Work) make(ctx context.Context, p Pass, k int, run gram.Run) error {
	if p.compute != nil {
		if k < 0 || k >= p.pieces {
			return settings.Refuse("item", k, "0 … %d", p.pieces-1)
		}
		return p.compute(ctx, k, run)
	}
	if p.cost != nil {
		if need := p.cost(1); run.MemoryLimit > 0 && need > run.MemoryLimit {
			return &gram.MemoryError{Need: need, Limit: run.MemoryLimit}
		}
	}
	s, err := p.state(ctx, k)
	if err != nil {
		return err
	}
	return w.save(p, node{0, k}, s)
}

// Merge makes a state of depth 1 or more from those of the depth below unless it is there.
func (w *Work) Merge(ctx context.Context, p Pass, depth, index int) error {
	at := node{depth, index}
	if p.done || p.compute != nil || w.ready(p, at) {
		return nil
	}
	s, err := p.merge(ctx, at, func(k int) (State, error) { return w.load(p, node{depth - 1, k}) })
	if err != nil {
		return err
	}
	return w.save(p, at, s)
}

// Sum merges all states that are not merged yet and returns the state of all items.
func (w *Work) Sum(ctx context.Context, p Pass) (State, error) {
	if p.compute != nil {
		return nil, settings.Refuse("pass", p.Name, "one whose states are merged")
	}
	root := node{w.Job.Depth(), 0}
	if !w.ready(p, root) {
		for depth := 1; depth <= root.Depth; depth++ {
			for k := range w.Job.width(depth) {
				if err := w.Merge(ctx, p, depth, k); err != nil {
					return nil, err
				}
			}
		}
	}
	return w.load(p, root)
}

// First makes the passes up to Scan that are missing in this process, on run.Workers goroutines, unless there are features.
func (w *Work) First(ctx context.Context, run gram.Run) error {
	if w.Job.Spec.Whole != nil {
		return nil
	}
	if f, err := w.features(); f != nil || err != nil {
		return err
	}
	for {
		name, err := w.before(ctx)
		if err != nil {
			return err
		}
		if name == "" {
			return w.Make(ctx, w.Job.Scan(), run)
		}
		p, err := w.Pass(ctx, name, run)
		if err == nil {
			err = w.Make(ctx, p, run)
		}
		if err != nil {
			return err
		}
	}
}

// Features returns the features of the job. It reads them, or else fits them to the sample of
// the pass Scan and writes them.
func (w *Work) Features(ctx context.Context, run gram.Run) (*Features, error) {
	if w.Job.Spec.Whole != nil {
		return nil, settings.Refuse("pass", "sample", "another one: gram part next says which")
	}
	have, err := w.features()
	if have != nil || err != nil {
		return have, err
	}
	s, err := w.first(ctx)
	if err != nil {
		return nil, err
	}
	f, err := w.Job.Features(ctx, s, run)
	if err != nil {
		return nil, err
	}
	if f.factors != nil {
		if err := w.keep(factorsPass, 0, f.factors); err != nil {
			return nil, err
		}
	}
	return w.keeping(f), modelfile.Save(store.Join(w.Dir, featuresFile), storedFeatures{f})
}

// first returns the state of the pass Scan.
func (w *Work) first(ctx context.Context) (State, error) {
	if err := w.Job.surveyed(func(p Pass) (State, error) { return w.Sum(ctx, p) }, true); err != nil {
		return nil, err
	}
	return w.Sum(ctx, w.Job.Scan())
}

// features reads the features. Both results are nil if they are not there yet.
func (w *Work) features() (*Features, error) {
	path := store.Join(w.Dir, featuresFile)
	file, err := modelfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := modelfile.Get(file.With(catalog.Registry()), storedFeatures{&Features{j: w.Job}}, storedFeatures.Exchange)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w.keeping(f.Features), nil
}

// Predict predicts the rows of item k unless that is done. It writes the file
// predictions-KKKKKK.txt of the folder, with the text of pipeline.Predictions.WriteText. The
// files of all items in the order of their names are the predictions for all rows. The items
// are read as for the fit if the folder has features, or else without a target unless a column
// is named.
func (w *Work) Predict(ctx context.Context, m *pipeline.Model, k int) error {
	if _, err := store.Stat(w.predictions(k)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	o, err := w.options(m)
	if err != nil {
		return err
	}
	err = modelfile.WriteFile(w.predictions(k), func(to io.Writer) error {
		for block, err := range w.Job.Items[k].Blocks(ctx, o, linear.BlockRows) {
			if err != nil {
				return err
			}
			p, err := m.Predict(block.X, false, topLabels)
			if err != nil {
				return fmt.Errorf("%s: %w", w.Job.Items[k].Path, err)
			}
			if err := p.WriteText(to, m.Names); err != nil {
				return err
			}
		}
		return nil
	})
	if ctx.Err() == nil {
		w.note(predictPass, k, err)
	}
	return err
}

// predictions is the file of the predictions for item k.
func (w *Work) predictions(k int) string {
	return store.Join(w.Dir, fmt.Sprintf("predictions-%06d.txt", k))
}

// topLabels is the number of labels of a row for models of label sets.
const topLabels = 5

// options says how the items are read for predictions.
func (w *Work) options(m *pipeline.Model) (dataset.Options, error) {
	f, err := w.features()
	if err != nil {
		return dataset.Options{}, err
	}
	o := w.Job.options
	switch {
	case f != nil:
		o = f.options()
	case o.Target == "":
		o.Task = dataset.NoTarget
	case o.Task == dataset.AutoTask: // the column is read, but not used
		if o.Task = m.Task; m.Task == dataset.Classes {
			o.Names = m.Names
		}
	}
	return m.Options(o), nil
}

// Model merges what is left to merge and returns the model. For classes the model is the result of those passes of Newton's
// method that are complete, with a *gram.ConvergenceError if more are needed; a pass that is begun must be complete. Of a fit to
// rows in memory Model makes the trainings behind the search that are missing; what it returns as Features then says what the
// rows are and which settings were chosen by folds, and has no others.
func (w *Work) Model(ctx context.Context, run gram.Run) (*pipeline.Model, *Features, error) {
	if w.Job.Spec.Whole != nil {
		return w.wholeModel(ctx, run)
	}
	f, err := w.Features(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	if w.Job.Spec.Cap > 0 {
		m, err := w.assemble(f)
		return m, f, err
	}
	if f.Bins != nil {
		m, err := w.grown(ctx, f)
		if err != nil {
			return nil, nil, err
		}
		return f.fitted(m), f, nil
	}
	if f.Passes != nil {
		m, next, err := w.bySteps(ctx, f, run)
		if next != nil {
			err = fmt.Errorf("the pass %s is not complete", next.Name)
		}
		return m, f, err
	}
	if f.Info.Task == dataset.Regression {
		s, err := w.Sum(ctx, w.Job.Normal(f))
		if err != nil {
			return nil, nil, err
		}
		m, err := f.Model(ctx, s)
		return m, f, err
	}
	if _, err := w.Next(ctx, run); err != nil {
		return nil, nil, err
	}
	t, err := w.latest(f)
	if err != nil {
		return nil, nil, err
	}
	if p := w.Job.Newton(f, t); !p.done && (t.Passes() == 0 || w.begun(p)) {
		if _, err := w.Sum(ctx, p); err != nil {
			return nil, nil, err
		}
	}
	m, err := f.Classifier(t)
	return m, f, err
}

// Fit makes all passes that are missing in this process, on run.Workers goroutines, and returns
// the model; see Model.
func (w *Work) Fit(ctx context.Context, run gram.Run) (*pipeline.Model, *Features, error) {
	for {
		name, err := w.Next(ctx, run)
		if err != nil {
			return nil, nil, err
		}
		if name == "" {
			return w.Model(ctx, run)
		}
		p, err := w.Pass(ctx, name, run)
		if err != nil {
			return nil, nil, err
		}
		if err := w.Make(ctx, p, run); err != nil {
			return nil, nil, err
		}
	}
}

// Make makes all pieces of a pass that are missing in this process, on at most run.Workers goroutines:
// on fewer if run.MemoryLimit is not enough for so many pieces at the same time. The error of the first
// piece that fails is returned.
func (w *Work) Make(ctx context.Context, p Pass, run gram.Run) error {
	workers, err := p.workers(run)
	if err != nil {
		return err
	}
	one := run
	one.Workers = 1
	meter := run.Meter()
	var first firstError
	ended := par.Each(ctx, workers, p.Pieces(), func(k int) { first.keep(k, w.Item(ctx, p, k, one)) }, func(done int) {
		meter.Report(gram.Event{Phase: p.Name, Done: int64(done), Total: int64(p.Pieces())})
	})
	return cmp.Or(first.err, ended)
}

// firstError keeps the error of the first piece that has one.
type firstError struct {
	mu  sync.Mutex
	k   int
	err error
}

func (f *firstError) keep(k int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil && (f.err == nil || k < f.k) {
		f.k, f.err = k, err
	}
}
