package job

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/routed"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

// DefaultCap is the largest number of rows of a part for methods that are always divided, and of a
// divided fit that the command chooses.
const DefaultCap = 3000

// inParts are the methods of the catalog that are always divided, with those of their parts.
var inParts = map[string]string{"dc-krr": "krr", "bka-svm": "svm"}

// local returns the method that is fitted to each part of a divided fit, with its settings. mean
// says that the parts are random, and that a prediction is the mean of all.
func (s Spec) local() (m catalog.Method, fitter catalog.Fitter, mean bool, err error) {
	name, divided := inParts[s.Method]
	if !divided {
		name = s.Method
	}
	if m, err = catalog.Find(name); err != nil {
		return m, nil, false, err
	}
	if m.Clusters || !slices.Contains(m.Tasks, dataset.Classes) && !slices.Contains(m.Tasks, dataset.Regression) {
		return m, nil, false, settings.Refuse("method", s.Method, "one that learns classes or values, to be fitted in parts")
	}
	var given []string
	for _, a := range s.Settings {
		how, is := strings.CutPrefix(a, "partition=")
		switch {
		case !divided || !is:
			given = append(given, a)
		case how == "random" && name == "krr":
			mean = true
		case how != "kmeans":
			return m, nil, false, settings.Refuse("partition", how, "kmeans, or random for dc-krr, for rows that are not in memory together")
		}
	}
	fitter = m.New()
	return m, fitter, mean, fitter.Settings().Set(given...)
}

// route divides the rows by the sample x: it sets the tree, the number of parts, and the settings
// of the local fits that follow from the data.
func (f *Features) route(ctx context.Context, x mat.Matrix, run gram.Run) error {
	s := f.j.Spec
	m, fitter, mean, err := s.local()
	if err != nil {
		return err
	}
	if !slices.Contains(m.Tasks, f.Info.Task) {
		return settings.Refuse("task", f.Info.Task, "one that method %s learns", m.Name)
	}
	f.Settings = append(f.Settings, kernel.FixGamma(fitter.Settings(), x, s.Seed)...) // the same for all parts
	if mean {
		f.Parts = routed.MeanParts(f.Info.N, s.Cap)
		return nil
	}
	if f.Tree, err = routed.Tree(ctx, x, f.Info.N, s.Cap, run); err != nil {
		return err
	}
	f.Parts = f.Tree.Leaves()
	return nil
}

// rowsOf is the rows of an item that belong to one part.
type rowsOf struct {
	x     mat.Matrix // n×d, scaled
	class []int
	value []float64
}

// Exchange describes in a file the rows, dense or sparse, with their classes or values.
func (r *rowsOf) Exchange(x *modelfile.Exchange) {
	dense, _ := r.x.(*mat.Dense)
	csr, _ := r.x.(*sparse.CSR)
	head := struct{ N, D, Kind int }{Kind: 0}
	if r.x != nil {
		head.N, head.D = r.x.Dims()
	}
	if csr != nil {
		head.Kind = 1
	}
	x.Header("job.rows", 1, &head)
	x.Require(head.N > 0 && head.D > 0, "", "%d rows of %d columns", head.N, head.D)
	if head.Kind == 1 {
		x.CSR("x", &csr, head.N, head.D)
	} else {
		x.Dense("x", &dense, head.N, head.D)
	}
	if x.Optional("class", r.class != nil) {
		x.Ints("class", &r.class, head.N, 0, math.MaxInt32)
	} else {
		x.Float64("value", &r.value, head.N)
	}
	if x.Reading() {
		if r.x = dense; csr != nil {
			r.x = csr
		}
	}
}

// Encode writes what Exchange describes.
func (r *rowsOf) Encode(w *modelfile.Writer) error { return modelfile.Put(w, r.Exchange) }

// index is the end of the file of an item's rows: where the rows of each part end, and how many they
// are.
type index struct{ ends, rows []int64 }

