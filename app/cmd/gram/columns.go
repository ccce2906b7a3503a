package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/fit"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// columnFlags say how the columns of a table become numbers.
type columnFlags struct{ categories, fill string }

func (c *columnFlags) define(f *pflag.FlagSet) {
	f.StringVar(&c.categories, "categories", "auto", "what the categories of a table become, stored with the model: onehot (a column per level), target (mean of the target, cross-fitted), ordinal, auto (onehot up to 32 levels, then target; ordinal for trees)")
	f.StringVar(&c.fill, "fill", "auto", "what missing numbers become, stored with the model: auto, median, mean; a column more says where they were missing; auto is median, but gbdt splits on missing cells themselves")
}

func (c *columnFlags) config() (e encode.Config, err error) {
	if e.Categories, err = encode.ParseCategories(c.categories); err == nil {
		e.Fill, err = encode.ParseFill(c.fill)
	}
	if err != nil {
		err = usageError{err}
	}
	return e, err
}

// describeColumns says in a line what a table's columns have become, "" if they are numbers.
func describeColumns(m *pipeline.Model) string {
	if m.Encoding == nil {
		return ""
	}
	numbers, categories, dates, missing := 0, 0, 0, 0
	for _, c := range m.Schema.Columns {
		switch c.Kind {
		case dataset.Category:
			categories++
		case dataset.Date:
			dates++
		default:
			numbers++
		}
		if c.Missing {
			missing++
		}
	}
	_, width := m.Encoding.Dims()
	kinds := plural(numbers, "number") + ", " + plural(categories, "category")
	if dates > 0 {
		kinds += ", " + plural(dates, "date") + " (as year, month, weekday and days)"
	}
	text := fmt.Sprintf("%s, %s with missing cells: %s", kinds, plural(missing, "column"), plural(width, "feature"))
	if empty := m.Encoding.Empty(m.Schema); empty != nil {
		text += "; without any value, and 0 in all rows: " + strings.Join(empty, ", ")
	}
	return text
}

// dropped says how many rows --drop-missing left out.
func (d *dataFlags) dropped(s *dataset.Set) string {
	if s.Dropped == 0 {
		return ""
	}
	n, _ := s.Dims()
	return fmt.Sprintf("%d of %d rows left out, where %s is missing", s.Dropped, n+s.Dropped, strings.Join(d.dropMissing, " or "))
}

// unknowns gathers the texts of a file that a model does not know.
type unknowns struct {
	rows   int
	column map[int]*dataset.Unknown
}

// add counts the rows of the next block.
func (u *unknowns) add(s *dataset.Set) {
	n, _ := s.Dims()
	u.rows += n
	if u.column == nil {
		u.column = map[int]*dataset.Unknown{}
	}
	for _, c := range s.Unknown {
		if all := u.column[c.Column]; all != nil {
			all.Rows += c.Rows
		} else {
			u.column[c.Column] = &c
		}
	}
}

// report writes one line that names the columns with texts that training did not see.
func (u *unknowns) report(c *cobra.Command, file string, s *dataset.Schema) {
	const most = 3
	var parts []string
	for _, j := range slices.Sorted(maps.Keys(u.column)) {
		if len(parts) == most {
			parts = append(parts, fmt.Sprintf("%d more columns", len(u.column)-most))
			break
		}
		about := u.column[j]
		text := "%d of %d rows have a text in %s that was not in training, such as %.40q"
		if parts != nil {
			text = "%d of %d in %s, such as %.40q"
		}
		parts = append(parts, fmt.Sprintf(text, about.Rows, u.rows, s.Title(j), about.Text))
	}
	if parts != nil {
		fmt.Fprintf(c.ErrOrStderr(), "%s: warning: %s: %s\n", c.CommandPath(), file, strings.Join(parts, "; "))
	}
}

// widthOf returns the name of the setting of the width of a Gaussian process's kernel, "" if the kernel has none.
func widthOf(m *pipeline.Model) string {
	var k kernel.Kernel
	switch m := m.Model.(type) {
	case *gp.Model:
		k = m.Kernel()
	case *gp.Classifier:
		k = m.Kernel()
	}
	switch k.(type) {
	case kernel.Gaussian, kernel.Laplacian:
		return "gamma"
	case kernel.Matern, kernel.RationalQuadratic:
		return "length"
	}
	return ""
}

// decided says in a line what the defaults auto, lambda, c, k and rounds and those chosen by folds came to,
// "" if that is nothing.
func decided(r *fit.Result) string {
	var parts []string
	m, scale, settings, chosen := r.Model, r.Prepare.Scale, r.Settings, r.Chosen
	if scale == training.AutoScale && m.Scaling != nil {
		what := "columns scaled to mean 0 and variance 1"
		if m.Scaling.Rows {
			what = "rows scaled to length 1"
		}
		parts = append(parts, what)
	}
	given := func(name string) bool {
		return slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	}
	if v, is := catalog.Lambda(m.Model); is && !given("lambda") {
		parts = append(parts, fmt.Sprintf("lambda=%.3g by leave-one-out", v))
	}
	if name, v := catalog.HeldOut(m.Model); name != "" && !given(name) {
		parts = append(parts, fmt.Sprintf("%s=%g by rows held out", name, v))
	}
	if len(chosen) > 0 {
		parts = append(parts, strings.Join(chosen, ", ")+" by folds")
	}
	if width := widthOf(m); width != "" && !given(width) {
		parts = append(parts, fmt.Sprintf("only lambda is chosen: --search '%s=…' compares widths of the kernel", width))
	}
	if r.Streamed != nil && r.Streamed.Rounds != "" {
		parts = append(parts, r.Streamed.Rounds+" by rows held out of a sample")
	}
	return strings.Join(parts, "; ")
}
