package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dataFlags holds the flags that say how files are read.
type dataFlags struct {
	path                            string
	format, task                    string
	target, targetFile              string
	noHeader, header                bool
	decimalComma, formatted         bool
	dim                             int
	name                            string // of the data in errors, if it is not the path
	limit                           memoryLimit
	categories, ignore, dropMissing []string
}

// define defines the flags of all commands that read data.
func (d *dataFlags) define(f *pflag.FlagSet) {
	f.StringVar(&d.path, "data", "", "data `FILE` in one of the formats of gram convert --help, plain or gzipped; - for standard input")
	d.defineFormat(f)
}

// defineFormat defines the flags that say how a file is read.
func (d *dataFlags) defineFormat(f *pflag.FlagSet) {
	f.StringVar(&d.format, "format", "auto", "format of the data: auto, "+formatNames(nil))
	f.StringVar(&d.target, "target", "", "`COLUMN` of a table or NPY file with the target, by name or number from 1")
	f.StringVar(&d.targetFile, "target-file", "", "`FILE` with the target of an IDX or NPY file")
	f.BoolVar(&d.noHeader, "no-header", false, "the first line of a CSV file is a row")
	f.BoolVar(&d.header, "header", false, "the first line of a CSV file has the names of the columns, also if they are numbers")
	f.StringSliceVar(&d.ignore, "ignore", nil, "`COLUMNS` of a table that are left out, by name or number from 1, with commas between")
	f.StringSliceVar(&d.dropMissing, "drop-missing", nil, "`COLUMNS` of a table that every row must have, by name or number from 1: rows where one is missing are left out")
	f.BoolVar(&d.formatted, "formatted-numbers", false, "numbers of a CSV file may be written as 1,234.50, 12 % or $ 3; a percentage is a number of hundredths")
	f.BoolVar(&d.decimalComma, "decimal-comma", false, "numbers of a CSV file are written as 3,5")
}

// formatNames lists the formats for which supports is true, or all formats if supports
// is nil, for a help text.
func formatNames(supports func(dataset.Format) bool) string {
	var names []string
	for _, f := range dataset.Formats() {
		if supports == nil || supports(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, ", ")
}

// formatTable describes each format in a line, for a help text.
func formatTable() string {
	var b strings.Builder
	for _, f := range dataset.Formats() {
		about := f.About()
		if !f.Writable() {
			about += " (read, not written)"
		}
		fmt.Fprintf(&b, "  %-24s %s\n", strings.Join(f.Suffixes(), " "), about)
	}
	return b.String()
}

// remedies names the flags of the command that avoid an error, in parentheses.
func remedies(c *cobra.Command, err error) string {
	var flags []string
	add := func(name, value string) {
		if c.Flags().Lookup(name) != nil {
			flags = append(flags, strings.TrimSpace("--"+name+" "+value))
		}
	}
	for _, o := range dataset.Remedies(err) {
		if o.NoHeader {
			add("no-header", "")
		}
		if o.Header {
			add("header", "")
		}
		switch {
		case o.DecimalComma && o.FormattedNumbers:
			add("formatted-numbers", "--decimal-comma")
		case o.DecimalComma:
			add("decimal-comma", "")
		case o.FormattedNumbers:
			add("formatted-numbers", "")
		}
		if o.Task != dataset.AutoTask {
			add("task", o.Task.String())
		}
		for _, column := range o.Ignore {
			add("ignore", argument(column))
		}
		for _, column := range o.DropMissing {
			add("drop-missing", argument(column))
		}
		for _, column := range o.Categories {
			add("category", argument(column))
		}
	}
	if flags == nil {
		return ""
	}
	return " (" + strings.Join(flags, " or ") + ")"
}

// argument writes the name of a column as it is typed behind a flag.
func argument(column string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	switch {
	case strings.IndexFunc(column, func(r rune) bool { return !plain(r) }) < 0:
		return column
	case !strings.ContainsAny(column, "',\"") && strings.IndexFunc(column, unicode.IsControl) < 0:
		return "'" + column + "'"
	}
	return "COLUMN" // its name needs more quotes than its number
}

// training adds the flags of commands that learn from the data.
func (d *dataFlags) training(f *pflag.FlagSet) {
	f.StringVar(&d.task, "task", "auto", "kind of the target: auto, classes, regression, multilabel, none")
	f.StringSliceVar(&d.categories, "category", nil, "`COLUMNS` of a table that are categories although they hold numbers, by name or number from 1, with commas between")
	f.IntVar(&d.dim, "dim", 0, "number of columns, if the last ones may be missing in a LIBSVM file (default: as in the file)")
	d.limit.define(f)
}

// shown returns the name of the data in messages.
func (d *dataFlags) shown() string { return cmp.Or(d.name, d.path) }

func (d *dataFlags) options() (dataset.Options, error) {
	d.limit.collect()
	o := dataset.Options{Target: d.target, TargetFile: d.targetFile, NoHeader: d.noHeader, Header: d.header, DecimalComma: d.decimalComma, FormattedNumbers: d.formatted, Dim: d.dim, Name: d.name, MemoryLimit: d.limit.bytes(),
		Table: true, Categories: d.categories, Ignore: d.ignore, DropMissing: d.dropMissing}
	var err error
	if o.Format, err = dataset.ParseFormat(d.format); err != nil {
		return o, usageError{err}
	}
	if d.task != "" {
		if o.Task, err = dataset.ParseTask(d.task); err != nil {
			return o, usageError{err}
		}
	}
	if d.header && d.noHeader {
		return o, usagef("--header and --no-header exclude each other")
	}
	if d.dim < 0 {
		return o, usagef("--dim is %d, want at least 0", d.dim)
	}
	return o, nil
}

// open reads a file. It returns early when ctx is done.
func open(ctx context.Context, path string, o dataset.Options) (*dataset.Set, error) {
	return par.Await(ctx, func() (*dataset.Set, error) { return dataset.Open(path, o) })
}

// load reads a model. It returns early when ctx is done.
func load(ctx context.Context, path string, limit int64) (*pipeline.Model, error) {
	return par.Await(ctx, func() (*pipeline.Model, error) { return catalog.LoadFittedLimited(path, limit) })
}

// stored reads the model in the file path and returns it with how the data are read. done removes what was
// copied of the data.
func (d *dataFlags) stored(ctx context.Context, c *cobra.Command, path string) (m *pipeline.Model, read dataset.Options, done func(), err error) {
	if done, err = d.spool(ctx, c.InOrStdin()); err != nil {
		return nil, read, nil, err
	}
	if read, err = d.options(); err == nil {
		m, err = load(ctx, path, d.limit.bytes())
	}
	if err != nil {
		done()
	}
	return m, read, done, err
}

// byteSize is a flag for a number of bytes with a unit.
type byteSize int64

// Type returns the word that stands for the value in help texts.
func (b *byteSize) Type() string { return "SIZE" }

// String returns the size with its unit, "" for 0.
func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return num.FormatBytes(int64(*b))
}

