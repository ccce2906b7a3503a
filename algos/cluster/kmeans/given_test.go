package kmeans

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// divided are the settings of a method that takes a partition.
type divided struct {
	Parts int
	Given Partition `json:"-"`
}

func (c *divided) Settings(s *settings.Fields) {
	c.Given.Check(s, &c.Parts)
	s.Int(&c.Parts, "parts", "parts").Default(7).AtLeast(1)
}

// A method counts the parts that are given, and refuses a partition of other data or into another number of parts by
// its field.
func TestGivenSettings(t *testing.T) {
	three := NewModel(mat.NewDense(3, 2, []float64{0, 0, 1, 1, 2, 2}))
	shape := gram.Shape{N: 4, D: 2}
	for name, c := range map[string]struct {
		c     divided
		shape gram.Shape
		parts int
		field string
	}{
		"nothing":                   {divided{}, shape, 7, ""},
		"labels":                    {divided{Given: Partition{Labels: []int{1, 0, 0, 1}}}, shape, 2, ""},
		"their number":              {divided{2, Partition{Labels: []int{1, 0, 0, 1}}}, shape, 2, ""},
		"another number":            {divided{3, Partition{Labels: []int{1, 0, 0, 1}}}, shape, 0, "Parts"},
		"a router":                  {divided{Given: Partition{Router: three}}, shape, 3, ""},
		"a router, columns unknown": {divided{Given: Partition{Router: three}}, gram.Shape{N: 4}, 3, ""},
		"a router of other columns": {divided{Given: Partition{Router: three}}, gram.Shape{N: 4, D: 3}, 0, "Given.Router"},
		"both":                      {divided{Given: Partition{Labels: []int{1, 0, 0, 1}, Router: three}}, shape, 3, ""},
		"the last part":             {divided{Given: Partition{Labels: []int{2, 2, 2, 2}, Router: three}}, shape, 3, ""},
		"a part too many":           {divided{Given: Partition{Labels: []int{1, 0, 0, 3}, Router: three}}, shape, 0, "Given.Labels"},
		"a negative part":           {divided{Given: Partition{Labels: []int{1, -1, 0, 1}}}, shape, 0, "Given.Labels"},
		"an empty part":             {divided{Given: Partition{Labels: []int{2, 0, 0, 2}}}, shape, 0, "Given.Labels"},
		"too few labels":            {divided{Given: Partition{Labels: []int{1, 0, 0}}}, shape, 0, "Given.Labels"},
		"too many labels":           {divided{Given: Partition{Labels: []int{1, 0, 0, 1, 0}}}, shape, 0, "Given.Labels"},
		"more parts than rows":      {divided{Given: Partition{Labels: []int{0, 1, 2, 4}}}, shape, 0, "Given.Labels"},
	} {
		got, err := settings.Resolved(c.c, c.shape)
		var ce *gram.ConfigError
		switch {
		case c.field == "":
			if err != nil || got.Parts != c.parts {
				t.Errorf("%s: %d parts, want %d (%v)", name, got.Parts, c.parts, err)
			}
		case !errors.As(err, &ce) || ce.Field != c.field:
			t.Errorf("%s: %v, want an error for %s", name, err, c.field)
		}
	}
	// The row and the part that are wrong are named.
	err := Partition{Labels: []int{0, 1, 5}}.Fits(gram.Shape{N: 3})
	if err == nil || !strings.Contains(err.Error(), "part 5 of row 2") {
		t.Errorf("error %v", err)
	}
	if err = (Partition{Labels: []int{0, 0, 2}}).Fits(gram.Shape{N: 3}); err == nil || !strings.Contains(err.Error(), "part 1") {
		t.Errorf("error %v", err)
	}
	if parts := (Partition{}).Parts(); parts != 0 || !(Partition{}).IsZero() {
		t.Errorf("%d parts of nothing", parts)
	}
}

// A partition gives the parts of the rows and a router: one that is given, or one by the means of the parts.
func TestDivide(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{0, 1, 10, 0, 2, 3, 20, 4, 1, 5})
	label := []int{1, 0, 1, 0, 1}
	means := mat.NewDense(2, 2, []float64{15, 2, 1, 3})
	for name, s := range map[string]gram.Samples[float64]{"dense": gram.Of(x), "sparse": gram.Of(sparse.FromDense(x))} {
		got, r, err := Partition{Labels: label}.Divide(s)
		if err != nil || !slices.Equal(got, label) || &got[0] == &label[0] {
			t.Errorf("%s: parts %v, want a copy of %v (%v)", name, got, label, err)
		}
		if m, is := r.(*Model); !is || !mat.EqualApprox(m.Centers(), means, 1e-14) || m.Config().K != 2 || m.Labels() != nil {
			t.Errorf("%s: the router is %v", name, r)
		}
		router := NewModel(mat.NewDense(3, 2, []float64{1, 3, 15, 2, 100, 100}))
		got, r, err = Partition{Router: router}.Divide(s)
		if err != nil || !slices.Equal(got, []int{0, 1, 0, 1, 0}) || r != Assigner(router) {
			t.Errorf("%s: parts %v of a router (%v)", name, got, err)
		}
		got, r, err = Partition{Labels: label, Router: router}.Divide(s)
		if err != nil || !slices.Equal(got, label) || r != Assigner(router) {
			t.Errorf("%s: parts %v with a router, want %v (%v)", name, got, label, err)
		}
		var ce *gram.ConfigError
		nowhere := NewModel(mat.NewDense(2, 2, []float64{math.NaN(), 0, math.NaN(), 1}))
		if got, _, err = (Partition{Router: nowhere}).Divide(s); !errors.As(err, &ce) || ce.Field != "Given.Router" || got != nil {
			t.Errorf("%s: parts %v of a router without any (%v)", name, got, err)
		}
	}
}

