package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
)

// stored is a value that describes its form in a file.
type stored interface{ Exchange(x *modelfile.Exchange) }

// State is what a pass finds out about some rows.
type State interface {
	stored
	// add merges the state of the rows that follow.
	add(o State) error
}

// Pass is one pass over the items of a job.
type Pass struct {
	Name string
	j    *Job
	done bool // the pass is complete, so that no piece is to be made
	item func(ctx context.Context, k int) (State, error)
	make func() State
	cost func(workers int) int64 // bytes that so many goroutines need in one process

	// The states of a pass that is one of hundreds are not synced to the disk, which takes longer than to make them.
	// Those that a crash of the machine has damaged are made again.
	unsynced bool

	// A pass whose pieces leave files that are not merged has these in place of item and make.
	compute func(ctx context.Context, k int, run gram.Run) error
	verify  func(k int) bool // whether the file of piece k is there
	pieces  int

	forgo   func(ctx context.Context, k int, large *gram.MemoryError) error // leaves as the result of piece k that memory lacks; nil: that is none
	forgoes bool
}

// Forgoing returns the pass of a search with pieces that are done if they need more memory than there is: their candidates have failed, and
// the search goes on without them. Other passes are refused.
func (p Pass) Forgoing() (Pass, error) {
	if p.forgo == nil {
		return p, settings.Refuse("pass", p.Name, "that of a search, which goes on without a piece")
	}
	p.forgoes = true
	return p, nil
}

// Pieces returns the number of pieces of the pass: of items, or of the parts of a divided fit.
func (p Pass) Pieces() int {
	if p.compute != nil {
		return p.pieces
	}
	return len(p.j.Items)
}

// Merged reports whether the states of the pieces are merged.
func (p Pass) Merged() bool { return p.compute == nil }

// node is a node of the tree in which states are merged. Depth 0 are the items; node Index of
// a depth is merged of the nodes Fan·Index … of the depth below.
type node struct{ Depth, Index int }

// width returns the number of nodes of a depth.
func (j *Job) width(depth int) int {
	n := len(j.Items)
	for range depth {
		n = (n + num.Fan - 1) / num.Fan
	}
	return n
}

// Depth returns the depth of the root of the tree of states: how often states are merged.
func (j *Job) Depth() int {
	depth := 0
	for j.width(depth) > 1 {
		depth++
	}
	return depth
}

// Width returns the number of states of a depth: of the items at 0, one at Depth.
func (j *Job) Width(depth int) int { return j.width(depth) }

// children returns the numbers lo … hi−1 of the nodes that node n is merged of.
func (j *Job) children(n node) (lo, hi int) {
	return n.Index * num.Fan, min((n.Index+1)*num.Fan, j.width(n.Depth-1))
}

// envelope is a state with what it belongs to.
type envelope struct {
	job      string
	pass     string
	at       node
	platform platform
	body     stored
}

const stateMethod = "job.state"

// Encode writes what Exchange describes.
func (e *envelope) Encode(w *modelfile.Writer) error { return modelfile.Put(w, e.Exchange) }

// Exchange describes a state in a file. Reading stops with an error before the body if the
// file belongs to anything else.
func (e *envelope) Exchange(x *modelfile.Exchange) {
	head := struct {
		Job, Pass string
		node
		platform
	}{e.job, e.pass, e.at, e.platform}
	x.Header(stateMethod, 1, &head)
	if x.Reading() {
		if err := head.platform.check(); err != nil {
			x.Errorf("", "%v", err)
		}
		x.Require(head.Job == e.job, "", "a state of another job: the data, the settings or the seed differ")
		x.Require(head.Pass == e.pass, "", "a state of the pass %s, not %s", head.Pass, e.pass)
		x.Require(head.node == e.at, "", "state %d of depth %d, not state %d of depth %d", head.Index, head.Depth, e.at.Index, e.at.Depth)
	}
	x.Part("state", e.body.Exchange)
}

// envelope returns a state with what it belongs to.
func (p Pass) envelope(s stored, at node) *envelope {
	return &envelope{p.j.id, p.Name, at, machine(), s}
}

// pack returns a state as bytes, together with the job, the pass and the node that it belongs to.
func (p Pass) pack(s State, at node) ([]byte, error) {
	var b bytes.Buffer
	err := modelfile.Write(&b, p.envelope(s, at))
	return b.Bytes(), err
}

