package bins

import (
	"context"
	"slices"

	"github.com/gramworks/gram/internal/par"
)

// A Group holds several columns of which few combinations of bins occur, as of those that encode one category. A state is such a
// combination. What belongs to a row is added to its state, and that of the states to their bins, of which there are fewer than rows.
type Group struct {
	Columns []int32
	Code    []uint8  // of each row: its state
	Start   []int    // Bin[Start[s]:Start[s+1]] belong to state s
	Bin     []uint32 // numbers of bins that are not the most frequent ones of their columns
}

const (
	// groupColumns is the number of neighboring columns among which groups are sought.
	groupColumns = 128
	// groupBins is the largest number of bins of a column of a group.
	groupBins = 64
	// groupMisses is the number of columns that do not fit into a group until the next group begins.
	groupMisses = 8
	// groupShare is the least number of values outside the most frequent bins, for each row, that makes a group worth its sum.
	groupShare = .25
	// stateRows is the number of such values of a column that a new state must save.
	stateRows = 16
)

// groups finds groups with at most maxStates states, of columns that have a most frequent bin. rare are the numbers of values outside of it.
// Columns in which they are so few that most of them would not be worth a group are left out.
func (s *Sparse) groups(ctx context.Context, workers int, t *Table, rare []int, maxStates int) error {
	if t.Narrow != nil {
		return neighbors(ctx, workers, s, t.N, t.Narrow, rare, maxStates)
	}
	return neighbors(ctx, workers, s, t.N, t.Wide, rare, maxStates)
}

// neighbors is groups for one type of codes. Its blocks of columns do not depend on the number of workers.
func neighbors[C Code](ctx context.Context, workers int, s *Sparse, n int, code [][]C, rare []int, maxStates int) error {
	d := len(code)
	found := make([][]Group, (d-1)/groupColumns+1)
	err := par.For(ctx, workers, d, groupColumns, func(lo, hi int) {
		var candidates []int32
		for j := lo; j < hi; j++ {
			if width := s.First[j+1] - s.First[j]; s.Common[j] >= 0 && width > 1 && width <= groupBins && rare[j] >= n/(4*maxStates) {
				candidates = append(candidates, int32(j))
			}
		}
		found[lo/groupColumns] = groupsAmong(ctx, s, n, code, rare, maxStates, candidates)
	})
	if err != nil {
		return err
	}
	s.Groups = slices.Concat(found...)
	return nil
}

// groupsAmong returns the groups found among the candidates, one after the other: a group takes each column that needs few new
// states, until groupMisses columns do not fit. Groups that save too little are left out.
func groupsAmong[C Code](ctx context.Context, s *Sparse, n int, code [][]C, rare []int, maxStates int, candidates []int32) (all []Group) {
	state, next, number := make([]uint8, n), make([]uint8, n), make([]int16, maxStates*groupBins)
	for len(candidates) > 0 && ctx.Err() == nil {
		clear(state)
		var group, others []int32
		states, misses, sum := 1, 0, 0
		for _, j := range candidates {
			if misses == groupMisses || ctx.Err() != nil {
				others = append(others, j)
				continue
			}
			limit := min(maxStates, states+1+rare[j]/stateRows)
			if len(group) == 0 {
				limit = maxStates
			}
			to := combine(next, state, states, code[j], s.First[j+1]-s.First[j], limit, number)
			if to == 0 {
				misses++
				others = append(others, j)
				continue
			}
			state, next, states, sum = next, state, to, sum+rare[j]
			group = append(group, j)
		}
		if len(group) == 0 { // a column of more states than most
			candidates = candidates[1:]
			continue
		}
		if float64(sum) >= groupShare*float64(n) {
			all = append(all, newGroup(s, group, state, states, code))
			state = make([]uint8, n)
		}
		candidates = others // those of a group that is not worth it are listed
	}
	return all
}

// combine numbers the combinations of a state and a bin in the order of the rows in which they occur first, sets to to those of
// the rows, and returns how many there are; 0 if there are more than maxStates. number has room for states·width of them.
func combine[C Code](to, from []uint8, states int, code []C, width, maxStates int, number []int16) int {
	number = number[:states*width]
	for k := range number {
		number[k] = -1
	}
	found := 0
	to, code = to[:len(from)], code[:len(from)]
	for i, s := range from {
		k := int(s)*width + int(code[i])
		if number[k] < 0 {
			if found == maxStates {
				return 0
			}
			number[k] = int16(found)
			found++
		}
		to[i] = uint8(number[k])
	}
	return found
}

// newGroup lists the bins of each state, as the first row with that state has them.
func newGroup[C Code](s *Sparse, columns []int32, state []uint8, states int, code [][]C) Group {
	g := Group{Columns: columns, Code: state, Start: make([]int, 1, states+1)}
	for i, k := range state {
		if int(k) < len(g.Start)-1 {
			continue
		}
		for _, j := range columns {
			if b := s.First[j] + int(code[j][i]); b != s.Common[j] {
				g.Bin = append(g.Bin, uint32(b))
			}
		}
		g.Start = append(g.Start, len(g.Bin))
		if len(g.Start) > states {
			break
		}
	}
	return g
}
