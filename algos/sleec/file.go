package sleec

import (
	"fmt"

	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
)

// Encode writes the settings, the label sets, and each learner's clusters.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("sleec", 1, m.cfg); err != nil {
		return err
	}
	w.Ints("size", []int{m.d, m.y.D, len(m.learners)})
	w.Ints("label.ptr", m.y.Ptr)
	w.Int32("label", m.y.Col)
	for t, l := range m.learners {
		sub := w.Sub(fmt.Sprint("learner", t))
		if err := l.parts.Encode(sub.Sub("clusters")); err != nil {
			return err
		}
		for a := range l.clusters {
			q := &l.clusters[a]
			part := sub.Sub(fmt.Sprint("cluster", a))
			part.Int32("member", q.member)
			part.Float32("v", q.v, m.d, q.r)
			part.Float32("z", q.z, len(q.member), q.r)
		}
	}
	return nil
}

// Decode reads what Encode wrote. Of a mapped file the arrays stay in the file.
func Decode(f *modelfile.File) (*Model, error) {
	m := &Model{}
	if err := f.Expect("sleec", 1, &m.cfg); err != nil {
		return nil, err
	}
	size, err := f.Ints("size", 3)
	if err != nil {
		return nil, err
	}
	m.d = size[0]
	m.y = &sparse.CSR{D: size[1]}
	if m.y.Ptr, err = f.Ints("label.ptr", -1); err != nil {
		return nil, err
	}
	if m.y.Col, err = f.Int32("label", -1); err != nil {
		return nil, err
	}
	m.y.N = len(m.y.Ptr) - 1
	if err := m.y.Validate(); err != nil {
		return nil, f.Errorf("label", "%v", err)
	}
	if size[2] < 1 || m.cfg.K < 1 {
		return nil, f.Errorf("size", "%d learners, %d neighbours", size[2], m.cfg.K)
	}
	for t := range size[2] {
		sub, err := f.Sub(fmt.Sprint("learner", t))
		if err != nil {
			return nil, err
		}
		l, err := decodeLearner(sub, m.d, m.y.N)
		if err != nil {
			return nil, err
		}
		m.add(l)
	}
	return m, nil
}

func decodeLearner(f *modelfile.File, d, n int) (learner, error) {
	sub, err := f.Sub("clusters")
	if err != nil {
		return learner{}, err
	}
	parts, err := kmeans.Decode(sub)
	if err != nil {
		return learner{}, err
	}
	k, have := parts.Centers().Dims()
	if have != d {
		return learner{}, f.Errorf("clusters", "centres of %d columns, want %d", have, d)
	}
	l := learner{parts: parts, clusters: make([]cluster, k)}
	for a := range l.clusters {
		q := &l.clusters[a]
		part, err := f.Sub(fmt.Sprint("cluster", a))
		if err != nil {
			return learner{}, err
		}
		if q.member, err = part.Int32("member", -1); err != nil {
			return learner{}, err
		}
		for _, i := range q.member {
			if i < 0 || int(i) >= n {
				return learner{}, part.Errorf("member", "row %d of %d", i, n)
			}
		}
		if s := part.Shape("v"); len(s) == 2 {
			q.r = s[1]
		}
		if q.v, err = part.Float32("v", d, q.r); err != nil {
			return learner{}, err
		}
		if q.z, err = part.Float32("z", len(q.member), q.r); err != nil {
			return learner{}, err
		}
		q.measure()
	}
	return l, nil
}
