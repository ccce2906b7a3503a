// Package dist holds the kernels of distances from one point to many: squared
// Euclidean and L1, by differences, without the cancellation of
// ‖x‖² + ‖z‖² − 2⟨x,z⟩.
//
// The points are the rows of a row-major matrix at any distance of at least
// their length. Slices have any alignment; dst may not overlap the inputs, and
// nothing beyond the slices is touched. NaN and Inf propagate as the formulas
// say; equal rows give exactly 0.
//
// # Accuracy class: reassociated
//
// All terms of a sum are non-negative, so that the result has a relative error
// of at most (d+3)·u/(1−(d+3)·u) for d columns, u being half the distance from 1
// to the next number, unless a square overflows or underflows. The order of the
// sum depends on d and the level alone: a row gives the same bits wherever it
// lies and whatever the other rows are, and swapping the two points changes
// nothing.
//
// The turning of eight sums into one vector by halving steps is the transpose
// network of [Eklundh 1972] J. O. Eklundh, A fast computer method for matrix
// transposing, IEEE Transactions on Computers C-21 (1972) 801–803.
package dist
