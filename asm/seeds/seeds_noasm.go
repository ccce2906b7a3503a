//go:build noasm || !amd64

package seeds

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
)

var levels []cpu.Level

func products[F gram.Float](t []F, ts int, x []F, xs, n int, v []F, s, w int) {
	productsGeneric(t, ts, x, xs, n, v, s, w)
}

func split[F gram.Float](s, d, x, y, v, u []F) { splitGeneric(s, d, x, y, v, u) }

func addSub[F gram.Float](s, d, a, b []F) { addSubGeneric(s, d, a, b) }
