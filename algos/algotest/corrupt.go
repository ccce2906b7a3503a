package algotest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// corruption is a model file with one fault.
type corruption struct {
	item   string // the array or header with the fault
	name   string // the fault
	finite bool   // whether the fault is a number that is not finite
	large  bool   // whether the fault is a large integer
	s      stored
}

// corrupted reads files of a model in which an array or a header is wrong but the
// checksums are right. Each file must be refused with a *modelfile.FormatError or a
// *gram.ConfigError, or give a model whose outputs can be computed; neither may
// panic, hang or take much memory. If a number in the file is not finite, the
// outputs must still be finite. The fingerprints record which files with a wrong
// array are refused, so that a lost check in a Decode is noticed. With -v the test
// lists the files.
func (s Subject) corrupted(t *testing.T) {
	d := Problem(31, 50, 4, 3)
	AtGeneric(t, func() { Corrupted(t, encoder(s.fit(t, d, run).Encode), s.Decode, d.X) })
}

// Corrupted runs the subtest "corrupted files" of Check for a model m that decode
// reads and whose outputs are computed for x. m must be a model of the level
// generic.
func Corrupted(t *testing.T, m modelfile.Model, decode func(*modelfile.File) (*Model, error), x mat.Matrix) {
	if testing.Short() {
		t.Skip("reads some hundred files")
	}
	good := takeApart(t, write(t, m))
	if _, err := decode(good.file(t)); err != nil {
		t.Fatalf("what is not corrupted: %v", err)
	}
	var items []string
	refused := map[string]string{} // for each item a letter per corruption: r for refused, a for accepted
	for _, c := range corruptions(t, good) {
		f := c.s.file(t)
		before := allocated()
		done := make(chan error, 1)
		outcome := "r"
		go func() {
			accepted, err := use(decode, c, f, x)
			if accepted {
				outcome = "a"
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %s: %v", c.item, c.name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: %s: reading does not end", c.item, c.name)
		}
		if b := allocated() - before; b > 64<<20 {
			t.Errorf("%s: %s: reading it takes %d bytes", c.item, c.name, b)
		}
		if refused[c.item] == "" {
			items = append(items, c.item)
		}
		refused[c.item] += outcome
		if testing.Verbose() {
			t.Logf("%s: %s: %s", c.item, c.name, map[string]string{"a": "accepted", "r": "refused"}[outcome])
		}
	}
	var lines []string
	for _, item := range items {
		all := refused[item]
		lines = append(lines, fmt.Sprintf("%s refused %d of %d bits %s", item, strings.Count(all, "r"), len(all), checksum([]byte(all))))
	}
	hold(t, strings.TrimSuffix(t.Name(), "/corrupted_files")+": corrupted files", lines)
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// use decodes a model and computes its outputs for x or, if the model takes rows of
// another width, for such rows, unless the width is large. It returns whether there
// is a model, and what went wrong.
func use(decode func(*modelfile.File) (*Model, error), c corruption, f *modelfile.File, x mat.Matrix) (accepted bool, wrong error) {
	var m *Model
	var err error
	if p := panicOf(func() { m, err = decode(f) }); p != nil {
		return false, fmt.Errorf("panic: %v", p)
	}
	if err != nil {
		var fe *modelfile.FormatError
		var ce *gram.ConfigError
		if !errors.As(err, &fe) && !errors.As(err, &ce) {
			return false, fmt.Errorf("error of type %T: %w", err, err)
		}
		return false, nil
	}
	if m == nil {
		return false, errors.New("no model and no error")
	}
	var out *mat.Dense
	first := panicOf(func() { out = m.Output(x) })
	for cols := 1; out == nil && cols <= 100; cols++ {
		_ = panicOf(func() { out = m.Output(mat.NewDense(3, cols, nil)) })
	}
	if text, _ := first.(string); out == nil && c.large && strings.HasSuffix(text, "the wrong number of columns") {
		return true, nil
	}
	if out == nil {
		return true, fmt.Errorf("a model without outputs: panic: %v", first)
	}
	if c.finite {
		rows, cols := out.Dims()
		for i := range rows {
			for j := range cols {
				if v := out.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
					return true, fmt.Errorf("a model whose output is %v", v)
				}
			}
		}
	}
	return true, nil
}

