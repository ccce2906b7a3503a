//go:build !race

package symv

import "github.com/gramworks/gram"

func racePanel[F gram.Float](a []F, lda int, x, y []F) {}