// Trees and centers that do not fit together are refused, in memory and in files, and no centers are no model.
func TestNewTreeErrors(t *testing.T) {
	if must.Recovered(func() { NewModel(new(mat.Dense)) }) == nil {
		t.Error("there is a model without centers")
	}
	centers := func(n int) *mat.Dense { return mat.NewDense(n, 2, nil) }
	for name, c := range map[string]struct {
		branch int
		first  []int
		nodes  int
	}{
		"one child":                 {1, []int{0}, 1},
		"a center too many":         {2, []int{1, 0, 0}, 4},
		"a center too few":          {2, []int{1, 0, 0}, 2},
		"children of another node":  {2, []int{1, 1, 0}, 3},
		"children after a gap":      {2, []int{2, 0, 0, 0}, 4},
		"children that are missing": {3, []int{1, 0, 0}, 3},
		"the second child missing":  {2, []int{1, 3, 0, 0}, 4},
		"nodes without a parent":    {2, []int{1, 0, 0, 0}, 4},
		"a leaf with more nodes":    {2, []int{0, 0}, 2},
	} {
		if tree, err := NewTree(c.branch, c.first, centers(c.nodes)); err == nil {
			t.Errorf("%s: %d leaves", name, tree.Leaves())
		}
		if c.branch < 2 || c.nodes != len(c.first) {
			continue
		}
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, treeFile{Tree{Branch: c.branch}, c.first, centers(c.nodes)}))
		var fe *modelfile.FormatError
		if _, err := DecodeTree(must.Have(modelfile.Read(&b))(t)); !errors.As(err, &fe) {
			t.Errorf("%s: read as a tree (%v)", name, err)
		}
	}
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, treeFile{Tree{Branch: 1}, []int{1, 0}, centers(2)}))
	var fe *modelfile.FormatError
	if _, err := DecodeTree(must.Have(modelfile.Read(&b))(t)); !errors.As(err, &fe) {
		t.Errorf("a file of nodes with one child: %v", err)
	}
	if tree, err := NewTree(2, []int{0}, centers(1)); err != nil || tree.Leaves() != 1 {
		t.Errorf("a root alone: %v", err)
	}
}

// treeFile is the file of a tree by its arrays.
type treeFile struct {
	c       Tree
	first   []int
	centers *mat.Dense
}

func (f treeFile) Encode(w *modelfile.Writer) error {
	return modelfile.Put(w, func(x *modelfile.Exchange) {
		x.Header("kmeans.tree", 1, &f.c)
		x.Ints("first", &f.first, -1, 0, math.MaxInt)
		x.Dense("centers", &f.centers, len(f.first), -1)
	})
}

// What is known of a tree comes back from its arrays and from its file, which is read as a partition by centers as
// is that of a model.
func TestCenteredFiles(t *testing.T) {
	x, _ := blobs(6, 200, 3, 5, 1, 0)
	tree := must.Have(Tree{Branch: 3, Leaf: 40}.Fit(t.Context(), x))(t)
	flat := must.Have(Config{K: 4}.Fit(t.Context(), x))(t)
	first, centers := tree.Nodes()
	same := must.Have(NewTree(3, first, mat.DenseCopyOf(centers)))(t)
	if leaves, d := same.Dims(); leaves != tree.Leaves() || d != 3 || same.Config().Branch != 3 {
		t.Errorf("%d leaves in %d columns", leaves, d)
	}
	if k, d := flat.Dims(); k != 4 || d != 3 {
		t.Errorf("%d clusters in %d columns", k, d)
	}
	for name, m := range map[string]Centered{"tree": tree, "arrays": same, "flat": flat} {
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, m))
		back, err := DecodeCentered(must.Have(modelfile.Read(&b))(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := tree.Labels()
		if name == "flat" {
			want = flat.Labels()
		}
		if !slices.Equal(m.Assign(nil, x), want) || !slices.Equal(back.Assign(nil, x), want) {
			t.Errorf("%s: other leaves", name)
		}
		if back, is := back.(*TreeModel); is {
			part, parts := back.Level(1)
			was, were := tree.Level(1)
			if parts != were || !slices.Equal(part, was) {
				t.Errorf("%s: other parts at level 1", name)
			}
			if back.Config().Branch != 3 || name == "tree" && back.Config().Leaf != 40 {
				t.Errorf("%s: settings %+v", name, back.Config())
			}
		}
	}
}
