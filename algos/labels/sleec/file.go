package sleec

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
)

// Encode writes the settings, the label sets, and each learner's clusters.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) {
	return modelfile.Get(f, &Model{y: &sparse.CSR{}}, (*Model).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("sleec", 1, &m.cfg)
	x.Require(m.cfg.K > 0, "", "%d neighbors", m.cfg.K)
	size := []int{m.d, m.y.D, len(m.learners)}
	x.Ints("size", &size, 3, 0, modelfile.MaxInt)
	x.Require(size[2] > 0, "size", "no learners")
	x.Ints("label.ptr", &m.y.Ptr, -1, 0, math.MaxInt)
	x.Int32("label", &m.y.Col, -1, 0, modelfile.MaxInt)
	if x.Reading() {
		m.d, m.y.D, m.y.N = size[0], size[1], len(m.y.Ptr)-1
		x.Require(m.y.D <= modelfile.MaxCount, "size", "has %d labels, want at most %d", m.y.D, modelfile.MaxCount)
		if err := m.y.Validate(); err != nil {
			x.Errorf("label", "%v", err)
		}
	}
	for t := 0; t < size[2] && (x.Reading() || x.Writing()); t++ {
		l := &learner{}
		if x.Writing() {
			l = &m.learners[t]
		}
		x.Part(fmt.Sprint("learner", t), func(x *modelfile.Exchange) { l.exchange(x, m.d, m.y.N) })
		if x.Reading() {
			m.add(*l)
		}
	}
}

// exchange describes a learner of n rows of d columns.
func (l *learner) exchange(x *modelfile.Exchange, d, n int) {
	modelfile.Part(x, "clusters", &l.parts, kmeans.Decode)
	if x.Reading() {
		k, have := l.parts.Centers().Dims()
		x.Require(have == d, "clusters", "centers of %d columns, want %d", have, d)
		l.clusters = make([]cluster, k)
	}
	for a := range l.clusters {
		x.Part(fmt.Sprint("cluster", a), func(x *modelfile.Exchange) { l.clusters[a].exchange(x, d, n) })
	}
}

// exchange describes a cluster of some of n rows of d columns.
func (q *cluster) exchange(x *modelfile.Exchange, d, n int) {
	x.Int32("member", &q.member, -1, 0, int32(n-1))
	columns, rows := d, len(q.member)
	x.Matrix32("v", &q.v, &columns, &q.r)
	x.Require(columns == d, "v", "%d rows for %d columns", columns, d)
	r := q.r
	x.Matrix32("z", &q.z, &rows, &r)
	x.Require(rows == len(q.member) && r == q.r, "z", "%d×%d for %d rows in %d dimensions", rows, r, len(q.member), q.r)
	if x.Reading() {
		q.measure()
	}
}
