package fastxml

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings and the trees.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("fastxml", 1, m.cfg); err != nil {
		return err
	}
	f := &m.forest
	w.Ints("size", []int{m.d, m.labels})
	w.Int32("roots", f.roots)
	w.Int32("child", f.child)
	w.Float32("bias", f.bias)
	w.Int32("first", f.first)
	w.Int32("column", f.column)
	w.Float32("value", f.value)
	w.Int32("leaf.ptr", f.ptr)
	w.Int32("leaf.label", f.label)
	w.Float32("leaf.share", f.share)
	return nil
}

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) {
	m := &Model{}
	if err := f.Expect("fastxml", 1, &m.cfg); err != nil {
		return nil, err
	}
	size, err := f.Ints("size", 2)
	if err != nil {
		return nil, err
	}
	m.d, m.labels = size[0], size[1]
	t := &m.forest
	for _, a := range []struct {
		name string
		dst  *[]int32
	}{{"roots", &t.roots}, {"child", &t.child}, {"column", &t.column}, {"leaf.ptr", &t.ptr}, {"leaf.label", &t.label}} {
		if *a.dst, err = f.Int32(a.name, -1); err != nil {
			return nil, err
		}
	}
	if t.first, err = f.Int32("first", len(t.child)+1); err != nil {
		return nil, err
	}
	if t.bias, err = f.Float32("bias", len(t.child)); err != nil {
		return nil, err
	}
	if t.value, err = f.Float32("value", len(t.column)); err != nil {
		return nil, err
	}
	if t.share, err = f.Float32("leaf.share", len(t.label)); err != nil {
		return nil, err
	}
	if err := m.validate(f); err != nil {
		return nil, err
	}
	m.stats = t.stats()
	return m, nil
}

// validate makes sure that no walk leaves the arrays or goes round: children
// come after their parents.
func (m *Model) validate(f *modelfile.File) error {
	t := &m.forest
	nodes, leaves := int32(len(t.child)), int32(len(t.ptr)-1)
	if leaves < 0 || m.d < 1 || m.labels < 1 {
		return f.Errorf("leaf.ptr", "%d leaves, %d columns, %d labels", leaves, m.d, m.labels)
	}
	for _, a := range []struct {
		name string
		ptr  []int32
		end  int
	}{{"first", t.first, len(t.column)}, {"leaf.ptr", t.ptr, len(t.label)}} {
		if a.ptr[0] != 0 || int(a.ptr[len(a.ptr)-1]) != a.end {
			return f.Errorf(a.name, "from %d to %d of %d", a.ptr[0], a.ptr[len(a.ptr)-1], a.end)
		}
		for e := range a.ptr[1:] {
			if a.ptr[e+1] < a.ptr[e] {
				return f.Errorf(a.name, "list %d ends before it begins", e)
			}
		}
	}
	for _, a := range []struct {
		name  string
		index []int32
		size  int
	}{{"column", t.column, m.d}, {"leaf.label", t.label, m.labels}, {"roots", t.roots, int(nodes)}} {
		for _, v := range a.index {
			if v < 0 || int(v) >= a.size {
				return f.Errorf(a.name, "%d of %d", v, a.size)
			}
		}
	}
	for i, c := range t.child {
		if c < 0 && ^c >= leaves || c >= 0 && (c <= int32(i) || c >= nodes-1) {
			return f.Errorf("child", "node %d: child %d", i, c)
		}
	}
	return nil
}
