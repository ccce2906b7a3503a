package main

import (
	"fmt"
	"slices"
	"strings"
)

// An op is one step on the vectors of a network.
type op struct {
	kind kind
	i, j int
}

type kind int

const (
	butterfly kind = iota // (i, j) = (i+j, i−j)
	lanes                 // all stages inside vector i
	store                 // vector i is done
)

func (o op) uses(v int) bool { return o.i == v || o.kind == butterfly && o.j == v }

// rowOps is the transform of 2^bits vectors that lie one behind the other:
// inside a line of 64 bytes (2^line vectors) from the widest stage down, then
// across lines from the narrowest stage up. It goes depth first, so that few
// vectors are alive at a time.
func rowOps(bits, line int) []op {
	var ops []op
	var walk func(lo, bits int)
	walk = func(lo, bits int) {
		if bits <= line {
			for b := bits - 1; b >= 0; b-- {
				for i := range 1 << bits {
					if i>>b&1 == 0 {
						ops = append(ops, op{butterfly, lo + i, lo + i + 1<<b})
					}
				}
			}
			for i := range 1 << bits {
				ops = append(ops, op{lanes, lo + i, -1})
			}
			return
		}
		half := 1 << (bits - 1)
		walk(lo, bits-1)
		walk(lo+half, bits-1)
		for i := range half {
			ops = append(ops, op{butterfly, lo + i, lo + i + half})
		}
	}
	walk(0, bits)
	return withStores(ops, 1<<bits)
}

// columnOps is the transform across 2^bits vectors, from the narrowest stage up.
func columnOps(bits int) []op {
	var ops []op
	var walk func(lo, bits int)
	walk = func(lo, bits int) {
		if bits == 0 {
			return
		}
		half := 1 << (bits - 1)
		walk(lo, bits-1)
		walk(lo+half, bits-1)
		for i := range half {
			ops = append(ops, op{butterfly, lo + i, lo + i + half})
		}
	}
	walk(0, bits)
	return withStores(ops, 1<<bits)
}

// withStores puts a store behind the last use of every vector.
func withStores(ops []op, n int) []op {
	last := make([]int, n)
	for t, o := range ops {
		last[o.i] = t
		if o.kind == butterfly {
			last[o.j] = t
		}
	}
	var out []op
	for t, o := range ops {
		out = append(out, o)
		if last[o.i] == t {
			out = append(out, op{store, o.i, -1})
		}
		if o.kind == butterfly && last[o.j] == t {
			out = append(out, op{store, o.j, -1})
		}
	}
	return out
}

// emitter turns a network into instructions. Every vector has a home in memory;
// when registers run out, the vector that is needed last goes back there (its
// old contents have been read by then).
type emitter struct {
	isa  *isa
	elem elem
	home func(i int) string // operand of vector i
	// last is the store instruction for the final value, nil for the common one.
	last func(reg, i int) string

	out    *strings.Builder
	free   []int
	reg    map[int]int // vector → register, −1 in memory
	ops    []op
	now    int
	pinned []int
	spills int
}

func (e *emitter) printf(format string, a ...any) { fmt.Fprintf(e.out, "\t"+format+"\n", a...) }

// run emits ops on n vectors with the free registers.
func (e *emitter) run(ops []op, n int, free []int) {
	e.ops, e.free = ops, slices.Clone(free)
	e.reg = map[int]int{}
	for i := range n {
		e.reg[i] = -1
	}
	for t, o := range ops {
		e.now = t
		switch o.kind {
		case butterfly:
			e.butterfly(o.i, o.j)
		case lanes:
			e.pinned = []int{o.i}
			e.isa.lanes(e, o.i)
		case store:
			r := e.reg[o.i]
			if e.last != nil {
				e.printf("%s", e.last(r, o.i))
			} else {
				e.printf("%s", e.isa.store(e, r, e.home(o.i)))
			}
			e.release(r)
			e.reg[o.i] = -1
		}
	}
}

func (e *emitter) butterfly(i, j int) {
	e.pinned = []int{i, j}
	a := e.load(i)
	b := e.reg[j]
	if b < 0 && !e.isa.memory {
		b = e.load(j)
	}
	t := e.take()
	if b < 0 {
		e.printf("%s", e.isa.add(e, e.home(j), e.name(a), t))
		e.printf("%s", e.isa.sub(e, e.home(j), e.name(a), a))
		e.reg[i], e.reg[j] = t, a
		return
	}
	e.printf("%s", e.isa.add(e, e.name(b), e.name(a), t))
	e.printf("%s", e.isa.sub(e, e.name(b), e.name(a), b))
	e.release(a)
	e.reg[i] = t
}

func (e *emitter) name(r int) string { return e.isa.register(r) }

// load returns the register of vector i.
func (e *emitter) load(i int) int {
	if r := e.reg[i]; r >= 0 {
		return r
	}
	r := e.take()
	e.printf("%s", e.isa.load(e, e.home(i), r))
	e.reg[i] = r
	return r
}

// take returns a free register, the one that has been free longest.
func (e *emitter) take() int {
	if len(e.free) == 0 {
		e.spill()
	}
	r := e.free[0]
	e.free = e.free[1:]
	return r
}

func (e *emitter) release(r int) { e.free = append(e.free, r) }

// spill sends home the vector whose next use is farthest; among those of one
// stage the last second operand, which is then read as a memory operand.
func (e *emitter) spill() {
	best, when := -1, -1
	for v, r := range e.reg {
		if r < 0 || slices.Contains(e.pinned, v) {
			continue
		}
		next := len(e.ops) * 2
		for t := e.now + 1; t < len(e.ops); t++ {
			if e.ops[t].uses(v) {
				next = 2 * t
				if e.ops[t].j == v {
					next++
				}
				break
			}
		}
		if next > when {
			best, when = v, next
		}
	}
	if best < 0 {
		panic("no register to spill")
	}
	e.printf("%s", e.isa.store(e, e.reg[best], e.home(best)))
	e.release(e.reg[best])
	e.reg[best] = -1
	e.spills++
}
