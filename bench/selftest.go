package bench

import (
	"context"
	"math"
	"time"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/peak"
	"github.com/gramworks/gram/fwht"
)

// Agreement is the outcome of comparing a kernel at one level with the generic
// version on the same input.
type Agreement struct {
	Kernel  string  `json:"kernel"`
	Level   string  `json:"level"`
	Worst   float64 `json:"worst"`   // largest difference seen, relative to the largest value
	Allowed float64 `json:"allowed"` // 0: the same bits
	OK      bool    `json:"ok"`
}

// check computes a result that all levels must agree on.
type check struct {
	kernel  string
	allowed float64
	run     func() []float64
}

// checks is the list of what SelfTest compares.
func checks() []check {
	x := random[float64](1 << 12)
	x32 := random[float32](1 << 12)
	return []check{
		{"fwht float64", 0, func() []float64 {
			y := append([]float64(nil), x...)
			fwht.Transform(y)
			return y
		}},
		{"fwht float32", 0, func() []float64 {
			y := append([]float32(nil), x32...)
			fwht.Transform(y)
			return widen(y)
		}},
		{"sum float64", 1e-13, func() []float64 { return []float64{peak.Sum(x[:1000])} }},
	}
}

// SelfTest compares all kernels at all levels with the generic versions, again
// and again with the levels in turn, for about the given time or until ctx
// ends. It lowers the level of the whole process while it works.
func SelfTest(ctx context.Context, limit time.Duration) []Agreement {
	start := time.Now()
	var out []Agreement
	all := checks()
	want := make([][]float64, len(all))
	at(cpu.Generic, func() {
		for i, c := range all {
			want[i] = c.run()
		}
	})
	for round := 0; round == 0 || time.Since(start) < limit; round++ {
		k := 0
		for i, c := range all {
			for _, l := range available() {
				if l == cpu.Generic {
					continue
				}
				if ctx.Err() != nil {
					return out
				}
				if round == 0 {
					out = append(out, Agreement{Kernel: c.kernel, Level: l.String(), Allowed: c.allowed, OK: true})
				}
				at(l, func() {
					a := &out[k]
					d := difference(c.run(), want[i])
					if !(d <= a.Worst) {
						a.Worst = d
					}
					a.OK = a.OK && d <= c.allowed
				})
				k++
			}
		}
	}
	return out
}

// difference is max|a−b| / max|b|; NaN if there is one in only one of them.
func difference(a, b []float64) float64 {
	var worst, scale float64
	for i, v := range b {
		scale = max(scale, math.Abs(v))
		if a[i] != v && (a[i] == a[i] || v == v) {
			worst = max(worst, math.Abs(a[i]-v))
		}
	}
	if worst == 0 {
		return 0
	}
	return worst / scale
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
