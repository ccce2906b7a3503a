package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/routed"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
)

// Spec says what is fitted to which data. It determines the bits of the model at one level and
// backend.
type Spec struct {
	Data     string // a file, or a pattern of files as for dataset.Items
	Format   string // as of dataset.ParseFormat; empty: by the files
	Task     string // as of dataset.ParseTask; empty: by the files
	Target   string // this and the next two are as in dataset.Options
	NoHeader bool
	Header   bool `json:",omitempty"` // as in dataset.Options
	Dim      int

	TargetFile   string // for a single file
	DecimalComma bool   `json:",omitempty"` // as in dataset.Options

	FormattedNumbers bool `json:",omitempty"` // as in dataset.Options

	Method   string   // of the catalog
	Settings []string // NAME=VALUE
	Scale    string   // as of training.ParseScale; empty: none
	Seed     uint64

	ItemBytes int64 // of an item; default 64 MiB
	Sample    int   // rows that the feature map is fitted to; default 20000

	// Cap, if it is not 0, divides the rows by a tree of centers, and the method is fitted to each
	// part, of at most so many rows; see package routed. The methods dc-krr and bka-svm are always
	// divided, into parts of 3000 rows by default. The tree is fitted to the sample, whose default
	// size is larger if there are many parts.
	Cap int `json:",omitempty"`

	// Table, if it is not nil, says what becomes of categories and missing cells. It costs a pass
	// before the others, and one more where TargetMean is used. Without it all cells must be numbers.
	Table *Table `json:",omitempty"`

	// Whole, if it is not nil, makes the fit one to rows that every process has in memory; see NewWhole. Table is given then.
	Whole *Whole `json:",omitempty"`

	// MemoryLimit, if it is not 0, bounds the bytes for reading, so that a small file that stands
	// for much memory is an error. It changes no result and is not stored.
	MemoryLimit int64 `json:"-"`
}

const (
	defaultItem   = 64 << 20
	defaultSample = 20000
	estimateBytes = 64 << 20 // memory for the beginning of the first file
	estimateRows  = 4096     // of it, if the number of rows is known
)

// Limit sets Spec.MemoryLimit of a job that Open has read.
func (j *Job) Limit(limit int64) { j.Spec.MemoryLimit, j.options.MemoryLimit = limit, limit }

// Job is a Spec with the items that its files were cut into. It is safe for concurrent use.
type Job struct {
	Spec  Spec
	Items []dataset.Item
	Below uint64 // rows with larger keys are not sampled; 0: no bound

	options dataset.Options
	table   tabled
	mixed   bool // the beginning of the first file has cells that are no numbers
	scale   training.Scale
	mapped  bool
	drawing bool  // a sample is drawn although the method needs none
	bytes   int64 // of all rows, about
	files   int64 // bytes of all files
	sampled int64 // of the sample while it is drawn, about
	id      string

	reading  sync.Mutex    // for inMemory
	inMemory *rowsInMemory // the rows in memory, with Spec.Whole; nil: they were not read
}

// New checks the settings and cuts the files. It reads little more than the lines at the cuts, and compressed files as
// dataset.Items says.
func New(spec Spec) (*Job, error) { return begin(spec, nil) }

// WithTable is New with the Spec of j and a table. It does not cut the files again.
func (j *Job) WithTable(table *Table) (*Job, error) {
	spec := j.Spec
	spec.Table = table
	return begin(spec, j.Items)
}

// begin is New for files that were cut into items, unless these are nil.
func begin(spec Spec, items []dataset.Item) (*Job, error) {
	if spec.ItemBytes == 0 {
		spec.ItemBytes = defaultItem
	}
	if spec.Whole != nil {
		spec.ItemBytes = wholeFile
	} else if _, divided := inParts[spec.Method]; divided && spec.Cap == 0 {
		spec.Cap = DefaultCap
	}
	chosen := spec.Sample != 0
	if !chosen {
		spec.Sample = defaultSample
		if f, _ := spec.byPasses(); f != nil { // what is wrong with it, resolve says
			spec.Sample = max(defaultSample, f.Sample())
		}
	}
	j := &Job{Spec: spec}
	if err := j.resolve(); err != nil {
		return nil, err
	}
	if items == nil {
		var format dataset.Format
		var err error
		if items, format, err = dataset.Items(spec.Data, spec.ItemBytes, j.options); err != nil {
			return nil, err
		}
		j.Spec.Format = format.String()
	}
	if last := items[len(items)-1]; spec.TargetFile != "" && last.Path != items[0].Path {
		return nil, settings.Refuse("TargetFile", spec.TargetFile, "none for several files")
	}
	j.Items = items
	if spec.Whole != nil {
		return j, j.resolve()
	}
	if err := j.estimate(chosen); err != nil {
		return nil, err
	}
	return j, j.resolve()
}

