package hist

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/pun"
)

// problem holds the operands of both sums, of which the histograms have margins that must stay.
type problem struct {
	n     int // of rows that there are codes for
	k     int
	rows  []int32
	v     []Cell // of all rows
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
	p := &problem{n: m + 5, k: k, rows: make([]int32, m+off)[off:], v: make([]Cell, m+5+off)[off:], start: make([]int, m+6+off)[off:]}
	for i := range p.rows {
		p.rows[i] = int32(r.IntN(p.n))
	}
	for i := range p.v {
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
			v := new(big.Int).SetUint64(p.v[p.rows[at]][field])
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

// operands are floats and what goes with them, at an offset from where they would begin, with NaN around the results.
type operands struct {
	g, c, value, score, odds, w []float64
	class                       []int
	dst                         []Cell
	around                      [3]*asmtest.Canary[float64]
}

func newOperands(r *rand.Rand, n, off int) *operands {
	o := &operands{score: make([]float64, n+off)[off:], odds: make([]float64, n+off)[off:], w: make([]float64, n+off)[off:],
		class: make([]int, n+off)[off:], dst: make([]Cell, n+off)[off:]}
	for i, to := range []*[]float64{&o.g, &o.c, &o.value} {
		o.around[i] = asmtest.NewCanary[float64](n, 1, off)
		*to = o.around[i].Slice()
	}
	for i := range n {
		o.g[i], o.c[i] = math.Ldexp(r.Float64()-.5, -r.IntN(20)), math.Ldexp(r.Float64(), -r.IntN(20))
		o.score[i], o.w[i], o.class[i] = 4*r.NormFloat64(), r.Float64(), r.IntN(2)
		switch r.IntN(8) {
		case 0:
			o.score[i], o.w[i], o.g[i] = 0, 1, 0
		case 1:
			o.score[i] = 300 * math.Copysign(1, o.score[i])
		}
		o.odds[i] = math.Exp(-math.Abs(o.score[i]))
		o.value[i] = math.Log1p(o.odds[i])
	}
	return o
}

// TestDivide compares with two lists that grow, for numbers of rows around the size of a call, every offset, every limit,
// and lists that begin where the rows do.
func TestDivide(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, m := range []int{0, 1, 2, 3, 4, 5, 9, 100, 1000, limit - 1, limit + 1, 2*limit + 3} {
			for off := range 8 {
				if m > 1000 && off > 0 {
					break
				}
				for _, most := range []uint8{0, 1, 127, 128, 254, 255} {
					p := newProblem(r, m, 1, off, 0)
					var want [2][]int32
					for _, i := range p.rows {
						side := 0
						if p.code[0][i] > most {
							side = 1
						}
						want[side] = append(want[side], i)
					}
					for place := range 3 {
						rows := slices.Clone(p.rows)
						const edge = -7
						memory := [2][]int32{slices.Repeat([]int32{edge}, m+off+1), slices.Repeat([]int32{edge}, m+off+1)}
						left, right := memory[0][off:][:m], memory[1][off:][:m]
						switch place {
						case 1:
							left = rows
						case 2:
							right = rows
						}
						l := Divide(left, right, rows, p.code[0], most)
						if l != len(want[0]) || !slices.Equal(left[:l], want[0]) || !slices.Equal(right[:m-l], want[1]) {
							t.Fatalf("%d rows, offset %d, limit %d, place %d: wrong rows", m, off, most, place)
						}
						for _, around := range memory {
							if around[m+off] != edge || off > 0 && (slices.Max(around[:off]) != edge || slices.Min(around[:off]) != edge) {
								t.Fatalf("%d rows, offset %d: written outside", m, off)
							}
						}
					}
				}
			}
		}
	})
}

