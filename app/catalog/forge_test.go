package catalog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/sketch"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var (
	forgeries = flag.Int("forge", 0, "forged models that TestForgedModels tries; 0: 10 of each file")
	forgeSeed = flag.Uint64("forge.seed", 1, "seed of the forgeries")
)

// forgery is a model file in parts that can be changed.
type forgery struct {
	meta   map[string]string
	arrays []forgedArray
}

type forgedArray struct {
	name, dtype string
	shape       []int64
	data        []byte
}

var sizeOf = map[string]int{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U8": 1}

// opened takes a model file apart: the model inside a golden file, or the model that the
// file holds itself.
func opened(t *testing.T, text []byte) forgery {
	t.Helper()
	head := text[8 : 8+binary.LittleEndian.Uint64(text)]
	var entries map[string]json.RawMessage
	f := forgery{meta: map[string]string{}}
	var all map[string]string
	if err := json.Unmarshal(head, &entries); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(entries["__metadata__"], &all); err != nil {
		t.Fatal(err)
	}
	outer := "model/"
	if all["method"] != "golden" {
		outer = ""
	}
	for key, value := range all {
		if key, inside := strings.CutPrefix(key, outer); inside && !strings.HasPrefix(key, "checksum") {
			f.meta[key] = value
		}
	}
	f.meta["format"] = all["format"]
	delete(entries, "__metadata__")
	for name, entry := range entries {
		name, inside := strings.CutPrefix(name, outer)
		if !inside {
			continue
		}
		var e struct {
			Dtype   string   `json:"dtype"`
			Shape   []int64  `json:"shape"`
			Offsets [2]int64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(entry, &e); err != nil {
			t.Fatal(err)
		}
		data := text[8+len(head):]
		f.arrays = append(f.arrays, forgedArray{name, e.Dtype, e.Shape, data[e.Offsets[0]:e.Offsets[1]]})
	}
	slices.SortFunc(f.arrays, func(a, b forgedArray) int { return strings.Compare(a.name, b.name) })
	return f
}

// bytes puts the file together, with checksums that fit.
func (f forgery) bytes() []byte {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	meta := map[string]string{}
	for k, v := range f.meta {
		meta[k] = v
	}
	entries := map[string]any{}
	var data []byte
	arrays := slices.Clone(f.arrays)
	slices.SortStableFunc(arrays, func(a, b forgedArray) int { return sizeOf[b.dtype] - sizeOf[a.dtype] }) // all are aligned
	for _, a := range arrays {
		meta["checksum:"+a.name] = fmt.Sprintf("%08x", crc32.Checksum(a.data, castagnoli))
		entries[a.name] = map[string]any{"dtype": a.dtype, "shape": a.shape, "data_offsets": []int{len(data), len(data) + len(a.data)}}
		data = append(data, a.data...)
	}
	delete(meta, "checksum")
	inner, _ := json.Marshal(meta)
	rest, _ := json.Marshal(entries)
	head := []byte(`{"__metadata__":{"checksum":"00000000",` + string(inner[1:]))
	if len(entries) > 0 {
		head = append(append(head, ','), rest[1:]...)
	} else {
		head = append(head, '}')
	}
	for (8+len(head))%64 != 0 {
		head = append(head, ' ')
	}
	copy(head[len(`{"__metadata__":{"checksum":"`):], fmt.Sprintf("%08x", crc32.Checksum(head, castagnoli)))
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), data...)
}

// texts, wholes and reals are what a forger puts in place of a value.
var (
	texts  = []any{-1, 0, 1, 2, 3, 7, 255, 65536, 2147483647, int64(2147483648), int64(8589934592), int64(math.MaxInt64), int64(math.MinInt64), -0.5, 1e-300, 1e9, "", "x", nil, true, []any{}, map[string]any{}}
	wholes = []int64{-1, 0, 1, 2, 3, 4, 7, 100, 65536, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1 << 33}
	reals  = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1, 1e9, -1e9}
)

