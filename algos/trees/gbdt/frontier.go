package gbdt

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gramworks/gram/internal/par"
)

// frontier is a tree in work, whose leaf with the largest gain is split next. What opening a leaf finds depends on the leaf alone, so that
// several goroutines may open leaves at the same time, also some that the tree may split later or, if it has all its leaves
// before, never. The tree is the same as that of a single goroutine.
type frontier struct {
	g       *grower
	t       *tree
	mu      sync.Mutex   // of all that follows
	leaves  []*leaf      // of the tree
	closed  []*leaf      // that have a gain, that nobody has opened or is opening: of the tree, or children of such that are not split yet
	ahead   int          // leaves that are opened or being opened, and not split
	seen    []*leaf      // all leaves that were opened
	changes atomic.Int64 // leaves that goroutines of their own have opened
	change  sync.Cond    // of mu, for the next one
	wide    bool         // a leaf waits that all goroutines open together
	err     error
}

func newFrontier(g *grower, t *tree, root *leaf) *frontier {
	f := &frontier{g: g, t: t, leaves: []*leaf{root}}
	f.change.L = &f.mu
	f.offer(root)
	return f
}

// splitLeaves grows a tree with the given root and returns its leaves.
func (g *grower) splitLeaves(t *tree, root *leaf) ([]*leaf, error) {
	f := newFrontier(g, t, root)
	for f.advance() {
		if f.apart() {
			workers := g.c.NumWorkers()
			f.wide = false
			par.Phases(workers, par.Phase{N: workers, Body: func(int, int) { f.openSome() }})
			continue
		}
		next, last := f.next()
		f.opened(next, g.open(next, g.workers(g.opening(next)), last))
	}
	for _, l := range append(f.leaves, f.seen...) {
		g.release(l)
		for _, side := range l.sides {
			if side != nil {
				g.release(side)
			}
		}
	}
	return f.leaves, f.err
}

// offer adds a leaf to the closed ones if it has a gain.
func (f *frontier) offer(l *leaf) {
	if l.best.gain > 0 {
		f.closed = append(f.closed, l)
	}
}

// top returns the place of the leaf that the tree splits next, the first of equals.
func (f *frontier) top() int {
	at := 0
	for i, l := range f.leaves {
		if l.best.gain > f.leaves[at].best.gain {
			at = i
		}
	}
	return at
}

// advance splits leaves as far as they are opened. It reports whether the tree grows on.
func (f *frontier) advance() bool {
	for len(f.leaves) < f.g.c.MaxLeaves && f.err == nil {
		at := f.top()
		parent := f.leaves[at]
		if !(parent.best.gain > 0) {
			return false
		}
		if !parent.opened {
			return true
		}
		f.g.split(f.t, parent)
		f.leaves[at] = parent.sides[0]
		f.leaves = append(f.leaves, parent.sides[1])
		f.ahead--
	}
	return false
}

// next takes the closed leaf that is opened next, nil if there is none: that which the tree splits next, if nobody is opening it,
// else the one with the largest gain, unless as many as the tree can still split are ahead. Last says that the tree has all leaves then.
func (f *frontier) next() (l *leaf, last bool) {
	left := f.g.c.MaxLeaves - len(f.leaves)
	top, best := f.leaves[f.top()], -1
	for i, l := range f.closed {
		if l == top {
			best = i
			break
		}
		if f.ahead < left && (best < 0 || l.best.gain > f.closed[best].best.gain) {
			best = i
		}
	}
	if best < 0 {
		return nil, false
	}
	l = f.closed[best]
	f.closed[best] = f.closed[len(f.closed)-1]
	f.closed = f.closed[:len(f.closed)-1]
	f.ahead++
	return l, left == 1
}

// opened records that l is opened and offers its children. If err is not nil, the frontier fails with it instead.
func (f *frontier) opened(l *leaf, err error) {
	if err != nil {
		f.err = err
		return
	}
	l.opened = true
	f.seen = append(f.seen, l)
	f.offer(l.sides[0])
	f.offer(l.sides[1])
}

// wideWork is the number of additions from which on all goroutines open a leaf together.
const wideWork = 1 << 18

// apart reports whether goroutines should open leaves each on its own.
func (f *frontier) apart() bool {
	if f.g.direct != nil || f.g.c.NumWorkers() == 1 {
		return false
	}
	work := f.g.opening(f.leaves[f.top()])
	return work < wideWork && (len(f.closed) > 1 || work < small) && work*(f.g.c.MaxLeaves-len(f.leaves)) > small
}

// openSome opens leaves until the tree is grown or the leaf that it splits next is a large one.
func (f *frontier) openSome() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.advance() && !f.wide {
		l, last := f.next()
		if l == nil { // others are opening those that come next
			f.wait()
			continue
		}
		if l == f.leaves[f.top()] && f.g.opening(l) >= wideWork {
			f.wide = true
			f.closed, f.ahead = append(f.closed, l), f.ahead-1
			return
		}
		f.openAlone(l, last)
	}
}

// errAbandoned is the error of a leaf whose children stay unknown because the goroutine that looked at them has
// panicked.
var errAbandoned = errors.New("gbdt: a leaf was abandoned")

// openAlone opens l in this goroutine. f.mu, which the caller holds, is unlocked meanwhile. If opening panics, the error is
// errAbandoned.
func (f *frontier) openAlone(l *leaf, last bool) {
	err := errAbandoned
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.opened(l, err)
		f.changes.Add(1)
		f.change.Broadcast()
	}()
	err = f.g.open(l, 1, last)
}

// wait unlocks f until another goroutine has opened a leaf. It sleeps if that takes longer than to wake it.
func (f *frontier) wait() {
	before := f.changes.Load()
	f.mu.Unlock()
	for spins := 0; spins < 20000 && f.changes.Load() == before; spins++ {
	}
	f.mu.Lock()
	if f.changes.Load() == before {
		f.change.Wait()
	}
}
