// Package encode makes a matrix of numbers of the columns of a table, which any method can
// learn from: categories become numbers, and missing cells get a value.
//
// A Config says how, and its method Fit learns an Encoding from the training rows, which is
// stored with the model and applied to every other row:
//
//	OneHot      a column for each level, 1 where the cell is that level
//	TargetMean  for each level the mean of the target, shrunk toward the mean of all rows:
//	            (sum + s·mean) / (count + s), s = Smoothing [M01]
//	Ordinal     the place of the level in the order of the levels, for trees
//
// A date becomes its year, its month, its day of the week (1 is Monday) and the days since the first
// date of the schema. A level that the training rows do not have becomes zeros, the mean of all rows, and −1. A
// category with missing cells has one level more, for them, which is −2 with Ordinal. A missing
// number becomes the median, or the mean, of its column, and a column of its own is 1 where a
// number is missing.
//
// NewFills and Config.Encoding learn the same Encoding from rows that are not in memory together.
//
// With TargetMean the training rows are cross-fitted: the rows are divided into five parts,
// and the cells of a part get the means of the other four. A row's own target is thus not
// among its features, which would promise more than new rows can keep.
//
// [S97] J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric
// predicates, Discrete & Computational Geometry 18, 1997.
//
// [M01] D. Micci-Barreca, A preprocessing scheme for high-cardinality categorical attributes
// in classification and prediction problems, SIGKDD Explorations 3(1), 2001.
package encode
