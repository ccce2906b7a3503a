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

// Partition is a division of rows that the caller brings along: the field Given of
// methods that divide the rows themselves where it is zero. Their models return the one
// they were fitted with by their method Given.
type Partition struct {
	// Labels are the parts of the rows of the fit: numbers from 0 on, below the number
	// of parts of Router. Without a Router every part up to the last has a row. Nil
	// stands for the parts that Router sends the rows to.
	Labels []int
	// Router sends the rows that are predicted to parts. NewModel makes one of centers.
	// Nil stands for the part whose mean is nearest.
	Router Assigner
}

// Assigner sends rows to parts.
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

// Check is for the settings of a method whose field Given is the partition: it refuses one
// that does not fit the data, and otherwise sets *parts to its number of parts. It does
// nothing for the zero value.
func (p Partition) Check(s *settings.Set, parts *int) {
	if p.IsZero() || !s.Resolving() {
		return
	}
	s.Check(p.Fits(s.Shape))
	count := p.Parts()
	s.Require(*parts == 0 || *parts == count, parts, "0 or %d, the number of parts that are given", count)
	*parts = count
}

// Fits returns a *gram.ConfigError for Given.Labels or Given.Router unless they are a
// partition of data of shape s, of which D may be 0 for unknown.
func (p Partition) Fits(s gram.Shape) error {
	count := s.N
	if p.Router != nil {
		var d int
		if count, d = p.Router.Dims(); s.D > 0 && d != s.D {
			return gram.Refuse("Given.Router", fmt.Sprintf("of %d columns", d), "one of %d columns", s.D)
		}
	}
	if p.Labels == nil {
		return nil
	}
	wrong := func(value, want string, args ...any) error {
		return gram.Refuse("Given.Labels", value, want, args...)
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

// Divide returns the part of every row of x, a copy of Labels if there are any, and the
// router, which is made of the means of the parts if there is none.
func (p Partition) Divide(x gram.Samples[float64]) (label []int, r Assigner) {
	label, r = slices.Clone(p.Labels), p.Router
	if r == nil {
		r = NewModel(means(x, label, p.Parts()))
	}
	if label == nil {
		label = r.Assign(nil, x)
	}
	return label, r
}

// means returns the means of the rows of each part, of which none is empty.
func means(x gram.Samples[float64], label []int, parts int) *mat.Dense {
	_, d := x.Dims()
	size := clusters.Sizes(label, parts)
	mean := mat.NewDense(parts, d, nil)
	for i, l := range label {
		rows.Add(mean.RawRowView(l), 1/float64(size[l]), x, i)
	}
	return mean
}

// NewModel returns the clusters of the given centers, k×d, which it keeps: a row belongs
// to the nearest. The model has no labels.
func NewModel(centers *mat.Dense) *Model {
	k, _ := centers.Dims()
	c, err := settings.Resolved(Config{K: k, AllRows: true}, gram.Shape{N: k})
	if err != nil {
		panic("kmeans: there are no centers")
	}
	return &Model{cfg: c, centers: centers}
}

// NewTree returns the tree that TreeModel.Nodes describes: the number of the first child
// of every node, 0 for a leaf, with branch ≥ 2 consecutive children each and the nodes
// numbered level by level, and the centers of all nodes, of which the first, that of the
// root, is not looked at. It keeps centers. The model has no labels. An error says which
// node is wrong.
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

// DecodeCentered reads what the Encode of a *Model or a *TreeModel wrote.
func DecodeCentered(f *modelfile.File) (Centered, error) {
	if f.Method() == "kmeans" {
		return Decode(f)
	}
	return DecodeTree(f)
}
