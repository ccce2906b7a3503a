// Package hist has the inner loops of boosted trees, above all that which adds the gradients of rows to histograms.
//
// The API of this package is not promised and may change in any version: programs link
// package algos/trees/gbdt.
//
// # Mathematics
//
// A histogram has a cell for each bin of a column. The cell is the sum of the words of the rows
// whose value in the column lies in the bin:
//
//	Add        h[code[i]] += v[i]     for each row i on a list, and up to four columns
//	AddLists   h[b] += v[i]           for all b in the list of row i
//
// The other routines are what else a round of boosting does with every row: Logistic computes derivatives of the loss,
// Words makes words of them, and Divide splits a list of rows in two by their codes in a column; and with every bin: Subtract takes the
// histogram of a child off that of its parent, and Scan finds the best split of a column.
//
// # Storage
//
// A word is 128 bits: two integers of 64 bits, each of which the caller may divide into fields. They are
// added modulo 2⁶⁴, and nothing is carried from the first integer to the second.
//
// # Preconditions
//
// Every number in rows is one of a code and of a word, and every code is less than the length of its histogram. The
// assembly does not check this, as it would take as long as the additions. Histograms overlap nothing.
// No alignment is assumed.
//
// # Accuracy class: exact
//
// Sums of integers are the same in any order, at every level and for any division of the rows. Logistic and Words make the same
// operations on each row at every level, and Scan for each bin, none of which is fused.
//
// # Implementation
//
// An addition is a load, an instruction that adds both integers, and a store. It waits for the one before
// it to the same cell, and the additions to other columns fill this time, so that up to four columns are
// done together. Level AVX512 runs the code of AVX2: a scatter of four cells must find equal ones first,
// which takes longer than four stores. Divide stores each row on both lists, of which one grows by the carry of the comparison:
// no branch has to be foreseen. Scan adds cells one
// after the other and computes the gains of four, on arm64 of two.
package hist
