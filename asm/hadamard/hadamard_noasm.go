//go:build noasm || (!amd64 && !arm64)

package hadamard

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
)

var levels []cpu.Level

func limits[F gram.Float]() caps { return caps{} }

func rowKernel[F gram.Float](x []F, bits, n, stride int) { rowsGeneric(x, n, 1<<bits, stride) }

func columnKernel[F gram.Float](x []F, bits, h, width, n, stride int) {
	for i := range n {
		columnsGeneric(x[i*stride:][:h<<bits], h, 0, width)
	}
}