// TestWords compares words with integers that math.RoundToEven makes, and totals with sums without a limit.
func TestWords(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50, 1001, limit - 1, limit + 5} {
			for off := range 8 {
				if n > 100 && off > 0 {
					break
				}
				for _, u := range []Units{{1 << 30, 1 << 23, 20}, {1 << 44, 1 << 40, 7}, {1 << 50, 1 << 49, 1}} {
					o := newOperands(r, n, off)
					if n > 2 {
						o.g[n-1], o.c[n/2] = -.6, 1.25
					}
					var sum Cell
					var most [2]float64
					got := Words(o.dst, o.g, o.c, u)
					for i := range n {
						want := Cell{uint64(int64(math.RoundToEven(o.g[i] * u.G))), uint64(math.RoundToEven(o.c[i]*u.C))<<u.Count | 1}
						if o.dst[i] != want {
							t.Fatalf("%d rows, offset %d, %v, row %d: %v, want %v", n, off, u, i, o.dst[i], want)
						}
						sum = sum.Plus(want)
						most[0], most[1] = max(most[0], math.Abs(o.g[i])), max(most[1], o.c[i])
					}
					if got != (Total{sum, most[0], most[1]}) {
						t.Fatalf("%d rows, offset %d: %v, want %v and %v", n, off, got, sum, most)
					}
					for _, c := range o.around {
						c.Check(t)
					}
					if n > 0 {
						o.c[n/3] = math.NaN()
						if got := Words(o.dst, o.g, o.c, u); !math.IsNaN(got.C) || got.G != most[0] {
							t.Fatalf("the largest curvature is %v", got.C)
						}
					}
				}
			}
		}
	})
}

// TestLogistic compares with the formulas of the derivatives and of the loss.
func TestLogistic(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50, 1001, limit - 1, limit + 5} {
			for off := range 8 {
				if n > 100 && off > 0 {
					break
				}
				o := newOperands(r, n, off)
				Logistic(o.g, o.c, o.value, o.score, o.odds, o.w, o.class)
				for i := range n {
					f, y := o.score[i], float64(o.class[i])
					p := 1 / (1 + math.Exp(-f))
					g, c, value := p-y, p*(1-p), math.Log1p(math.Exp(-math.Abs(f)))
					if (f > 0) != (y == 1) {
						value += math.Abs(f)
					}
					if y == 1 {
						g = -1 / (1 + math.Exp(f))
					}
					for k, pair := range [3][2]float64{{o.g[i], o.w[i] * g}, {o.c[i], o.w[i] * c}, {o.value[i], value}} {
						if e := math.Abs(pair[0] - pair[1]); !(e <= 1e-14*math.Abs(pair[1])+1e-15) {
							t.Fatalf("%d rows, offset %d, row %d, F %v, y %v, number %d: %v, want %v", n, off, i, f, y, k, pair[0], pair[1])
						}
					}
				}
				for _, c := range o.around {
					c.Check(t)
				}
			}
		}
	})
}

// TestSubtract compares with the differences of cells.
func TestSubtract(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50, limit - 1, limit + 5} {
			for off := range 8 {
				var operand [2][]Cell
				for i := range operand {
					operand[i] = make([]Cell, n+off+1)
					for p := range operand[i] {
						operand[i][p] = Cell{r.Uint64(), r.Uint64()}
					}
				}
				want := slices.Clone(operand[0])
				for p := range n {
					want[off+p] = want[off+p].Minus(operand[1][off+p])
				}
				if Subtract(operand[0][off:off+n], operand[1][off:]); !slices.Equal(operand[0], want) {
					t.Fatalf("%d cells, offset %d: wrong differences", n, off)
				}
			}
		}
	})
}

// scanProblem has n cells of words with so many bits for the rows, and the sums over them and acc. With more than 20 bits the highest
// bit of the sums is set.
func scanProblem(r *rand.Rand, n, off int, count uint) (h []Cell, acc, all Cell) {
	h = make([]Cell, n+off)[off:]
	if count > 20 {
		defer func() { acc[1], all[1] = acc[1]+1<<63, all[1]+1<<63 }()
	}
	cell := func(rows int) Cell {
		return Cell{uint64(int64(r.NormFloat64() * float64(rows) * 1e6)), uint64(r.IntN(1+1000*rows))<<count + uint64(rows)}
	}
	if r.IntN(2) == 0 {
		acc = cell(r.IntN(5))
	}
	all = acc
	for b := range h {
		if r.IntN(3) > 0 {
			h[b] = cell(1 + r.IntN(5))
		}
		all = all.Plus(h[b])
	}
	if n > 5 && r.IntN(2) == 0 { // the same gain twice
		h[4] = Cell{0, 0}
	}
	return h, acc, all
}

