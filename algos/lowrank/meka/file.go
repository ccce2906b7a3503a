package meka

import (
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Encode writes the settings, the clusters, their bases and the links; not the
// operator on the training rows.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("meka", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel))
	modelfile.Part(x, "clusters", &m.clusters, kmeans.Decode)
	var counts [3][]int
	var u *mat.Dense
	var root []float64
	if x.Writing() {
		counts, u, root = m.join()
	}
	c, d := 0, 0
	if x.Writing() || x.Reading() {
		c, d = m.clusters.Centers().Dims()
	}
	for i, name := range []string{"landmarks.count", "rank", "linked"} {
		x.Ints(name, &counts[i], c, 0, modelfile.MaxInt)
	}
	x.Dense("landmarks", &u, -1, d)
	x.Float64("root", &root, -1)
	if x.Reading() {
		m.cut(x, counts, u, root)
	}
	p := 0
	if x.Writing() || x.Reading() {
		p = m.links.total()
	}
	switch {
	case p == 0:
		if !m.cfg.NoRepair {
			m.links.root = &mat.Dense{}
		}
	case m.cfg.NoRepair:
		x.Dense("link", &m.links.l, p, p)
	default:
		if x.Dense("link.root", &m.links.root, p, -1); x.Reading() {
			m.links.square()
		}
	}
}

// join returns the arrays of all bases: the landmarks, the rank and the columns with links
// of each, all landmarks, and all roots.
func (m *Model) join() (counts [3][]int, u *mat.Dense, root []float64) {
	var points []float64
	for s, b := range m.basis {
		for i, n := range []int{b.landmarks(), b.rank(), m.links.linked(s)} {
			counts[i] = append(counts[i], n)
		}
		for i := range b.landmarks() {
			points = append(points, b.u.RawRowView(i)...)
			root = append(root, b.root.RawRowView(i)...)
		}
	}
	_, d := m.clusters.Centers().Dims()
	return counts, mat.NewDense(len(points)/d, d, points), root
}

// cut makes the bases out of the arrays that hold all of them: counts are the
// landmarks, the rank and the columns with links of each.
func (m *Model) cut(x *modelfile.Exchange, counts [3][]int, u *mat.Dense, root []float64) {
	total, d := u.Dims()
	m.basis = make([]clusterBasis, len(counts[0]))
	m.links.first = make([]int, len(m.basis)+1)
	at, used := 0, 0
	for s := range m.basis {
		count, rank, linked := counts[0][s], counts[1][s], counts[2][s]
		switch {
		case count < 0 || count > total-at:
			x.Errorf("landmarks.count", "%d landmarks of cluster %d, of %d that are left", count, s, total-at)
			return
		case rank < 0 || rank > count || (rank == 0) != (count == 0):
			x.Errorf("rank", "%d for the %d landmarks of cluster %d", rank, count, s)
			return
		case linked < 0 || linked > rank:
			x.Errorf("linked", "%d of the %d columns of cluster %d", linked, rank, s)
			return
		case count*rank > len(root)-used:
			x.Errorf("root", "%d numbers are not enough", len(root))
			return
		}
		m.links.first[s+1] = m.links.first[s] + linked
		m.stats.Ranks, m.stats.Linked = append(m.stats.Ranks, rank), append(m.stats.Linked, linked)
		if count == 0 {
			continue
		}
		m.basis[s] = m.cfg.newBasis(u.Slice(at, at+count, 0, d).(*mat.Dense), mat.NewDense(count, rank, root[used:used+count*rank]), nil)
		at, used = at+count, used+count*rank
	}
	if at != total || used != len(root) {
		x.Errorf("root", "%d landmarks and %d numbers, of which the clusters have %d and %d", total, len(root), at, used)
		return
	}
}
