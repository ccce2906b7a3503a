package svm

import "github.com/gramworks/gram"

// cache keeps rows of the kernel matrix, each restricted to the active variables,
// in a given number of bytes. A new row replaces the row that has not been used for
// the longest time. The rows are stored one after another in one slice.
type cache[F gram.Float] struct {
	data  []F
	width int // length of a row
	pitch int // distance between the beginnings of two rows

	slot       []int32 // the slot of each variable's row; −1: not in the cache
	owner      []int32 // the variable of each slot
	prev, next []int32 // links of the list of slots, from the most recently used (head) to the least recently used (tail)
	head, tail int32
}

const rowAlign = 16 // rows begin at multiples of this many numbers

func pitchOf(n int) int { return (n + rowAlign - 1) / rowAlign * rowAlign }

// prepare makes c a cache for rows of n numbers in the given number of bytes. It has
// room for at least two rows, even if they take more bytes. It uses the memory of
// spare if that is large enough; otherwise it allocates memory and keeps it in spare.
func (c *cache[F]) prepare(n int, bytes int64, spare *spare) {
	need := max(2*pitchOf(n), int(min(bytes/sizeof[F](), int64(n)*int64(pitchOf(n)))))
	c.data = nil
	if spare != nil {
		c.data, _ = spare.rows.([]F)
	}
	if cap(c.data) < need {
		c.data = make([]F, need)
		if spare != nil {
			spare.rows = c.data
		}
	}
	c.data = c.data[:need]
	c.clear(n)
}

func sizeof[F gram.Float]() int64 {
	var f F
	if any(f) == any(float32(0)) {
		return 4
	}
	return 8
}

// clear forgets all rows. Rows that are added later have n numbers.
func (c *cache[F]) clear(n int) {
	c.width, c.pitch = n, pitchOf(n)
	c.slot = resized(c.slot, n)
	for t := range c.slot {
		c.slot[t] = -1
	}
	c.owner, c.prev, c.next = c.owner[:0], c.prev[:0], c.next[:0]
	c.head, c.tail = -1, -1
}

// capacity returns the number of rows for which there is room.
func (c *cache[F]) capacity() int { return min(len(c.data)/max(1, c.pitch), c.width) }

func (c *cache[F]) has(t int) bool { return c.slot[t] >= 0 }

func (c *cache[F]) at(s int32) []F { return c.data[int(s)*c.pitch:][:c.width:c.width] }

// row returns the row of variable t, which must be in the cache, and marks it as
// the most recently used.
func (c *cache[F]) row(t int) []F {
	s := c.slot[t]
	if s != c.head {
		c.unlink(s)
		c.pushFront(s)
	}
	return c.at(s)
}

// claim returns memory for the row of variable t, which must not be in the cache.
func (c *cache[F]) claim(t int) []F {
	var s int32
	if len(c.owner) < c.capacity() {
		s = int32(len(c.owner))
		c.owner, c.prev, c.next = append(c.owner, 0), append(c.prev, -1), append(c.next, -1)
	} else {
		s = c.tail
		c.slot[c.owner[s]] = -1
		c.unlink(s)
	}
	c.owner[s], c.slot[t] = int32(t), s
	c.pushFront(s)
	return c.at(s)
}

func (c *cache[F]) unlink(s int32) {
	p, n := c.prev[s], c.next[s]
	if p >= 0 {
		c.next[p] = n
	} else {
		c.head = n
	}
	if n >= 0 {
		c.prev[n] = p
	} else {
		c.tail = p
	}
}

func (c *cache[F]) pushFront(s int32) {
	c.prev[s], c.next[s] = -1, c.head
	if c.head >= 0 {
		c.prev[c.head] = s
	} else {
		c.tail = s
	}
	c.head = s
}

// keep restricts the variables to those listed in index, which ascends, and removes
// all others from every row. Variable index[k] becomes variable k.
func (c *cache[F]) keep(index []int) {
	to := make([]int32, c.width) // the new number of a variable
	for t := range to {
		to[t] = -1
	}
	for k, t := range index {
		to[t] = int32(k)
	}
	// The slots that stay, the least recently used first.
	var order []int32
	for s := c.tail; s >= 0; s = c.prev[s] {
		if to[c.owner[s]] >= 0 {
			order = append(order, s)
		}
	}
	owners, pitch := c.owner, c.pitch
	moved := make([]int32, len(owners))
	stay := 0
	width := pitchOf(len(index))
	var kept []int32
	for s, t := range owners {
		moved[s] = -1
		if to[t] < 0 {
			continue
		}
		// Rows only move to lower addresses, so nothing that is still needed is overwritten.
		src, dst := c.data[s*pitch:], c.data[stay*width:]
		for k, t := range index {
			dst[k] = src[t]
		}
		moved[s] = int32(stay)
		kept = append(kept, to[t])
		stay++
	}
	c.clear(len(index))
	c.owner = append(c.owner, kept...)
	c.prev, c.next = append(c.prev, make([]int32, stay)...), append(c.next, make([]int32, stay)...)
	for s, t := range kept {
		c.slot[t] = int32(s)
	}
	for _, s := range order {
		c.pushFront(moved[s])
	}
}