// change forges f in one place and says what it did; false if nothing came of it.
func (f *forgery) change(r *rand.Rand) (string, bool) {
	keys := make([]string, 0, len(f.meta))
	for k := range f.meta {
		if k != "format" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	switch r.IntN(8) {
	case 0, 1, 2: // a value of a header
		key := keys[r.IntN(len(keys))]
		if !strings.HasSuffix(key, "config") {
			f.meta[key] = fmt.Sprint(texts[r.IntN(len(texts))])
			return key + " = " + f.meta[key], true
		}
		var v any
		if json.Unmarshal([]byte(f.meta[key]), &v) != nil {
			return "", false
		}
		what := ""
		v = forgeValue(r, v, &what)
		text, err := json.Marshal(v)
		f.meta[key] = string(text)
		return key + what, err == nil && what != ""
	case 3: // the shape, with data that fill it
		if len(f.arrays) == 0 {
			return "", false
		}
		a := &f.arrays[r.IntN(len(f.arrays))]
		size := 1
		if n := product(a.shape); n > 0 {
			size = len(a.data) / int(n)
		}
		a.shape = slices.Clone(a.shape)
		switch at := r.IntN(len(a.shape) + 1); {
		case at == len(a.shape) && r.IntN(2) == 0:
			a.shape = append(a.shape, 1)
		case at == len(a.shape):
			slices.Reverse(a.shape)
		default:
			a.shape[at] = max(0, a.shape[at]+[]int64{-1, 1, -a.shape[at], 3, a.shape[at]}[r.IntN(5)])
		}
		n := int(product(a.shape)) * size
		if n > 1<<16 {
			return "", false
		}
		data := make([]byte, n)
		copy(data, a.data)
		a.data = data
		return fmt.Sprintf("%s has shape %v", a.name, a.shape), true
	case 4: // an array that is not there, or two that change places
		if len(f.arrays) < 2 {
			return "", false
		}
		i, j := r.IntN(len(f.arrays)), r.IntN(len(f.arrays))
		if i == j {
			name := f.arrays[i].name
			f.arrays = slices.Delete(slices.Clone(f.arrays), i, i+1)
			return name + " is missing", true
		}
		f.arrays = slices.Clone(f.arrays)
		a, b := &f.arrays[i], &f.arrays[j]
		a.name, b.name = b.name, a.name
		return a.name + " and " + b.name + " change places", true
	default: // an element
		if len(f.arrays) == 0 {
			return "", false
		}
		a := &f.arrays[r.IntN(len(f.arrays))]
		a.data = slices.Clone(a.data)
		return a.element(r)
	}
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, v := range shape {
		n *= v
	}
	return n
}

// element changes an element of the array.
func (a *forgedArray) element(r *rand.Rand) (string, bool) {
	size := sizeOf[a.dtype]
	if len(a.data) < size {
		return "", false
	}
	at := r.IntN(len(a.data) / size)
	to := a.data[at*size:]
	var value any
	switch a.dtype {
	case "F64":
		v := reals[r.IntN(len(reals))]
		value = v
		binary.LittleEndian.PutUint64(to, math.Float64bits(v))
	case "F32":
		v := float32(reals[r.IntN(len(reals))])
		value = v
		binary.LittleEndian.PutUint32(to, math.Float32bits(v))
	case "I64":
		v := wholes[r.IntN(len(wholes))]
		value = v
		binary.LittleEndian.PutUint64(to, uint64(v))
	case "I32":
		v := int32(wholes[r.IntN(len(wholes))])
		value = v
		binary.LittleEndian.PutUint32(to, uint32(v))
	default:
		value = r.IntN(256)
		to[0] = byte(value.(int))
	}
	return fmt.Sprintf("%s[%d] = %v", a.name, at, value), true
}

// forgeValue changes a leaf of a JSON value, or leaves a key out.
func forgeValue(r *rand.Rand, v any, what *string) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		if slices.Sort(keys); len(keys) == 0 {
			break
		}
		k := keys[r.IntN(len(keys))]
		*what += "." + k
		if r.IntN(12) == 0 {
			delete(v, k)
			*what += " is missing"
			return v
		}
		v[k] = forgeValue(r, v[k], what)
		return v
	case []any:
		if len(v) > 0 && r.IntN(3) > 0 {
			at := r.IntN(len(v))
			*what += fmt.Sprintf("[%d]", at)
			v[at] = forgeValue(r, v[at], what)
			return v
		}
	}
	put := texts[r.IntN(len(texts))]
	*what += fmt.Sprintf(" = %v", put)
	return put
}

// A reader makes a model of a file and returns what uses it: a function that says what is
// wrong, or "".
type reader func(f *modelfile.File) (use func() (wrong string), err error)

