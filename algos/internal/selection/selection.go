// Package selection is what the methods that select landmarks have in common: the settings of a
// selector and of the number of landmarks, and landmarks that are fixed.
package selection

import (
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
)

// nameable lists the selectors that settings can name.
var nameable = []settings.Option[landmark.Selector]{
	{Name: "kmeans", Value: landmark.KMeans{}},
	{Name: "uniform", Value: landmark.Uniform{}},
	{Name: "leverage", Value: landmark.Leverage{}},
	{Name: "column-norm", Value: landmark.ColumnNorm{}},
	{Name: "farthest", Value: landmark.Farthest{}},
	{Name: "rpcholesky", Value: landmark.RPCholesky{}},
}

// Setting describes the selector of a configuration: one of those listed in names, out of kmeans,
// uniform, leverage, column-norm, farthest and rpcholesky. The first is the default. The settings of a selector
// follow its name, as in kmeans:starts=3. Programs can use other selectors.
func Setting(s *settings.Fields, p *landmark.Selector, name, help string, names ...string) {
	var options []settings.Option[landmark.Selector]
	for _, n := range names {
		for _, o := range nameable {
			if o.Name == n {
				options = append(options, o)
			}
		}
	}
	settings.OneOf(s, p, name, help, options...)
}

// Count describes the number m of landmarks that sel selects. The default is def, which rule states
// in words, and the largest value is the number of rows. For Fixed landmarks it is their number,
// which can exceed the number of rows unless they are rows of the data.
func Count(s *settings.Fields, m *int, sel landmark.Selector, name, help string, def int, rule string) {
	number := s.Int(m, name, help)
	if fixed := NumFixed(sel); fixed > 0 {
		number.DefaultRule(fixed, rule).AtLeast(1)
		s.Require(*m == fixed, m, "0 or %d, the number of landmarks that are fixed", fixed)
		return
	}
	number.DefaultRule(def, rule).AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
}

// NumFixed returns the number of landmarks of a landmark.Fixed, and 0 for any other selector.
func NumFixed(s landmark.Selector) int {
	f, _ := s.(landmark.Fixed)
	if f.U != nil {
		m, _ := f.U.Dims()
		return m
	}
	return len(f.Index)
}

// Kept returns the selector for those rows of x alone that have the numbers kept, in ascending
// order: Fixed gets their places among these rows. The error is a *gram.ConfigError if Fixed has
// another row. A nil kept stands for all rows. Fits leave out rows of weight 0 in this way.
func Kept(s landmark.Selector, kept []int) (landmark.Selector, error) {
	f, fixed := s.(landmark.Fixed)
	if !fixed || f.Index == nil {
		return s, nil
	}
	var err error
	f.Index, err = rows.Places("Landmarks.Index", f.Index, kept)
	return f, err
}

// Keep is Kept for a selector in place, for rows.Begin.
func Keep(s *landmark.Selector) func(kept []int) error {
	return func(kept []int) (err error) {
		*s, err = Kept(*s, kept)
		return err
	}
}
