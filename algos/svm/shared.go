package svm

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/kernel"
)

// Pairs of classes with few rows share the values of the kernel: those of many rows are computed at once, in float64,
// and every pair takes its own. All values come from one block of all rows, whose bits do not depend on which
// rows are computed together. A pair whose rows do not fit the memory computes the same values row by row.

const (
	sharedRows = 128  // most rows of pairs that share values: the time for pairs of more rows is that of their values
	tileSide   = 2048 // most rows of a tile, which then stays in the caches
	together   = 256  // most pairs that a goroutine takes at a time
)

// pairValues are the values of the kernel among the rows of a pair of classes.
type pairValues struct {
	diag []float64

	tile  gram.Rows[float64] // has the values, unless they are computed
	place []int              // the row and the column of the tile of each row of the pair

	block *kernel.Block[float64] // of the rows of the pair, if the tile has no numbers
	x     gram.Samples[float64]
}

// rowOf sets dst to the kernel values of row t of the pair of classes with every row of the pair.
func rowOf[F gram.Float](v *pairValues, dst []F, t int) {
	if v.block != nil {
		row := make([]float64, len(dst))
		v.block.FillEach([][]float64{row}, v.x.Slice(t, t+1))
		for k, u := range row {
			dst[k] = F(u)
		}
		return
	}
	row := v.tile.Row(v.place[t])
	for k, c := range v.place {
		dst[k] = F(row[c])
	}
}

// addTo adds the change of the coefficients from at to beta, times K, to g.
func (v *pairValues) addTo(g, at, beta []float64, changed []int, row []float64) {
	for _, i := range changed {
		rowOf(v, row, i)
		b := beta[i] - at[i]
		for k, u := range row {
			g[k] += float64(b * u)
		}
	}
}

// maxRows returns the number of rows of the largest pair of classes.
func maxRows(members [][]int) int {
	first, second := 0, 0
	for _, rows := range members {
		n := len(rows)
		first, second = max(first, n), max(second, min(first, n))
	}
	return first + second
}

// shareValues reports whether the pairs of classes with these rows share the values of the kernel.
func shareValues(members [][]int) bool { return maxRows(members) <= sharedRows }

// span is a range of classes, first … last−1.
type span struct{ first, last int }

// tiling divides the pairs of classes into tiles whose values are in memory together: those of two runs of
// classes, or of one.
type tiling struct {
	c       Config
	x       gram.Samples[float64]
	members [][]int
	all     *kernel.Block[float64]
	diag    []float64
	runs    []span
	data    []float64 // of a tile; nil: every pair computes its values
	begin   []int     // the row and the column of the tile at which each class begins
}

// newTiling divides the pairs of classes into tiles of at most the given number of bytes. If a class is too large for that, every
// pair computes its values itself. The error is ctx.Err().
func (c Config) newTiling(ctx context.Context, x gram.Samples[float64], members [][]int, bytes int64) (*tiling, error) {
	p := Problem{Kernel: c.Kernel, x: x, Run: c.Run}
	diag, err := p.diagonal(ctx)
	if err != nil {
		return nil, err
	}
	t := &tiling{c: c, x: x, members: members, diag: diag, begin: make([]int, len(members)),
		all: kernel.Against[float64](c.Kernel, x).Limit(c.Workers)}
	side := min(int(math.Sqrt(float64(bytes)/8)), tileSide)
	if x.N() <= side {
		t.runs, t.data = []span{{0, len(members)}}, make([]float64, x.N()*x.N())
		return t, nil
	}
	rows := 0
	for class, list := range members {
		if len(list) > side/2 {
			t.runs = []span{{0, len(members)}}
			return t, nil
		}
		if rows += len(list); class == 0 || rows > side/2 {
			t.runs, rows = append(t.runs, span{class, class}), len(list)
		}
		t.runs[len(t.runs)-1].last = class + 1
	}
	t.data = make([]float64, side*side)
	return t, nil
}

