package tables

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/dataset"
)

// choose returns which of n candidates has the best mean score on the rows of d that
// the splits hold out, and that score. score trains a candidate on the one part and
// judges it by the other. d are training rows, so that no test row has a say.
func (r *run) choose(d *dataset.Set, splits []crossval.Split, n int, larger bool, score func(i int, train, held *dataset.Set, run gram.Run) float64) (best int, mean float64) {
	search := crossval.Search{Splits: splits, Larger: larger, Run: r.repeat(0)}
	result := must(search.Do(r.ctx, crossval.Each(n), func(_ context.Context, t crossval.Task) (scores []float64, err error) {
		err = try(func() { scores = []float64{score(t.Candidates[0], d.Select(t.Train), d.Select(t.Held), t.Run)} })
		return scores, err
	}))
	return result.Best, result.Trials[result.Best].Mean
}

// fifth holds a fifth of d out.
func (r *run) fifth(d *dataset.Set) []crossval.Split {
	n, _ := d.Dims()
	return []crossval.Split{crossval.Share(n, .2, d.Labels.Class, r.Seed)}
}

// quarters are the first k of four folds of d.
func (r *run) quarters(d *dataset.Set, k int) []crossval.Split {
	n, _ := d.Dims()
	return crossval.Folds(n, 4, d.Labels.Class, r.repeat(0).Seed)[:k]
}
