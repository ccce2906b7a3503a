package gram

import "gonum.org/v1/gonum/mat"

// The methods Predict, Scores, Top and Map return no errors. A nil destination is
// allocated; any other must have the shape of the result. A wrong number of columns
// panics, so a program that reads files compares them first. A row with NaN gives
// NaN, and −1 as its class.

// Regressor predicts one real value per row: Predict sets dst[i] to the value of row i of x.
type Regressor interface {
	Predict(dst []float64, x mat.Matrix) []float64
}

// Posterior is a Regressor that knows how uncertain its values are: its function is normal
// at each row, with the value that Predict returns for mean.
type Posterior interface {
	Regressor
	// Variance returns the variance of the function for every row.
	Variance(dst []float64, x mat.Matrix) []float64
	// Noise returns the variance of a target about the function.
	Noise() float64
}

// Classifier predicts one class per row. Classes returns the names of the classes, whose indices stand for them.
type Classifier interface {
	Classes() []string
	// Scores returns n×1 scores for two classes, positive ones for class 1, else
	// n×classes.
	Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense
	// Predict returns the class of every row, as an index into Classes.
	Predict(dst []int, x mat.Matrix) []int
}

// Scored is a label with the score that a Ranker gave it.
type Scored struct {
	Label int
	Score float64
}

// Ranker orders labels for each row, best first; among equal scores the lower label
// comes first.
type Ranker interface {
	NumLabels() int
	Top(dst [][]Scored, x mat.Matrix, k int) [][]Scored
}

// FeatureMap maps rows of d numbers to rows of m features. Fits of this module call
// Map with Samples; Of returns them without a copy.
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

// Program computes the outputs of rows for a model that has been compiled for
// prediction. Row and Rows allocate nothing after the first calls, work in the
// goroutine of the caller and may be called from several goroutines at once. A row
// has outputs of the same bits whether it is computed alone or in a batch; a NaN in
// the row makes all of them NaN. Rows and destinations may have gaps between rows,
// but must not overlap. A wrong shape panics before anything is written.
type Program[F Float] interface {
	// Dims returns the length of a row and the number of outputs.
	Dims() (d, outputs int)
	// Row sets dst to the outputs of x, a row of d numbers.
	Row(dst, x []F)
	// Rows sets dst, n×outputs, to the outputs of the n rows of x, which may be dense
	// or sparse.
	Rows(dst Rows[F], x Samples[F])
	// Cost returns the cost of one row in Flops, the bytes that the program holds in
	// ModelBytes, and the bytes of the workspace of one call in PeakBytes.
	Cost() Plan
}

// Compiler is a model that can be compiled in either precision. The outputs of its
// programs are the numbers that predictions are made of: the values of a Regressor;
// the scores of a Classifier, or the values of one function per pair of classes if
// the model has a method Pairs() bool that returns true; for a Ranker the score of
// every label, −Inf for labels that Top does not list. Outputs in float64 agree with
// the model up to rounding. Outputs in float32 agree, up to the rounding of float32,
// with what the model computes for the row rounded to float32. An error names the
// part of the model that cannot be compiled.
type Compiler interface {
	Program64() (Program[float64], error)
	Program32() (Program[float32], error)
}
