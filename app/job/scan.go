package job

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// scanned is the state of the pass Scan.
type scanned struct {
	summary dataset.Summary
	moments dataset.Moments
	sample  []sampledRow
	largest float64 // the largest |v| of the numbers v that the method learns from, before they are scaled
	most    int     // rows of the sample
	width   int     // of the encoded rows; 0: the columns of the data
}

// sampledRow is a row of the sample: its random key, its place in the data, its entries before they are scaled, and the text of
// its target.
type sampledRow struct {
	key       uint64
	item, row int64
	col       []int32
	val       []float64
	target    string
}

// charged returns the memory of a sample that is counted against a limit: a small one has room in any
// process.
func charged(bytes int64) int64 {
	const small = 8 << 20
	if bytes <= small {
		return 0
	}
	return bytes
}

// drawnBytes is the memory of a drawn row without its numbers.
const drawnBytes = 80

// bytes returns the memory that the rows of the sample take, in bytes.
func (s *scanned) bytes() (n int64) {
	for _, d := range s.sample {
		n += drawnBytes + 12*int64(len(d.val))
	}
	return n
}

// compare orders rows by their keys. No two rows are equal.
func (a sampledRow) compare(b sampledRow) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.item, b.item), cmp.Compare(a.row, b.row))
}

// Scan returns the first pass: what the data are, and a sample of the rows.
func (j *Job) Scan() Pass {
	return Pass{
		Name: "scan",
		j:    j,
		item: j.scan,
		make: func() State { return &scanned{most: j.Spec.Sample, width: j.table.width()} },
		cost: func(int) int64 {
			if !j.draws() { // nothing is drawn
				return 0
			}
			return charged(j.sampled)
		},
	}
}

// draws reports whether the pass Scan draws a sample.
func (j *Job) draws() bool { return j.mapped || j.drawing }