// Exchange describes in a file where the rows of each part end and how many they are.
func (n *index) Exchange(x *modelfile.Exchange) {
	parts := len(n.rows)
	x.Header("job.index", 1, &struct{}{})
	x.Int64("ends", &n.ends, parts)
	x.Int64("rows", &n.rows, parts)
	x.Require(slices.IsSorted(n.ends) && (parts == 0 || n.ends[0] >= 0 && slices.Min(n.rows) >= 0), "ends", "they do not ascend")
}

const (
	assignPass = "assign"
	fitPass    = "fit"
)

// assign returns the pass that sends the rows of each item to their parts.
func (w *Work) assign(f *Features) Pass {
	p := Pass{Name: assignPass, j: w.Job, pieces: len(w.Job.Items)}
	p.cost = func(workers int) int64 { // an item's rows, as they are read and sorted by part
		return 2 * int64(workers) * f.rowBytes((f.Info.N-1)/p.pieces+1)
	}
	p.compute = func(ctx context.Context, k int, _ gram.Run) error {
		rows, parts, err := f.divide(ctx, k)
		if err != nil {
			return err
		}
		return modelfile.WriteFile(w.path(p, node{0, k}), func(to io.Writer) error { return w.writeRows(to, p, k, rows, parts) })
	}
	p.verify = func(k int) bool {
		file, _, _, err := w.openRows(f, p, k)
		if err != nil {
			return false
		}
		file.Close()
		return true
	}
	return p
}

// rowBytes returns about how many bytes n rows with their targets take.
func (f *Features) rowBytes(n int) int64 {
	if f.options().Storage == dataset.Sparse {
		return int64(n)*16 + 12*int64(f.Info.Density()*float64(n)*float64(f.Info.D))
	}
	return 8 * int64(n) * int64(f.Info.D+1)
}

// divide returns the rows of item k, and the numbers of those of each part.
func (f *Features) divide(ctx context.Context, k int) (*rowsOf, [][]int, error) {
	parts := make([][]int, f.Parts)
	var blocks []mat.Matrix
	all := &rowsOf{}
	keys := rng.New(rng.Derive(f.j.Spec.Seed, "part"), uint64(k))
	row := 0
	for set, err := range f.j.Items[k].Blocks(ctx, f.options(), linear.BlockRows) {
		if err != nil {
			return nil, nil, err
		}
		x := f.scaled(set.X)
		n, _ := x.Dims()
		label := make([]int, n)
		if f.Tree != nil {
			f.Tree.Assign(label, x)
		} else {
			for i := range label {
				label[i] = keys.IntN(f.Parts)
			}
		}
		for _, part := range label {
			if part < 0 {
				return nil, nil, fmt.Errorf("%s: a row has a number that is not finite", f.j.Items[k].Path)
			}
			parts[part] = append(parts[part], row)
			row++
		}
		if gram.CSR(x) == nil {
			x = mat.DenseCopyOf(x)
		}
		blocks = append(blocks, x)
		all.class, all.value = append(all.class, set.Labels.Class...), append(all.value, set.Value...)
	}
	if row > 0 {
		all.x = stacked(blocks)
	}
	return all, parts, nil
}

// only returns the rows with the given numbers.
func (r *rowsOf) only(index []int) *rowsOf {
	s := &rowsOf{x: gram.Matrix(gram.Of(r.x).Select(index))}
	for _, i := range index {
		if r.class != nil {
			s.class = append(s.class, r.class[i])
		} else {
			s.value = append(s.value, r.value[i])
		}
	}
	return s
}

