package meka

import (
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// stored is the form of the settings in a model file.
type stored struct {
	Kernel kernel.Spec
	Config
}

// Encode writes the settings, the clusters, their bases and the links; not the
// operator on the training rows.
func (m *Model) Encode(w *modelfile.Writer) error {
	spec, err := kernel.Encode(w, m.cfg.Kernel)
	if err != nil {
		return err
	}
	if err := w.Header("meka", 1, stored{spec, m.cfg}); err != nil {
		return err
	}
	if err := m.clusters.Encode(w.Sub("clusters")); err != nil {
		return err
	}
	var count, rank, linked []int
	var u, root []float64
	for s, b := range m.basis {
		count, rank, linked = append(count, b.landmarks()), append(rank, b.rank()), append(linked, m.links.linked(s))
		for i := range b.landmarks() {
			u = append(u, b.u.RawRowView(i)...)
			root = append(root, b.root.RawRowView(i)...)
		}
	}
	w.Ints("landmarks.count", count)
	w.Ints("rank", rank)
	w.Ints("linked", linked)
	_, d := m.clusters.Centers().Dims()
	w.Float64("landmarks", u, len(u)/d, d)
	w.Float64("root", root)
	if m.links.total() == 0 {
		return nil
	}
	if m.HasFeatures() {
		w.Dense("link.root", m.links.root)
	} else {
		w.Dense("link", m.links.l)
	}
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) {
	var st stored
	if err := f.Expect("meka", 1, &st); err != nil {
		return nil, err
	}
	k, err := kernel.Decode(f, st.Kernel)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: st.Config}
	m.cfg.Kernel = k
	sub, err := f.Sub("clusters")
	if err != nil {
		return nil, err
	}
	if m.clusters, err = kmeans.Decode(sub); err != nil {
		return nil, err
	}
	c, d := m.clusters.Centers().Dims()
	var counts [3][]int
	for i, name := range []string{"landmarks.count", "rank", "linked"} {
		if counts[i], err = f.Ints(name, c); err != nil {
			return nil, err
		}
	}
	u, err := f.Matrix("landmarks", -1, d)
	if err != nil {
		return nil, err
	}
	root, err := f.Float64("root", -1)
	if err != nil {
		return nil, err
	}
	if err := m.cut(f, counts, u, root); err != nil {
		return nil, err
	}
	p := m.links.total()
	switch {
	case p == 0 && !m.cfg.NoRepair:
		m.links.root = &mat.Dense{}
	case p == 0:
	case m.cfg.NoRepair:
		m.links.l, err = f.Matrix("link", p, p)
	default:
		if m.links.root, err = f.Matrix("link.root", p, -1); err != nil {
			return nil, err
		}
		m.links.square()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// cut makes the bases out of the arrays that hold all of them: counts are the
// landmarks, the rank and the columns with links of each.
func (m *Model) cut(f *modelfile.File, counts [3][]int, u *mat.Dense, root []float64) error {
	total, d := u.Dims()
	m.basis = make([]basis, len(counts[0]))
	m.links.first = make([]int, len(m.basis)+1)
	at, used := 0, 0
	for s := range m.basis {
		count, rank, linked := counts[0][s], counts[1][s], counts[2][s]
		switch {
		case count < 0 || count > total-at:
			return f.Errorf("landmarks.count", "%d landmarks of cluster %d, of %d that are left", count, s, total-at)
		case rank < 0 || rank > count || (rank == 0) != (count == 0):
			return f.Errorf("rank", "%d for the %d landmarks of cluster %d", rank, count, s)
		case linked < 0 || linked > rank:
			return f.Errorf("linked", "%d of the %d columns of cluster %d", linked, rank, s)
		case count*rank > len(root)-used:
			return f.Errorf("root", "%d numbers are not enough", len(root))
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
		return f.Errorf("root", "%d landmarks and %d numbers, of which the clusters have %d and %d", total, len(root), at, used)
	}
	return nil
}