// NewMixed is New with the table, if spec has none and the beginning of the data has texts or missing cells.
func NewMixed(spec Spec, table *Table) (*Job, error) {
	j, err := New(spec)
	if err == nil && spec.Table == nil && spec.Cap == 0 && j.Mixed() {
		j, err = j.WithTable(table)
	}
	return j, err
}

// resolve checks the settings and computes what is not stored.
func (j *Job) resolve() error {
	s := j.Spec
	switch {
	case s.ItemBytes < 1:
		return settings.Refuse("ItemBytes", s.ItemBytes, "at least 1")
	case s.Sample < 1:
		return settings.Refuse("Sample", s.Sample, "at least 1")
	case s.Cap < 0 || s.Cap > 0 && s.Cap < 10:
		return settings.Refuse("Cap", s.Cap, "at least 10 rows a part")
	}
	method, err := j.kind()
	if err != nil {
		return err
	}
	o := dataset.Options{Target: s.Target, TargetFile: s.TargetFile, NoHeader: s.NoHeader, Header: s.Header, DecimalComma: s.DecimalComma, FormattedNumbers: s.FormattedNumbers, Dim: s.Dim, MemoryLimit: s.MemoryLimit}
	if s.Format != "" {
		if o.Format, err = dataset.ParseFormat(s.Format); err != nil {
			return err
		}
	}
	if s.Task != "" {
		if o.Task, err = dataset.ParseTask(s.Task); err != nil {
			return err
		}
	}
	if s.Scale != "" && s.Whole == nil {
		if j.scale, err = training.ParseScale(s.Scale); err != nil {
			return err
		}
		m, err := catalog.Find(method)
		if err != nil {
			return err
		}
		j.scale = training.Prepare{Scale: j.scale}.For(m).Scale
	}
	if s.Whole != nil {
		o.Table, o.Categories, o.Ignore, o.DropMissing = true, s.Table.Categories, s.Table.Ignore, s.Table.DropMissing
		if s.Whole.Groups != "" {
			o.Ignore = append(slices.Clone(o.Ignore), s.Whole.Groups)
		}
	} else if s.Table != nil {
		if s.Cap > 0 {
			return settings.Refuse("Table", "given", "none for a divided fit, which takes tables of numbers")
		}
		m, err := catalog.Find(method)
		if err != nil {
			return err
		}
		j.table.prepare = training.Prepare{Scale: j.scale, Encode: s.Table.Encode}.For(m)
		o.Categories, o.Ignore, o.DropMissing = s.Table.Categories, s.Table.Ignore, s.Table.DropMissing
	}
	j.options = o
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	j.id = hex.EncodeToString(sum[:16])
	return nil
}

// kind checks the settings of the method, and sets what kind of fit it is. It returns the name of the method, or of the one that is fitted to
// parts of the rows.
func (j *Job) kind() (string, error) {
	s := j.Spec
	switch {
	case s.Whole != nil:
		return s.Method, s.checkWhole()
	case s.Cap > 0:
		m, _, _, err := s.local()
		j.mapped = true
		return m.Name, err
	}
	if disk, err := s.onDisk(); disk != nil || err != nil {
		j.mapped = true // the bins follow from the sample
		return s.Method, err
	}
	if passes, err := s.byPasses(); passes != nil || err != nil {
		j.mapped = true // the landmarks are rows of the sample
		return s.Method, err
	}
	fitter, err := s.fitter()
	if err != nil {
		return "", err
	}
	j.mapped = fitter.Mapped()
	return s.Method, nil
}

// Streams returns an error unless models of the method can be fitted from a stream of rows: by Job.Fit,
// or by Features.FitDisk if Job.OnDisk says so.
func Streams(method string) error {
	s := Spec{Method: method}
	if disk, err := s.onDisk(); disk != nil {
		return err
	}
	if passes, err := s.byPasses(); passes != nil {
		return err
	}
	_, err := s.fitter()
	return err
}