// stacked returns the rows of all blocks, which are of one kind, in one matrix.
func stacked(blocks []mat.Matrix) mat.Matrix {
	n := 0
	_, d := blocks[0].Dims()
	for _, b := range blocks {
		r, _ := b.Dims()
		n += r
	}
	if gram.CSR(blocks[0]) == nil {
		all := mat.NewDense(n, d, nil)
		n = 0
		for _, b := range blocks {
			r, _ := b.Dims()
			all.Slice(n, n+r, 0, d).(*mat.Dense).Copy(b)
			n += r
		}
		return all
	}
	all := &sparse.CSR{N: n, D: d, Ptr: []int{0}, Col: []int32{}, Val: []float64{}}
	for _, b := range blocks {
		c := gram.CSR(b)
		for i := range c.N {
			col, val := c.Row(i)
			all.Col, all.Val = append(all.Col, col...), append(all.Val, val...)
			all.Ptr = append(all.Ptr, len(all.Col))
		}
	}
	return all
}

// writeRows writes the rows of item k: those of each part as a model file of its own, so that a
// part is read without the others, then the index, and in the last eight bytes its length.
func (w *Work) writeRows(to io.Writer, p Pass, k int, rows *rowsOf, parts [][]int) error {
	body := &counted{to: to}
	n := &index{}
	for _, part := range parts {
		if len(part) > 0 {
			if err := modelfile.Write(body, rows.only(part)); err != nil {
				return err
			}
		}
		n.ends, n.rows = append(n.ends, body.n), append(n.rows, int64(len(part)))
	}
	before := body.n
	if err := modelfile.Write(body, &envelope{w.Job.id, p.Name, node{0, k}, machine(), n}); err != nil {
		return err
	}
	return binary.Write(to, binary.LittleEndian, body.n-before)
}

// counted is a writer that counts the bytes written through it.
type counted struct {
	to io.Writer
	n  int64
}

// Write writes p to c.to and adds the number of bytes written to c.n.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// openRows opens the file of the rows of item k, which is complete.
func (w *Work) openRows(f *Features, p Pass, k int) (file store.File, path string, n *index, err error) {
	path = w.path(p, node{0, k})
	if file, err = store.Open(path); err != nil {
		return nil, path, nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, path, nil, err
	}
	var length int64
	end := info.Size() - 8
	if err = binary.Read(io.NewSectionReader(file, end, 8), binary.LittleEndian, &length); err != nil {
		return nil, path, nil, err
	}
	if length < 0 || length > end {
		return nil, path, nil, errors.New("the file ends too early")
	}
	head, err := modelfile.Read(io.NewSectionReader(file, end-length, length))
	if err != nil {
		return nil, path, nil, err
	}
	n = &index{ends: make([]int64, f.Parts), rows: make([]int64, f.Parts)}
	if _, err = modelfile.Get(head, &envelope{job: w.Job.id, pass: p.Name, at: node{0, k}, body: n}, (*envelope).Exchange); err != nil {
		return nil, path, nil, err
	}
	if n.ends[f.Parts-1] != end-length {
		err = errors.New("rows are missing")
	}
	return file, path, n, err
}

// gather returns all rows of a part, in the order of the data.
func (w *Work) gather(ctx context.Context, f *Features, part int) (*dataset.Set, error) {
	var blocks []mat.Matrix
	set := &dataset.Set{}
	if f.Info.Task == dataset.Classes {
		set.Labels.Names = f.Info.Names
	}
	p := w.assign(f)
	for k := range w.Job.Items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := w.readRows(f, p, k, part)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("pass %s has not read item %d: %w", p.Name, k, err)
		}
		if err != nil {
			return nil, err
		}
		if r.x == nil {
			continue
		}
		blocks = append(blocks, r.x)
		set.Labels.Class, set.Value = append(set.Labels.Class, r.class...), append(set.Value, r.value...)
	}
	if len(blocks) == 0 { // a center that no row is nearest to
		set.X = &mat.Dense{}
		return set, nil
	}
	set.X = stacked(blocks)
	return set, nil
}

// readRows reads the rows of item k that belong to a part.
func (w *Work) readRows(f *Features, p Pass, k, part int) (*rowsOf, error) {
	file, path, n, err := w.openRows(f, p, k)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := &rowsOf{}
	if n.rows[part] == 0 {
		return r, nil
	}
	lo := int64(0)
	if part > 0 {
		lo = n.ends[part-1]
	}
	block, err := modelfile.Read(io.NewSectionReader(file, lo, n.ends[part]-lo))
	if err == nil {
		_, err = modelfile.Get(block, r, (*rowsOf).Exchange)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: part %d: %w", path, part, err)
	}
	return r, nil
}

