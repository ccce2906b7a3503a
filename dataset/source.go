package dataset

import "strconv"

// row is one row as it was read. Its slices are valid until the next row.
type row struct {
	line, col int    // where the target is, for errors; line 0 in binary files
	target    []byte // as text, if hasText
	value     float64
	hasText   bool // the target is text
	named     bool // the text may be a name; else it is a number
	hasValue  bool // the target is a number
	tags      []int32
	isTags    bool
	dense     bool      // val holds all columns
	index     []int32   // ascending, if not dense
	val       []float64 // no zeros, if not dense
	maxIndex  int       // columns that the row needs, zeros counted
	kept      []string  // cells of Options.Keep
}

// appendTarget appends the target as a text, which is the same for all spellings of a truth value.
func (r *row) appendTarget(text []byte) []byte {
	if r.hasText {
		return append(text, canonical(r.target)...)
	}
	return strconv.AppendFloat(text, r.value, 'g', -1, 64)
}

// source reads the rows of a file of one format, one after the other.
type source interface {
	// next fills r or returns io.EOF after the last row.
	next(r *row) error
	// size returns what the header says: rows, columns, labels; −1 where the
	// format does not say.
	size() (n, d, tags int)
	// fail returns an error about the row read last, with its place in the file.
	fail(r *row, reason string, args ...any) error
	// close releases what the source holds beside its input: a second file, or the reader of a table.
	close() error
}

// textSource is what the formats of text share.
type textSource struct{ in *textInput }

func (s textSource) fail(r *row, reason string, args ...any) error {
	return s.in.fail(r.line, r.col, reason, args...)
}

func (s textSource) close() error { return nil }
