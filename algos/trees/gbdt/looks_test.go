package gbdt

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
)

// More trees end with the error of their context at whichever look it ends.
func TestMoreLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 2)
	for _, workers := range []int{1, 2} {
		c := Config{Rounds: 2, MaxLeaves: 4, Run: gram.Run{Workers: workers}}
		first := must.Have(c.Fit(t.Context(), d.X, d.Labels, nil))(t)
		looktest.Every(t, func(ctx context.Context) (any, error) {
			m, err := c.More(ctx, first, d.X, d.Labels, nil)
			return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
		})
	}
}

// More trees for values, and trees of rows on disk, end with the error of their context at whichever look it ends; what comes with
// the error of a fit from disk is a model of the finished rounds.
func TestDiskLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 2)
	c := Config{Rounds: 3, MaxLeaves: 4, MinRows: 5}
	first := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
	filled := func(ctx context.Context, names []string) (*Disk, error) {
		s, err := c.NewDisk(ctx, d.X, names, scratch(t))
		if err == nil && names != nil {
			err = s.Add(d.X, nil, d.Labels.Class)
		} else if err == nil {
			err = s.Add(d.X, d.Value, nil)
		}
		return s, err
	}
	looktest.Each(t, map[string]func(ctx context.Context) (any, error){
		"MoreValues": func(ctx context.Context) (any, error) {
			m, err := c.MoreValues(ctx, first, d.X, d.Value, nil)
			return looktest.Unless(err, func() any { return m.Predict(nil, d.X) })
		},
		"classes on disk": func(ctx context.Context) (any, error) {
			s, err := filled(ctx, d.Labels.Names)
			if err != nil {
				return nil, err
			}
			m, err := s.Fit(ctx)
			if err == nil {
				return m.Scores(nil, d.X), nil
			}
			if m != nil && m.Scores(nil, d.X).At(0, 0) == 0 {
				t.Error("a model without a tree comes with the error")
			}
			return nil, err
		},
		"values on disk": func(ctx context.Context) (any, error) {
			s, err := filled(ctx, nil)
			if err != nil {
				return nil, err
			}
			m, err := s.FitValues(ctx)
			if err == nil {
				return m.Predict(nil, d.X), nil
			}
			if m != nil && len(m.Stats().Objective) < 2 {
				t.Error("a model without a round comes with the error")
			}
			return nil, err
		},
	})
}

// What makes trees of pieces ends with the error of its context at whichever look it ends.
func TestPieceLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 2)
	set := &dataset.Set{X: d.X, Value: d.Value}
	c := Config{Rounds: 2, MaxLeaves: 4, MinRows: 5}
	looktest.Every(t, func(ctx context.Context) (any, error) {
		m, _, err := fitPieces(ctx, t, c, set, d.X, 25, 60)
		return looktest.Unless(err, func() any { return m.(*Regressor).Predict(nil, d.X) })
	})
}
