//go:build !race

package gemm

import "github.com/gramworks/gram/num"

func raceTile[F num.Float](k int, a []F, ras, cas int, b []F, bs int, c []F, cs, m, n, mr, nr int) {}
