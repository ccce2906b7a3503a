package landmark

import "github.com/gramworks/gram/settings"

// nameable are those that settings can name.
var nameable = []settings.Option[Selector]{
	{Name: "kmeans", Value: KMeans{}},
	{Name: "uniform", Value: Uniform{}},
	{Name: "leverage", Value: Leverage{}},
	{Name: "column-norm", Value: ColumnNorm{}},
	{Name: "farthest", Value: Farthest{}},
}

// Setting describes the selector of a configuration: one of those that names names, of
// kmeans, uniform, leverage, column-norm and farthest, the default first. A program may
// use others.
func Setting(s *settings.Set, p *Selector, name, help string, names ...string) {
	var options []settings.Option[Selector]
	for _, n := range names {
		for _, o := range nameable {
			if o.Name == n {
				options = append(options, o)
			}
		}
	}
	settings.OneOf(s, p, name, help, options...)
}