// TestScan compares with a list of all splits, whose gains are computed by the same operations.
func TestScan(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		found := 0
		for n := range 70 {
			for off := range 8 {
				count := uint(12)
				if off%2 == 1 {
					count = 30
				}
				h, acc, all := scanProblem(r, n, off, count)
				last := Cell{uint64(int64(r.NormFloat64() * 1e6)), 1000<<count + 2}
				all = all.Plus(last)
				split := func(c Cell) (g, curvature float64, rows int) {
					return float64(int64(c[0])), float64(c[1] >> count), int(c[1] & (1<<count - 1))
				}
				g, c, rows := split(all)
				lambda, least, fewest := float64(r.IntN(3)*100), float64(r.IntN(2)*2000), 1+r.IntN(3)
				value := func(g, c float64) float64 {
					if c+lambda == 0 {
						return 0
					}
					return g * g / (c + lambda)
				}
				bin, gain, sum := -1, 0.0, acc
				for b, cell := range h {
					sum = sum.Plus(cell)
					leftG, leftC, left := split(sum)
					if cell[1] == 0 || left < fewest || rows-left < fewest || leftC < least || c-leftC < least {
						continue
					}
					if v := value(leftG, leftC) + value(g-leftG, c-leftC) - value(g, c); v > gain {
						bin, gain = b, v
					}
				}
				s := NewScan(g, c, lambda, least, rows, fewest, count)
				gotBin, gotGain := s.Best(h, acc)
				if gotBin != bin || gotGain != gain {
					t.Fatalf("%d bins, offset %d: bin %d with gain %v, want %d with %v", n, off, gotBin, gotGain, bin, gain)
				}
				if bin >= 0 {
					found++
				}
			}
		}
		if found < 200 {
			t.Errorf("only %d splits", found)
		}
	})
}

// Of equal gains the first is the best one, wherever it is.
func TestScanTies(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for n := 2; n < 40; n++ {
			for first := range n - 1 {
				for second := first + 1; second < n; second++ {
					h := make([]Cell, n)
					for b := range h { // of gradient 0, but for the bins that begin and end a plateau
						h[b] = Cell{0, 1<<12 + 1}
					}
					h[first][0], h[second][0] = 1<<20, 1<<64-1<<20
					// The gains are symmetric where the plateau is in the middle.
					want, best := -1, 0.0
					sum := 0.0
					for b := range h {
						sum += float64(int64(h[b][0]))
						k := float64(b + 1)
						if v := sum*sum/k + sum*sum/(float64(n+1)-k); v > best {
							want, best = b, v
						}
					}
					s := NewScan(0, float64(n+1), 0, 0, n+1, 1, 12)
					if bin, gain := s.Best(h, Cell{}); bin != want || gain != best {
						t.Fatalf("%d bins, plateau from %d to %d: bin %d with %v, want %d with %v", n, first, second, bin, gain, want, best)
					}
				}
			}
		}
	})
}

// guarded calls body with slices of these lengths, each of which begins behind a page without access or ends before one.
func guarded(t *testing.T, lengths []int, body func(x [][]float64)) {
	if len(lengths) == 0 {
		body(nil)
		return
	}
	asmtest.Guarded(t, lengths[0], func(x []float64) {
		guarded(t, lengths[1:], func(others [][]float64) { body(append([][]float64{x}, others...)) })
	})
}

// lastOf returns the last n elements of type T in x.
func lastOf[T int32 | uint8 | Cell](x []float64, n int) []T {
	var t T
	all := unsafe.Slice((*T)(unsafe.Pointer(&x[0])), 8*len(x)/int(unsafe.Sizeof(t)))
	return all[len(all)-n:]
}

