package fastxml

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings and the trees.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("fastxml", 1, &m.cfg)
	size := []int{m.d, m.labels}
	x.Ints("size", &size, 2, 1, modelfile.MaxInt)
	if x.Reading() {
		m.d, m.labels = size[0], size[1]
		x.Require(m.labels <= modelfile.MaxCount, "size", "has %d labels, want at most %d", m.labels, modelfile.MaxCount)
	}
	f := &m.forest
	x.Int32("roots", &f.roots, -1, 0, modelfile.MaxInt)
	x.Int32("child", &f.child, -1, -modelfile.MaxInt-1, modelfile.MaxInt)
	x.Float32("bias", &f.bias, len(f.child))
	weights := x.Offsets("first", &f.first, len(f.child)+1)
	x.Int32("column", &f.column, weights, 0, int32(m.d-1))
	x.Float32("value", &f.value, weights)
	labels := x.Offsets("leaf.ptr", &f.ptr, -1)
	x.Int32("leaf.label", &f.label, labels, 0, int32(m.labels-1))
	x.Float32("leaf.share", &f.share, labels)
	if x.Reading() {
		m.check(x)
		m.stats = f.stats()
		m.ranked()
	}
}

// check makes sure that no walk leaves its tree or goes round: every tree is the nodes from its
// root to the next root, and children come after their parents.
func (m *Model) check(x *modelfile.Exchange) {
	t := &m.forest
	leaves := int32(len(t.ptr) - 1)
	for k, root := range t.roots {
		end := t.end(k)
		if root >= end || end > int32(len(t.child)) {
			x.Errorf("roots", "tree %d starts at node %d", k, root)
			return
		}
		for i := root; i < end; i++ {
			if c := t.child[i]; c < 0 && ^c >= leaves || c >= 0 && (c <= i || c >= end-1) {
				x.Errorf("child", "node %d: child %d", i, c)
				return
			}
		}
	}
}
