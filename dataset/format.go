package dataset

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gramworks/gram/settings"
)

// Format is a file format. The zero value is AutoFormat.
type Format struct{ *codec }

// AutoFormat leaves the format to the file's first bytes, its extension and its
// first line, in this order.
var AutoFormat Format

// registry are the formats that are known. A new format is a file that holds its
// codec and its Format, and an entry here. The list is filled in init because
// codecs open second files, whose format is found in this list.
var registry []Format

func init() { registry = []Format{LIBSVM, CSV, JSONLines, XML, IDX, NPY, Parquet, Arrow} }

// codec says how the files of a format are told from others, read and written.
type codec struct {
	name     string
	summary  string   // a line of help
	suffixes []string // of file names, in lower case

	// sniff says how likely a file is of the format. head is the beginning of
	// the file without a byte order mark; it may be empty.
	sniff func(head []byte) likelihood

	target, targetFile bool // Options.Target and Options.TargetFile mean something
	lines              bool // each line is a row, so that a file can be cut between lines
	header             bool // but the first, which all pieces have to begin with

	// reader holds what RegisterTable has set; nil: the format's reader is in this package.
	reader *atomic.Pointer[func(in *Input) (Table, error)]

	// open reads the header. in stands at the beginning of the file. Tables, whose columns
	// have names and whose cells may be text or missing, have the function table instead.
	open  func(in *textInput, o Options) (source, error)
	table func(in *textInput, o Options) (cells, error)

	// write begins a file of info.N rows; path is its name, empty if there is
	// none. A codec without write only reads.
	write func(w *bufio.Writer, path string, info Info) (writer, error)
	dense bool // all cells of a row are written, so that dense blocks are best

	// beside names the second file that holds the target of the file at path,
	// and writeTarget begins it. Both are nil where the target is in the file.
	targetPath  func(path string) string
	writeTarget func(w *bufio.Writer, info Info) (writer, error)
}

// likelihood says how sure a codec is about a file.
type likelihood uint8

const (
	unlikely likelihood = iota
	possible            // text that is of this format if it is of no other
	likely              // text of this format
	certain             // bytes that no other format begins with; they count more than the extension
)

// Formats returns the formats that are known, AutoFormat not among them.
func Formats() []Format { return slices.Clone(registry) }

// String returns the name of the format, auto for AutoFormat.
func (f Format) String() string {
	if f.codec == nil {
		return "auto"
	}
	return f.name
}

// About is a description of the format in one line.
func (f Format) About() string {
	if f.codec == nil {
		return "by magic bytes, extension and first line"
	}
	return f.summary
}

// Suffixes returns the ends of file names that suggest the format, such as
// .csv. A file name may have .gz behind them.
func (f Format) Suffixes() []string {
	if f.codec == nil {
		return nil
	}
	return slices.Clone(f.suffixes)
}

// Writable reports whether Write, Save and Convert can write the format.
func (f Format) Writable() bool { return f.codec != nil && f.write != nil }

// ParseFormat returns the format whose String is s, in upper or lower case; the error lists the formats there are.
func ParseFormat(s string) (Format, error) {
	for _, f := range append([]Format{AutoFormat}, registry...) {
		if f.String() == strings.ToLower(s) {
			return f, nil
		}
	}
	return AutoFormat, settings.Refuse("format", s, "auto, %s", names(registry, "or"))
}

// names joins the names of the formats with commas, and the last two with the conjunction.
func names(formats []Format, conjunction string) string {
	var b strings.Builder
	for k, f := range formats {
		switch {
		case k > 0 && k == len(formats)-1:
			b.WriteString(" " + conjunction + " ")
		case k > 0:
			b.WriteString(", ")
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// extension returns the format that a file's name suggests.
func extension(name string) Format {
	name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".gz")
	for _, f := range registry {
		for _, suffix := range f.suffixes {
			if strings.HasSuffix(name, suffix) {
				return f
			}
		}
	}
	return AutoFormat
}

// stem is a file's name without directory, .gz and extension.
func stem(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	for _, f := range registry {
		for _, suffix := range f.suffixes {
			if suffix[0] == '.' && strings.HasSuffix(strings.ToLower(name), suffix) {
				return name[:len(name)-len(suffix)]
			}
		}
	}
	return name
}

// detect returns the format that the first 4096 bytes of in are most likely to be in. Unless these bytes are certain, the
// extension of the file's name decides if it is one of a format.
func detect(in *textInput) (Format, error) {
	head, err := in.r.Peek(1 << 12)
	switch {
	case len(head) == 0 && err != nil && err != io.EOF:
		return AutoFormat, in.wrap(err, 0)
	case len(head) == 0:
		return AutoFormat, in.fail(0, 0, "the file is empty")
	}
	head = bytes.TrimPrefix(head, byteOrderMark)
	best, most := AutoFormat, unlikely
	for _, f := range registry {
		if l := f.sniff(head); l > most {
			best, most = f, l
		}
	}
	if f := extension(in.name); f != AutoFormat && most < certain {
		return f, nil
	}
	switch {
	case most > unlikely:
		return best, nil
	case len(firstLine(head)) == 0:
		return AutoFormat, in.fail(0, 0, "there are no rows")
	}
	return AutoFormat, in.fail(1, 0, "the format is not known; it is none of %s", names(registry, "and"))
}

// firstLine returns the first line of head that holds more than blanks and a
// comment, without the comment.
func firstLine(head []byte) []byte {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		line, _, _ = bytes.Cut(line, []byte{'#'})
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line
		}
	}
	return nil
}

