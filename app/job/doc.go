// Package job fits models from files that are larger than memory, in one process or by many.
//
// All work is cut into pieces. A piece reads one item, which is a range of bytes of a text file
// or a whole file, and leaves a state: a few numbers whose size does not depend on the number
// of rows. States are merged in a fixed tree, eight at a time, in the order of the items. The
// items depend on the files and on Spec.ItemBytes alone, so that the model has the same bits
// however many goroutines, processes or machines work on the pieces, in whatever order, and
// however often a piece is repeated.
//
// A fit of a linear function of features takes two passes over the data. The first one, Scan,
// finds the shape, the kind of the target and the moments of the columns, and draws a sample:
// the rows with the smallest of keys that follow from the seed, the item and the row. The
// feature map is fitted to the sample. The second pass, Normal, sums the normal equations.
//
// Kernel ridge regression on landmarks (package falkon) takes the landmarks and the preconditioner from the sample, and
// then a pass for the targets and one for each product of conjugate gradients, whose states are sums over the rows. The
// steps between follow from these states, which are kept, so that they can be repeated.
//
// Boosted trees take a pass for the bins of the cells, which leaves a file for each item, and then about as many passes
// for a round as its trees have levels, whose states are exact sums of histograms; see package gbdt. The trees have the same
// bytes for any items.
//
// A fit to rows in memory (Spec.Whole) has trainings as its pieces, and a method whose fit is cut itself (catalog.InPieces) has passes for
// that before these are joined.
//
// A table with categories and missing cells (Spec.Table) has a pass before these, which finds the
// kinds of the columns, their levels and what missing numbers become, and one more where levels
// become mean targets. The encoding is that of package encode for rows in memory, but medians of
// missing numbers are those of the sample.
//
// Fit does all of this in one process. Work does it piece by piece in a folder that processes
// share; a scheduler only starts the pieces, by the command gram part or by a program, and
// starts again those that failed. Every state names the job it belongs to, the level of the
// kernels and the backend of linear algebra. A state of another job, of another level or
// backend, and one that is damaged are refused.
//
// # Reference
//
// Rows with the smallest keys: P. S. Efraimidis and P. G. Spirakis, Weighted random sampling
// with a reservoir, Information Processing Letters 97 (2006), with equal weights. Merging
// moments and sums: T. F. Chan, G. H. Golub and R. J. LeVeque, The American Statistician 37
// (1983).
package job
