package trees

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
)

// random returns a buffer, n choices in it and its number of lines.
func random(r *rand.Rand, n int) (buffer []uint8, choices []Choice, lines int) {
	lines = 1 + r.IntN(40)
	buffer = make([]uint8, lines*Lanes)
	for i := range buffer {
		buffer[i] = uint8(r.Uint32())
	}
	line := func() uint32 { return uint32(r.IntN(lines) * Lanes) }
	for range n {
		c := Choice{line(), line(), line(), line(), int32(int8(r.Uint32()))}
		if r.IntN(4) == 0 { // keys on both sides of the limit, and equal to it
			for i := range Lanes {
				buffer[int(c.Key)+i] = uint8(int(c.Limit) + i%3 - 1)
			}
		}
		choices = append(choices, c)
	}
	return buffer, choices, lines
}

// TestRun compares every level with choices byte by byte, for numbers of choices around those of a call, every offset of
// the buffer, lines that are the same and bytes around it that must not change.
func TestRun(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 2, 3, 7, 30, 100, limit - 1, limit, limit + 1, 2*limit + 5} {
			for off := range 8 {
				buffer, choices, lines := random(r, n)
				want := slices.Clone(buffer)
				for _, c := range choices {
					for i := range uint32(Lanes) {
						from := c.High
						if int32(int8(want[c.Key+i])) < c.Limit {
							from = c.Low
						}
						want[c.To+i] = want[from+i]
					}
				}
				around := slices.Concat(make([]uint8, off), buffer, make([]uint8, 8))
				New(choices, lines).Run(around[off:])
				if !slices.Equal(around, slices.Concat(make([]uint8, off), want, make([]uint8, 8))) {
					t.Fatalf("%d choices, offset %d: other bytes than one by one", n, off)
				}
			}
		}
	})
}

// TestWalk compares every level with steps one by one, for forests of random nodes, leaves among them, and all keys.
func TestWalk(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for steps := range 40 {
			nodes, keys := make([]uint64, 2+r.IntN(300)), new([Keys]uint8)
			for i := range nodes {
				left := r.IntN(len(nodes) - 1)
				nodes[i] = uint64(left)<<32 | uint64(r.IntN(256))<<16 | uint64(r.IntN(Keys))
				if r.IntN(8) == 0 {
					nodes[i] = uint64(i)<<32 | 255<<16
				}
			}
			for i := range keys {
				keys[i] = uint8(r.Uint32())
			}
			var at, want [Walks]uint64
			for w := range at {
				at[w] = uint64(r.IntN(len(nodes)))
				n := nodes[at[w]]
				for range steps {
					to := n >> 32
					if keys[n&0xffff] > uint8(n>>16) {
						to++
					}
					n = nodes[to]
				}
				want[w] = n >> 32
			}
			if Walk(nodes, keys, &at, steps); at != want {
				t.Fatalf("%d steps: %v, want %v", steps, at, want)
			}
		}
	})
}