func allDigits(fields ...[]byte) bool {
	for _, f := range fields {
		for _, c := range f {
			if c-'0' > 9 {
				return false
			}
		}
	}
	return true
}

// foreign are the first bytes of files that are given for data and cannot be read, and what can
// be done about them.
var foreign = []struct {
	at            int
	magic, reason string
}{
	{0, "\xff\xfe", utf16Text},
	{0, "\xfe\xff", utf16Text},
	{0, "PK\x03\x04", "the file is a zip archive or a workbook (.xlsx): unpack it, or save the sheet as CSV"},
	{0, "\xd0\xcf\x11\xe0", "the file is a workbook of Excel: save the sheet as CSV"},
	{0, "\xfd7zXZ\x00", "the file is compressed by xz: unpack it (of compressed files only those of gzip are read)"},
	{0, "BZh", "the file is compressed by bzip2: unpack it (of compressed files only those of gzip are read)"},
	{0, "\x28\xb5\x2f\xfd", "the file is compressed by zstd: unpack it (of compressed files only those of gzip are read)"},
	{0, "\x89HDF\r\n", "the file is of the format HDF5: write it as CSV or NPY"},
	{0, "\x89PNG\r\n", "the file is a picture (PNG): its pixels can be given as NPY or IDX"},
	{0, "\xff\xd8\xff", "the file is a picture (JPEG): its pixels can be given as NPY or IDX"},
	{0, "%PDF-", "the file is a PDF document, not data"},
	{8, `{"__metadata__":`, "the file is a model, not data"},
}

const utf16Text = "the text is UTF-16: save it as UTF-8"

// newSource opens the reader for o.Format and decides it if it is open.
func newSource(in *textInput, o *Options) (source, error) {
	if o.rows != nil {
		return newTable(in, *o)
	}
	if head, _ := in.r.Peek(32); len(head) > 0 {
		for _, k := range foreign {
			if bytes.HasPrefix(head[min(k.at, len(head)):], []byte(k.magic)) {
				return nil, in.fail(0, 0, "%s", k.reason)
			}
		}
	}
	if o.Format == AutoFormat {
		f, err := detect(in)
		if err != nil {
			return nil, err
		}
		o.Format = f
	}
	if o.Format.lines {
		if head, _ := in.r.Peek(1 << 12); bytes.IndexByte(head, 0) >= 0 {
			return nil, in.fail(0, 0, "the file is not text, as %s files are: it holds bytes of value 0", o.Format)
		}
	}
	switch {
	case o.Target != "" && !o.Format.target:
		return nil, wrong("Target", o.Target, o.Format)
	case o.TargetFile != "" && !o.Format.targetFile:
		return nil, wrong("TargetFile", o.TargetFile, o.Format)
	case o.Format.table != nil:
		return newTable(in, *o)
	case len(o.Ignore) > 0:
		return nil, wrong("Ignore", o.Ignore, o.Format)
	case len(o.Keep) > 0:
		return nil, wrong("Keep", o.Keep, o.Format)
	case len(o.DropMissing) > 0:
		return nil, wrong("DropMissing", o.DropMissing, o.Format)
	case len(o.Categories) > 0:
		return nil, wrong("Categories", o.Categories, o.Format)
	case o.Schema.Mixed():
		return nil, in.fail(0, 0, "the model's columns have categories or missing cells, which %s files cannot hold", o.Format)
	}
	return o.Format.open(in, *o)
}

// wrong reports an option that does not go with a format.
func wrong(field string, value any, f Format) error {
	return settings.Refuse(field, value, "its default, %s files know nothing like it", f.String())
}
