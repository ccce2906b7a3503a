package beam

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/num"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int, int), error](&itemFn{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int, int), error](&mergeFn{})
	register.DoFn3x1[context.Context, int, func(int, int), error](&predictFn{})
	register.DoFn2x0[int, func(*int) bool](&endFn{})
	register.Emitter2[int, int]()
	register.Iter1[int]()
}

// last holds what a process has read last: a pass of a folder, or a model. Trees take hundreds of passes, of which none
// is needed when the next one begins.
type last[T any] struct {
	mu    sync.Mutex
	key   string
	value T
}

// get returns the value of a key, which is not empty. load makes it unless it is the last one. Errors are not kept.
func (l *last[T]) get(key string, load func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.key == key {
		return l.value, nil
	}
	v, err := load()
	if err == nil {
		l.key, l.value = key, v
	}
	return v, err
}

// opened is a folder with one of its passes.
type opened struct {
	work *job.Work
	pass job.Pass

	// slots bounds the number of pieces of the pass that a process works on at the same time by its
	// processors. An engine starts more, each of which would hold a state and the rows of a block.
	slots chan struct{}
}

var (
	passes last[opened]
	models last[*pipeline.Model]
)

// open returns a folder with a pass, or with none if its name is empty.
func open(ctx context.Context, dir, pass string) (opened, error) {
	return passes.get(dir+"\x00"+pass, func() (opened, error) {
		w, err := job.Open(dir)
		o := opened{work: w, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
		if err == nil && pass != "" {
			o.pass, err = w.Pass(ctx, pass, run)
		}
		return o, err
	})
}

// run is how pieces compute: on one goroutine each, as the engine has many of them at a time.
var run = gram.Run{Workers: 1}

// bounded calls f when there is a slot for it.
func (o opened) bounded(ctx context.Context, f func() error) error {
	select {
	case o.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-o.slots }()
	return f()
}

// itemFn works on a piece of a pass. It emits the piece's number under that of the state that it is
// merged into, if it is merged.
type itemFn struct {
	Dir, Pass string
	made      beam.Counter
}

// Setup makes the counter, which counts the finished pieces under the name of the pass.
func (f *itemFn) Setup() { f.made = beam.NewCounter("gram", f.Pass) }

// ProcessElement computes piece k of the pass, whose result is a file of the folder.
func (f *itemFn) ProcessElement(ctx context.Context, k int, emit func(int, int)) error {
	o, err := open(ctx, f.Dir, f.Pass)
	if err == nil {
		err = o.bounded(ctx, func() error { return o.work.Item(ctx, o.pass, k, run) })
	}
	if err != nil {
		return err
	}
	f.made.Inc(ctx, 1)
	emit(k/num.Fan, k)
	return nil
}

// mergeFn merges states of a pass, or its pieces, into the states at depth Depth.
type mergeFn struct {
	Dir, Pass string
	Depth     int
}

// ProcessElement merges state k, whose parts are there.
func (f *mergeFn) ProcessElement(ctx context.Context, k int, parts func(*int) bool, emit func(int, int)) error {
	var n int
	for parts(&n) { // an engine may need them to be read
	}
	o, err := open(ctx, f.Dir, f.Pass)
	if err == nil {
		err = o.bounded(ctx, func() error { return o.work.Merge(ctx, o.pass, f.Depth, k) })
	}
	if err == nil {
		emit(k/num.Fan, k)
	}
	return err
}

// predictFn predicts the rows of an item with the model in the file Model.
type predictFn struct{ Dir, Model string }

// ProcessElement predicts the rows of item k into a file of the folder.
func (f *predictFn) ProcessElement(ctx context.Context, k int, emit func(int, int)) error {
	o, err := open(ctx, f.Dir, "")
	if err != nil {
		return err
	}
	m, err := models.get(f.Model, func() (*pipeline.Model, error) { return catalog.LoadFitted(f.Model) })
	if err == nil {
		err = o.bounded(ctx, func() error { return o.work.Predict(ctx, m, k) })
	}
	if err == nil {
		emit(k/num.Fan, k)
	}
	return err
}

// endFn takes the numbers of pieces that are done, and does nothing.
type endFn struct{}

// ProcessElement reads the numbers of one group to their end, as an engine may need it.
func (endFn) ProcessElement(_ int, done func(*int) bool) {
	var k int
	for done(&k) {
	}
}

// end consumes the numbers of the last step. Without a consumer that step would have no output, and Prism
// waits for steps without outputs in a loop that takes a whole processor.
func end(s beam.Scope, c beam.PCollection) {
	beam.ParDo0(s.Scope("end"), &endFn{}, beam.GroupByKey(s, c))
}

// source returns the numbers of n pieces, spread over the workers.
func source(s beam.Scope, n int) beam.PCollection {
	pieces := make([]int, n)
	for k := range pieces {
		pieces[k] = k
	}
	return beam.Reshuffle(s, beam.CreateList(s, pieces))
}

// Pass runs one pass of the job in the folder dir; name is as for job.Work.Pass. It ends with a
// *StallError if no file of the folder changes for the time stall; 0 is no bound.
func Pass(ctx context.Context, dir, name string, stall time.Duration) error {
	w, err := job.Open(dir)
	if err != nil {
		return err
	}
	pass, err := w.Pass(ctx, name, run)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	c := beam.ParDo(s.Scope(name), &itemFn{Dir: dir, Pass: name}, source(s, pass.Pieces()))
	for depth := 1; pass.Merged() && depth <= w.Job.Depth(); depth++ {
		c = beam.ParDo(s.Scope(fmt.Sprintf("merge %d", depth)), &mergeFn{dir, name, depth}, beam.GroupByKey(s, c))
	}
	end(s, c)
	if err := watched(ctx, dir, stall, func(ctx context.Context) error { return beamx.Run(ctx, p) }); err != nil {
		return fmt.Errorf("pass %s: %w", name, err)
	}
	return nil
}

// Fit makes all passes of the job in the folder dir and returns the model. What a run before
// this one has made is not made again. For classes the model may come with a
// *gram.ConvergenceError. stall bounds each pass as it does in Pass.
func Fit(ctx context.Context, dir string, here gram.Run, stall time.Duration) (*pipeline.Model, *job.Features, error) {
	w, err := job.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	for {
		pass, err := w.Next(ctx, here)
		if err != nil {
			return nil, nil, err
		}
		if pass == "" {
			return w.Model(ctx, here)
		}
		if err := Pass(ctx, dir, pass, stall); err != nil {
			return nil, nil, err
		}
	}
}

// Predict predicts all items of the job in the folder dir, into files of the folder; see
// job.Work.Predict. It ends with a *StallError if no file of the folder changes for the time stall; 0 is no bound.
func Predict(ctx context.Context, dir, model string, stall time.Duration) error {
	w, err := job.Open(dir)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	end(s, beam.ParDo(s, &predictFn{dir, model}, source(s, len(w.Job.Items))))
	return watched(ctx, dir, stall, func(ctx context.Context) error { return beamx.Run(ctx, p) })
}

// wrapped is what Beam puts before the error of a piece.
var wrapped = regexp.MustCompile(`(?s)^.*(?:caused by:|full error:|DoFn\[[^\n]*\] failed:)\s*`)

// Cause returns the error of a piece in one line, without what Beam has put before it.
func Cause(err error) string {
	return strings.Join(strings.Fields(wrapped.ReplaceAllString(err.Error(), "")), " ")
}
