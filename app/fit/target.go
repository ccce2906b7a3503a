package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// taken says what a target of whole numbers was taken for where it could have been something
// else, "" if it could not.
func (f *fitting) taken(d *dataset.Set) string {
	if f.Read.Task != dataset.AutoTask {
		return ""
	}
	name := "the target"
	if d.Schema != nil && d.Schema.Target != "" {
		name = fmt.Sprintf("the target %q", d.Schema.Target)
	}
	switch d.Task() {
	case dataset.Classes:
		names := d.Labels.Names
		if len(names) < 4 {
			return ""
		}
		for _, text := range names {
			if strings.Trim(text, "+-.0123456789") != "" {
				return ""
			}
		}
		return fmt.Sprintf("%s holds %d different whole numbers, taken as classes; --task regression takes them as values", name, len(names))
	case dataset.Regression:
		different := map[float64]bool{}
		for _, v := range d.Value {
			if v != math.Trunc(v) {
				return ""
			}
			different[v] = true
		}
		return fmt.Sprintf("%s holds %d different whole numbers, taken as values; --task classes takes them as classes", name, len(different))
	}
	return ""
}

// learners names the methods that learn a kind of target.
func learners(task dataset.Task) string {
	var names []string
	for _, m := range catalog.Methods() {
		if slices.Contains(m.Tasks, task) {
			name := m.Name
			if other := m.Counterpart(); other != "" && catalog.Must(other).Counterpart() == name {
				names = slices.Insert(names, 0, name+" (as "+other+")")
				continue
			}
			names = append(names, name)
		}
	}
	return "methods that do are " + strings.Join(names, ", ")
}

// unnamedTarget says which column of a table was learned if nobody has named one.
func (f *fitting) unnamedTarget(s *dataset.Set) string {
	if f.Read.Target != "" || s.Schema == nil || s.Schema.Target == "" {
		return ""
	}
	return fmt.Sprintf("the target is %q, the last column; --target names another", s.Schema.Target)
}

// rowNumbers names the column of the names of rows that was left out, or else the first column of
// a table that only counts its rows, "" if none does.
func rowNumbers(s *dataset.Set) string {
	if s.Schema != nil && s.Schema.RowNames != "" {
		return s.Schema.RowNames + " is left out: it has the numbers or names of the rows"
	}
	x, is := s.X.(*mat.Dense)
	n, d := s.Dims()
	if !is || s.Schema == nil || !s.Schema.Named() || n < 20 {
		return ""
	}
	for j := range d {
		i := 1
		for i < n && x.At(i, j) == x.At(i-1, j)+1 {
			i++
		}
		if c := s.Schema.Columns[j]; i == n && c.Kind == dataset.Number {
			return fmt.Sprintf("the column %q only numbers the rows; --ignore leaves it out", c.Name)
		}
	}
	return ""
}
