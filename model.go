package gram

import "gonum.org/v1/gonum/mat"

// Predict, Scores, Top and Map do not return errors. A destination of nil is
// allocated, any other must have the result's shape. A wrong number of columns
// panics, so a program that reads files compares first; a row with NaN gives
// NaN (class −1).

// Regressor predicts one real value per row.
type Regressor interface {
	Predict(dst []float64, x mat.Matrix) []float64
}

// Classifier predicts one class per row.
type Classifier interface {
	Classes() []string
	// Scores is n×1 for two classes (positive: class 1), else n×classes.
	Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
	// Predict gives indices into Classes.
	Predict(dst []int, x mat.Matrix) []int
}

// Scored is a label with its score.
type Scored struct {
	Label int
	Score float64
}

// Ranker orders labels for each row, best first; of equal scores the lower
// label comes first.
type Ranker interface {
	NumLabels() int
	Top(dst [][]Scored, x mat.Matrix, k int) [][]Scored
}

// FeatureMap maps rows of d numbers to rows of m features. The methods of the module
// hand it Samples, which Of gives back without a copy.
type FeatureMap interface {
	Dims() (d, m int)
	Map(dst *mat.Dense, x mat.Matrix) *mat.Dense
}

// Operator is a symmetric n×n matrix known by its products: Apply sets
// dst = A·x for n×s matrices that do not overlap.
type Operator interface {
	Dim() int
	Apply(dst, x *mat.Dense)
}

// Program computes outputs of rows, as a model that is compiled for prediction
// does. Row and Rows allocate nothing after the first calls, work in the goroutine
// of the caller and may be called from any number of them. The outputs of a row have
// the same bits alone and in any batch; all of them are NaN if the row has NaN. Rows
// and destinations may lie in memory with gaps, but not overlap. A wrong shape panics
// before anything is written.
type Program[F Float] interface {
	// Dims returns the length of a row and the number of outputs.
	Dims() (d, outputs int)
	// Row sets dst to the outputs of the row x of d numbers.
	Row(dst, x []F)
	// Rows sets dst, n×outputs, to the outputs of the n rows of x, dense or sparse.
	Rows(dst Rows[F], x Samples[F])
	// Cost is that of one row: Flops; the bytes that the program holds, as
	// ModelBytes; those of the workspace of one call, as PeakBytes.
	Cost() Plan
}

// Compiler is a model with a program in either precision. The outputs are what the
// model predicts from: the value or values of a Regressor; the columns of the scores
// of a Classifier, or one function for each pair of classes if it has a method
// Pairs() bool that returns true; the score of every label of a Ranker, −Inf for the
// labels that Top does not name. Those in float64 are the model's up to rounding.
// Those in float32 are up to the rounding of float32 what the model says about rows
// of float32 numbers. The error says what a model is made of that has no program.
type Compiler interface {
	Program64() (Program[float64], error)
	Program32() (Program[float32], error)
}