// source is a file to forge and how it is read.
type source struct {
	name string
	text []byte
	read reader
}

// sources returns the stored models of all methods, alone and compiled, and all other
// files in testdata of the packages that store something.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	add := func(name string, text []byte) {
		f, err := modelfile.Read(bytes.NewReader(opened(t, text).bytes()))
		if err != nil {
			t.Fatal(name, err)
		}
		for _, read := range readers {
			if _, err := read(f); err == nil {
				all = append(all, source{name, text, read})
				return
			}
		}
		t.Errorf("nothing reads %s, of method %s", name, f.Method())
	}
	for _, pattern := range []string{"testdata", "algos/*/testdata", "algos/*/*/testdata", "predict/testdata", "sketch/testdata", "dataset/testdata"} {
		folder := pattern
		if pattern != "testdata" {
			folder = repo.Path(t, pattern)
		}
		paths, err := filepath.Glob(filepath.Join(folder, "*.gram"))
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			add(path, text)
			if pattern != "testdata" {
				continue
			}
			f, err := modelfile.Read(bytes.NewReader(opened(t, text).bytes()))
			if err != nil {
				t.Fatal(err)
			}
			m, err := pipeline.Decode(f, catalog.Registry())
			if err != nil {
				t.Fatal(path, err)
			}
			for _, precision := range []predict.Precision{predict.Float64, predict.Float32} {
				var b bytes.Buffer
				c, _, err := m.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision})
				if errors.Is(err, predict.ErrNoProgram) {
					break
				}
				if err == nil {
					err = modelfile.Write(&b, c)
				}
				if err != nil {
					t.Fatal(path, err)
				}
				add(path+" compiled to "+precision.String(), b.Bytes())
			}
		}
	}
	for name, m := range sparseModels(t) {
		var b bytes.Buffer
		if err := modelfile.Write(&b, m); err != nil {
			t.Fatal(name, err)
		}
		add(name+" of sparse rows", b.Bytes())
	}
	seen := map[string]bool{}
	for name, m := range chosen(t) {
		var b bytes.Buffer
		if modelfile.Write(&b, m) != nil {
			continue
		}
		parts := opened(t, b.Bytes())
		shape := ""
		for _, a := range parts.arrays {
			shape += a.name + " "
		}
		for _, k := range slices.Sorted(maps.Keys(parts.meta)) {
			if strings.HasSuffix(k, "method") {
				shape += k + parts.meta[k] + " "
			}
		}
		if !seen[shape] { // another kind of file
			seen[shape] = true
			add(name, b.Bytes())
		}
	}
	return all
}

// chosen yields a model of every method for each of its settings that is a switch or a choice.
func chosen(t *testing.T) iter.Seq2[string, *pipeline.Model] {
	d := algotest.Problem(5, 40, 3, 3)
	kinds := map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}
	return func(yield func(string, *pipeline.Model) bool) {
		for _, m := range catalog.Methods() {
			for _, task := range m.Tasks {
				kind, known := kinds[task]
				quick := catalogtest.Quick(m)
				if m.New().Settings().Lookup("max-iter") != nil && len(quick) == 0 { // whether it has converged makes no other file
					quick = append(quick, "max-iter=1000")
				}
				for _, s := range m.New().Settings().Settings {
					choices := s.Choices
					if s.Kind == "bool" {
						choices = []string{"true"}
					}
					for _, v := range choices {
						f := m.New()
						if !known || f.Settings().Set(append(slices.Clone(quick), s.Name+"="+v)...) != nil {
							continue
						}
						p, _ := training.Train(t.Context(), m, f, catalogtest.Set(d, kind), training.NoScale, gram.Run{Seed: 1})
						if p != nil && !yield(fmt.Sprintf("%s/%v with %s=%s", m.Name, task, s.Name, v), p) {
							return
						}
					}
				}
			}
		}
	}
}

// sparseColumns is the number of columns of the rows of sparseModels.
const sparseColumns = 210

