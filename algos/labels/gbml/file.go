package gbml

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Encode writes the settings, the projection and the trees.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("gbml", 2, &m.cfg, modelfile.Retired("NoPenalty"))
	x.Int("labels", &m.labels, 1, modelfile.MaxCount)
	if x.Reading() {
		if x.Version() == 1 {
			m.cfg.Single = true
		}
		if m.cfg.Single {
			m.trees = &part[float32]{}
		} else {
			m.trees = &part[float64]{}
		}
	}
	if m.trees == nil {
		return // the header is refused
	}
	m.trees.exchange(x, m.labels)
	if x.Reading() {
		m.stats.Trees, m.stats.Leaves = m.trees.size()
		m.ranked()
	}
}

// exchange lists what a file holds of the projection and the trees. Writing and reading a file go through these same statements.
func (t *part[F]) exchange(x *modelfile.Exchange, labels int) {
	p := &t.p
	if x.Optional("projection", p.w != nil) {
		matrix(x, "projection", &p.w, &p.d, &p.k)
		x.Require(p.d > 0, "projection", "is empty")
		numbers(x, "bias", &p.bias, p.k)
	} else {
		x.Int("columns", &p.d, 1, modelfile.MaxCount)
		p.k = p.d
	}
	f := &t.forest
	x.Int32("roots", &f.roots, -1, 0, modelfile.MaxInt)
	x.Int32("feature", &f.feature, -1, 0, modelfile.MaxInt)
	nodes := len(f.feature)
	numbers(x, "threshold", &f.threshold, nodes)
	if x.Optional("gain", f.gain != nil) { // not in files of version 1
		numbers(x, "gain", &f.gain, nodes)
	}
	x.Int32("child", &f.child, nodes, -modelfile.MaxInt-1, modelfile.MaxInt)
	entries := x.Offsets("leaf.ptr", &f.ptr, -1)
	x.Int32("leaf.label", &f.label, entries, 0, int32(labels-1))
	numbers(x, "leaf.value", &f.value, entries)
	if x.Reading() {
		t.check(x)
	}
}

// numbers is an array of n finite numbers.
func numbers[F gram.Float](x *modelfile.Exchange, name string, p *[]F, n int) {
	switch p := any(p).(type) {
	case *[]float32:
		x.Float32(name, p, n)
	case *[]float64:
		x.Float64(name, p, n)
	}
}

// matrix is a matrix of finite numbers whose sizes are read, too.
func matrix[F gram.Float](x *modelfile.Exchange, name string, p *[]F, rows, columns *int) {
	switch p := any(p).(type) {
	case *[]float32:
		x.Matrix32(name, p, rows, columns)
	case *[]float64:
		var m *mat.Dense
		if x.Writing() {
			m = mat.NewDense(*rows, *columns, *p)
		}
		if x.Dense(name, &m, -1, -1); x.Reading() {
			*p = m.RawMatrix().Data
			*rows, *columns = m.Dims()
		}
	}
}

// check makes sure that no walk leaves its tree or goes round: every tree is the nodes from its
// root to the next root, and children come after their parents.
func (t *part[F]) check(x *modelfile.Exchange) {
	leaves := int32(len(t.ptr) - 1)
	for k, root := range t.roots {
		end := t.end(k)
		if root >= end || end > int32(len(t.child)) {
			x.Errorf("roots", "tree %d starts at node %d", k, root)
			return
		}
		for i := root; i < end; i++ {
			c := t.child[i]
			if c < 0 && ^c >= leaves || c >= 0 && (c <= i || c >= end-1 || int(t.feature[i]) >= t.p.k) {
				x.Errorf("child", "node %d: column %d, child %d", i, t.feature[i], c)
				return
			}
		}
	}
}
