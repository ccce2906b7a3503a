package gbml

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings, the projection and the trees.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("gbml", 1, m.cfg); err != nil {
		return err
	}
	f := &m.forest
	w.Ints("labels", []int{m.labels})
	w.Float32("projection", m.p.w, m.p.d, m.p.k)
	w.Float32("bias", m.p.bias)
	w.Int32("roots", f.roots)
	w.Int32("feature", f.feature)
	w.Float32("threshold", f.threshold)
	w.Int32("child", f.child)
	w.Int32("leaf.ptr", f.ptr)
	w.Int32("leaf.label", f.label)
	w.Float32("leaf.value", f.value)
	return nil
}

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) {
	m := &Model{}
	if err := f.Expect("gbml", 1, &m.cfg); err != nil {
		return nil, err
	}
	labels, err := f.Ints("labels", 1)
	if err != nil {
		return nil, err
	}
	m.labels = labels[0]
	if m.p.bias, err = f.Float32("bias", -1); err != nil {
		return nil, err
	}
	m.p.k = len(m.p.bias)
	if s := f.Shape("projection"); len(s) == 2 {
		m.p.d = s[0]
	}
	if m.p.w, err = f.Float32("projection", m.p.d, m.p.k); err != nil {
		return nil, err
	}
	if m.p.d < 1 {
		return nil, f.Errorf("projection", "is empty")
	}
	t := &m.forest
	for _, a := range []struct {
		name string
		dst  *[]int32
	}{{"roots", &t.roots}, {"feature", &t.feature}, {"child", &t.child}, {"leaf.ptr", &t.ptr}, {"leaf.label", &t.label}} {
		if *a.dst, err = f.Int32(a.name, -1); err != nil {
			return nil, err
		}
	}
	if t.threshold, err = f.Float32("threshold", len(t.child)); err != nil {
		return nil, err
	}
	if t.value, err = f.Float32("leaf.value", len(t.label)); err != nil {
		return nil, err
	}
	if err := m.validate(f); err != nil {
		return nil, err
	}
	m.stats.Trees, m.stats.Leaves = len(t.roots), len(t.ptr)-1
	return m, nil
}

// validate makes sure that no walk leaves the arrays or goes round: children
// come after their parents.
func (m *Model) validate(f *modelfile.File) error {
	t := &m.forest
	nodes, leaves := int32(len(t.child)), int32(len(t.ptr)-1)
	if len(t.feature) != len(t.child) || leaves < 0 || t.ptr[0] != 0 || int(t.ptr[leaves]) != len(t.label) || m.labels < 1 {
		return f.Errorf("child", "%d nodes with %d features and %d leaves", nodes, len(t.feature), leaves)
	}
	for e := range leaves {
		if t.ptr[e+1] < t.ptr[e] {
			return f.Errorf("leaf.ptr", "leaf %d ends before it begins", e)
		}
	}
	for _, l := range t.label {
		if l < 0 || int(l) >= m.labels {
			return f.Errorf("leaf.label", "label %d of %d", l, m.labels)
		}
	}
	for _, r := range t.roots {
		if r < 0 || r >= nodes {
			return f.Errorf("roots", "a tree starts at node %d of %d", r, nodes)
		}
	}
	for i, c := range t.child {
		switch {
		case c < 0 && ^c >= leaves, c >= 0 && (c <= int32(i) || c >= nodes-1), c >= 0 && (t.feature[i] < 0 || int(t.feature[i]) >= m.p.k):
			return f.Errorf("child", "node %d: column %d, child %d", i, t.feature[i], c)
		}
	}
	return nil
}
