//go:build !race

package level2

import "github.com/gramworks/gram"

// The touch functions do nothing without the race detector.

func touchRead[F gram.Float](x []F) {}

func touchWrite[F gram.Float](x []F) {}

func touchRows[F gram.Float](a []F, m, n, lda int, write bool) {}
