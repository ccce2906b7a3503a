// Package dataset reads, writes, scales, splits and generates data sets.
//
// # Formats
//
// Open and Read know LIBSVM (SVMlight) text, CSV with a header, the multi-label
// text of the Extreme Classification Repository, IDX (the format of MNIST) and
// NPY. Files compressed with gzip are recognised by their first bytes and read
// transparently. The format follows from Options.Format or else from, in this
// order, the magic bytes of NPY and IDX, the extension (.libsvm .svm .svmlight,
// .csv .tsv, .xml.txt .xmlc, each with or without .gz) and the first line of
// text.
//
//	LIBSVM  label index:value ...   indices from 1, ascending; # starts a comment; several labels
//	                                as 3,7,9 (numbers from 0) make a multi-label set; qid is refused
//	CSV     RFC 4180, first line names; separator , ; or tab, whichever the first line holds;
//	        the target is the last column or Options.Target
//	XML     first line "n d L", then l1,l2,... f1:v1 f2:v2 ..., numbers from 0, ascending
//	IDX     unsigned bytes, integers and floats; first dimension rows, the others columns;
//	        labels in a second file
//	NPY     versions 1 to 3, C order, floats and integers of either byte order, one or two
//	        dimensions; the target in a second file or in a column
//
// Readers are strict: a number that is not finite, an index out of order, a row
// that is too short are errors, never guesses. Errors in text are *ParseError
// with file, line and column. Nothing is allocated for a size that a header
// claims before the data are there.
//
// # Classes, values, tags
//
// What the first token of a line means is decided by Options.Task. Without it a
// file is of the multi-label kind if its format is or if the first label has a
// comma; of classes if a label is not a number (CSV), or if all labels are
// integers and there are at most max(10, n/20) different ones; of values
// (regression) otherwise. Labels of classes are kept as text and ordered by
// gram.NewLabels. A file that is small or has a coarse target, such as a rating
// from 3 to 9, needs Options.Task to be read as values.
//
// # Dense or sparse
//
// Unless Options.Storage says otherwise X is a *mat.Dense if at least a tenth of
// its cells are not zero and a *sparse.CSR if not: the dense kernels are more
// than ten times as fast per cell. Zeros that a file spells out are not stored
// in a CSR.
//
// # Larger than memory
//
// Blocks walks through a file in blocks of rows, all of the same shape and
// classes; Scan makes one pass for what Blocks has to know beforehand; Convert
// writes another format block by block.
package dataset
