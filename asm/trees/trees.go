package trees

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Lanes is the number of rows that are evaluated together.
const Lanes = 64

// limit is the largest number of choices in one call of assembly, some ten microseconds.
const limit = 1 << 12

// Choice sets a line of the buffer, byte by byte, to the line Low where the line Key is less than Limit and
// to the line High elsewhere. Lines are given by their first bytes, as multiples of Lanes.
type Choice struct {
	Key, Low, High, To uint32
	Limit              int32 // −127 … 127
}

// A Program is a list of choices that are made in their order on a buffer of size bytes.
type Program struct {
	choices []Choice
	size    int
}

// New returns the program of the choices, on a buffer of the given number of lines. It panics if a choice
// names another line or has a limit that is no signed byte. The program keeps the choices.
func New(choices []Choice, lines int) *Program {
	for i, c := range choices {
		if most := max(c.Key, c.Low, c.High, c.To); int(most) > (lines-1)*Lanes || (c.Key|c.Low|c.High|c.To)%Lanes != 0 || int32(int8(c.Limit)) != c.Limit {
			panic(fmt.Sprintf("trees: choice %d is %v in a buffer of %d lines", i, c, lines))
		}
	}
	return &Program{choices, lines * Lanes}
}

// Run makes the choices in their order. It panics if the buffer is shorter than the lines of the program. It takes about
// four operations on 32 bytes for a choice and 32 rows.
func (p *Program) Run(buffer []uint8) {
	buffer = buffer[:p.size]
	for i := 0; i < len(p.choices); i += limit {
		choose(buffer, p.choices[i:min(i+limit, len(p.choices))])
	}
}

// Bytes returns the memory of the choices in bytes, 20 for each.
func (p *Program) Bytes() int { return len(p.choices) * 20 }

// Fast reports whether Run has assembly at the level in force. Without it, a way from the root of each
// tree to a leaf costs less than all splits.
func (p *Program) Fast() bool { return cpu.Current() != cpu.Generic }

// Add adds the values of leaves to sums, for Lanes rows, in the order of the trees: of every step-th tree t from the first on, the value
// value[starts[t]+l] for a row whose byte in line t of leaves is l. These are less than most, and value has 256 elements from each start on,
// whatever they are.
func Add[F num.Float](sums *[Lanes]F, leaves []uint8, value []F, starts []int32, step, most int) {
	if len(starts) == 0 {
		return
	}
	if step < 1 || len(leaves) < len(starts)*Lanes || int(slices.Max(starts))+Leaves > len(value) || slices.Min(starts) < 0 {
		panic("trees: leaves or values of trees are missing")
	}
	race.Write(sums[:])
	for t := 0; t < len(starts); t += limit / 16 * step {
		add(sums[:], leaves[t*Lanes:], value, starts[t:min(t+limit/16*step, len(starts))], step, most)
	}
}

const (
	Leaves = 256 // of a tree whose leaves' numbers are bytes

	Walks = 8       // trees in which a row goes on together
	Keys  = 1 << 16 // keys that a node can name
)

// Walk goes from the nodes at of Walks trees on by a number of steps, for one row, and sets at to the nodes behind the
// last step, whose last step must end in leaves. A node is, from the lowest bit on: 16 bits that name its key, 8 bits with the
// largest key of rows that go to the left child, 8 bits of zeros, and 32 bits with the number of the left child, which the right
// one follows. A leaf is its own left child, and all keys, unsigned bytes, go there. The numbers of children are less than len(nodes).
func Walk(nodes []uint64, keys *[Keys]uint8, at *[Walks]uint64, steps int) {
	for _, n := range at {
		_ = nodes[n]
	}
	walk(nodes, keys, at, steps)
}
