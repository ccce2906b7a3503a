package kmeans

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Partition is a division of rows that the caller provides. Methods that divide rows have a
// field Given of this type; if it is zero, they make a partition themselves. Their models
// return the partition of the fit by a method Given.
type Partition struct {
	// Labels holds the part of each row of the fit, a number from 0 to the number of parts of
	// Router minus 1. Without a Router every part must have a row. If Labels is nil, Router
	// assigns the rows.
	Labels []int
	// Router assigns parts to rows in predictions. NewModel makes one from centers. If Router
	// is nil, a row belongs to the part with the nearest mean.
	Router Assigner
}

// Assigner decides to which part of a partition a row belongs, also for rows that were not in the fit.
type Assigner interface {
	modelfile.Model
	// Assign returns the part of every row of x, −1 for a row with NaN.
	Assign(dst []int, x mat.Matrix) []int
	// Dims returns the number of parts and of columns of x.
	Dims() (parts, d int)
}

// Centered is an Assigner by the nearest center: a *Model or a *TreeModel.
type Centered interface {
	Assigner
	tree() (nodes []node, d int)
}

var (
	_ Centered = (*Model)(nil)
	_ Centered = (*TreeModel)(nil)
)

// IsZero reports whether no partition is given.
func (p Partition) IsZero() bool { return p.Labels == nil && p.Router == nil }

// Parts returns the number of parts, 0 for the zero value.
func (p Partition) Parts() int {
	switch {
	case p.Router != nil:
		parts, _ := p.Router.Dims()
		return parts
	case len(p.Labels) > 0:
		return slices.Max(p.Labels) + 1
	}
	return 0
}

// Check checks the partition for the settings of a method with a field Given. It refuses a
// partition that does not fit the data, and otherwise sets *parts to the number of parts. It
// does nothing for the zero value.
func (p Partition) Check(s *settings.Fields, parts *int) {
	if p.IsZero() || !s.Resolving() {
		return
	}
	s.Check(p.Fits(s.Shape))
	count := p.Parts()
	s.Require(*parts == 0 || *parts == count, parts, "0 or %d, the number of parts that are given", count)
	*parts = count
}

// Fits returns a *gram.ConfigError for Given.Labels or Given.Router unless they form a
// partition of data of shape s. s.D may be 0 if it is unknown.
func (p Partition) Fits(s gram.Shape) error {
	count := s.N
	if p.Router != nil {
		var d int
		if count, d = p.Router.Dims(); s.D > 0 && d != s.D {
			return settings.Refuse("Given.Router", fmt.Sprintf("of %d columns", d), "one of %d columns", s.D)
		}
	}
	if p.Labels == nil {
		return nil
	}
	wrong := func(value, want string, args ...any) error {
		return settings.Refuse("Given.Labels", value, want, args...)
	}
	if len(p.Labels) != s.N {
		return wrong(fmt.Sprintf("of length %d", len(p.Labels)), "a part for each of the %d rows", s.N)
	}
	for i, l := range p.Labels {
		if l < 0 || l >= count {
			return wrong(fmt.Sprintf("part %d of row %d", l, i), "parts from 0 to %d", count-1)
		}
	}
	if p.Router == nil {
		if empty := slices.Index(clusters.Sizes(p.Labels, p.Parts()), 0); empty >= 0 {
			return wrong(fmt.Sprintf("without a row of part %d", empty), "a row of each part from 0 on")
		}
	}
	return nil
}

// Divide returns the part of every row of x, which is a copy of Labels if they are given, and
// the router. If Router is nil it makes one from the means of the parts. The error is a
// *gram.ConfigError for a Router that has no part for a row.
func (p Partition) Divide(x gram.Samples[float64]) (label []int, r Assigner, err error) {
	label, r = slices.Clone(p.Labels), p.Router
	if r == nil {
		r = NewModel(means(x, label, p.Parts()))
	}
	if label == nil {
		label = r.Assign(nil, x)
		parts, _ := r.Dims()
		if i := slices.IndexFunc(label, func(l int) bool { return l < 0 || l >= parts }); i >= 0 {
			return nil, nil, settings.Refuse("Given.Router", fmt.Sprintf("without a part for row %d", i), "one that assigns all rows, such as finite centers")
		}
	}
	return label, r, nil
}

// means returns the means of the rows of each part. No part may be empty.
func means(x gram.Samples[float64], label []int, parts int) *mat.Dense {
	_, d := x.Dims()
	size := clusters.Sizes(label, parts)
	mean := mat.NewDense(parts, d, nil)
	for i, l := range label {
		rows.Add(mean.RawRowView(l), 1/float64(size[l]), x, i)
	}
	return mean
}

// NewModel returns a model with the given k×d centers, which it keeps. A row belongs to the
// nearest center. The model has no labels.
func NewModel(centers *mat.Dense) *Model {
	k, _ := centers.Dims()
	c, err := settings.Resolved(Config{K: k, AllRows: true}, gram.Shape{N: k})
	if err != nil {
		panic("kmeans: there are no centers")
	}
	return &Model{cfg: c, centers: centers}
}

// NewTree returns the tree that the arrays of TreeModel.Nodes describe. first holds the number
// of the first child of every node, or 0 for a leaf. Nodes are numbered level by level, and
// each has branch ≥ 2 consecutive children. centers has a row for each node; that of the root
// is ignored. NewTree keeps centers. The model has no labels. The error names the node that is
// wrong.
func NewTree(branch int, first []int, centers *mat.Dense) (*TreeModel, error) {
	c, err := settings.Resolved(Tree{Branch: branch}, gram.Shape{})
	if err != nil {
		return nil, err
	}
	t := &TreeModel{cfg: c}
	if n, _ := centers.Dims(); n != len(first) {
		return nil, fmt.Errorf("kmeans: %d centers of %d nodes", n, len(first))
	}
	if err := t.link(first, centers); err != nil {
		return nil, fmt.Errorf("kmeans: %w", err)
	}
	return t, nil
}

// DecodeCentered reads what Encode of a *Model or a *TreeModel wrote.
func DecodeCentered(f *modelfile.File) (Centered, error) {
	if f.Method() == "kmeans" {
		return Decode(f)
	}
	return DecodeTree(f)
}
