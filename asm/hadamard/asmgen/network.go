package main

import (
	"fmt"
	"slices"
	"strings"
)

// An op is one step of a network.
type op struct {
	kind kind
	i, j int
}

type kind int

const (
	butterfly kind = iota // (i, j) = (i+j, i−j)
	lanes                 // all stages inside the vectors i … j−1
	store                 // vector i is final
)

// vectors returns the vectors that o works on.
func (o op) vectors() []int {
	switch o.kind {
	case butterfly:
		return []int{o.i, o.j}
	case lanes:
		var v []int
		for i := o.i; i < o.j; i++ {
			v = append(v, i)
		}
		return v
	default:
		return []int{o.i}
	}
}

func (o op) uses(v int) bool { return slices.Contains(o.vectors(), v) }

// rowOps returns the transform of rows of 2^bits vectors each. It does the
// stages inside a line of 64 bytes (2^line vectors) from the widest stage down,
// then those across lines from the narrowest stage up. The vectors of a row
// follow each other; several rows are done side by side. The stages inside
// vectors are done for together vectors at a time.
func rowOps(rows, bits, line, group, together int) []op {
	if rows > 1 {
		group = bits
	}
	return network(bits, max(line, group), func(lo, bits int) []op {
		var ops []op
		across := func(b int) {
			for r := range rows {
				ops = append(ops, stage(lo+r<<bits, bits, b)...)
			}
		}
		within := min(bits, line)
		for b := within - 1; b >= 0; b-- {
			across(b)
		}
		for i := 0; i < rows<<bits; i += together {
			ops = append(ops, op{lanes, lo + i, lo + min(i+together, rows<<bits)})
		}
		for b := within; b < bits; b++ {
			across(b)
		}
		return ops
	}, rows<<bits)
}

// columnOps returns the transform across 2^bits vectors, from the narrowest
// stage up.
func columnOps(bits int) []op {
	return network(bits, 5, func(lo, bits int) []op {
		var ops []op
		for b := range bits {
			ops = append(ops, stage(lo, bits, b)...)
		}
		return ops
	}, 1<<bits)
}

// network does groups of 2^group vectors one after the other, and the stages
// across groups depth first. Inside a group it goes stage by stage: consecutive
// instructions then do not wait for each other, which is worth more than the
// registers that it takes.
func network(bits, group int, inner func(lo, bits int) []op, n int) []op {
	var ops []op
	var walk func(lo, bits int)
	walk = func(lo, bits int) {
		if bits <= group {
			ops = append(ops, inner(lo, bits)...)
			return
		}
		walk(lo, bits-1)
		walk(lo+1<<(bits-1), bits-1)
		ops = append(ops, stage(lo, bits, bits-1)...)
	}
	walk(0, bits)
	return withStores(ops, n)
}

// stage returns the butterflies at distance 2^b among 2^bits vectors.
func stage(lo, bits, b int) []op {
	var ops []op
	for i := range 1 << bits {
		if i>>b&1 == 0 {
			ops = append(ops, op{butterfly, lo + i, lo + i + 1<<b})
		}
	}
	return ops
}

// withStores inserts a store after the last use of every vector.
func withStores(ops []op, n int) []op {
	last := make([]int, n)
	for t, o := range ops {
		for _, v := range o.vectors() {
			last[v] = t
		}
	}
	var out []op
	for t, o := range ops {
		out = append(out, o)
		for _, v := range o.vectors() {
			if last[v] == t {
				out = append(out, op{store, v, -1})
			}
		}
	}
	return out
}

