// Package columnar makes package dataset read files of Apache Parquet and of Apache Arrow. A program
// imports it for that alone:
//
//	import _ "github.com/gramworks/gram/app/columnar"
//
// dataset.Open and all other functions of package dataset then read such files as any other table. Beside
// that it makes tables of the record batches of a program. It stands by itself because the libraries that it is built on take as long
// to compile as the rest of the module, and patterns of packages leave it out. The command gram imports it if it is built
// with the tag parquet.
//
// A Parquet file is read a page of each column at a time, Arrow a record batch at a time, and only the
// columns that are used; what would take more memory than dataset.Options.MemoryLimit is a
// *gram.MemoryError. Texts, dictionaries and booleans (true, false) are categories, nulls and NaN
// missing cells; decimal numbers become the nearest float64, and integers above 2⁵³ are refused. Dates
// and timestamps are the dates of other tables, to the microsecond. Columns of times of day, nested columns and columns of bytes are errors that name the column, unless they
// are left out. A file that has lost its end, or is forged, is a *dataset.ParseError.
package columnar

import "github.com/gramworks/gram/dataset"

func init() {
	dataset.RegisterTable(dataset.Parquet, openParquet)
	dataset.RegisterTable(dataset.Arrow, openArrow)
}