// fill computes the values of the tile of two runs. held says that those of the first run with itself are there.
func (t *tiling) fill(ctx context.Context, a, b span, held bool) (gram.Rows[float64], error) {
	if t.data == nil {
		return gram.Rows[float64]{}, nil
	}
	var rows []int
	take := func(r span) {
		for class := r.first; class < r.last; class++ {
			t.begin[class] = len(rows)
			rows = append(rows, t.members[class]...)
		}
	}
	take(a)
	split := len(rows)
	if b != a {
		take(b)
	}
	n, side := len(rows), int(math.Sqrt(float64(len(t.data))))
	tile := gram.Rows[float64]{Data: t.data, N: n, D: n, Stride: side}
	put := func(lo, hi, from, to int) error {
		if from == to {
			return nil
		}
		block := t.all.Select(rows[from:to])
		_, d := t.x.Dims()
		step := max(64, 60_000_000/((to-from)*(8+d/8))) // below 50 ms of work
		for ; lo < hi; lo += step {
			if err := ctx.Err(); err != nil {
				return err
			}
			end := min(lo+step, hi)
			dst := gram.Rows[float64]{Data: t.data[lo*side+from:], N: end - lo, D: to - from, Stride: side}
			block.Fill(dst, t.x.Select(rows[lo:end]))
		}
		return nil
	}
	if !held {
		if err := put(0, split, 0, split); err != nil {
			return tile, err
		}
	}
	if err := put(0, split, split, n); err != nil {
		return tile, err
	}
	return tile, put(split, n, 0, n)
}

// pair makes the rows of the classes a and b, in ascending order, and their values those of m.
func (t *tiling) pair(m *spare, a, b int, tile gram.Rows[float64]) {
	v := &m.values
	first, second := t.members[a], t.members[b]
	m.index, v.place = m.index[:0], v.place[:0]
	for i, j := 0, 0; i+j < len(first)+len(second); {
		if j == len(second) || i < len(first) && first[i] < second[j] {
			m.index, v.place = append(m.index, first[i]), append(v.place, t.begin[a]+i)
			i++
		} else {
			m.index, v.place = append(m.index, second[j]), append(v.place, t.begin[b]+j)
			j++
		}
	}
	v.diag, v.tile, v.block = m.take(len(m.index)), tile, nil
	for k, i := range m.index {
		v.diag[k] = t.diag[i]
	}
	if t.data == nil {
		v.block, v.x = t.all.Select(m.index).Limit(1), t.x.Select(m.index)
	}
}

// solveShared calls one for every pair of classes, several at a time, with values of the kernel that the pairs share.
func (c Config) solveShared(ctx context.Context, x gram.Samples[float64], members [][]int, one func(f int, index []int, p *Problem)) error {
	count := c.Functions(len(members))
	side := min(c.NumWorkers(), count)
	own, bytes := sharedBytes(c.CacheBytes, int64(maxRows(members)), int64(side))
	t, err := c.newTiling(ctx, x, members, bytes)
	if err != nil {
		return err
	}
	inner := c.Run
	inner.Workers, inner.Progress = 1, nil
	meter := c.Run.Meter()
	return t.each(ctx, side, func(f int, index []int, m *spare) {
		m.problem = Problem{Run: inner, CacheBytes: own, Double: true, spare: m, values: &m.values}
		one(f, index, &m.problem)
	}, func(pairs int) {
		meter.Report(gram.Event{Phase: "svm", Done: int64(pairs), Total: int64(count)})
	})
}

// sharedBytes divides the memory for kernel rows: own is that for the rows of one of side pairs of at most m rows, and tile
// that for the values which the pairs share.
func sharedBytes(cache, m, side int64) (own, tile int64) {
	own = min(8*m*int64(pitchOf(int(m))), cache/2/side)
	return own, cache - side*own
}

// each calls solve for every pair of classes, from several goroutines, with the memory of the goroutine, which has the
// values of the pair. done gets the number of pairs that are solved, from the goroutine of the caller.
func (t *tiling) each(ctx context.Context, side int, solve func(f int, index []int, m *spare), done func(pairs int)) error {
	spares := newSpares(side)
	var solved atomic.Int64
	for i, a := range t.runs {
		for j := i; j < len(t.runs); j++ {
			b := t.runs[j]
			tile, err := t.fill(ctx, a, b, j > i)
			if err != nil {
				return err
			}
			var pairs [][2]int
			for first := a.first; first < a.last; first++ {
				for second := max(b.first, first+1); second < b.last; second++ {
					pairs = append(pairs, [2]int{first, second})
				}
			}
			grain := min(max(1, len(pairs)/(8*side)), together)
			err = par.Each(ctx, side, (len(pairs)+grain-1)/grain, func(k int) {
				m := spares.take()
				defer spares.give(m)
				for _, p := range pairs[k*grain : min((k+1)*grain, len(pairs))] {
					if ctx.Err() != nil {
						return
					}
					m.used = 0
					t.pair(m, p[0], p[1], tile)
					solve(functionOf(p[0], p[1], len(t.members)), m.index, m)
					solved.Add(1)
				}
			}, func(int) { done(int(solved.Load())) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
