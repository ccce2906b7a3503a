package gbml

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings, the projection and the trees.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m) }

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}) }

// Exchange describes the model in a file.
func (m *Model) Exchange(x *modelfile.Exchange) {
	x.Header("gbml", 1, &m.cfg, modelfile.Retired("NoPenalty"))
	x.Int("labels", &m.labels, 1, modelfile.MaxInt)
	x.Matrix32("projection", &m.p.w, &m.p.d, &m.p.k)
	x.Require(m.p.d > 0, "projection", "is empty")
	x.Float32("bias", &m.p.bias, m.p.k)
	f := &m.forest
	x.Int32("roots", &f.roots, -1, 0, modelfile.MaxInt)
	x.Int32("feature", &f.feature, -1, 0, modelfile.MaxInt)
	nodes := int32(len(f.feature))
	x.Float32("threshold", &f.threshold, int(nodes))
	x.Int32("child", &f.child, int(nodes), -modelfile.MaxInt-1, modelfile.MaxInt)
	entries := x.Offsets("leaf.ptr", &f.ptr, -1)
	x.Int32("leaf.label", &f.label, entries, 0, int32(m.labels-1))
	x.Float32("leaf.value", &f.value, entries)
	if x.Reading() {
		m.check(x)
		m.stats.Trees, m.stats.Leaves = len(f.roots), len(f.ptr)-1
		m.ranked()
	}
}

// check makes sure that no walk leaves the arrays or goes round: children come after their
// parents.
func (m *Model) check(x *modelfile.Exchange) {
	t := &m.forest
	nodes, leaves := int32(len(t.child)), int32(len(t.ptr)-1)
	for _, r := range t.roots {
		if r >= nodes {
			x.Errorf("roots", "a tree starts at node %d of %d", r, nodes)
		}
	}
	for i, c := range t.child {
		if c < 0 && ^c >= leaves || c >= 0 && (c <= int32(i) || c >= nodes-1 || int(t.feature[i]) >= m.p.k) {
			x.Errorf("child", "node %d: column %d, child %d", i, t.feature[i], c)
		}
	}
}