// emitter turns a network into instructions. When registers run out, the vector
// that is needed last goes to a slot of the scratch memory. Its place in x would
// also do, but for strides that are multiples of 4096 bytes the loads of other
// rows would then wait for that store.
type emitter struct {
	isa  *isa
	elem elem
	home func(i int) string // operand of vector i
	// factor returns the operand that vector i is multiplied by when it is
	// loaded; nil: by nothing.
	factor func(i int) string
	// macro says that loads from home are macros, which multiply by the factor or do not.
	macro bool
	slot  func(i int) string // operand of slot i
	// last returns the store instruction for the final value; nil: the common
	// instruction.
	last func(reg, i int) string
	// indexed says that home needs an index register, so that a load inside an
	// addition takes two operations anyway.
	indexed bool
	// share is the part of the subtractions that are macros; the next one is a
	// macro if due reaches 1.
	share, due float64

	out    *strings.Builder
	free   []int
	reg    map[int]int // register of each vector; −1: it is in memory
	slots  map[int]int // slot of each vector that is in one
	used   int         // number of slots in use
	ops    []op
	now    int
	pinned []int
}

func (e *emitter) printf(format string, a ...any) { fmt.Fprintf(e.out, "\t"+format+"\n", a...) }

// run emits ops on n vectors with the given free registers.
func (e *emitter) run(ops []op, n int, free []int) {
	e.ops, e.free = ops, slices.Clone(free)
	e.reg, e.slots = map[int]int{}, map[int]int{}
	for i := range n {
		e.reg[i] = -1
	}
	for t, o := range ops {
		e.now = t
		switch o.kind {
		case butterfly:
			e.butterfly(o.i, o.j)
		case lanes:
			e.isa.lanes(e, o.vectors())
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
	_, spilled := e.slots[j]
	if b < 0 && (!e.isa.memory || !spilled && (e.factor != nil || e.indexed && len(e.free) > 1)) {
		b = e.load(j)
	}
	t := e.take()
	if b < 0 {
		from := e.place(j)
		e.printf("%s", e.isa.add(e, from, e.name(a), t))
		e.printf("%s", e.isa.sub(e, from, e.name(a), a))
		e.reg[i], e.reg[j] = t, a
		return
	}
	e.printf("%s", e.isa.add(e, e.name(b), e.name(a), t))
	e.printf("%s", e.isa.sub(e, e.name(b), e.name(a), b))
	e.release(a)
	e.reg[i] = t
}

// place returns the operand of vector i, which is in memory, and frees its slot.
func (e *emitter) place(i int) string {
	if s, ok := e.slots[i]; ok {
		delete(e.slots, i)
		return e.slot(s)
	}
	return e.home(i)
}

func (e *emitter) name(r int) string { return e.isa.register(r) }

// load returns the register that holds vector i, and writes the instructions that load it if it is in memory.
func (e *emitter) load(i int) int {
	if r := e.reg[i]; r >= 0 {
		return r
	}
	r := e.take()
	_, spilled := e.slots[i]
	if e.macro && !spilled {
		e.printf("LOADROW(%s, %s, %s)", e.home(i), e.factor(i), strings.TrimPrefix(e.isa.register(r), "V"))
		e.reg[i] = r
		return r
	}
	e.printf("%s", e.isa.load(e, e.place(i), r))
	e.reg[i] = r
	if e.factor != nil && !spilled {
		e.isa.multiply(e, e.factor(i), r)
	}
	return r
}

// take returns the register that has been free longest.
func (e *emitter) take() int {
	if len(e.free) == 0 {
		e.spill()
	}
	r := e.free[0]
	e.free = e.free[1:]
	return r
}

func (e *emitter) release(r int) { e.free = append(e.free, r) }

// spill stores the vector whose next use is farthest. Among those of one stage
// it takes the last second operand, which is then read as a memory operand.
func (e *emitter) spill() {
	best, when := -1, -1
	for v := range len(e.reg) {
		r := e.reg[v]
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
	s := 0
	for taken := true; taken; {
		taken = false
		for _, other := range e.slots {
			if other == s {
				taken = true
				s++
				break
			}
		}
	}
	e.used = max(e.used, s+1)
	e.printf("%s", e.isa.store(e, e.reg[best], e.slot(s)))
	e.slots[best] = s
	e.release(e.reg[best])
	e.reg[best] = -1
}