func (j *Job) scan(ctx context.Context, k int) (State, error) {
	s := &scanned{most: j.Spec.Sample, width: j.table.width()}
	folds := j.folds(k)
	keys := rng.New(rng.Derive(j.Spec.Seed, "sample"), uint64(k))
	row := int64(0)
	summary, err := j.Items[k].Scan(ctx, j.read(), linear.BlockRows, func(set *dataset.Set, targets []string) error {
		rows := j.table.encoded(set.X, folds)
		x := gram.Of(rows)
		for i := range x.N() {
			if key := keys.Uint64(); j.draws() && (j.Below == 0 || key <= j.Below) {
				d := sampledRow{key: key, item: int64(k), row: row}
				if targets != nil {
					d.target = strings.Clone(targets[i])
				}
				s.draw(d, x, i)
			}
			x.Each(i, func(_ int, v float64) {
				if v = math.Abs(v); v > s.largest {
					s.largest = v
				}
			})
			row++
		}
		if j.scale == training.NoScale || j.scale == training.AutoScale && gram.CSR(rows) != nil {
			return nil
		}
		s.moments.Add(rows)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.summary = *summary
	s.cut()
	return s, nil
}

// draw adds row i of x to the sample, as d. It drops the largest keys when there are twice as many
// rows as wanted.
func (s *scanned) draw(d sampledRow, x gram.Samples[float64], i int) {
	n := 0
	x.Each(i, func(_ int, v float64) {
		if v != 0 {
			n++
		}
	})
	d.col, d.val = make([]int32, 0, n), make([]float64, 0, n)
	x.Each(i, func(j int, v float64) {
		if v != 0 {
			d.col, d.val = append(d.col, int32(j)), append(d.val, v)
		}
	})
	s.sample = append(s.sample, d)
	if len(s.sample) >= 2*s.most {
		s.cut()
	}
}

// cut keeps the rows with the smallest keys.
func (s *scanned) cut() {
	slices.SortFunc(s.sample, sampledRow.compare)
	if len(s.sample) > s.most {
		clear(s.sample[s.most:])
		s.sample = s.sample[:s.most]
	}
}

func (s *scanned) add(o State) error {
	t := o.(*scanned)
	if err := s.summary.Merge(&t.summary); err != nil {
		return err
	}
	s.moments.Merge(&t.moments)
	s.largest = max(s.largest, t.largest)
	s.sample = append(s.sample, t.sample...)
	s.cut()
	return nil
}

// Exchange describes in a file the summary, the sample and the moments. A state of version 1, which has no targets, is refused.
func (s *scanned) Exchange(x *modelfile.Exchange) {
	head := struct {
		dataset.Summary
		Format  string
		Largest float64
	}{s.summary, s.summary.Format.String(), s.largest}
	x.Header("job.scan", 2, &head)
	x.Require(!x.Reading() || x.Version() == 2, "", "the state of an earlier version, without targets: begin the job again")
	var keys, items, rows []int64
	var targets []string
	a := &sparse.CSR{N: len(s.sample), Ptr: []int{0}, Col: []int32{}, Val: []float64{}}
	for _, d := range s.sample {
		keys, items, rows = append(keys, int64(d.key)), append(items, d.item), append(rows, d.row)
		targets = append(targets, d.target)
		a.Col, a.Val = append(a.Col, d.col...), append(a.Val, d.val...)
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	a.D = cmp.Or(s.width, max(1, head.D))
	x.Int64("keys", &keys, -1)
	x.Int64("items", &items, len(keys))
	x.Int64("rows", &rows, len(keys))
	var lost []int // cells that are missing
	for i, v := range a.Val {
		if v != v {
			lost, a.Val[i] = append(lost, i), 0
		}
	}
	x.CSR("sample", &a, len(keys), cmp.Or(s.width, max(1, head.D)))
	if x.Optional("missing", lost != nil) { // which trees take
		x.Ints("missing", &lost, -1, 0, len(a.Val)-1)
	}
	for i := 0; i < len(lost) && x.Reading(); i++ {
		a.Val[lost[i]] = math.NaN()
	}
	x.Strings("targets", &targets)
	x.Require(len(targets) == len(keys), "targets", "%d, want %d", len(targets), len(keys))
	x.Part("moments", s.moments.Exchange)
	if !x.Reading() {
		return
	}
	s.summary, s.largest = head.Summary, head.Largest
	var err error
	s.summary.Format, err = dataset.ParseFormat(head.Format)
	x.Require(err == nil, "", "the format %q", head.Format)
	x.Require(len(keys) <= s.most, "keys", "%d rows, want at most %d", len(keys), s.most)
	for i := range keys {
		col, val := a.Row(i)
		s.sample = append(s.sample, sampledRow{uint64(keys[i]), items[i], rows[i], col, val, targets[i]})
	}
	x.Require(slices.IsSortedFunc(s.sample, sampledRow.compare), "keys", "they do not ascend")
}

// ordered returns the sample in the order of the rows of the data.
func (s *scanned) ordered() []sampledRow {
	rows := slices.Clone(s.sample)
	slices.SortFunc(rows, func(a, b sampledRow) int { return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.row, b.row)) })
	return rows
}

// Sample returns the sample that the pass Scan has drawn, with the columns that the method learns from before they are scaled.
// state is the result of Scan. There is a sample if the method learns from one, or if Drawing was called for the job.
func (j *Job) Sample(state State) (*dataset.Set, error) {
	s := state.(*scanned)
	info := j.table.info
	if j.Spec.Table == nil {
		var err error
		if info, err = s.summary.Info(j.Spec.Data); err != nil {
			return nil, err
		}
	}
	info.NNZ = s.summary.NNZ
	f := &Features{Info: info, Columns: j.table.columns, j: j}
	if err := f.check(); err != nil {
		return nil, err
	}
	if j.OnDisk() && f.kinds() != nil {
		return nil, settings.Refuse("search", "on a sample", "columns of numbers for trees: %s has levels or missing cells", j.Spec.Data)
	}
	d, err := s.set(s.matrix(f.dim(), f.options().Storage), info.Task)
	if err == nil && d.Value != nil {
		err = d.CheckTargets()
	}
	return d, err
}

// Drawing makes the pass Scan draw a sample although the method learns from none, for Sample.
func (j *Job) Drawing() { j.drawing = true }

// set returns the sample with the features x and its targets, of which there are some.
func (s *scanned) set(x mat.Matrix, task dataset.Task) (*dataset.Set, error) {
	d := &dataset.Set{X: x}
	var texts []string
	for _, r := range s.ordered() {
		texts = append(texts, r.target)
	}
	if task == dataset.Classes {
		d.Labels = gram.NewLabels(texts)
		return d, nil
	}
	d.Value = make([]float64, len(texts))
	for i, text := range texts {
		var err error
		if d.Value[i], err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return nil, fmt.Errorf("the target %.40q of a row of the sample is not a number", text)
		}
	}
	return d, nil
}