// partFolder is the folder of the models of the parts.
func (w *Work) partFolder() string { return store.Join(w.Dir, "parts") }

// partFile is the file of the model of part k.
func (w *Work) partFile(k int) string { return routed.PartPath(w.partFolder(), k) }

// fit returns the pass that fits the model of each part.
func (w *Work) fit(f *Features) Pass {
	p := Pass{Name: fitPass, j: w.Job, pieces: f.Parts}
	p.cost = func(workers int) int64 {
		rows := min(w.Job.Spec.Cap, f.Info.N)
		need := f.rowBytes(rows)
		if _, fitter, _, err := w.Job.Spec.local(); err == nil { // else the fit says what is wrong
			if plan, err := fitter.Plan(f.Info.Task, gram.Shape{N: rows, D: f.Info.D, Outputs: max(1, len(f.Info.Names))}, gram.Run{}); err == nil {
				need += plan.PeakBytes
			}
		}
		return int64(workers) * need
	}
	p.compute = func(ctx context.Context, k int, run gram.Run) error {
		set, err := w.gather(ctx, f, k)
		if err != nil {
			return err
		}
		m, _, _, err := w.Job.Spec.local()
		if err != nil {
			return err
		}
		run.Seed, run.Progress = rng.Derive(w.Job.Spec.Seed, fmt.Sprint("part ", k)), nil
		part, err := routed.FitPart(ctx, set.X, set.Labels, f.Info.D, w.Job.Spec.Cap, run, func(ctx context.Context, index []int, y gram.Labels) (modelfile.Model, error) {
			_, fitter, _, err := w.Job.Spec.local()
			if err != nil {
				return nil, err
			}
			if err := fitter.Settings().Set(f.Settings...); err != nil {
				return nil, err
			}
			d := set.Select(index)
			d.Labels = y
			return fitter.Fit(ctx, d, run)
		})
		if err != nil {
			return fmt.Errorf("%s of part %d: %w", m.Name, k, err)
		}
		if !store.Remote(w.partFolder()) {
			if err := os.MkdirAll(w.partFolder(), 0o777); err != nil {
				return err
			}
		}
		return routed.WritePart(w.partFile(k), w.Job.id, k, part, catalog.Registry())
	}
	p.verify = func(k int) bool {
		_, err := routed.ReadPart(w.partFile(k), w.Job.id, k, len(f.Info.Names), f.Info.D, catalog.Registry())
		return err == nil
	}
	return p
}

// assemble returns the model of all parts, which stay in the folder.
func (w *Work) assemble(f *Features) (*pipeline.Model, error) {
	fit := w.fit(f)
	for k := range f.Parts {
		if !w.ready(fit, node{0, k}) {
			return nil, fmt.Errorf("pass %s has not made part %d of %d: %w", fitPass, k, f.Parts, os.ErrNotExist)
		}
	}
	m := routed.New(f.Tree, f.Parts, f.Info.D, f.Info.Names, w.Job.id, w.partFolder(), catalog.Registry())
	return &pipeline.Model{
		Method: routed.Method, Task: f.Info.Task, Dim: f.Info.D, Names: f.Info.Names, Model: m.Predictor(),
		Schema: f.Info.Schema, Scaling: f.Scaling, Storage: f.options().Storage,
	}, nil
}

// Save writes a model of Work.Model. That of a divided fit has its parts in the folder
// routed.Folder(path) beside the file.
func Save(path string, m *pipeline.Model) error {
	if r, ok := m.Model.(interface{ CopyParts(folder string) error }); ok {
		if err := r.CopyParts(routed.Folder(path)); err != nil {
			return err
		}
	}
	return modelfile.Save(path, m)
}