// sparseModels yields models of every method, by its name and kind of target, that were
// fitted to sparse rows with few nonzeros.
func sparseModels(t *testing.T) iter.Seq2[string, *pipeline.Model] {
	d := algotest.Problem(5, 60, 3, 3)
	x := &sparse.CSR{N: 60, D: sparseColumns, Ptr: []int{0}}
	for i := range x.N {
		for j := range 3 {
			x.Col, x.Val = append(x.Col, int32(70*j+(7*i+j)%20)), append(x.Val, d.X.At(i, j))
		}
		x.Ptr = append(x.Ptr, len(x.Col))
	}
	d.X = x
	kinds := map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}
	return func(yield func(string, *pipeline.Model) bool) {
		for _, m := range catalog.Methods() {
			for _, task := range m.Tasks {
				kind, known := kinds[task]
				if !known {
					continue
				}
				name := fmt.Sprintf("%s/%v", m.Name, task)
				f, err := training.Train(t.Context(), m, catalogtest.Trainable(t, m, catalogtest.Quick(m)...), catalogtest.Set(d, kind), training.NoScale, gram.Run{Seed: 1})
				var stopped *gram.ConvergenceError
				if err != nil && !errors.As(err, &stopped) {
					t.Errorf("%s: %v", name, err)
				} else if !yield(name, f) {
					return
				}
			}
		}
	}
}

// A model of sparse rows that says it has 2³⁰ columns is refused, or takes no more memory than
// what the file holds: neither reading it nor predicting sparse rows takes memory for columns.
func TestForgedWidth(t *testing.T) {
	algotest.Serial(t)
	const wide = 1 << 30
	columns, accepted := regexp.MustCompile(fmt.Sprintf(`"Dim":%d\b`, sparseColumns)), 0
	for name, m := range sparseModels(t) {
		var b bytes.Buffer
		if err := modelfile.Write(&b, m); err != nil {
			t.Fatal(name, err)
		}
		f, changed := opened(t, b.Bytes()), 0
		for key, config := range f.meta {
			if columns.MatchString(config) {
				f.meta[key] = columns.ReplaceAllString(config, fmt.Sprintf(`"Dim":%d`, wide))
				changed++
			}
		}
		for _, a := range f.arrays {
			if strings.HasSuffix(a.name, ".dims") && binary.LittleEndian.Uint64(a.data[8:]) == sparseColumns {
				binary.LittleEndian.PutUint64(a.data[8:], wide)
			}
		}
		if changed == 0 {
			t.Errorf("%s: the file has no number of columns", name)
		}
		is, wrong := tryForged(f.bytes(), func(f *modelfile.File) (func() string, error) {
			p, err := pipeline.Decode(f, catalog.Registry())
			return func() string {
				x := &sparse.CSR{N: 3, D: wide, Ptr: []int{0, 2, 4, 6}, Col: []int32{3, 70, 9, wide - 1, 0, 80}, Val: []float64{1, 2, 3, 4, 5, 6}}
				if _, err := p.Answer(x, pipeline.Want{Scores: len(p.Names) > 0, Top: 3}); err != nil {
					return err.Error()
				}
				c, _, err := p.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: predict.Float32})
				if err != nil {
					return err.Error()
				}
				if _, err := c.Predict(x, len(p.Names) > 0, 3); err != nil {
					return "the compiled model: " + err.Error()
				}
				return ""
			}, err
		})
		if wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		if is {
			accepted++
			t.Log(name)
		}
	}
	if accepted == 0 {
		t.Error("no model was read")
	}
}

