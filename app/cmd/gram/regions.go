package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	regionCells   = 100  // of a picture of regions, in each direction
	regionRows    = 400  // rows that are drawn at most
	regionSteps   = 8    // shades of values
	regionColumns = 1000 // features that directions are computed of at most
)

// plane is a part of a plane in the space of the features of a model, and rows near it.
type plane struct {
	center []float64
	axes   *mat.Dense // 2×d
	places *mat.Dense // of the rows, n×2
	x, y   [2]float64
}

// newPlane returns the plane of two columns, or of the two directions in which rows vary most.
func newPlane(rows *mat.Dense) *plane {
	n, d := rows.Dims()
	p := &plane{center: make([]float64, d), axes: mat.NewDense(2, d, nil), places: mat.NewDense(n, 2, nil)}
	if d == 2 {
		p.axes.Set(0, 0, 1)
		p.axes.Set(1, 1, 1)
	} else {
		for j := range p.center {
			p.center[j] = stat.Mean(mat.Col(nil, j, rows), nil)
		}
		var pc stat.PC
		var axes mat.Dense
		if !pc.PrincipalComponents(rows, nil) {
			return nil
		}
		pc.VectorsTo(&axes)
		if _, k := axes.Dims(); k < 2 {
			return nil
		}
		p.axes.Copy(axes.T())
	}
	for i := range n {
		for a := range 2 {
			var sum float64
			for j, v := range rows.RawRowView(i) {
				sum += float64((v - p.center[j]) * p.axes.At(a, j))
			}
			p.places.Set(i, a, sum)
		}
	}
	ends := func(a int) [2]float64 {
		v := mat.Col(nil, a, p.places)
		low, high := slices.Min(v), slices.Max(v)
		room := .05 * (high - low)
		return [2]float64{low - room, high + room}
	}
	p.x, p.y = ends(0), ends(1)
	if !(p.x[1] > p.x[0]) || !(p.y[1] > p.y[0]) {
		return nil
	}
	return p
}

// grid returns the points of the cells, row by row from the largest y.
func (p *plane) grid() *mat.Dense {
	grid := mat.NewDense(regionCells*regionCells, len(p.center), nil)
	for i := range regionCells {
		for j := range regionCells {
			a := p.x[0] + (float64(j)+.5)/regionCells*(p.x[1]-p.x[0])
			b := p.y[1] - (float64(i)+.5)/regionCells*(p.y[1]-p.y[0])
			row := grid.RawRowView(i*regionCells + j)
			for k := range row {
				row[k] = p.center[k] + a*p.axes.At(0, k) + b*p.axes.At(1, k)
			}
		}
	}
	return grid
}

// regions returns the picture of what a model predicts on a plane of its features, and the test rows; false if
// there is none. steps are the ends of the steps of values.
func (p *problem) regions(r comparison) (page.Regions, bool, error) {
	shown := p.test
	if n, _ := shown.Dims(); n > regionRows {
		shown = shown.Select(dataset.Sample(n, regionRows, p.run.Seed))
	}
	scaled, err := r.model.Scaled(shown.X)
	if err != nil {
		return page.Regions{}, false, err
	}
	rows, is := scaled.(*mat.Dense)
	if !is || rows.RawMatrix().Cols < 2 || rows.RawMatrix().Cols > regionColumns {
		return page.Regions{}, false, nil
	}
	at := newPlane(rows)
	if at == nil {
		return page.Regions{}, false, nil
	}
	out := page.Regions{Title: fmt.Sprintf("%s: %s", r.named(), r.answer()), X: at.x, Y: at.y, Side: regionCells}
	truth := shown.Labels.Class
	if shown.Task() == dataset.Classes {
		out.Names, out.Cells = shown.Labels.Names, r.model.Model.(gram.Classifier).Predict(nil, at.grid())
	} else {
		low, high := slices.Min(shown.Value), slices.Max(shown.Value)
		step := func(values []float64) []int {
			steps := make([]int, len(values))
			for i, v := range values {
				steps[i] = int(min(max(0, math.Floor((v-low)/(high-low)*regionSteps)), regionSteps-1))
				if v != v {
					steps[i] = -1
				}
			}
			return steps
		}
		out.Steps, truth, out.Cells = true, step(shown.Value), step(r.model.Model.(gram.Regressor).Predict(nil, at.grid()))
		for k := range regionSteps {
			out.Names = append(out.Names, fmt.Sprintf("%.3g to %.3g", low+(high-low)*float64(k)/regionSteps, low+(high-low)*float64(k+1)/regionSteps))
		}
	}
	for i, class := range truth {
		out.Rows = append(out.Rows, page.Spot{X: at.places.At(i, 0), Y: at.places.At(i, 1), Class: class})
	}
	return out, true, nil
}

// named is the model with its number of landmarks.
func (r comparison) named() string {
	if r.M > 0 {
		return fmt.Sprintf("%s, m=%d", r.Model, r.M)
	}
	return r.Model
}

// answer is the quality of the model as people read it.
func (r comparison) answer() string {
	if r.Metric == "accuracy" {
		return page.Percent(r.Value) + " right"
	}
	return fmt.Sprintf("%s %.4g", r.Metric, r.Value)
}

// pictured returns the models whose regions are drawn: those without landmarks, and of the others those with the
// fewest and the most.
func pictured(rows []comparison) (out []comparison) {
	for i, r := range rows {
		same := func(s comparison) bool { return s.Model == r.Model }
		fewer := slices.ContainsFunc(rows, func(s comparison) bool { return same(s) && s.M < r.M })
		more := slices.ContainsFunc(rows, func(s comparison) bool { return same(s) && s.M > r.M })
		if (!fewer || !more) && slices.IndexFunc(rows, func(s comparison) bool { return same(s) && s.M == r.M }) == i {
			out = append(out, r)
		}
	}
	return out
}

// picture adds the headline and the regions to the page of a comparison.
func (p *problem) picture(out *page.Page, rows []comparison) error {
	best, linear := rows[0], rows[0]
	for _, r := range rows[1:] {
		if w := r.worse(best); w < 0 || w == 0 && r.Bytes < best.Bytes {
			best = r
		}
	}
	n, _ := p.test.Dims()
	text := fmt.Sprintf("Of %d test rows, %s has %s", n, best.named(), best.answer())
	if best.Metric == "accuracy" {
		text += fmt.Sprintf(" (± %s)", page.Percent(best.noise(best, n)/math.Sqrt2))
	}
	out.Lead(fmt.Sprintf("%s; a linear model has %s, and a constant %s.", text, linear.answer(), p.constant().answer()))
	var all []page.Regions
	for _, r := range pictured(rows) {
		if r.model == nil {
			continue
		}
		picture, is, err := p.regions(r)
		if err != nil {
			return err
		}
		if is {
			all = append(all, picture)
		}
	}
	out.Regions(all)
	if all == nil {
		return nil
	}
	where := "by their two columns"
	if _, d := p.test.Dims(); d != 2 {
		where = "in the two directions in which the scaled columns vary most; a picture shows the plane through their mean, and rows may lie far from it"
	}
	drawn := min(n, regionRows)
	what := "the class that each model predicts there"
	if p.test.Task() != dataset.Classes {
		what = "the value that each model predicts there: the darker, the larger"
	}
	out.Text(fmt.Sprintf("Points are %d test rows, %s, in the color of what is true; the ground is %s.", drawn, where, what))
	return nil
}
