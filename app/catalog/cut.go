package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// InPieces is a Fitter whose fit to rows in memory consists of passes, each of pieces that any processes with the same rows make.
type InPieces interface {
	Fitter
	// Passes returns the names of the passes in their order.
	Passes() []string
	// Piece returns an empty piece of a pass, for one to be read from a file.
	Piece(pass int) Piece
	// Cut returns the fit of Fit to d, which it keeps.
	Cut(d *dataset.Set, run gram.Run) (Cut, error)
}

// Piece is what a piece of a pass leaves.
type Piece interface{ Exchange(x *modelfile.Exchange) }

// Cut is a fit in pieces. Its methods are for passes of which those before were taken.
type Cut interface {
	// Pieces is the number of pieces of a pass.
	Pieces(pass int) int
	// Make makes a piece. The memory limit of run is for what is needed beside the rows.
	Make(ctx context.Context, pass, k int, run gram.Run) (Piece, error)
	// Take takes all pieces of a pass other than the last one, in their order.
	Take(ctx context.Context, pass int, all []Piece) error
	// Join returns the model of the pieces of the last pass, which piece returns in their order.
	Join(ctx context.Context, piece func(k int) (Piece, error), run gram.Run) (modelfile.Model, error)
	// Plan says what Make needs beside the rows.
	Plan(pass, k int, run gram.Run) gram.Plan
}

// dividePass is the number of the pass that divides the rows; the next pass trains the parts.
const dividePass = 0