// matrix returns the sample in the order of the rows of the data.
func (s *scanned) matrix(d int, storage dataset.Storage) mat.Matrix {
	rows := s.ordered()
	size := 0
	for _, r := range rows {
		size += len(r.col)
	}
	a := &sparse.CSR{N: len(rows), D: d, Ptr: []int{0}, Col: make([]int32, 0, size), Val: make([]float64, 0, size)}
	for _, r := range rows {
		a.Col, a.Val = append(a.Col, r.col...), append(a.Val, r.val...)
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	if storage == dataset.Sparse {
		return a
	}
	return a.Dense()
}

// Features is what follows from the first pass: the shape of the data, the scaling and the
// feature map.
type Features struct {
	Info    dataset.Info
	Columns *encode.Streamed // what the columns of a table become; nil: they are numbers
	Scaling *dataset.Scaling // nil: none
	Map     basis.Basis      // nil: the features are the data
	Bins    *gbdt.Bins       // of trees; nil: the method is another one
	Passes  *falkon.Passes   // of falkon; nil: the method is another one
	j       *Job
	factors *falkon.Factors // beside Passes, where they were computed or read
	kept    keeper          // of the rows; nil: each pass reads the files

	Settings []string // that the sample has decided on
	// Tree and Parts say how a divided fit divides the rows.
	Tree  *kmeans.TreeModel // sends the rows to their parts; nil: the parts are random
	Parts int
}

// Features fits the feature map to the sample, on run.Workers goroutines. state is the result
// of Scan.
func (j *Job) Features(ctx context.Context, state State, run gram.Run) (*Features, error) {
	s := state.(*scanned)
	info := j.table.info
	if j.Spec.Table == nil {
		var err error
		if info, err = s.summary.Info(j.Spec.Data); err != nil {
			return nil, err
		}
	} else if err := (&Features{Info: info}).sameRows(s.summary.N); err != nil {
		return nil, err
	}
	info.NNZ = s.summary.NNZ
	f := &Features{Info: info, Columns: j.table.columns, j: j}
	if err := f.check(); err != nil {
		return nil, err
	}
	var err error
	if f.Scaling, err = f.scaling(s); err != nil {
		return nil, err
	}
	run.Seed = j.Spec.Seed
	// The sample is held as it was drawn, and while it is scaled twice as a matrix.
	most := run.MemoryLimit
	if run, err = run.Beside(charged(s.bytes() + 16*int64(len(s.sample))*int64(f.dim()))); err != nil {
		return nil, err
	}
	if j.Spec.Cap > 0 {
		return f, f.route(ctx, f.scaled(s.matrix(info.D, f.options().Storage)), run)
	}
	if j.OnDisk() {
		d, err := s.set(f.scaled(s.matrix(f.dim(), dataset.Dense)), info.Task)
		if err != nil {
			return nil, err
		}
		return f.forTrees(ctx, d, run)
	}
	if f.Scaling == nil {
		if err := checkLargest(s.largest, "the largest number of "+j.Spec.Data); err != nil {
			return nil, err
		}
	}
	if j.ByPasses() {
		d, err := s.set(f.scaled(s.matrix(f.dim(), f.options().Storage)), info.Task)
		if err != nil {
			return nil, err
		}
		return f.beginPasses(ctx, d, run)
	}
	fitter, err := j.Spec.fitter()
	if err != nil {
		return nil, err
	}
	if err := f.learns(fitter); err != nil {
		return nil, err
	}
	if !j.mapped {
		return f, f.fits(most)
	}
	d, err := s.set(f.scaled(s.matrix(f.dim(), f.options().Storage)), info.Task)
	if err != nil {
		return nil, err
	}
	if err := f.choose(ctx, d, run); err != nil {
		return nil, err
	}
	if fitter, err = f.fitter(); err != nil {
		return nil, err
	}
	if f.Map, err = fitter.FitMap(ctx, d.X, run); err != nil {
		return nil, err
	}
	if err := f.fits(most); err != nil { // before rows are mapped, which may be wide
		return nil, err
	}
	more, err := fitter.Choose(ctx, f.Map, d, info.N, run)
	f.Settings = append(f.Settings, more...)
	return f, err
}

// forTrees returns f with what is chosen on the sample d for boosted trees, and the bins of its columns.
func (f *Features) forTrees(ctx context.Context, d *dataset.Set, run gram.Run) (*Features, error) {
	d.Schema = f.kinds()
	if err := f.choose(ctx, d, run); err != nil {
		return nil, err
	}
	if err := f.chooseRounds(ctx, d, run); err != nil {
		return nil, err
	}
	trees, err := f.onDisk()
	if err == nil {
		f.Bins, err = trees.NewBins(ctx, d.X, f.kinds(), f.Info.Names, run)
	}
	return f, err
}

// scaling returns the scaling of the columns by the moments of all rows.
func (f *Features) scaling(s *scanned) (*dataset.Scaling, error) {
	scale := f.j.scale
	if scale == training.AutoScale {
		// Of sparse rows there are no moments.
		dense := f.options().Storage == dataset.Dense && s.moments.Rows() == int64(f.Info.N)
		if scale = training.NoScale; dense && !s.moments.Within(1) {
			scale = training.Standard
		}
	}
	switch scale {
	case training.MinMax:
		return s.moments.MinMax(0, 1)
	case training.Unit:
		return s.moments.UnitVariance()
	case training.Standard:
		return s.moments.Standardize()
	case training.UnitRows:
		return dataset.UnitRows(f.dim()), nil
	}
	return nil, nil
}

// choose sets the settings that the method chooses by the data, on the sample d.
func (f *Features) choose(ctx context.Context, d *dataset.Set, run gram.Run) error {
	m, err := catalog.Find(f.j.Spec.Method)
	if err != nil {
		return err
	}
	fitter := m.New()
	if err := fitter.Settings().Set(f.j.Spec.Settings...); err != nil {
		return err
	}
	if err := f.number(fitter.Settings()); err != nil {
		return err
	}
	f.Settings, err = catalog.ChosenOn(ctx, fitter, d, f.Info.N, run)
	return err
}

// number puts numbers in place of the names of columns in settings.
func (f *Features) number(b *settings.Bound) error {
	var e *encode.Encoding
	if f.Columns != nil {
		e = f.Columns.Encoding
	}
	return training.NumberColumns(b, f.Info.Schema, e)
}

// fitter returns the fitter with the settings of the Spec and those that were chosen.
func (f *Features) fitter() (catalog.Streamed, error) {
	fitter, err := f.j.Spec.fitter()
	if err == nil {
		err = fitter.Settings().Set(f.Settings...)
	}
	return fitter, err
}

// fits returns a *gram.MemoryError if the states of the next pass are too large for the limit.
func (f *Features) fits(limit int64) error {
	p := int64(min(f.Width(), mostFeatures+1))
	need := f.cost(8*(p+1)*(p+1), 3)(1)
	switch {
	case p > mostFeatures:
		return settings.Refuse("features", f.Width(), "at most %d for sums over the rows", mostFeatures)
	case limit > 0 && need > limit:
		return &gram.MemoryError{Need: need, Limit: limit}
	case f.Info.Task == dataset.Classes:
		_, err := f.begin()
		return err
	}
	return nil
}

// check returns an error unless the method learns the targets from a stream.
func (f *Features) check() error {
	if f.Info.Task != dataset.Regression && f.Info.Task != dataset.Classes {
		return settings.Refuse("task", f.Info.Task, "regression or classes: from a stream of rows, %s learns these", f.j.Spec.Method)
	}
	return nil
}

// learns returns an error unless the settings of the linear functions are for the targets.
func (f *Features) learns(fitter catalog.Streamed) error {
	if f.Info.Task == dataset.Classes {
		_, err := fitter.Linear(f.Info.Task).Newton(1, len(f.Info.Names))
		return err
	}
	_, err := fitter.Linear(f.Info.Task).Values()
	return err
}

// options says how items are read now that Scan has found out the task and the shape of the data.
func (f *Features) options() dataset.Options { return f.Info.Options(f.j.options) }

func (f *Features) scaled(x mat.Matrix) mat.Matrix {
	if f.Scaling == nil {
		return x
	}
	return f.Scaling.Apply(x)
}

// Width returns the number of features of a row: landmarks, features of the map, or columns.
func (f *Features) Width() int {
	if f.Passes != nil {
		return f.Passes.Landmarks()
	}
	if f.Map == nil {
		return f.dim()
	}
	_, p := f.Map.Dims()
	return p
}

// storedFeatures reads and writes Features as a file that belongs to one job and platform.
type storedFeatures struct {
	*Features
}

// Encode writes what Exchange describes.
func (s storedFeatures) Encode(w *modelfile.Writer) error {
	return modelfile.Put(w.With(catalog.Registry()), s.Exchange)
}

// Exchange describes the features in a file. A file of another job, or of a platform that computes other bits, is refused.
func (s storedFeatures) Exchange(x *modelfile.Exchange) {
	head := struct {
		Job string
		platform
		Format, Task string
		N, D, Tags   int
		NNZ          int64
	}{s.j.id, machine(), s.Info.Format.String(), s.Info.Task.String(), s.Info.N, s.Info.D, s.Info.Tags, s.Info.NNZ}
	x.Header("job.features", 1, &head)
	x.Strings("names", &s.Info.Names)
	if x.Reading() {
		s.read(x, head.Job, head.platform)
		var err error
		s.Info.Format, err = dataset.ParseFormat(head.Format)
		x.Require(err == nil, "", "the format %q", head.Format)
		s.Info.Task, err = dataset.ParseTask(head.Task)
		x.Require(err == nil, "", "the task %q", head.Task)
		x.Require(head.N > 0 && head.D > 0 && head.D <= math.MaxInt32, "", "%d rows of %d columns", head.N, head.D)
		s.Info.N, s.Info.D, s.Info.Tags, s.Info.NNZ = head.N, head.D, head.Tags, head.NNZ
	}
	if x.OptionalPart("schema", s.Info.Schema != nil) {
		modelfile.Part(x, "schema", &s.Info.Schema, dataset.DecodeSchema)
	}
	if x.OptionalPart("columns", s.Columns != nil) {
		if x.Reading() {
			s.Columns = &encode.Streamed{}
		}
		x.Part("columns", s.Columns.Exchange)
		if x.Reading() {
			d, _ := s.Columns.Dims()
			x.Require(d == s.Info.D, "columns", "they are those of another table")
		}
	}
	if x.OptionalPart("scaling", s.Scaling != nil) {
		modelfile.Part(x, "scaling", &s.Scaling, dataset.DecodeScaling)
	}
	if x.OptionalPart("map", s.Map != nil) {
		modelfile.Part(x, "map", &s.Map, basis.Decode)
	}
	if x.OptionalPart("bins", s.Bins != nil) {
		if x.Reading() {
			s.Bins = &gbdt.Bins{}
		}
		x.Part("bins", s.Bins.Exchange)
	}
	if x.OptionalPart("passes", s.Passes != nil) {
		modelfile.Part(x, "passes", &s.Passes, falkon.DecodePasses)
	}
	x.Strings("settings", &s.Settings)
	x.Int("parts", &s.Parts, 0, modelfile.MaxCount)
	if x.OptionalPart("tree", s.Tree != nil) {
		modelfile.Part(x, "tree", &s.Tree, kmeans.DecodeTree)
	}
	if x.Reading() {
		if s.Tree != nil {
			leaves, d := s.Tree.Dims()
			x.Require(leaves == s.Parts && d == s.Info.D, "tree", "it has %d leaves for %d columns", leaves, d)
		}
		x.Require((s.Parts > 0) == (s.j.Spec.Cap > 0), "parts", "%d parts", s.Parts)
		x.Require(s.Scaling == nil || len(s.Scaling.Shift) == s.dim(), "scaling", "it is for another number of columns")
		x.Require((s.Bins != nil) == s.j.OnDisk() && (s.Bins == nil || s.Bins.Dim() == s.dim()), "bins", "there are none, or for other columns")
		x.Require((s.Passes != nil) == s.j.ByPasses(), "passes", "there are none, or for another method")
		if s.Passes != nil {
			d, outputs := s.Passes.Dims()
			x.Require(d == s.dim() && outputs == multiclass.Functions(max(1, len(s.Info.Names))), "passes", "they are for other columns or targets")
		}
		if s.Map != nil {
			d, _ := s.Map.Dims()
			x.Require(d == s.dim(), "map", "it is for another number of columns")
		}
	}
}

// read refuses a file of another job, or of a platform that computes other bits.
func (s storedFeatures) read(x *modelfile.Exchange, id string, at platform) {
	if err := at.check(); err != nil {
		x.Errorf("", "%v", err)
	}
	x.Require(id == s.j.id, "", "features of another job: the data, the settings or the seed differ")
}

// checkLargest returns the error of Run.Samples for cells of which v is the largest in magnitude. argument
// names this number.
func checkLargest(v float64, argument string) error {
	_, err := gram.Run{}.Samples(noCost{}, mat.NewDense(1, 1, []float64{v}), 0)
	if e, is := err.(*gram.DataError); is {
		e.Row, e.Argument = -1, argument
	}
	return err
}

// noCost is the planner of no work, with which checkLargest borrows the checks of Run.Samples.
type noCost struct{}

// Plan returns a zero plan: to check a cell costs nothing.
func (noCost) Plan(gram.Shape) (gram.Plan, error) { return gram.Plan{}, nil }
