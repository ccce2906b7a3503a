package trees

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

// guarded calls body with n bytes between pages without access, at both ends of them.
func guarded(t *testing.T, n int, body func(b []uint8)) {
	t.Helper()
	if n%4 != 0 {
		t.Fatalf("%d bytes are no words", n)
	}
	asmtest.Guarded(t, n/4, func(x []float32) { body(unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(x))), n)) })
}

// thresholds returns n thresholds in order, equal and special ones among them.
func thresholds[F num.Float](r *rand.Rand, n int) []F {
	x := asmtest.Normal[F](r, n)
	for i := range x {
		switch s := asmtest.Specials[F](); r.IntN(12) {
		case 0:
			if v := s[r.IntN(len(s))]; v == v {
				x[i] = v
			}
		case 1:
			x[i] = x[r.IntN(n)]
		}
	}
	slices.Sort(x)
	return x
}

// numberAround returns a number at, below or above one of the thresholds, or a special one.
func numberAround[F num.Float](r *rand.Rand, thresholds []F) F {
	s := asmtest.Specials[F]()
	if len(thresholds) == 0 || r.IntN(6) == 0 {
		return s[r.IntN(len(s))]
	}
	v := thresholds[r.IntN(len(thresholds))]
	return []F{v, v - v/(1<<20), v + v/(1<<20), F(r.NormFloat64())}[r.IntN(4)]
}

// Keys are the counts of the thresholds that a number exceeds, one by one: for every number of thresholds, rows and columns
// around those of a call, every offset, NaN on both sides, and with all memory between pages without access.
func TestRanks(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		ranksCases[float64](t)
		ranksCases[float32](t)
	})
}

func ranksCases[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for count := range MostRank + 1 {
		columns := []Column[F]{{Feature: r.IntN(3), Key: 1, Thresholds: thresholds[F](r, count), Above: count%2 == 0},
			{Feature: 2, Key: 0, Thresholds: thresholds[F](r, r.IntN(MostRank+1)), Above: count%3 == 0}}
		for range []int{0, 0, 70}[count%3] {
			columns = append(columns, Column[F]{Feature: r.IntN(3), Key: len(columns), Thresholds: thresholds[F](r, 3)})
		}
		ranks := NewRanks(columns)
		asmtest.Guarded(t, len(ranks.tables), func(tables []F) {
			copy(tables, ranks.tables)
			checkRanks(t, r, &Ranks[F]{ranks.columns, ranks.above, tables, ranks.features, ranks.keys}, columns)
		})
	}
}

func checkRanks[F num.Float](t *testing.T, r *rand.Rand, ranks *Ranks[F], columns []Column[F]) {
	t.Helper()
	n, step := []int{0, 1, 2, 3, 63, 64, 65, 130}[r.IntN(8)], 3+r.IntN(2)
	stride := n + r.IntN(3)
	asmtest.Guarded(t, max(0, (n-1)*step+3), func(x []F) {
		for i := range x {
			x[i] = numberAround(r, columns[i%2].Thresholds)
		}
		length := (len(columns)-1)*stride + n
		guarded(t, (length+3)&^3, func(keys []uint8) {
			off := len(keys) - length
			for i := range keys {
				keys[i] = 0xaa
			}
			ranks.Put(keys[off:], stride, x, step, n)
			want := slices.Repeat([]uint8{0xaa}, len(keys))
			for _, c := range columns {
				for i := range n {
					k, v := 0, x[i*step+c.Feature]
					for _, threshold := range c.Thresholds {
						if v > threshold || v != v && c.Above {
							k++
						}
					}
					want[off+c.Key*stride+i] = uint8(k - 128)
				}
			}
			if !slices.Equal(keys, want) {
				t.Fatalf("%d columns of %d thresholds …, %d rows: %v, want %v", len(columns), len(columns[0].Thresholds), n, keys, want)
			}
		})
	})
}

// Sums are those of one value after the other, bit by bit: for trees with more and fewer leaves than a register has values, every step,
// numbers of trees around those of a call, and with all memory between pages without access.
func TestAdd(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		checkAdd[float64](t)
		checkAdd[float32](t)
	})
}