// Divides returns an error unless the method can be fitted to parts of the rows; see Spec.Cap.
func Divides(method string) error {
	_, _, _, err := Spec{Method: method}.local()
	return err
}

func (s Spec) fitter() (catalog.Streamed, error) {
	m, err := catalog.Find(s.Method)
	if err != nil {
		return nil, err
	}
	f, ok := streamed(m)
	if !ok {
		var names []string
		for _, m := range catalog.Methods() {
			if learnsFromStream(m) {
				names = append(names, m.Name)
			}
		}
		return nil, settings.Refuse("method", s.Method, "one of %s, which learn from a stream of rows", strings.Join(names, ", "))
	}
	return f, f.Settings().Set(s.Settings...)
}

// learnsFromStream reports whether models of the method can be fitted from a stream of rows.
func learnsFromStream(m catalog.Method) bool {
	f := catalog.Plain(m.New())
	_, disk := f.(catalog.OnDisk)
	_, passes := f.(catalog.ByPasses)
	_, linear := streamed(m)
	return disk || passes || linear
}

// streamed returns a fitter of the method if it can learn from a stream.
func streamed(m catalog.Method) (catalog.Streamed, bool) {
	f, ok := catalog.Plain(m.New()).(catalog.Streamed)
	return f, ok && f.Streams()
}

// ID identifies the Spec and the items. Every state of the job holds it.
func (j *Job) ID() string { return j.id }

// platform says on what machine the process computes.
type platform struct{ Level, Backend string }

func machine() platform { return platform{cpu.Current().String(), blas.Current().Name()} }

// estimate sets what follows from the beginning of the first file: about how much memory all rows
// take, and a bound for the keys of sampled rows that lets through about twice the sample.
// Unless the size of the sample was chosen, it grows with the number of parts.
func (j *Job) estimate(chosen bool) error {
	var size int64
	for k, it := range j.Items {
		if k == 0 || it.Path != j.Items[k-1].Path {
			size += it.Size
		}
	}
	j.files = size
	f, err := store.Open(j.Items[0].Path)
	if err != nil {
		return err
	}
	defer f.Close()
	counted := &counter{r: io.LimitReader(f, 1<<20)}
	total := j.rows() // 0: not known, so that it follows from the bytes that are read
	rows, memory := 0, 0
	enough := func() error {
		if total > 0 && rows >= estimateRows {
			return io.EOF
		}
		return nil
	}
	// The text ends anywhere, perhaps in a compressed block; the rows before that count.
	o := j.options
	o.Name = j.Items[0].Path
	if o.MemoryLimit == 0 || o.MemoryLimit > estimateBytes {
		o.MemoryLimit = estimateBytes
	}
	if j.Spec.Table != nil {
		each := func(numbers []float64) error {
			rows++
			memory += 8 * len(numbers)
			return enough()
		}
		if total > 0 {
			_, _ = j.Items[0].Survey(context.Background(), o, each)
		} else {
			_, _ = dataset.ReadSurvey(context.Background(), counted, o, each)
		}
	} else {
		o.Table = true
		each := func(x *dataset.Set, _ []string) error {
			n, d := x.Dims()
			rows += n
			if a := gram.CSR(x.X); a != nil {
				memory += 12*len(a.Val) + 8*n
			} else {
				memory += 8 * n * d
			}
			return enough()
		}
		var s *dataset.Summary
		if total > 0 {
			s, err = j.Items[0].Scan(context.Background(), o, 64, each)
		} else {
			s, err = dataset.ReadScan(context.Background(), counted, o, 64, each)
		}
		j.mixed = dataset.HasTexts(err) || s.Schema.Mixed()
	}
	if rows == 0 {
		return nil
	}
	files := float64(size) / float64(counted.n) // that are as long as what was read
	if total > 0 {
		files = float64(total) / float64(rows)
	}
	j.bytes = int64(files * float64(memory))
	if !chosen && j.Spec.Cap > 0 {
		j.Spec.Sample = max(j.Spec.Sample, routed.SampleFor(int(1.2*files*float64(rows)), j.Spec.Cap))
	}
	// Half as many rows again as wanted are drawn and twice merged. Entries of sparse rows take half as much again as dense ones.
	j.sampled = int64(3 * min(float64(j.Spec.Sample), files*float64(rows)) * (1.5*float64(memory)/float64(rows) + drawnBytes))
	if share := 2 * float64(j.Spec.Sample) / (files * float64(rows)); share < 1 {
		j.Below = uint64(share * 0x1p64)
	}
	return nil
}