// Nothing is read or written outside the slices.
func TestGuarded(t *testing.T) {
	cells := func(x []float64) []Cell { return lastOf[Cell](x, len(x)/2) }
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, n := range []int{1, 4, 7, 8, 9, 16, 31} {
			guarded(t, []int{2 * n, n, n}, func(x [][]float64) { Words(cells(x[0]), x[1], x[2], Units{1, 1, 3}) })
			guarded(t, []int{n, n, n, n, n, n, n}, func(x [][]float64) {
				Logistic(x[0], x[1], x[2], x[3], x[4], x[5], pun.Slice[int](x[6]))
			})
			guarded(t, []int{2 * n, 2 * n}, func(x [][]float64) {
				Subtract(cells(x[0]), cells(x[1]))
				s := NewScan(1, 1, 1, 0, 4, 1, 3)
				s.Best(cells(x[0]), Cell{})
			})
			half := (n + 1) / 2
			guarded(t, []int{half, half, half, (n + 7) / 8}, func(x [][]float64) {
				var lists [3][]int32
				for i := range lists {
					lists[i] = lastOf[int32](x[i], n)
				}
				rows, code := lists[2], lastOf[uint8](x[3], n)
				for i := range rows {
					rows[i], code[i] = int32(n-1-i), uint8(i%3)
				}
				l := Divide(lists[0], lists[1], rows, code, 1)
				if want := n - n/3; l != want {
					t.Fatalf("%d rows: %d on the left, want %d", n, l, want)
				}
			})
		}
	})
}

func TestDispatch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p, o := newProblem(r, 20, 1, 0, 0), newOperands(r, 20, 0)
	asmtest.Dispatch(t, levels, []asmtest.Call{
		{Name: "Add", Run: func() {
			for k := 1; k <= Most; k++ {
				Add(k, &p.h, &p.code, p.rows, p.v)
			}
		}},
		{Name: "AddLists", Run: func() { AddLists(p.h[0], p.bin, p.start, p.rows, p.v) }},
		{Name: "Divide", Run: func() { Divide(make([]int32, 20), make([]int32, 20), p.rows, p.code[0], 9) }},
		{Name: "Words", Run: func() { Words(o.dst, o.g, o.c, Units{1, 1, 3}) }},
		{Name: "Subtract", Run: func() { Subtract(p.h[0], p.h[1]) }},
		{Name: "NewScan", Run: func() { s := NewScan(1, 1, 1, 0, 4, 1, 3); s.Best(p.h[0], Cell{}) }},
		{Name: "Logistic", Run: func() { Logistic(o.g, o.c, o.value, o.score, o.odds, o.w, o.class) }},
	})
}

// FuzzHist compares all levels with the generic code.
func FuzzHist(f *testing.F) {
	f.Add(uint64(1), uint16(20), uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, m uint16, k, off uint8) {
		result := func() []Cell {
			r := rand.New(rand.NewPCG(seed, 0))
			p := newProblem(r, int(m), 1+int(k)%Most, int(off)%8, int(seed)%3*bins/2)
			Add(p.k, &p.h, &p.code, p.rows, p.v)
			AddLists(p.h[0], p.bin, p.start, p.rows, p.v)
			o := newOperands(r, int(m), int(off)%8)
			Logistic(o.g, o.c, o.value, o.score, o.odds, o.w, o.class)
			Words(o.dst, o.g, o.c, Units{1 << 30, 1 << 20, 16})
			words := slices.Clone(o.dst)
			Words(o.dst, o.value, o.c, Units{1 << 20, 1 << 20, 16})
			Subtract(p.h[0], p.h[1])
			h, acc, all := scanProblem(r, int(m)%300, int(off)%8, 12)
			s := NewScan(float64(int64(all[0])), float64(all[1]>>12), 1, 0, int(all[1]&(1<<12-1)), 1, 12)
			bin, gain := s.Best(h, acc)
			return slices.Concat(p.whole, words, o.dst, []Cell{{uint64(bin), math.Float64bits(gain)}})
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
