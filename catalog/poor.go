package catalog

import (
	"fmt"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/pipeline"
	"gonum.org/v1/gonum/stat"
)

// mostForPoor is the number of rows that Poor looks at.
const mostForPoor = 1000

// Poor says in a phrase that a model is no better than a constant on at most 1000 of the rows
// it was trained on: values are further from the target than their mean, or classes are right
// no more often than the most frequent one. It is empty for a better model, for sets of labels,
// for clusters, and for rows with weights. A model that is better there may still be poor on
// other rows.
func Poor(m *pipeline.Model, d *dataset.Set, seed uint64) string {
	task := d.Task()
	if method, err := Find(m.Method); err == nil && method.Clusters {
		return ""
	}
	if d.Weight != nil || m.Task != task || task != dataset.Classes && task != dataset.Regression {
		return ""
	}
	if n, _ := d.Dims(); n > mostForPoor {
		d = d.Select(dataset.Sample(n, mostForPoor, rng.Derive(seed, "poor")))
	}
	n, _ := d.Dims()
	measure, err := Search{}.measure(task)
	if err != nil {
		return ""
	}
	few := *d
	if few.X, err = m.Scaled(d.X); err != nil {
		return ""
	}
	got, err := judge(m.Model, &few, measure)
	if err != nil {
		return ""
	}
	if task == dataset.Regression {
		if mean := stat.PopStdDev(d.Value, nil); mean > 0 && !(got < mean) {
			return fmt.Sprintf("on %d training rows its error is %.4g, that of their mean %.4g", n, got, mean)
		}
		return ""
	}
	count, most := make([]int, len(d.Labels.Names)), 0
	for _, c := range d.Labels.Class {
		count[c]++
	}
	for c, k := range count {
		if k > count[most] {
			most = c
		}
	}
	if share := float64(count[most]) / float64(n); share < 1 && !(got > share) {
		return fmt.Sprintf("of %d training rows it has %.4g right, the class %q alone %.4g", n, got, d.Labels.Names[most], share)
	}
	return ""
}
