//go:build !race

package gemm

import "github.com/gramworks/gram"

func raceTile[F gram.Float](k int, a []F, ras, cas int, b []F, bs int, c []F, cs, m, n, mr, nr int) {}
