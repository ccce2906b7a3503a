package papers

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// scoring gives every label of a row a score.
type scoring struct {
	labels int
	of     func(x mat.Matrix) *mat.Dense
}

// NumLabels returns the number of labels that a row is scored for.
func (f scoring) NumLabels() int { return f.labels }

// Top returns the k labels of each row with the highest scores, best first, in dst.
func (f scoring) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	const block = 1024
	n, _ := x.Dims()
	dst = dst[:0]
	for lo := 0; lo < n; lo += block {
		var index []int
		for i := lo; i < min(n, lo+block); i++ {
			index = append(index, i)
		}
		scores := f.of(dataset.SelectRows(x, index))
		for i := range index {
			all := make([]gram.Scored, 0, k+1)
			for j, v := range scores.RawRowView(i) {
				at, _ := slices.BinarySearchFunc(all, v, func(s gram.Scored, v float64) int {
					if s.Score < v {
						return 1
					}
					return -1
				})
				if all = slices.Insert(all, at, gram.Scored{Label: j, Score: v}); len(all) > k {
					all = all[:k]
				}
			}
			dst = append(dst, all)
		}
	}
	return dst
}

// plain is a simple method for sets of labels, on rows of length 1: what a user would
// try first.
type plain struct {
	name    string
	lambdas []float64 // to choose from
	fit     func(r *run, d *dataset.Set, lambda float64) gram.Ranker
}

var plains = []plain{
	{"ridge", []float64{.1, 1, 10}, func(r *run, d *dataset.Set, lambda float64) gram.Ranker {
		y := mat.NewDense(d.Tags.N, d.Tags.D, nil)
		for i := range d.Tags.N {
			for _, j := range d.Tags.Col[d.Tags.Ptr[i]:d.Tags.Ptr[i+1]] {
				y.Set(i, int(j), 1)
			}
		}
		m := must(linear.Ridge{Lambda: gram.Set(lambda), Run: r.repeat(0)}.FitAll(r.ctx, nil, d.X, y, nil))
		return scoring{d.Tags.D, func(x mat.Matrix) *mat.Dense { return m.PredictAll(nil, x) }}
	}},
	{"centroids", []float64{0}, func(_ *run, d *dataset.Set, _ float64) gram.Ranker {
		_, columns := d.Dims()
		c := mat.NewDense(columns, d.Tags.D, nil)
		x := gram.Of(d.X)
		for i := range x.N() {
			for _, l := range d.Tags.Col[d.Tags.Ptr[i]:d.Tags.Ptr[i+1]] {
				x.Each(i, func(j int, v float64) { c.Set(j, int(l), c.At(j, int(l))+v) })
			}
		}
		for l := range d.Tags.D {
			if norm := mat.Norm(c.ColView(l), 2); norm > 0 {
				for j := range columns {
					c.Set(j, l, c.At(j, l)/norm)
				}
			}
		}
		return scoring{d.Tags.D, func(x mat.Matrix) *mat.Dense {
			rows := gram.Of(x)
			out := mat.NewDense(rows.N(), d.Tags.D, nil)
			for i := range rows.N() {
				to := out.RawRowView(i)
				rows.Each(i, func(j int, v float64) {
					for l, w := range c.RawRowView(j) {
						to[l] += v * w
					}
				})
			}
			return out
		}}
	}},
}

// baselines emits the precision at ks of the simple methods, or of the one that is wanted,
// with the λ that has the best P@1 on a fifth of the training part.
func (r *run) baselines(method, set string, part *protocol.Split, ks ...int) {
	var names []string
	for _, k := range ks {
		names = append(names, fmt.Sprintf("P@%d", k))
	}
	for _, b := range plains {
		if method != "" && method != b.name {
			continue
		}
		note := "rows of length 1"
		r.measure(metrics(Row{Dataset: set, Method: b.name}, names...), 1, func(t *trial) {
			on := must(part.Mapped(dataset.NormalizeRows))
			lambda := b.lambdas[0]
			if len(b.lambdas) > 1 {
				best, p := choose(r, on.Train, r.fifth(on.Train), b.lambdas, true, func(lambda float64, d, validation *dataset.Set, _ gram.Run) float64 {
					return metric.PrecisionAt([]int{1}, b.fit(r, d, lambda).Top(nil, validation.X, 1), validation.Tags)[0]
				})
				lambda, note = best, notes(note, fmt.Sprintf("λ %g, P@1 %.4f on a fifth of the training part", best, p))
			}
			t.note(note)
			t.start()
			model := b.fit(r, on.Train, lambda)
			t.add(t.seconds(), 0, must(on.Precision(model, ks...))...)
		})
	}
}