func checkAdd[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, trees := range []int{0, 1, 2, 3, 5, 64, limit/16 - 1, limit / 16, limit/16 + 1, limit/8 + 3} {
		for _, most := range []int{1, 2, 16, 17, 31, 32, 33, 64, 256} {
			step, starts := 1+r.IntN(3), make([]int32, trees)
			for i := range starts {
				starts[i] = int32(r.IntN(100))
			}
			values := asmtest.Mixed[F](r, int(slices.Max(append(starts, 0)))+Leaves)
			start := asmtest.Normal[F](r, Lanes)
			want := slices.Clone(start)
			leaves := make([]uint8, trees*Lanes)
			for i := range leaves {
				leaves[i] = uint8(r.IntN(most))
			}
			for tree := 0; tree < trees; tree += step {
				for i := range want {
					want[i] += values[int(starts[tree])+int(leaves[tree*Lanes+i])]
				}
			}
			guarded(t, len(leaves), func(b []uint8) {
				copy(b, leaves)
				asmtest.Guarded(t, len(values), func(v []F) {
					copy(v, values)
					asmtest.Guarded(t, Lanes, func(sums []F) {
						copy(sums, start)
						Add((*[Lanes]F)(sums), b, v, starts, step, most)
						for i, w := range want {
							if !asmtest.SameBits(sums[i], w) {
								t.Fatalf("%T, %d trees of %d leaves, step %d: row %d has %v, want %v", w, trees, most, step, i, sums[i], w)
							}
						}
					})
				})
			})
		}
	}
}

// A row reaches the leaves to which a way from each root leads: for every number of keys and leaves, numbers of trees around those of a
// call, and with all memory between pages without access.
func TestRow(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for keys := range RowKeys + 1 {
			n := keys % 20
			if keys%32 == 31 {
				n = limit/8 - 1 + r.IntN(3)
			}
			trees, depth := make([]Splits, n), make([]int32, n)
			for i := range trees {
				trees[i], depth[i] = randomTree(r, 1+r.IntN(MostLeaves), max(1, keys))
			}
			checkRow(t, r, NewRow(trees, depth, keys), trees)
		}
	})
}

// randomTree returns a tree of a number of leaves, and its depth. Splits that it does not have lead somewhere.
func randomTree(r *rand.Rand, leaves, keys int) (s Splits, depth int32) {
	for i := range s.Key {
		s.Key[i], s.Limit[i] = uint8(r.IntN(keys)), int8(r.Uint32())
		s.Low[i], s.High[i] = uint8(r.IntN(places)), uint8(r.IntN(places))
	}
	type end struct {
		place *uint8
		depth int32
	}
	var root uint8
	ends := []end{{&root, 0}}
	for split := range uint8(leaves - 1) { // an end becomes a split
		at := r.IntN(len(ends))
		if r.IntN(3) == 0 { // trees that are deep
			at = len(ends) - 1
		}
		e := ends[at]
		*e.place = split
		ends[at] = end{&s.Low[split], e.depth + 1}
		ends = append(ends, end{&s.High[split], e.depth + 1})
	}
	for i, e := range ends {
		*e.place = uint8(MostLeaves + i)
		depth = max(depth, e.depth)
	}
	if leaves == 1 {
		s.Low[0], s.High[0] = MostLeaves, MostLeaves
	}
	return s, depth
}

func checkRow(t *testing.T, r *rand.Rand, row *Row, trees []Splits) {
	t.Helper()
	guarded(t, row.Keys(), func(keys []uint8) {
		for i := range keys {
			keys[i] = uint8(r.Uint32())
		}
		for range 3 { // keys at a limit
			if len(trees) > 0 {
				s, i := &trees[r.IntN(len(trees))], r.IntN(MostLeaves)
				keys[s.Key[i]] = uint8(s.Limit[i])
			}
		}
		want := make([]uint8, row.Leaves())
		for i := range want {
			for at := uint8(0); ; {
				s := &row.splits[i]
				to := s.Low[at]
				if int8(keys[s.Key[at]]) > s.Limit[at] {
					to = s.High[at]
				}
				if at = to; at >= MostLeaves || i >= len(trees) {
					want[i] = at
					break
				}
			}
		}
		guarded(t, row.Leaves()*places, func(to []uint8) {
			copy(to, row.Places())
			guarded(t, row.Leaves(), func(leaves []uint8) {
				row.Run(leaves, to, keys)
				if got, want := leaves[:len(trees)], want[:len(trees)]; !slices.Equal(got, want) {
					t.Fatalf("%d trees, %d keys: %v, want %v", len(trees), len(keys), got, want)
				}
			})
		})
	})
}

// FuzzRanks compares all levels with the generic code, on any thresholds and numbers.
func FuzzRanks(f *testing.F) {
	f.Add(uint64(1), uint8(30), math.NaN(), true)
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, v float64, above bool) {
		r := rand.New(rand.NewPCG(seed, 2))
		ranks := NewRanks([]Column[float64]{{Thresholds: thresholds[float64](r, int(n)), Above: above}})
		want := make([]uint8, 1)
		asmtest.AtGeneric(func() { ranks.Put(want, 1, []float64{v}, 1, 1) })
		for _, l := range asmtest.Available(levels) {
			got := make([]uint8, 1)
			asmtest.At(l, func() { ranks.Put(got, 1, []float64{v}, 1, 1) })
			if got[0] != want[0] {
				t.Errorf("level %v: key %d, want %d", l, got[0], want[0])
			}
		}
	})
}
