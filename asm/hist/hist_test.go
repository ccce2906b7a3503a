package hist

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
)

// problem holds the operands of both sums, of which the histograms have margins that must stay.
type problem struct {
	n     int // of rows that there are codes for
	k     int
	rows  []int32
	v     []Cell
	code  [Most][]uint8
	h     [Most][]Cell
	whole []Cell // holds h
	bin   []uint32
	start []int
}

// bins is the number of bins of each column.
const bins = 256

// newProblem has m rows, at random or all of one bin, and operands at an offset from where they would begin.
func newProblem(r *rand.Rand, m, k, off, kind int) *problem {
	p := &problem{n: m + 5, k: k, rows: make([]int32, m+off)[off:], v: make([]Cell, m+off)[off:], start: make([]int, m+6+off)[off:]}
	for i := range p.rows {
		p.rows[i] = int32(r.IntN(p.n))
		p.v[i] = Cell{r.Uint64(), r.Uint64()}
	}
	p.whole = make([]Cell, off+Most*(bins+3))
	for i := range p.whole {
		p.whole[i] = Cell{r.Uint64(), r.Uint64()}
	}
	for c := range Most {
		p.h[c] = p.whole[off+c*(bins+3)+1:][:bins]
		p.code[c] = make([]uint8, p.n+off)[off:]
		for i := range p.code[c] {
			if p.code[c][i] = uint8(r.IntN(bins)); kind > 0 {
				p.code[c][i] = uint8(kind - 1)
			}
		}
	}
	for i := range p.n {
		for range r.IntN(4) {
			p.bin = append(p.bin, uint32(r.IntN(bins)))
		}
		p.start[i+1] = len(p.bin)
	}
	return p
}

// want returns what whole must be after an addition, whose cells visit names for each position, by integers
// without a limit.
func (p *problem) want(visit func(at int, add func(c, bin int))) []Cell {
	want := slices.Clone(p.whole)
	origin := len(p.whole) - Most*(bins+3) + 1
	for field := range 2 {
		total := make([]*big.Int, len(want))
		for i, c := range want {
			total[i] = new(big.Int).SetUint64(c[field])
		}
		for at := range p.rows {
			v := new(big.Int).SetUint64(p.v[at][field])
			visit(at, func(c, bin int) {
				to := total[origin+c*(bins+3)+bin]
				to.Add(to, v)
			})
		}
		for i, v := range total {
			want[i][field] = v.And(v, new(big.Int).SetUint64(1<<64-1)).Uint64()
		}
	}
	return want
}

// TestAdd compares the sums with those of integers without a limit, for numbers of rows below and around the
// size of a call, every offset and number of columns, and rows that all fall into the same cell.
func TestAdd(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, m := range []int{0, 1, 2, 3, 4, 5, 9, 100, limit/Most - 1, limit/Most + 1, 2*limit/Most + 3} {
			for off := range 8 {
				if m > 100 && off > 0 {
					break
				}
				for k := 1; k <= Most; k++ {
					for kind := range 3 {
						p := newProblem(r, m, k, off, kind*bins/2)
						want := p.want(func(at int, add func(c, bin int)) {
							for c := range k {
								add(c, int(p.code[c][p.rows[at]]))
							}
						})
						before := slices.Clone(p.whole)
						if Add(k, &p.h, &p.code, p.rows, p.v); !slices.Equal(p.whole, want) {
							t.Fatalf("%d rows, %d columns, offset %d, kind %d: wrong cells", m, k, off, kind)
						}
						copy(p.whole, before)
						var wide [Most][]uint16
						for c := range wide {
							for _, b := range p.code[c] {
								wide[c] = append(wide[c], uint16(b))
							}
						}
						if Add(k, &p.h, &wide, p.rows, p.v); !slices.Equal(p.whole, want) {
							t.Fatalf("%d rows, %d columns of 16 bits, offset %d, kind %d: wrong cells", m, k, off, kind)
						}
					}
				}
			}
		}
	})
}

// TestAddLists is TestAdd for lists, some of which are empty.
func TestAddLists(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, m := range []int{0, 1, 2, 3, 4, 5, 9, 100, limit, 2*limit + 3} {
			for off := range 8 {
				if m > 100 && off > 0 {
					break
				}
				p := newProblem(r, m, 1, off, 0)
				want := p.want(func(at int, add func(c, bin int)) {
					i := p.rows[at]
					for _, b := range p.bin[p.start[i]:p.start[i+1]] {
						add(0, int(b))
					}
				})
				if AddLists(p.h[0], p.bin, p.start, p.rows, p.v); !slices.Equal(p.whole, want) {
					t.Fatalf("%d rows, offset %d: wrong cells", m, off)
				}
			}
		}
	})
}

func TestDispatch(t *testing.T) {
	p := newProblem(rand.New(rand.NewPCG(5, 6)), 20, 1, 0, 0)
	asmtest.Dispatch(t, levels, []asmtest.Call{
		{Name: "Add", Run: func() {
			for k := 1; k <= Most; k++ {
				Add(k, &p.h, &p.code, p.rows, p.v)
			}
		}},
		{Name: "AddLists", Run: func() { AddLists(p.h[0], p.bin, p.start, p.rows, p.v) }},
	})
}

// FuzzHist compares all levels with the generic code.
func FuzzHist(f *testing.F) {
	f.Add(uint64(1), uint16(20), uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, m uint16, k, off uint8) {
		result := func() []Cell {
			p := newProblem(rand.New(rand.NewPCG(seed, 0)), int(m), 1+int(k)%Most, int(off)%8, int(seed)%3*bins/2)
			Add(p.k, &p.h, &p.code, p.rows, p.v)
			AddLists(p.h[0], p.bin, p.start, p.rows, p.v)
			return p.whole
		}
		var want []Cell
		asmtest.AtGeneric(func() { want = result() })
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() {
				if !slices.Equal(result(), want) {
					t.Errorf("level %v: wrong cells", l)
				}
			})
		}
	})
}

// BenchmarkAdd has the nanoseconds of one addition to one column.
func BenchmarkAdd(b *testing.B) {
	for _, m := range []int{1 << 12, 1 << 16} {
		p := newProblem(rand.New(rand.NewPCG(7, 8)), m, Most, 0, 0)
		for i := range p.rows {
			p.rows[i] = int32(i)
		}
		for _, l := range asmtest.Available(slices.Clone(levels)) {
			for k := 1; k <= Most; k++ {
				b.Run(fmt.Sprintf("rows=%d/columns=%d/isa=%v", m, k, l), func(b *testing.B) {
					asmtest.At(l, func() {
						for b.Loop() {
							Add(k, &p.h, &p.code, p.rows, p.v)
						}
					})
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m*k), "ns/addition")
				})
			}
		}
	}
}

// Sums of words are those of their two parts, which wrap around.
func TestCells(t *testing.T) {
	a, b := Cell{5, 1<<64 - 1}, Cell{7, 3}
	if got := a.Plus(b); got != (Cell{12, 2}) {
		t.Errorf("the sum is %v", got)
	}
	if got := a.Plus(b).Minus(b); got != a {
		t.Errorf("the sum without %v is %v, want %v", b, got, a)
	}
}
