package figures

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/stat"
)

// Default compares the defaults of a method with settings drawn from its own ranges, by the
// root mean square error of values or the accuracy of classes.
type Default struct {
	Data     string   `json:"data"`
	Method   string   `json:"method"`
	Classes  bool     `json:"classes"`
	Fixed    *float64 `json:"fixed,omitempty"` // of the fixed defaults, where the method chooses some by folds
	Default  float64  `json:"default"`
	Best     float64  `json:"best"` // of all of them
	Seconds  float64  `json:"seconds"`
	Settings []string `json:"settings,omitempty"` // the best ones; none: the defaults
}

// behind returns by how much a score is worse than the best: in points of accuracy, or in
// percent of the root mean square error.
func (d Default) behind(score float64) float64 {
	if d.Classes {
		return 100 * (d.Best - score)
	}
	return 100 * (score/d.Best - 1)
}

// far says that the default is behind by more than one point, or by 3 percent.
func (d Default) far() bool {
	return !(d.behind(d.Default) <= map[bool]float64{true: 1, false: 3}[d.Classes])
}

// defaultSets are the data sets of the study of defaults. With --quick it takes some.
var defaultSets = []struct {
	name  string
	task  dataset.Task
	quick bool
}{
	{"boston", dataset.Regression, true}, {"airfoil", dataset.Regression, true}, {"wine-quality", dataset.Regression, false}, {"cadata", dataset.Regression, false},
	{"pendigits", dataset.Classes, true}, {"ijcnn1", dataset.Classes, false}, {"a9a", dataset.Classes, false}, {"usps", dataset.Classes, false},
}

// MeasureDefaults compares, for the methods and data sets of a folder whose "data/method" matches (nil:
// all), the defaults with the best of eight settings drawn from the method's ranges,
// on 1000 rows in three folds. It emits each row. In the end there is an error if a method cannot be fitted or
// its defaults are worse than a constant.
func MeasureDefaults(ctx context.Context, dir dataset.Dir, quick bool, match *regexp.Regexp, emit func(Default) error) (*Defaults, error) {
	out := &Defaults{Quick: quick}
	stamp := bench.Watch()
	var wrong []error
	for _, set := range defaultSets {
		if quick && !set.quick {
			continue
		}
		d, _, err := dir.Load(set.name, dataset.Options{Task: set.task})
		if err != nil {
			return nil, err
		}
		if n, _ := d.Dims(); n > 1000 {
			d = d.Select(dataset.Sample(n, 1000, 1))
		}
		for _, m := range catalog.Methods() {
			if m.Clusters || !slices.Contains(m.Tasks, set.task) || match != nil && !match.MatchString(set.name+"/"+m.Name) {
				continue
			}
			row, err := compareDefaults(ctx, m, d)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil && worse(row.Default, constant(d), row.Classes) {
				err = fmt.Errorf("%.4g with the defaults, %.4g by a constant", row.Default, constant(d))
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s, %s: %w", set.name, m.Name, err))
				continue
			}
			row.Data = set.name
			out.Rows = append(out.Rows, row)
			if err := emit(row); err != nil {
				return nil, err
			}
		}
	}
	out.Stamp = stamp()
	return out, errors.Join(wrong...)
}

// worse says that a score is worse than another.
func worse(a, b float64, classes bool) bool {
	if classes {
		return !(a >= b)
	}
	return !(a <= b)
}

// constant is the score of the best constant.
func constant(d *dataset.Set) float64 {
	if d.Task() != dataset.Classes {
		return stat.PopStdDev(d.Value, nil)
	}
	count := map[int]int{}
	most := 0
	for _, c := range d.Labels.Class {
		count[c]++
		most = max(most, count[c])
	}
	return float64(most) / float64(len(d.Labels.Class))
}

// compareDefaults returns the score of the defaults of a method on d, in three folds, beside the best of eight candidates and, if
// the method chooses a default by the data, beside fixed defaults.
func compareDefaults(ctx context.Context, m catalog.Method, d *dataset.Set) (Default, error) {
	s := search.Config{Methods: []catalog.Method{m}, Trials: 8, Folds: 3, Scale: training.AutoScale, Run: gram.Run{Seed: 1}}
	f, err := s.Do(ctx, d)
	if err != nil {
		return Default{}, err
	}
	first, best := f.Trials[0], f.Trials[f.Best]
	if first.Failed != "" {
		return Default{}, errors.New(first.Failed)
	}
	row := Default{Method: m.Name, Classes: f.Larger, Default: digits(first.Score), Best: digits(best.Score), Seconds: digits(first.Seconds), Settings: best.Settings}
	if _, chooses := catalog.Chosen(m.New()); !chooses {
		return row, nil
	}
	fixed := m
	fixed.New = func() catalog.Fitter { return catalog.Plain(m.New()) }
	s.Methods, s.Trials = []catalog.Method{fixed}, 1
	if f, err = s.Do(ctx, d); err != nil {
		return Default{}, err
	}
	score := digits(f.Trials[0].Score)
	row.Fixed = &score
	if f.Trials[0].Failed != "" {
		return Default{}, errors.New(f.Trials[0].Failed)
	}
	if worse(row.Best, score, row.Classes) {
		row.Best, row.Settings = score, []string{"fixed defaults"}
	}
	return row, nil
}

// digits rounds v to the five significant digits that are stored.
func digits(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	return v
}
