// Package trees evaluates decision trees of many rows at a time.
//
// The API of this package is not promised and may change in any version: programs link
// the methods at the top of the module.
//
// # What is computed
//
// The numbers of a column are replaced by keys: how many of the thresholds of the column a number
// exceeds. Keys of one byte order 255 thresholds, and a column with more of them has several keys.
// A split of a tree is then a choice between two bytes, by a comparison of a key with a constant, and
// a tree is a list of such choices, children before their parents: the bytes of leaves are their numbers,
// those of a split are the byte of the child that the row goes to, and those of the root are the numbers of
// the leaves that the rows reach. All splits of a tree are evaluated, also those that a row does
// not pass, for Lanes rows at a time and without a branch.
//
// For a row alone all splits of a tree say at once where they lead, and a row goes from the root of a tree on by loads of a byte for each
// step (Row: trees of at most MostLeaves leaves), or each step compares a key (Walk: any trees).
//
// # Storage
//
// Everything lies in one buffer, which is cut into lines of Lanes bytes, one for each row: keys, numbers of
// leaves, results of splits. Keys are signed bytes, −128 for a number that exceeds no threshold.
//
// The thresholds of a column lie in blocks of 16, with the last ones of the blocks before them, so that a rank is two counts of
// comparisons: the blocks below the number, and the thresholds of the next one.
//
// # Accuracy class: exact
//
// Ranks, leaves and keys are integers and the same at every level, and sums add the values in the order of the trees. Lines of a choice may
// be the same; other operands must not overlap.
//
// Source: if-conversion of nested conditions, J. R. Allen, K. Kennedy, C. Porterfield, J. Warren. Conversion of
// control dependence to data dependence. POPL 1983.
package trees