// panicOf returns the value that f panics with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// corruptions returns the corruptions of a model file. Among arrays and models
// whose names differ only in digits, such as those of the leaves of a tree, the
// first is corrupted. A model inside a model inside the model is left to the tests
// of its own package.
func corruptions(t *testing.T, good stored) []corruption {
	t.Helper()
	c := corrupter{good: good, seen: map[string]bool{}}
	c.spoilArrays()
	c.resize(t)
	c.rename()
	c.changeHeaders(t)
	return c.out
}

// corrupter collects the corruptions of a model file.
type corrupter struct {
	good stored
	out  []corruption
	seen map[string]bool // families of names
}

// skip reports whether an array that differs from this one in a number alone was corrupted before, or whether the name lies too deep.
func (c *corrupter) skip(name string) bool {
	family := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, name)
	again := c.seen[family]
	c.seen[family] = true
	return again || depth(c.good, name) > 1
}

// spoilArrays leaves arrays out, and changes their shapes, types and numbers.
func (c *corrupter) spoilArrays() {
	for i, a := range c.good.arrays {
		if c.skip(a.name) {
			continue
		}
		with := func(what string, changed ...array) *corruption {
			s := c.good
			s.arrays = slices.Replace(slices.Clone(c.good.arrays), i, i+1, changed...)
			c.out = append(c.out, corruption{item: a.name, name: what, s: s})
			return &c.out[len(c.out)-1]
		}
		with("missing")
		for _, b := range reshaped(a) {
			with(fmt.Sprintf("%T%v instead of %T%v", b.data, b.shape, a.data, a.shape), b)
		}
		for _, b := range spoiled(a) {
			made := with(b.name, array{a.name, b.shape, b.data})
			made.finite = strings.HasSuffix(b.name, "NaN") || strings.HasSuffix(b.name, "Inf")
			switch data := b.data.(type) {
			case []int64:
				made.large = slices.Max(data) > 1000
			case []int32:
				made.large = slices.Max(data) > 1000
			}
		}
	}
}

// resize puts smaller sizes in the place of those of each part.
func (c *corrupter) resize(t *testing.T) {
	t.Helper()
	for _, p := range c.good.parts {
		if c.skip(p.prefix + "sizes") {
			continue
		}
		for _, size := range sizes(c.good, p.prefix) {
			for _, n := range slices.Compact([]int{0, min(1, size), max(1, size-1)}) {
				if n >= size {
					continue
				}
				for _, axes := range []int{1, 2} {
					c.out = append(c.out, corruption{item: p.prefix + "sizes", name: fmt.Sprintf("%d where it is %d on %d axes", n, size, axes), s: resized(t, c.good, p.prefix, size, n, axes)})
				}
			}
		}
	}
}

// rename puts other texts in the place of lists of texts, and adds names of classes where there are none.
func (c *corrupter) rename() {
	for i, a := range c.good.arrays {
		list, is := strings.CutSuffix(a.name, ".ends")
		if !is || depth(c.good, a.name) > 1 || c.skip(list+".list") {
			continue
		}
		for _, names := range [][]string{{}, {"a"}, {"a", "b"}, {"a", "b", "c", "d"}, {"a", "a", "a"}} {
			s := c.good
			s.arrays = slices.DeleteFunc(slices.Clone(c.good.arrays), func(b array) bool { return b.name == list || b.name == c.good.arrays[i].name })
			s.arrays = append(s.arrays, texts(list, names)...)
			c.out = append(c.out, corruption{item: list + ".list", name: fmt.Sprintf("%q", names), s: s})
		}
	}
	if !slices.ContainsFunc(c.good.arrays, func(a array) bool { return a.name == "classes" }) {
		s := c.good
		s.arrays = append(slices.Clone(c.good.arrays), texts("classes", []string{"a", "b"})...)
		c.out = append(c.out, corruption{item: "classes", name: "there are some", s: s})
	}
}

// changeHeaders leaves parts out, and changes their versions, methods and settings.
func (c *corrupter) changeHeaders(t *testing.T) {
	t.Helper()
	for i, p := range c.good.parts {
		if c.skip(p.prefix + "header") {
			continue
		}
		with := func(what string, changed ...part) {
			s := c.good
			s.parts = slices.Replace(slices.Clone(c.good.parts), i, i+1, changed...)
			c.out = append(c.out, corruption{item: p.prefix + "header", name: what, s: s})
		}
		with("missing")
		for _, v := range []string{"0", "-1", "2", "x", ""} {
			b := p
			b.version = v
			with("version "+v, b)
		}
		b := p
		b.method = "another"
		with("another method", b)
		for _, text := range reset(t, p.config) {
			b := p
			b.config = text
			with("config "+text, b)
		}
	}
}

