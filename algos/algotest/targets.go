package algotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
)

// targets checks that unusable labels are reported with their row, and that
// rankings are in order.
func (s Subject) targets(t *testing.T) {
	wantAt := func(what string, d Data, row int) {
		t.Helper()
		m, err := s.Fit(context.Background(), d, run)
		var de *gram.DataError
		if !errors.As(err, &de) || de.Row != row || de.Col != -1 || m != nil {
			t.Errorf("%s: error %v, want one at the target of row %d and no model", what, err, row)
		}
	}
	switch s.Kind {
	case Classification:
		for _, c := range []int{-1, 3, math.MaxInt} {
			d := small()
			d.Labels.Class[19] = c
			wantAt(fmt.Sprintf("class %d of 3", c), d, 19)
		}
		d := small()
		for i := range d.Labels.Class {
			d.Labels.Class[i] = 1
		}
		if s.TwoClasses != "" {
			wantAt("rows of one class", d, 0)
		} else {
			s.oneClass(t, d)
		}
		d = small()
		d.Labels.Names = nil
		wantAt("no classes", d, 0)
		d = small()
		d.Labels.Class = append(d.Labels.Class, 0)
		wantAt("91 labels for 90 rows", d, 90)
	case MultiLabel:
		for _, l := range []int32{-1, 5} {
			d := small()
			d.Tags.Col[d.Tags.Ptr[33]] = l
			wantAt(fmt.Sprintf("label %d of 5", l), d, 33)
		}
		d := small()
		d.Tags.N, d.Tags.Ptr = 89, d.Tags.Ptr[:90]
		wantAt("89 sets of labels for 90 rows", d, 89)
		for what, tags := range map[string]*sparse.CSR{"nil": nil, "sets of no labels": {N: 90, Ptr: make([]int, 91), Col: []int32{}}} {
			d := small()
			d.Tags = tags
			var refused *gram.ConfigError
			if m, err := s.Fit(context.Background(), d, run); !errors.As(err, &refused) || m != nil {
				t.Errorf("%s: error %v, want a *gram.ConfigError and no model", what, err)
			}
		}
		d = small()
		d.Tags = &sparse.CSR{N: 90, D: 5, Ptr: make([]int, 91), Col: []int32{}}
		finite(t, "the scores of a fit without any label", s.fit(t, d, run).Output(d.X))
		s.ranking(t)
	}
}

// ranking fits labels of which some are copies and some do not occur, so that
// scores are equal. It checks that every list is in order: better scores
// first, among equal scores the lower label, no label twice, and at most k
// labels. A shorter list must be the beginning of a longer one, and the
// content of dst must not matter.
func (s Subject) ranking(t *testing.T) {
	d := small()
	tags := &sparse.CSR{N: d.Tags.N, D: 10, Ptr: []int{0}}
	for i := range d.Tags.N {
		col, _ := d.Tags.Row(i)
		for _, l := range col { // label 2l and its copy; 3, 6, 7 and 9 do not occur
			tags.Col = append(tags.Col, 2*l)
			if l != 1 && l != 4 {
				tags.Col = append(tags.Col, 2*l+1)
			}
		}
		tags.Ptr = append(tags.Ptr, len(tags.Col))
	}
	d.Tags = tags
	m := s.fit(t, d, run)
	finite(t, "scores", m.Output(d.X))
	ranker, ranks := m.Public.(gram.Ranker)
	if !ranks {
		return
	}
	if ranker.NumLabels() != 10 {
		t.Errorf("%d labels, want 10", ranker.NumLabels())
	}
	dst := ranker.Top(nil, d.X, 100)
	all := make([][]gram.Scored, len(dst))
	for i, list := range dst {
		all[i] = slices.Clone(list)
		if !slices.IsSortedFunc(list, inOrder) {
			t.Fatalf("row %d is not in order: %v", i, list)
		}
		seen := map[int]bool{}
		for _, s := range list {
			if s.Label < 0 || s.Label >= 10 || seen[s.Label] {
				t.Fatalf("row %d: label %d is none, or comes twice: %v", i, s.Label, list)
			}
			seen[s.Label] = true
		}
	}
	for _, k := range []int{10, 4, 3, 2, 1} {
		dst = ranker.Top(dst, d.X, k)
		for i, list := range dst {
			if want := all[i][:min(k, len(all[i]))]; !slices.Equal(list, want) {
				t.Fatalf("the best %d labels of row %d are %v, want %v", k, i, list, want)
			}
		}
	}
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("no panic for %s", what)
			}
		}()
		f()
	}
	panics("a dst of another length", func() { ranker.Top(make([][]gram.Scored, 3), d.X, 1) })
}

// inOrder compares two different labels of a ranking.
func inOrder(a, b gram.Scored) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Label, b.Label))
}

// oneClass checks that a fit to rows of class 1 alone says so of these rows.
func (s Subject) oneClass(t *testing.T, d Data) {
	t.Helper()
	m, err := s.Fit(context.Background(), d, run)
	var rough *gram.ConvergenceError
	if m == nil || err != nil && !errors.As(err, &rough) {
		t.Errorf("rows of one class: %v", err)
		return
	}
	if c, is := m.Public.(gram.Classifier); is {
		other := 0 // without a constant the best function may put some rows on the other side
		for _, class := range c.Predict(nil, d.X) {
			if class != 1 {
				other++
			}
		}
		if n, _ := d.X.Dims(); 2*other > n {
			t.Errorf("rows of class 1 alone: %d of %d are of another class", other, n)
		}
	}
}
