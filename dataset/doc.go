// Package dataset reads, writes, scales, splits and generates data sets.
//
// # Formats
//
// Open and Read accept LIBSVM (SVMlight) text, CSV with a header, the multi-label text of the Extreme
// Classification Repository, IDX (the format of MNIST) and NPY; Formats lists them. Files compressed
// with gzip are recognized by their first bytes. Options.Format selects the format. If it is AutoFormat,
// the format follows from the magic bytes of NPY and IDX, or else from the extension (.libsvm .svm
// .svmlight, .csv .tsv, .xml.txt .xmlc, .npy, .idx, each with or without .gz), or else from the first
// line of text.
//
//	LIBSVM  label index:value ...   indices from 1, ascending; # starts a comment; several labels
//	                                as 3,7,9 (numbers from 0) make a multi-label set; qid is refused
//	CSV     RFC 4180, first line names; separator , ; or tab, whichever the first line holds;
//	        the target is the last column or Options.Target; see Tables
//	JSONL   an object of named cells, or an array, in each line; a table like CSV; null is missing
//	Parquet a table in columns, whose types say what is a number; in programs that import
//	Arrow   the package app/columnar
//	XML     first line "n d L", then l1,l2,... f1:v1 f2:v2 ..., numbers from 0, ascending
//	IDX     unsigned bytes, integers and floats; first dimension rows, the others columns;
//	        labels in a second file
//	NPY     versions 1 to 3, C order, floats and integers of either byte order; the first
//	        dimension is rows; the target in a second file or in a column
//
// Readers are strict and never guess. A number that is not finite, an index out of order and a row that is
// too short are errors. Errors in text are of type *ParseError, with file, line and column. A header can
// state any size; memory is allocated only for data that are present.
//
// # Classes, values, tags
//
// Options.Task decides what the targets are. If it is AutoTask, the file decides. The targets are sets of
// labels if the format is a multi-label format or the first label contains a comma. They are classes if
// the labels are text (tables), or if all are whole numbers and at most 20, and at most max(10, n/20), of
// them are different. Otherwise they are values (regression). Class labels are kept as text and ordered
// by gram.NewLabels. A coarse target such as a rating from 3 to 9 is read as classes; set Options.Task to
// read it as values. A column that mixes more than 20 numbers with text, or holds NA or another sign of
// a missing cell, or more different texts than half its rows, is an error unless Options.Task is set.
//
// # Tables
//
// The columns of a CSV file have names, and Set.Schema describes them. With Options.Table its cells may
// also be text or missing; columns of text become categories, whose cells in X are the places of the
// texts among the column's levels, columns of dates become days since 1970-01-01 (see ParseDate), and
// missing cells are NaN. Package encode makes numbers for any method of them. A first column without a
// name, or called "Unnamed: 0", has the numbers or names of rows and is left out; Schema.RowNames says so.
// Texts that look like dates in another order, like numbers with units or a decimal comma, or that are
// nearly all different are errors that name the column. With Options.Schema the columns of another
// file are found by name, in any order.
//
// The readers of Parquet and Arrow are in the package app/columnar, because the libraries that they
// need take as long to compile as the rest of the module. A program that imports it reads such files
// as any other table; in another one they are errors that say so. The command gram has the readers if
// it is built with the tag parquet. RegisterTable is how they become known here.
//
// # Dense or sparse
//
// Unless Options.Storage says otherwise, X is a *mat.Dense if at least a tenth of its cells are not zero,
// and a *sparse.CSR otherwise, because dense kernels are more than ten times as fast per cell. Zeros
// that a file states explicitly are not stored in a CSR.
//
// # Larger than memory
//
// Blocks walks through a file in blocks of rows, all of the same shape and
// classes. Scan makes one pass and returns what Blocks has to know beforehand.
// Convert writes another format block by block.
//
// Items cuts one or several files into pieces that different goroutines or machines read. A
// pass over an item is a Summary or a sequence of blocks; summaries, and Moments of the
// columns, are merged to those of all rows. Errors name the line of the file.
package dataset
