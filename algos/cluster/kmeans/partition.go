package kmeans

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Random assigns n rows at random to k parts whose sizes differ by at most one, 1 ≤ k ≤ n. It
// returns the part of every row.
func Random(n, k int, seed uint64) []int {
	if k < 1 || k > n {
		panic("kmeans: the number of parts is not between 1 and the number of rows")
	}
	label := make([]int, n)
	for j, i := range rng.New(seed, 0).Perm(n) {
		label[i] = j % k
	}
	return label
}

// Voronoi holds the settings of a Voronoi partition. Rows become centers one after another,
// each the row farthest from the centers before it, until every row is within Alpha·D of a
// center. Then every row belongs to the nearest center. D is the diameter of the data or up to
// a factor 2 less: the largest distance found by going three times from a row to the row
// farthest from it, starting at the mean.
type Voronoi struct {
	Alpha    float64 // 0 < Alpha ≤ 1; default 0.5
	MaxParts int     // largest number of centers; default 1000
	gram.Run `json:"-"`
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Voronoi) Settings(s *settings.Fields) {
	s.Float(&c.Alpha, "radius", "radius of the cells as a share of the largest distance").Default(0.5).Above(0).AtMost(1)
	s.Int(&c.MaxParts, "parts", "cells at most").Default(1000).AtLeast(1)
}

// Plan returns the expected cost of Fit for data of shape s. It assumes MaxParts centers.
func (c Voronoi) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	k := min(c.MaxParts, s.N)
	return gram.Plan{
		Flops:       2 * float64(s.N) * float64(s.D) * float64(k+4),
		PeakBytes:   24*int64(s.N) + 16*int64(k)*int64(s.D),
		ModelBytes:  8 * (int64(k)*int64(s.D) + int64(s.N)),
		Description: fmt.Sprintf("Voronoi partition of radius %g times the diameter", c.Alpha),
	}, nil
}

// Fit partitions the rows of x. The model's centers are rows of x.
func (c Voronoi) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	begin := time.Now()
	n, d := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	p, err := newPoints(ctx, s, nil, c.Workers)
	if err != nil {
		return nil, err
	}
	// Go three times from a row to the row farthest from it.
	at, diameter := farthest(p.sq), 0.0
	e := make([]float64, d)
	first := at
	for range 3 {
		dist := make([]float64, n)
		for i := range dist {
			dist[i] = math.Inf(1)
		}
		p.center(e, at)
		if err := p.approach(ctx, dist, nil, e, 0); err != nil {
			return nil, err
		}
		at = farthest(dist)
		diameter = max(diameter, dist[at])
	}
	radius := c.Alpha * c.Alpha * diameter
	label, dist := make([]int, n), make([]float64, n)
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	var centers []float64
	meter := c.Meter()
	for at = first; ; {
		k := len(centers) / d
		p.center(e, at)
		centers = append(centers, e...)
		if err := p.approach(ctx, dist, label, e, k); err != nil {
			return nil, err
		}
		event := gram.Event{Phase: "Voronoi parts", Done: int64(k + 1)}
		at = farthest(dist)
		end := dist[at] <= radius || k+1 == c.MaxParts
		if end {
			event.Total = event.Done
		}
		if meter.Report(event); end {
			break
		}
	}
	m := &Model{centers: mat.NewDense(len(centers)/d, d, centers), labels: label}
	k := len(centers) / d
	for j := range k {
		row := m.centers.RawRowView(j)
		for f, v := range p.mean {
			row[f] += v
		}
	}
	if m.cfg, err = settings.Resolved(Config{K: k, AllRows: true, Run: c.Run}, gram.Shape{N: n}); err != nil {
		return nil, err
	}
	m.stats = Stats{Rows: n, Objective: clusters.Objective(p.w, dist), Sizes: clusters.Sizes(label, k), Seconds: time.Since(begin).Seconds()}
	return m, nil
}

// approach lowers dist to the distance from the center e for rows that are nearer to e, and
// sets their label to k unless label is nil.
func (p *points) approach(ctx context.Context, dist []float64, label []int, e []float64, k int) error {
	h := p.offset(mat.NewDense(1, p.d, e))[0]
	return par.For(ctx, p.workers, p.n, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if v := p.distance(i, e, h); v < dist[i] {
				dist[i] = v
				if label != nil {
					label[i] = k
				}
			}
		}
	})
}

// farthest returns the first index of the largest value.
func farthest(dist []float64) int {
	at := 0
	for i, v := range dist {
		if v > dist[at] {
			at = i
		}
	}
	return at
}