// readers read what gram fit and gram compile write, bare models, and parts of models.
var readers = []reader{
	func(f *modelfile.File) (func() string, error) {
		m, err := rfm.DecodeAny(f)
		if err != nil {
			return nil, err
		}
		functions, is := m.(*rfm.Model)
		if !is {
			return nil, errors.New("the model is one of krr on it")
		}
		return func() string {
			if d, _ := functions.Dims(); d < 1<<20 {
				functions.PredictAll(nil, mat.NewDense(2, d, nil))
			}
			return ""
		}, nil
	},
	func(f *modelfile.File) (func() string, error) {
		m, err := pipeline.Decode(f, catalog.Registry())
		return func() string { return usePipeline(m) }, err
	},
	func(f *modelfile.File) (func() string, error) {
		m, err := catalog.Registry().Model(f)
		if err != nil {
			return nil, err
		}
		var d int
		switch m := m.(type) {
		case interface{ Dim() int }:
			d = m.Dim()
		case gram.Compiler:
			program, err := m.Program64()
			if err != nil {
				return nil, err
			}
			d, _ = program.Dims()
		default:
			return nil, errors.New("the model has no Dim and no program")
		}
		p, err := pipeline.New(m, d, nil)
		return func() string { return usePipeline(p) }, err
	},
	functions(krr.Decode), functions(dckrr.Decode), functions(falkon.Decode),
	func(f *modelfile.File) (func() string, error) {
		m, err := linear.DecodeRegressor(f, nil)
		return func() string {
			w, _ := m.Weights()
			d, _ := w.Dims()
			return notFinite(m.PredictAll(nil, rowsOf(d)))
		}, err
	},
	func(f *modelfile.File) (func() string, error) {
		m, err := linear.DecodeClassifier(f, nil)
		return func() string {
			w, _ := m.Weights()
			d, _ := w.Dims()
			return notFinite(m.Scores(nil, rowsOf(d)))
		}, err
	},
	func(f *modelfile.File) (func() string, error) {
		m, err := linear.DecodeRanker(f)
		return func() string { return notFinite(m.Scores(nil, rowsOf(m.Dim()))) }, err
	},
	mapper(basis.Decode), mapper(nystrom.DecodeEnsemble), mapper(bregman.Decode), mapper(meka.Decode),
	assigner(kmeans.Decode), assigner(kmeans.DecodeTree), assigner(kernelkmeans.Decode),
	func(f *modelfile.File) (func() string, error) {
		m, err := completion.Decode(f)
		return func() string {
			rows, columns := m.Sides()
			v := m.Variables()
			side := func(has bool, b basis.Learnable, factor *mat.Dense) mat.Matrix {
				if !has {
					return nil
				}
				d, _ := factor.Dims()
				if b != nil {
					d, _ = b.Dims()
				}
				return rowsOf(d)
			}
			return notFinite(m.Predict(nil, side(rows, m.RowFeatures(), v.W), side(columns, m.ColumnFeatures(), v.H)))
		}, err
	},
	func(f *modelfile.File) (func() string, error) {
		m, err := itml.Decode(f.With(catalog.Registry()))
		return func() string {
			d, _ := m.Kernel().Dims()
			return notFinite(m.Kernel().Gram(nil, rowsOf(d), rowsOf(d)))
		}, err
	},
	func(f *modelfile.File) (func() string, error) {
		m, err := dataset.DecodeScaling(f)
		return func() string { return notFinite(mat.DenseCopyOf(m.Apply(rowsOf(len(m.Divisor))))) }, err
	},
	func(f *modelfile.File) (func() string, error) {
		m, err := modelfile.Get(f, new(sketch.Rotation[float64]), (*sketch.Rotation[float64]).Exchange)
		return func() string {
			if m.Len() > 1<<20 {
				return ""
			}
			x := rowsOf(m.Len())
			m.Apply(x.RawRowView(0), x.RawRowView(1))
			m.Inverse(x.RawRowView(2), x.RawRowView(0))
			return notFinite(x)
		}, err
	},
}

// mapper reads a feature map.
func mapper[M gram.FeatureMap](decode func(*modelfile.File) (M, error)) reader {
	return func(f *modelfile.File) (func() string, error) {
		m, err := decode(f.With(catalog.Registry()))
		return func() string {
			if h, is := any(m).(interface{ HasFeatures() bool }); is && !h.HasFeatures() {
				return ""
			}
			d, _ := m.Dims()
			return notFinite(m.Map(nil, rowsOf(d)))
		}, err
	}
}

// functions reads a model of real functions.
func functions[M interface {
	Dims() (d, outputs int)
	PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense
}](decode func(*modelfile.File) (M, error)) reader {
	return func(f *modelfile.File) (func() string, error) {
		m, err := decode(f.With(catalog.Registry()))
		return func() string {
			d, _ := m.Dims()
			return notFinite(m.PredictAll(nil, rowsOf(d)))
		}, err
	}
}

// assigner reads a partition of rows.
func assigner[M interface {
	Dims() (k, d int)
	Assign(dst []int, x mat.Matrix) []int
}](decode func(*modelfile.File) (M, error)) reader {
	return func(f *modelfile.File) (func() string, error) {
		m, err := decode(f.With(catalog.Registry()))
		return func() string {
			k, d := m.Dims()
			for _, c := range m.Assign(nil, rowsOf(d)) {
				if c < 0 || c >= k {
					return "there is no cluster\n"
				}
			}
			return ""
		}, err
	}
}