// A program knows only the lines of its buffer.
func TestPanics(t *testing.T) {
	for i, body := range []func(){
		func() { New([]Choice{{To: 2 * Lanes}}, 2) },
		func() { New([]Choice{{Key: 1}}, 2) },
		func() { New([]Choice{{Limit: 128}}, 1) },
		func() { New([]Choice{{}}, 0) },
		func() { New([]Choice{{}}, 2).Run(make([]uint8, Lanes)) },
		func() { NewRanks([]Column[float64]{{Thresholds: make([]float64, MostRank+1)}}) },
		func() { NewRanks([]Column[float64]{{Thresholds: []float64{2, 1}}}) },
		func() { NewRanks([]Column[float64]{{Key: -1}}) },
		func() { NewRanks([]Column[float64]{{Key: 1}}).Put(make([]uint8, 65), 64, make([]float64, 2), 1, 2) },
		func() { NewRanks([]Column[float64]{{Feature: 2}}).Put(make([]uint8, 2), 64, make([]float64, 5), 3, 2) },
		func() { Add(new([Lanes]float64), make([]uint8, Lanes), make([]float64, Leaves), []int32{0}, 0, 1) },
		func() { Add(new([Lanes]float64), make([]uint8, Lanes), make([]float64, Leaves), []int32{0, 0}, 1, 1) },
		func() { Add(new([Lanes]float64), make([]uint8, Lanes), make([]float64, Leaves), []int32{1}, 1, 1) },
		func() { Add(new([Lanes]float64), make([]uint8, Lanes), make([]float64, Leaves), []int32{-1}, 1, 1) },
		func() { NewRow([]Splits{{}}, nil, 1) },
		func() { NewRow(nil, nil, RowKeys+1) },
		func() { NewRow([]Splits{{Key: [MostLeaves]uint8{16}}}, []int32{1}, 16) },
		func() { NewRow([]Splits{{High: [MostLeaves]uint8{31: 64}}}, []int32{1}, 16) },
		func() {
			NewRow([]Splits{{}}, []int32{1}, 1).Run(make([]uint8, 1), make([]uint8, 512), make([]uint8, 16))
		},
		func() {
			NewRow([]Splits{{}}, []int32{1}, 1).Run(make([]uint8, 8), make([]uint8, 64), make([]uint8, 16))
		},
		func() {
			NewRow([]Splits{{}}, []int32{1}, 1).Run(make([]uint8, 8), make([]uint8, 512), make([]uint8, 15))
		},
	} {
		if must.Recovered(body) == nil {
			t.Errorf("case %d does not panic", i)
		}
	}
}

func TestDispatch(t *testing.T) {
	buffer := make([]uint8, Lanes)
	calls := []asmtest.Call{{Name: "New", Run: func() { New([]Choice{{}}, 1).Run(buffer) }},
		{Name: "Walk", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() { Walk(make([]uint64, 1), new([Keys]uint8), new([Walks]uint64), 1) }},
		{Name: "NewRow", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: func() {
			r := NewRow([]Splits{{}}, []int32{1}, 1)
			r.Run(make([]uint8, r.Leaves()), r.Places(), make([]uint8, r.Keys()))
		}}}
	asmtest.Dispatch(t, levels, slices.Concat(calls, typed[float64](), typed[float32]()))
}

func typed[F num.Float]() []asmtest.Call {
	add := func(most int) func() {
		return func() { Add(new([Lanes]F), make([]uint8, Lanes), make([]F, Leaves), []int32{0}, 1, most) }
	}
	return []asmtest.Call{{Name: "NewRanks", Run: func() {
		NewRanks([]Column[F]{{}}).Put(make([]uint8, 1), 1, make([]F, 1), 1, 1)
	}}, {Name: "Add small", Run: add(32)}, {Name: "Add large", Levels: []cpu.Level{cpu.AVX2, cpu.NEON}, Run: add(33)}}
}

// FuzzRun compares all levels with the generic code.
func FuzzRun(f *testing.F) {
	f.Add(uint64(1), uint16(30))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		buffer, choices, lines := random(rand.New(rand.NewPCG(seed, 1)), int(n))
		p, want := New(choices, lines), slices.Clone(buffer)
		asmtest.AtGeneric(func() { p.Run(want) })
		for _, l := range asmtest.Available(levels) {
			got := slices.Clone(buffer)
			asmtest.At(l, func() { p.Run(got) })
			if !slices.Equal(got, want) {
				t.Errorf("level %v differs from the generic code", l)
			}
		}
	})
}

func BenchmarkRun(b *testing.B) {
	buffer, choices, lines := random(rand.New(rand.NewPCG(1, 2)), 3000)
	p := New(choices, lines)
	for _, l := range asmtest.Available(slices.Clone(levels)) {
		b.Run("choices=3000/isa="+l.String(), func(b *testing.B) {
			asmtest.At(l, func() {
				for b.Loop() {
					p.Run(buffer)
				}
			})
		})
	}
}
