// Package tables reproduces the tables and figures of the papers that the
// methods come from: one row per data set and method with the paper's value and
// ours.
//
// A table is a function over a *run. It asks the run for its settings and its data
// sets, fits methods to the training rows and has package protocol score them:
// test rows and test targets never reach it. What is measured is repeated with
// other seeds, and a row is published with the mean and the standard deviation.
//
// Results of past runs are stored in the folder results, one file for each table,
// and the page docs/tables.md is generated from them.
package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gramworks/gram/bench/tables/protocol"
)

// Row is one figure of a table.
type Row = protocol.Row

// Table is a table or figure of a paper. ID is the number as printed: 3.7,
// fig-3.8, zhang-1.
type Table struct {
	ID, Title string

	// The axes of a figure; empty for a table.
	X, Y       string
	LogX, LogY bool

	picture bool // docs/tables.md shows it drawn
	run     func(r *run) error
}

// All lists the tables in the order of the papers.
func All() []Table {
	return []Table{
		fig31c,
		fig32,
		table32,
		table33,
		fig33,
		fig34,
		table35,
		fig35,
		fig36,
		table37,
		fig37,
		fig38,
		fig39,
		fig310,
		table38,
		table39,
		table310,
		fig311,
		fig312,
		fig313,
		fig314,
		fig315,
		table41,
		fig41,
		fig42,
		fig43,
		fig44,
		table51,
		fig51,
		table52,
		fig52,
		table53,
		fig53,
		table55,
		fig54,
		fig55,
		table57,
		table58,
		gimcScale,
		selectors,
		kulisFig1,
		kulisDigits,
		kulisFig2,
		jain1,
		jainFig1c,
		zhang1,
		zhangFig1,
		fig61,
		table61,
		table63,
		fig62,
		gbmlGrowth,
	}
}

// Find returns the table with the given ID.
func Find(id string) (Table, error) {
	all := All()
	i := slices.IndexFunc(all, func(t Table) bool { return t.ID == id })
	if i < 0 {
		var ids []string
		for _, t := range all {
			ids = append(ids, t.ID)
		}
		return Table{}, fmt.Errorf("there is no table %q; there are %s", id, strings.Join(ids, ", "))
	}
	return all[i], nil
}