// Set reads a number such as 1048576, 500MB (MB is 10⁶), 2GiB or 1.5G (GiB
// and G are 2³⁰).
func (b *byteSize) Set(s string) error {
	s = strings.TrimSpace(s)
	number := strings.TrimRight(s, "BbKkMmGgTtIi ")
	unit := strings.ToLower(strings.TrimSpace(s[len(number):]))
	scale, known := map[string]float64{
		"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
		"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}[unit]
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || !(v > 0) || v*scale >= math.MaxInt64 {
		return fmt.Errorf("want a size such as 500MB or 2GiB")
	}
	*b = byteSize(v * scale)
	return nil
}

// limit is a byteSize or the word none, −1; 0 stands for a default.
type limit byteSize

// Type returns the word that stands for the value in help texts.
func (*limit) Type() string { return "SIZE" }

// String returns none, the size with its unit, or "" for the default.
func (l *limit) String() string {
	if *l < 0 {
		return "none"
	}
	return (*byteSize)(l).String()
}

// Set reads the word none or a size, see byteSize.
func (l *limit) Set(s string) error {
	if s == "none" {
		*l = -1
		return nil
	}
	return (*byteSize)(l).Set(s)
}

// memoryLimit is the number of bytes that a command may use.
type memoryLimit limit

func (l *memoryLimit) define(f *pflag.FlagSet) {
	f.Var(l, "memory-limit", "most memory to use, for example 500MB or 2GiB, or none (default: four fifths of the memory of the machine or the container)")
}

// Type returns the word that stands for the value in help texts.
func (*memoryLimit) Type() string { return "SIZE" }

// String returns none, the size with its unit, or "" for the default.
func (l *memoryLimit) String() string { return (*limit)(l).String() }

// standing is the memory of a process beside data and fits: the program, what the runtime keeps, and
// garbage. programBytes of it are not the collector's.
const (
	standing     = 64 << 20
	programBytes = 40 << 20
)

// Set reads the word none or a size in which the process can stand.
func (l *memoryLimit) Set(s string) error {
	var size limit
	if err := size.Set(s); err != nil {
		return err
	}
	if size > 0 && size <= standing {
		return fmt.Errorf("want more than %s, which the process takes without any data", num.FormatBytes(standing))
	}
	*l = memoryLimit(size)
	return nil
}

// total returns the limit of the process; 0 means none.
func (l memoryLimit) total() int64 {
	if l == 0 {
		return bench.Memory() / 5 * 4
	}
	return max(0, int64(l))
}

// bytes returns the limit of the data and the fit in the form of gram.Run: 0 means none.
func (l memoryLimit) bytes() int64 {
	if l.total() == 0 {
		return 0
	}
	return max(1, l.total()-standing)
}

// collect makes the garbage collector keep to the limit until the command ends.
func (l memoryLimit) collect() {
	if l > 0 {
		debug.SetMemoryLimit(l.total() - programBytes)
	}
}

// whole adds to an error of a part of the work, which may use what others leave of the limit, what these
// hold: it speaks of the limit that the user knows.
func (l memoryLimit) whole(err error) {
	if part := (*gram.MemoryError)(nil); errors.As(err, &part) && part.Limit < l.total() {
		part.Need += min(l.total()-part.Limit, math.MaxInt64-part.Need)
		part.Limit = l.total()
	}
}

// runFlags holds the flags for the number of goroutines and for the seed of a fit.
type runFlags struct {
	workers int
	seed    uint64
}

func (r *runFlags) define(f *pflag.FlagSet) {
	f.IntVar(&r.workers, "workers", 0, "largest number of goroutines (default: GOMAXPROCS); changes no result")
	f.Uint64Var(&r.seed, "seed", 1, "seed of all random choices")
}

func (r *runFlags) run(limit memoryLimit, b *bar) (gram.Run, error) {
	if r.workers < 0 {
		return gram.Run{}, usagef("--workers is %d, want at least 0", r.workers)
	}
	return gram.Run{Seed: r.seed, Workers: r.workers, MemoryLimit: limit.bytes(), Progress: b.progress()}, nil
}