// rows returns the number of rows, 0 if some item does not say how many it has.
func (j *Job) rows() (n int64) {
	for _, it := range j.Items {
		if it.Rows == 0 {
			return 0
		}
		n += it.Rows
	}
	return n
}

// Uncut says in a line which files are one item although they are larger than ItemBytes, and why; empty if there are none.
func (j *Job) Uncut() string {
	var first *dataset.Item
	more := 0
	for k := range j.Items {
		switch it := &j.Items[k]; {
		case it.Uncut == "":
		case first == nil:
			first = it
		default:
			more++
		}
	}
	switch {
	case first == nil:
		return ""
	case more == 0:
		return fmt.Sprintf("%s is one item: %s", first.Path, first.Uncut)
	}
	return fmt.Sprintf("%s is one item: %s; each of %d more files is one, too", first.Path, first.Uncut, more)
}

// Mixed reports whether the beginning of the first file has categories or missing cells, which
// Spec.Table is for.
func (j *Job) Mixed() bool { return j.mixed }

// Bytes returns about how much memory the columns of all rows take, as it follows from the
// beginning of the first file; 0 if that cannot be said, and for a job that Open has read.
func (j *Job) Bytes() int64 { return j.bytes }

// Reading says what the passes of a fit are expected to read.
type Reading struct {
	Passes int   // passes over all rows that the fit makes
	Files  int   // how many of the passes read the files
	Bytes  int64 // bytes that the passes over the files read in all
	Kept   int64 // bytes on disk of the rows as numbers, which the other passes read
}

// PlanPasses returns the expected cost of a fit by passes to rows of shape s, and what the passes read. plan.PeakBytes is the
// memory of one process, the sample included.
func (j *Job) PlanPasses(s gram.Shape, run gram.Run) (plan gram.Plan, read Reading, err error) {
	fitter, err := j.Spec.byPasses()
	if err != nil {
		return plan, read, err
	}
	const products = 20 // as the plan of the fitter assumes
	read.Passes = 1 + 1 + products
	if j.Spec.Table != nil {
		read.Passes++
	}
	read.Files = read.Passes
	if !numbers(j.options.Format, j.Items[0].Path) {
		nnz := int64(-1)
		if s.NNZ > 0 {
			nnz = s.NNZ
		}
		read.Files, read.Kept = read.Passes-products, keptBytes(int64(s.N), int64(s.D), nnz)
	}
	read.Bytes = int64(read.Files) * j.files
	plan, err = fitter.PlanPasses(s, j.Spec.Sample, run)
	plan.PeakBytes += sampleBytes(int64(min(j.Spec.Sample, s.N)), int64(s.D))
	return plan, read, err
}

// sampleBytes is the memory of a sample of dense rows as it was drawn and as a matrix that is scaled.
func sampleBytes(rows, d int64) int64 { return rows * (drawnBytes + 12*d + 16*d) }

// counter is a reader that counts the bytes read through it.
type counter struct {
	r io.Reader
	n int64
}

// Read reads from c.r and adds the number of bytes to c.n.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// stored returns the job in the form in which Work keeps it.
func (j *Job) stored() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "\t")
	err := e.Encode(storedJob{j.id, machine(), j})
	return b.Bytes(), err
}

type storedJob struct {
	ID string
	platform
	Job *Job
}

// read is the inverse of stored. It returns an error if the text does not describe the job
// that its identity is of, or if this machine computes otherwise.
func read(text []byte, path string) (*Job, error) {
	var s storedJob
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Job == nil || len(s.Job.Items) == 0 {
		return nil, fmt.Errorf("%s: there is no job in it", path)
	}
	if err := s.Job.resolve(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Job.id != s.ID {
		return nil, fmt.Errorf("%s: it was changed after the data were cut", path)
	}
	if err := s.platform.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s.Job, nil
}

// check returns an error if this machine gives other bits than h.
func (h platform) check() error {
	m := machine()
	if h.Level != m.Level {
		return fmt.Errorf("computed at level %s, but this is level %s: set GRAM_LEVEL to the lowest level of all machines", h.Level, m.Level)
	}
	if h.Backend != m.Backend {
		return fmt.Errorf("computed with the backend %s, but this is %s", h.Backend, m.Backend)
	}
	return nil
}
