package dataset

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/gramworks/gram"
)

// row is one row as it was read. Its slices are valid until the next row.
type row struct {
	line, col int    // where the target is, for errors; line 0 in binary files
	target    []byte // as text, if hasText
	value     float64
	hasText   bool // a target that is text (LIBSVM, CSV)
	hasValue  bool // a target that is a number (IDX, NPY)
	tags      []int32
	isTags    bool
	dense     bool      // val holds all columns
	index     []int32   // ascending, if not dense
	val       []float64 // no zeros, if not dense
	maxIndex  int       // columns that the row needs, zeros counted
}

// source reads one format row by row.
type source interface {
	// next fills r or returns io.EOF after the last row.
	next(r *row) error
	// size returns what the header says: rows, columns, labels; −1 where the
	// format does not say.
	size() (n, d, tags int)
	// where makes an error about the row read last.
	fail(r *row, reason string, args ...any) error
	// close releases a second file.
	close() error
}

// extension returns the format that a file's name suggests.
func extension(name string) Format {
	name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".gz")
	for _, e := range extensions {
		if strings.HasSuffix(name, e.suffix) {
			return e.format
		}
	}
	return AutoFormat
}

var extensions = []struct {
	suffix string
	format Format
}{
	{".libsvm", LIBSVM}, {".svm", LIBSVM}, {".svmlight", LIBSVM},
	{".csv", CSV}, {".tsv", CSV},
	{".xml.txt", XML}, {".xmlc", XML},
	{".npy", NPY},
	{"-ubyte", IDX}, {".idx", IDX},
}

// stem is a file's name without directory, .gz and extension.
func stem(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	for _, e := range extensions {
		if e.suffix[0] == '.' && strings.HasSuffix(strings.ToLower(name), e.suffix) {
			return name[:len(name)-len(e.suffix)]
		}
	}
	return name
}

// detect decides the format of in.
func detect(in *input) (Format, error) {
	head, err := in.r.Peek(1 << 12)
	if err != nil && err != io.EOF {
		// A damaged gzip stream may still begin with something.
		if len(head) == 0 {
			return 0, in.wrap(err, 0)
		}
	}
	switch {
	case bytes.HasPrefix(head, npyMagic):
		return NPY, nil
	case len(head) >= 4 && head[0] == 0 && head[1] == 0 && idxSize(head[2]) > 0 && head[3] > 0:
		return IDX, nil
	case len(head) == 0:
		return 0, in.fail(0, 0, "the file is empty")
	}
	if f := extension(in.name); f != AutoFormat {
		return f, nil
	}
	head = bytes.TrimPrefix(head, byteOrderMark)
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		line, _, comment := bytes.Cut(line, []byte{'#'})
		line = bytes.TrimRight(line, " \t\r")
		fields := bytes.Fields(line)
		switch {
		case len(fields) == 0:
			if !comment && len(line) > 0 {
				return XML, nil
			}
			continue
		case len(fields) == 3 && allDigits(fields):
			return XML, nil
		case looksLIBSVM(fields):
			return LIBSVM, nil
		case bytes.ContainsAny(line, ",;\t"):
			return CSV, nil
		case len(fields) == 1:
			if _, reason := number(fields[0]); reason == "" {
				return LIBSVM, nil
			}
			return CSV, nil
		}
		return 0, in.fail(1, 0, "the format is not known; it is none of LIBSVM, CSV, XML, IDX and NPY")
	}
	return 0, in.fail(0, 0, "there are no rows")
}

func allDigits(fields [][]byte) bool {
	for _, f := range fields {
		for _, c := range f {
			if c-'0' > 9 {
				return false
			}
		}
	}
	return true
}

func looksLIBSVM(fields [][]byte) bool {
	if len(fields) < 2 {
		return false
	}
	name, _, ok := bytes.Cut(fields[1], []byte{':'})
	return ok && (string(name) == "qid" || allDigits([][]byte{name}))
}

// newSource opens the reader for o.Format, which detect has decided if need be.
func newSource(in *input, o Options) (source, error) {
	if o.Format == AutoFormat {
		f, err := detect(in)
		if err != nil {
			return nil, err
		}
		o.Format = f
	}
	switch o.Format {
	case LIBSVM, XML:
		if o.Target != "" {
			return nil, wrong("Target", o.Target, o.Format)
		}
		fallthrough
	case CSV:
		if o.TargetFile != "" {
			return nil, wrong("TargetFile", o.TargetFile, o.Format)
		}
	}
	switch o.Format {
	case LIBSVM:
		return newLIBSVM(in, o)
	case CSV:
		return newCSV(in, o)
	case XML:
		return newXML(in, o)
	case IDX:
		return newIDX(in, o)
	}
	return newNPY(in, o)
}

// wrong reports an option that does not go with a format.
func wrong(field string, value any, f Format) error {
	return &gram.ConfigError{Field: field, Value: value, Want: "its default, " + f.String() + " files know nothing like it"}
}

// textSource is what the formats of text share.
type textSource struct{ in *input }

func (s textSource) fail(r *row, reason string, args ...any) error {
	return s.in.fail(r.line, r.col, reason, args...)
}

func (s textSource) close() error { return nil }
