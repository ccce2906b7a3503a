package dataset

import (
	"math"
	"strings"

	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/settings"
)

// Task selects what the target of a row is.
type Task uint8

const (
	AutoTask   Task = iota // by the rule in the package's documentation
	Classes                // Set.Labels
	Regression             // Set.Value
	MultiLabel             // Set.Tags
	NoTarget               // none; in LIBSVM text a label is read and dropped, in CSV all columns are features
)

// String returns the name of the task: auto, classes, regression, multilabel or none.
func (t Task) String() string {
	return enum.Name(t, "auto", "classes", "regression", "multilabel", "none")
}

// ParseTask returns the task whose String is s, in upper or lower case; the error lists the tasks there are.
func ParseTask(s string) (Task, error) {
	var names []string
	for t := AutoTask; t <= NoTarget; t++ {
		if t.String() == strings.ToLower(s) {
			return t, nil
		}
		names = append(names, t.String())
	}
	return 0, settings.Refuse("task", s, "auto, classes, regression, multilabel or none%s", settings.Hint(s, names))
}

// Storage selects whether the rows of Set.X are stored densely or as their nonzeros.
type Storage uint8

const (
	AutoStorage Storage = iota // Dense if at least a tenth of the cells are not zero
	Dense                      // *mat.Dense
	Sparse                     // *sparse.CSR
)

// denseAt is the density from which AutoStorage is Dense.
const denseAt = 0.1

// Options say how to read. The zero value decides everything from the file.
type Options struct {
	Format  Format
	Task    Task
	Storage Storage

	// Dim is the number of columns of X; 0: as in the file. LIBSVM files do not
	// say how many columns they have, so a test file is read with the Dim of
	// the training file. A larger index, or another number of columns, is an
	// error.
	Dim int
	// Names are the classes to expect, in this order; nil: those of the file.
	// Any other label is an error. Implies the task Classes.
	Names []string
	// Tags is the number of labels of a multi-label LIBSVM file; 0: as in the file.
	Tags int

	// Target picks the target's column of tables and NPY files: its name in the
	// header or its number from 1. Empty: the last of a table, none of an NPY.
	Target string
	// TargetFile holds the target of an IDX or NPY file. Empty: for an IDX
	// file NAME-images-idx3-ubyte it is NAME-labels-idx1-ubyte, for NAME.npy it
	// is NAME.target.npy, each if it is there.
	TargetFile string
	// NoHeader says that the first line of a CSV is a row, and Header that it has the names of the columns. With
	// neither of them it has names, but one that looks like a row, such as a line of numbers, is an error.
	NoHeader, Header bool
	// Comma separates the cells of a CSV; 0: , ; or tab, as the first line has it.
	Comma rune
	// DecimalComma says that numbers of a CSV are written as 3,5. A number with a point is then
	// an error, as it may be one of thousands.
	DecimalComma bool
	// FormattedNumbers takes numbers of a CSV such as 1,234.50, $ 3, 12 % and (3), which are 1234.5, 3, 0.12
	// and −3; with DecimalComma also 1.234,50.
	FormattedNumbers bool

	// Table allows the cells of tables, such as CSV files, to be text and to be missing:
	// empty, NA, N/A, NaN, null or ?. Columns with text are then categories. The kinds of the
	// columns are found in a pass over the file before it is read, unless all are numbers, and
	// are in Set.Schema. Without Table such a cell is an error.
	Table bool
	// Categories names columns of a table, or numbers them from 1, that are categories
	// whatever their cells hold.
	Categories []string
	// Ignore names or numbers columns of a table that are left out.
	Ignore []string
	// DropMissing names or numbers columns of a table, the target too, that every row must have:
	// rows where such a cell is missing are left out and counted in Set.Dropped.
	DropMissing []string
	// Keep names or numbers columns of a table whose cells are wanted as they are, in Set.Kept: an
	// identifier, say. A column that Schema does not know by its name is no column of X then. The
	// target can be kept, too.
	Keep []string
	// Schema is the schema of an earlier file, such as that of the training rows. If both have names, the columns of the table are
	// found by name, in any order; a column that the schema does not know, or that the table
	// does not have, is an error. X has the columns in the order of the schema. The target is
	// the schema's unless Target names another.
	Schema *Schema

	MaxLine     int   // bytes in a line of text; 0: 64 MiB
	MaxDim      int   // columns, at most 2³¹−1; 0: that
	MemoryLimit int64 // bytes that Open and Read may use for the set; 0: none

	// Name is used in errors and for Set.Name. Functions that take a path use that
	// if there is no Name.
	Name string

	rows func() (Table, error) // see ReadTable; nil: a file
}

const maxDim = math.MaxInt32

func (o Options) resolve() (Options, error) {
	bad := func(field string, value any, want string) (Options, error) {
		return o, settings.Refuse(field, value, "%s", want)
	}
	switch {
	case o.Task > NoTarget:
		return bad("Task", uint8(o.Task), "one of the tasks")
	case o.Storage > Sparse:
		return bad("Storage", uint8(o.Storage), "AutoStorage, Dense or Sparse")
	case o.MaxDim < 0 || o.MaxDim > maxDim:
		return bad("MaxDim", o.MaxDim, "0 … 2147483647")
	case o.Dim < 0 || (o.MaxDim > 0 && o.Dim > o.MaxDim) || o.Dim > maxDim:
		return bad("Dim", o.Dim, "at least 0 and at most MaxDim")
	case o.Tags < 0 || o.Tags > maxDim:
		return bad("Tags", o.Tags, "0 … 2147483647")
	case o.MaxLine < 0:
		return bad("MaxLine", o.MaxLine, "at least 0")
	case o.Names != nil && o.Task != AutoTask && o.Task != Classes:
		return bad("Task", o.Task, "classes if Names are given")
	case o.Comma == '"' || o.Comma == '\n' || o.Comma == '\r' || o.Comma == 0xFFFD || o.Comma < 0 || o.Comma > 0x10FFFF:
		return bad("Comma", o.Comma, "a character that can separate cells")
	}
	if o.Names != nil {
		o.Task = Classes
	}
	if o.MaxDim == 0 {
		o.MaxDim = maxDim
	}
	if o.MaxLine == 0 {
		o.MaxLine = 64 << 20
	}
	return o, nil
}