// rowsOf returns three rows of d numbers.
func rowsOf(d int) *mat.Dense {
	x := mat.NewDense(3, d, nil)
	for i := range 3 {
		for j := range min(d, 64) {
			x.Set(i, j, float64(i+j%3)/4)
		}
	}
	return x
}

func notFinite(x *mat.Dense) string {
	if !finite(x.RawMatrix().Data) {
		return "the prediction is no number\n"
	}
	return ""
}

func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v-v != 0 })
}

// TestForgedModels reads files in which one to three things are not what the program
// wrote, with checksums that fit, as an attacker would make them: each is refused with
// an error, or it predicts and compiles; none panics, takes much memory or long, or
// predicts what is no number.
func TestForgedModels(t *testing.T) {
	algotest.Serial(t)
	files := sources(t)
	total := *forgeries
	if total == 0 {
		total = 10 * len(files)
		if os.Getenv("GRAM_LONG") == "" {
			total = 3 * len(files)
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	faults, read := map[string]int{}, 0
	for i := range total {
		from := files[i%len(files)]
		r := rand.New(rand.NewPCG(*forgeSeed, uint64(i)))
		f := opened(t, from.text)
		var what []string
		for range 1 + r.IntN(3)*r.IntN(2) {
			if text, done := f.change(r); done {
				what = append(what, text)
			}
		}
		text := f.bytes()
		if what == nil {
			continue
		}
		accepted, wrong := tryForged(text, from.read)
		if accepted {
			read++
		}
		if wrong != "" {
			kind, _, _ := strings.Cut(wrong, "\n")
			if faults[from.name+kind]++; faults[from.name+kind] <= 2 && len(faults) < 60 {
				t.Errorf("%s, forgery %d: %s: %s", from.name, i, strings.Join(what, ", "), wrong)
			}
		}
	}
	t.Logf("%d forgeries of %d files, %d models read, %d kinds of faults", total, len(files), read, len(faults))
}

// Forgeries that have made the program panic are refused.
func TestKnownForgeries(t *testing.T) {
	for _, c := range []struct {
		path, old, new, array string // a part of the settings, and an array that loses its last column
		read                  reader
	}{
		{"algos/cluster/kmeans/testdata/tree.v1.gram", `"Branch":3`, `"Branch":9223372036854775807`, "", assigner(kmeans.DecodeTree)},
		{"algos/learned/completion/testdata/fourier.v1.gram", `"Rank":2`, `"Rank":-1`, "columns.factor", func(f *modelfile.File) (func() string, error) {
			_, err := completion.Decode(f)
			return nil, err
		}},
		{"algos/labels/gimc/testdata/gimc-fourier.v1.gram", `"M":6`, `"M":-1`, "labels", readers[1]},
	} {
		text, err := os.ReadFile(repo.Path(t, c.path))
		if err != nil {
			t.Fatal(err)
		}
		f := opened(t, text)
		config := strings.Replace(f.meta["config"], c.old, c.new, 1)
		if config == f.meta["config"] {
			t.Errorf("%s: no %s in %s", c.path, c.old, config)
		}
		f.meta["config"] = config
		for k, a := range f.arrays {
			if a.name == c.array {
				size := a.shape[0] * int64(sizeOf[a.dtype])
				f.arrays[k].shape[1]--
				f.arrays[k].data = a.data[:int64(len(a.data))-size]
			}
		}
		if accepted, wrong := tryForged(f.bytes(), c.read); accepted || wrong != "" {
			t.Errorf("%s with %s: accepted %v, %s", c.path, c.new, accepted, wrong)
		}
	}
}

// No stored model is read for another number of columns than its own, which would make every
// prediction panic.
func TestForgedColumns(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.gram")
	if err != nil || len(paths) < 40 {
		t.Fatal(len(paths), err)
	}
	columns := regexp.MustCompile(`"Dim":\d+`)
	for _, path := range paths {
		whole, err := modelfile.ReadFile(path)
		if err != nil {
			t.Fatal(path, err)
		}
		if whole.Method() != "golden" { // of a table, whose schema has the columns
			continue
		}
		sub, err := whole.Sub("model")
		if err != nil {
			t.Fatal(path, err)
		}
		p, err := pipeline.Decode(sub, catalog.Registry())
		if err != nil {
			t.Fatal(path, err)
		}
		p.Scaling = nil // which has a number of columns itself
		var plain bytes.Buffer
		if err := modelfile.Write(&plain, p); err != nil {
			t.Fatal(path, err)
		}
		f, changed := opened(t, plain.Bytes()), 0
		for name, config := range f.meta {
			if strings.Contains(config, `"Task":`) && columns.MatchString(config) {
				f.meta[name] = columns.ReplaceAllString(config, fmt.Sprintf(`"Dim":%d`, p.Dim+1))
				changed++
			}
		}
		file, err := modelfile.Read(bytes.NewReader(f.bytes()))
		if err != nil || changed != 1 {
			t.Fatal(path, changed, err)
		}
		if _, err := pipeline.Decode(file, catalog.Registry()); err == nil {
			t.Errorf("%s is read for another number of columns", path)
		}
	}
}

// tryForged uses a file as the commands do and returns whether there is a model and
// what is wrong.
func tryForged(text []byte, read reader) (accepted bool, wrong string) {
	begin, known := bench.CPUTime()
	before := allocated()
	defer func() {
		if p := recover(); p != nil {
			where := ""
			_, stack, _ := strings.Cut(string(debug.Stack()), "\npanic(")
			for line := range strings.Lines(stack) {
				if strings.Contains(line, ".go:") && !strings.Contains(line, "/runtime/") && strings.Count(where, ".go:") < 3 {
					where += " " + strings.TrimSpace(line)
				}
			}
			wrong = fmt.Sprintf("panic: %v\n%s", p, where)
			return
		}
		if now, _ := bench.CPUTime(); known && wrong == "" && now-begin > 5*time.Second {
			wrong = fmt.Sprintf("it takes long\n%v", now-begin)
		}
		if used := allocated() - before; wrong == "" && used > 512<<20 {
			wrong = fmt.Sprintf("it takes memory\n%d bytes", used)
		}
	}()
	file, err := modelfile.Read(bytes.NewReader(text))
	if err != nil {
		return false, ""
	}
	use, err := read(file)
	if err != nil {
		return false, ""
	}
	return true, use()
}

// usePipeline predicts three rows with a model and with its compiled forms.
func usePipeline(m *pipeline.Model) string {
	if m.Dim > 1<<16 {
		return "" // rows of that width are the caller's
	}
	x := rowsOf(m.Dim)
	want := pipeline.Want{Scores: m.Names != nil, Top: 3, Probability: m.Probabilities() != nil}
	if m.Conformal != nil {
		want.Level = .5
	}
	p, err := m.Answer(x, want)
	if err != nil {
		return ""
	}
	switch {
	case !finite(p.Value), !finite(p.Low), !finite(p.High), p.Scores != nil && !finite(p.Scores.RawMatrix().Data),
		p.Probability != nil && !finite(p.Probability.RawMatrix().Data):
		return "the prediction is no number\n"
	case slices.Contains(p.Class, -1):
		return "there is no class\n"
	}
	for _, precision := range []predict.Precision{predict.Float64, predict.Float32} {
		c, _, err := m.Compile(context.Background(), predict.Options{Method: predict.Exact, Precision: precision})
		if err != nil {
			continue
		}
		if _, err := c.Predict(x, m.Names != nil, 3); err != nil {
			return "the compiled model: " + err.Error()
		}
	}
	return ""
}

// allocated returns the bytes that the program has allocated since it began.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// Within a limit of memory a stored model is read, or refused with an error that says so,
// at whichever of its arrays the limit is reached.
func TestDecodeWithinLimits(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.gram"))
	if err != nil || len(paths) < 30 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		stored, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := opened(t, stored)
		text, limit, places := f.bytes(), int64(1), 0
		for ; ; places++ {
			f, err := modelfile.ReadLimited(bytes.NewReader(text), limit)
			if err == nil {
				if _, err = pipeline.Decode(f, catalog.Registry()); err == nil {
					break
				}
			}
			var m *gram.MemoryError
			if !errors.As(err, &m) || m.Need <= limit || places > 1000 {
				t.Fatalf("%s within %d bytes: %v", path, limit, err)
			}
			limit = m.Need
		}
		if places < 4 { // the length of the header, the header, what is made of it, arrays
			t.Errorf("%s is refused at %d places", path, places)
		}
	}
}