// unpack is the inverse of pack. It refuses a state of another job, pass or node.
func (p Pass) unpack(b []byte, at node) (State, error) {
	f, err := modelfile.Read(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return p.decode(f, at)
}

// decode reads the state of the node at from a file. It refuses a state of another job, pass or node.
func (p Pass) decode(f *modelfile.File, at node) (State, error) {
	s := p.make()
	_, err := modelfile.Get(f, &envelope{job: p.j.id, pass: p.Name, at: at, body: s}, (*envelope).Exchange)
	return s, err
}

// Item reads item k and returns its state, packed.
func (p Pass) Item(ctx context.Context, k int) ([]byte, error) {
	s, err := p.state(ctx, k)
	if err != nil {
		return nil, err
	}
	return p.pack(s, node{0, k})
}

// state reads item k and returns its state.
func (p Pass) state(ctx context.Context, k int) (State, error) {
	if k < 0 || k >= len(p.j.Items) {
		return nil, settings.Refuse("item", k, "0 … %d", len(p.j.Items)-1)
	}
	if p.done || p.compute != nil {
		return nil, fmt.Errorf("pass %s: no state is to be made", p.Name)
	}
	return p.item(ctx, k)
}

// Merge returns state index of the given depth, which is at least 1, merged of packed states of
// the depth below, in their order. load returns state k of these.
func (p Pass) Merge(ctx context.Context, depth, index int, load func(k int) ([]byte, error)) ([]byte, error) {
	at := node{depth, index}
	s, err := p.merge(ctx, at, func(k int) (State, error) {
		b, err := load(k)
		if err != nil {
			return nil, err
		}
		return p.unpack(b, node{depth - 1, k})
	})
	if err != nil {
		return nil, err
	}
	return p.pack(s, at)
}

// merge is Merge for states that are not packed.
func (p Pass) merge(ctx context.Context, at node, load func(k int) (State, error)) (State, error) {
	if at.Depth < 1 || at.Depth > p.j.Depth() || at.Index < 0 || at.Index >= p.j.width(at.Depth) {
		return nil, settings.Refuse("state", fmt.Sprintf("%d of depth %d", at.Index, at.Depth), "one of the tree of %d items", len(p.j.Items))
	}
	lo, hi := p.j.children(at)
	sum, err := load(lo)
	for k := lo + 1; k < hi && err == nil; k++ {
		if err = ctx.Err(); err != nil {
			break
		}
		var s State
		if s, err = load(k); err != nil {
			break
		}
		if err = sum.add(s); err != nil {
			err = fmt.Errorf("%s, state %d of depth %d: %w", p.Name, k, at.Depth-1, err)
		}
	}
	return sum, err
}

// Result returns the state of all items, packed as the root of the tree.
func (p Pass) Result(b []byte) (State, error) { return p.unpack(b, node{p.j.Depth(), 0}) }

// workers returns the number of goroutines that work on the pass in one process: at most run.Workers, and as
// many as run.MemoryLimit is enough for. The error is a *gram.MemoryError if it is not enough for one.
func (p Pass) workers(run gram.Run) (int, error) {
	n := min(cmp.Or(max(0, run.Workers), runtime.GOMAXPROCS(0)), p.Pieces())
	if p.cost == nil || run.MemoryLimit == 0 {
		return n, nil
	}
	for n > 1 && p.cost(n) > run.MemoryLimit {
		n--
	}
	if need := p.cost(n); need > run.MemoryLimit {
		return 0, &gram.MemoryError{Need: need, Limit: run.MemoryLimit}
	}
	return n, nil
}

// errPanic is the error of an item whose function did not return.
var errPanic = errors.New("panic")

// Sum makes the pass in this process, on run.Workers goroutines. The result has the same bits as that of separate pieces. The
// error of the first item that fails is returned.
func (p Pass) Sum(ctx context.Context, run gram.Run) (State, error) {
	if p.done || p.compute != nil {
		return nil, fmt.Errorf("pass %s: there are no states to be summed", p.Name)
	}
	workers, err := p.workers(run)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu      sync.Mutex
		free    = sync.NewCond(&mu)
		tree    = num.Tree[State]{Merge: func(a, b State) (State, error) { return a, a.add(b) }}
		waiting = map[int]State{}
		next    int
		failed  error
		at      int
	)
	fail := func(k int, err error) {
		// Once an item has failed, others end because cancel was called.
		if failed == nil || k < at && !errors.Is(err, context.Canceled) {
			failed, at = err, k
		}
		cancel()
		free.Broadcast()
	}
	meter := run.Meter()
	err = par.Each(ctx, workers, len(p.j.Items), func(k int) {
		mu.Lock()
		for failed == nil && k > next+workers { // no more states than that wait for their turn
			free.Wait()
		}
		stop := failed != nil
		mu.Unlock()
		if stop {
			return
		}
		s, err := State(nil), errPanic
		defer func() {
			if err == errPanic {
				mu.Lock()
				fail(k, err)
				mu.Unlock()
			}
		}()
		s, err = p.item(ctx, k)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			fail(k, err)
			return
		}
		waiting[k] = s
		for s := waiting[next]; s != nil && failed == nil; s = waiting[next] {
			delete(waiting, next)
			if err := tree.Add(s); err != nil {
				fail(next, err)
			}
			next++
		}
		free.Broadcast()
	}, func(done int) {
		meter.Report(gram.Event{Phase: p.Name, Done: int64(done), Total: int64(len(p.j.Items))})
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return tree.Result()
}
