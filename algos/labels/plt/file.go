package plt

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings and the trees.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("plt", 2, &m.cfg)
	size := []int{m.d, m.labels}
	x.Ints("size", &size, 2, 1, modelfile.MaxInt)
	if x.Reading() {
		m.d, m.labels = size[0], size[1]
		x.Require(m.labels <= modelfile.MaxCount, "size", "has %d labels, want at most %d", m.labels, modelfile.MaxCount)
		x.Require(m.cfg.Beam >= 1 && m.cfg.Branch >= 2, "config", "has a beam of %d and %d branches", m.cfg.Beam, m.cfg.Branch)
	}
	f := &m.forest
	x.Int32("roots", &f.roots, -1, 0, modelfile.MaxInt)
	f.functions.exchange(x, m.d, func(children int) {
		x.Int32("child", &f.child, children, -int32(min(m.labels, modelfile.MaxCount)), modelfile.MaxInt)
	})
	if x.Optional("weight", f.weight != nil) { // not in files of version 1
		x.Float64("weight", &f.weight, m.d)
	}
	if x.Optional("near.ptr", f.near.ptr != nil) {
		entries := x.Offsets("near.ptr", &f.near.ptr, m.d+1)
		x.Int32("near.label", &f.near.label, entries, 0, int32(min(m.labels, modelfile.MaxCount))-1)
		x.Float32("near.value", &f.near.value, entries)
		x.Require(m.cfg.Near.Value() >= 0 && m.cfg.Near.Value() <= maxNear, "config", "has a near of %v", m.cfg.Near.Value())
	}
	if x.Reading() {
		m.check(x)
	}
	if x.Reading() {
		m.stats = f.stats()
		m.stats.Near = m.cfg.Near.Value()
		m.ranked()
	}
}

// exchange describes the functions, of rows with d columns. beside describes what else there is for each child.
func (f *functions) exchange(x *modelfile.Exchange, d int, beside func(children int)) {
	children := x.Offsets("first", &f.first, -1)
	beside(children)
	x.Float32("bias", &f.bias, children)
	columns := x.Offsets("at", &f.at, len(f.first))
	x.Int32("column", &f.column, columns, 0, int32(d-1))
	weights := x.Offsets("ptr", &f.ptr, columns+1)
	x.Int32("which", &f.which, weights, 0, modelfile.MaxInt)
	x.Float32("value", &f.value, weights)
}

// check makes sure that no search goes round or beyond an array: children come after their
// parents.
func (m *Model) check(x *modelfile.Exchange) {
	f := &m.forest
	nodes := int32(len(f.first) - 1)
	for _, r := range f.roots {
		x.Require(r < nodes, "roots", "has node %d of %d", r, nodes)
	}
	for v := range nodes {
		for _, c := range f.child[f.first[v]:f.first[v+1]] {
			if c >= 0 && (c <= v || c >= nodes) {
				x.Errorf("child", "node %d: child %d", v, c)
				return
			}
		}
	}
	f.functions.check(x)
}

// check makes sure that columns ascend in a node, and that weights belong to children of their node.
func (f *functions) check(x *modelfile.Exchange) {
	for v := range len(f.first) - 1 {
		for q := f.at[v]; q < f.at[v+1]; q++ {
			if q > f.at[v] && f.column[q] <= f.column[q-1] {
				x.Errorf("column", "node %d: columns do not ascend", v)
				return
			}
			for _, k := range f.which[f.ptr[q]:f.ptr[q+1]] {
				if k >= f.first[v+1]-f.first[v] {
					x.Errorf("which", "node %d: child %d of %d", v, k, f.first[v+1]-f.first[v])
					return
				}
			}
		}
	}
}