// depth returns in how many nested models the named array or part lies: 0 for those
// of the outermost model.
func depth(s stored, name string) int {
	d := -1
	for _, p := range s.parts {
		if strings.HasPrefix(name, p.prefix) {
			d++
		}
	}
	return d
}

// texts returns a list of strings as arrays.
func texts(name string, list []string) []array {
	text, ends := []uint8{}, []int64{}
	for _, s := range list {
		text = append(text, s...)
		ends = append(ends, int64(len(text)))
	}
	return []array{{name, []int{len(text)}, text}, {name + ".ends", []int{len(ends)}, ends}}
}

// sizes returns the different sizes of the arrays of the model with the given
// prefix.
func sizes(s stored, prefix string) []int {
	var all []int
	for _, a := range s.arrays {
		if strings.HasPrefix(a.name, prefix) && depth(s, a.name) == depth(s, prefix) {
			all = append(all, a.shape...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// resized returns s with n < size in place of size: in the first axes of arrays of
// the model with the given prefix and of models inside it, in short lists of
// integers that contain the number, and in settings that have this value. The
// result may be a model of fewer columns, classes or landmarks.
func resized(t *testing.T, s stored, prefix string, size, n, axes int) stored {
	t.Helper()
	var out stored
	text := map[string]int{} // lengths of the texts of lists of strings
	for _, a := range s.arrays {
		if !strings.HasPrefix(a.name, prefix) {
			out.arrays = append(out.arrays, a)
			continue
		}
		shape, data := a.resized(size, n, axes)
		list, whole := data.([]int64)
		for i, v := range list {
			if whole && len(list) <= 4 && v == int64(size) {
				list[i] = int64(n)
			}
		}
		if name, is := strings.CutSuffix(a.name, ".ends"); is && whole {
			text[name] = 0
			if len(list) > 0 {
				text[name] = int(list[len(list)-1])
			}
		}
		out.arrays = append(out.arrays, array{a.name, shape, data})
	}
	for i, a := range out.arrays {
		if end, is := text[a.name]; is {
			out.arrays[i].data = s.arrays[i].data.([]uint8)[:end]
			out.arrays[i].shape = []int{end}
		}
	}
	for _, p := range s.parts {
		if !strings.HasPrefix(p.prefix, prefix) {
			out.parts = append(out.parts, p)
			continue
		}
		out.parts = append(out.parts, part{p.prefix, p.method, p.version, resizedConfig(t, p.config, size, n)})
	}
	return out
}

// resized returns the shape with n < size in place of size in the first axes, and the elements that lie in it.
func (a array) resized(size, n, axes int) (shape []int, data any) {
	old := reflect.ValueOf(a.data)
	shape = slices.Clone(a.shape)
	count := 1
	for i, m := range shape {
		if m == size && i < axes {
			shape[i] = n
		}
		count *= shape[i]
	}
	list := reflect.MakeSlice(old.Type(), count, count)
	for i := range count {
		from, stride, rest := 0, 1, i
		for axis := len(shape) - 1; axis >= 0; axis-- {
			from += rest % shape[axis] * stride
			rest /= shape[axis]
			stride *= a.shape[axis]
		}
		list.Index(i).Set(old.Index(from))
	}
	return shape, list.Interface()
}

// resizedConfig returns settings in which every number that is size is n.
func resizedConfig(t *testing.T, text string, size, n int) string {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	var walk func(x any) any
	walk = func(x any) any {
		switch x := x.(type) {
		case float64:
			if x == float64(size) {
				return n
			}
		case []any:
			for i, v := range x {
				x[i] = walk(v)
			}
		case map[string]any:
			for key, v := range x {
				x[key] = walk(v)
			}
		}
		return x
	}
	config, err := json.Marshal(walk(root))
	if err != nil {
		t.Fatal(err)
	}
	return string(config)
}

// reshaped returns a with other shapes, for which its elements are repeated, and
// with other types.
func reshaped(a array) []array {
	var out []array
	add := func(shape ...int) {
		if slices.Equal(shape, a.shape) {
			return
		}
		n := 1
		for _, s := range shape {
			if s < 0 {
				return
			}
			n *= s
		}
		old := reflect.ValueOf(a.data)
		data := reflect.MakeSlice(old.Type(), n, n)
		for i := range n {
			if old.Len() > 0 {
				data.Index(i).Set(old.Index(i % old.Len()))
			}
		}
		out = append(out, array{a.name, shape, data.Interface()})
	}
	for i, s := range a.shape {
		for _, n := range []int{0, 1, s - 1, s + 1, 2 * s} {
			other := slices.Clone(a.shape)
			other[i] = n
			add(other...)
		}
	}
	if len(a.shape) == 2 {
		add(a.shape[1], a.shape[0])
		add(0, 0)
	}
	add(reflect.ValueOf(a.data).Len())
	add(append(slices.Clone(a.shape), 1)...)
	add(1, reflect.ValueOf(a.data).Len())
	dtype, _ := a.dtype()
	n := reflect.ValueOf(a.data).Len()
	for _, data := range []any{make([]float64, n), make([]int64, n), make([]int32, n), make([]uint8, n)} {
		b := array{a.name, a.shape, data}
		if other, _ := b.dtype(); other != dtype {
			out = append(out, b)
		}
	}
	return out
}

// spoiled returns a with elements out of range; the name says what is wrong.
func spoiled(a array) []array {
	var out []array
	n := reflect.ValueOf(a.data).Len()
	at := []int{0, 1, n / 3, n / 2, n - 2, n - 1}
	at = slices.DeleteFunc(at, func(i int) bool { return i < 0 || i >= n })
	slices.Sort(at)
	at = slices.Compact(at)
	set := func(i int, v any) {
		old := reflect.ValueOf(a.data)
		data := reflect.MakeSlice(old.Type(), n, n)
		reflect.Copy(data, old)
		data.Index(i).Set(reflect.ValueOf(v))
		out = append(out, array{fmt.Sprintf("element %d is %v", i, v), a.shape, data.Interface()})
	}
	for _, i := range at {
		switch data := a.data.(type) {
		case []float64:
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 0.5, -math.MaxFloat64, math.MaxFloat64, 1e15} {
				set(i, v)
			}
		case []float32:
			for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -1, 0, math.MaxFloat32} {
				set(i, v)
			}
		case []int64:
			for _, v := range []int64{-1, 0, data[i] - 1, data[i] + 1, 1 << 28, math.MaxInt32 + 1, math.MaxInt64, math.MinInt64} {
				set(i, v)
			}
			if i > 0 && data[i] != data[i-1] {
				swapped := slices.Clone(data)
				swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
				out = append(out, array{fmt.Sprintf("element %d before element %d", i, i-1), a.shape, swapped})
			}
		case []int32:
			for _, v := range []int32{-1, 0, data[i] - 1, data[i] + 1, 1 << 20, math.MaxInt32, math.MinInt32} {
				set(i, v)
			}
			if i > 0 && data[i] != data[i-1] {
				swapped := slices.Clone(data)
				swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
				out = append(out, array{fmt.Sprintf("element %d before element %d", i, i-1), a.shape, swapped})
			}
		case []uint8:
			for _, v := range []uint8{0, data[i] + 1, 255} {
				set(i, v)
			}
		}
	}
	return out
}

// reset returns settings with one of them changed, omitted or of another type, and
// with one that does not exist.
func reset(t *testing.T, config string) []string {
	t.Helper()
	var out []string
	var root any
	if err := json.Unmarshal([]byte(config), &root); err != nil {
		t.Fatal(err)
	}
	write := func() {
		b, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	// walk changes x, which put replaces in root, in every way.
	var walk func(x any, put func(any))
	walk = func(x any, put func(any)) {
		var other []any
		switch x := x.(type) {
		case float64:
			other = []any{-1, 0, 1, 1.5, x + 1, x + 2, x - 1, 1e9, -1e300, 1e300, "x", nil, []any{}}
		case bool:
			other = []any{!x, "x", 1}
		case string:
			other = []any{"", "x", 1, nil, "gaussian", "laplacian", "linear"} // names of kernels
		case nil:
			other = []any{1, "x", map[string]any{}, []any{}}
		case []any:
			other = []any{nil, []any{}, "x", append(slices.Clone(x), -1), append(slices.Clone(x), "x")}
			for i, v := range x {
				walk(v, func(v any) { x[i] = v })
			}
		case map[string]any:
			other = []any{nil, map[string]any{}, "x", []any{}}
			for _, key := range slices.Sorted(maps.Keys(x)) {
				v := x[key]
				walk(v, func(v any) { x[key] = v })
				delete(x, key)
				write()
				x[key] = v
			}
			x["Unknown"] = 1
			write()
			delete(x, "Unknown")
		}
		for _, v := range other {
			put(v)
			write()
		}
		put(x)
	}
	walk(root, func(x any) { root = x })
	return append(out, "", "{", "1e999")
}
