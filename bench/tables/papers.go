package tables

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// papers are the figures that the papers print. A block is separated from the next by
// an empty line. Its first line has the table, the metric and the data sets, the
// others have a method and its figure for each data set; a dash stands where the
// paper prints none. Columns are separated by tabs.
//
//go:embed papers.tsv
var papers string

// figureKey names a figure.
type figureKey struct{ table, dataset, method, metric string }

var printedFigures = sync.OnceValue(func() map[figureKey]float64 {
	out := map[figureKey]float64{}
	for block := range strings.SplitSeq(strings.TrimSpace(papers), "\n\n") {
		lines := strings.Split(block, "\n")
		head := strings.Split(lines[0], "\t")
		for _, line := range lines[1:] {
			cells := strings.Split(line, "\t")
			for i, cell := range cells[1:] {
				if cell == "-" {
					continue
				}
				v, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					panic(fmt.Sprintf("tables: papers.tsv: %q: %v", line, err))
				}
				out[figureKey{head[0], head[2+i], cells[0], head[1]}] = v
			}
		}
	}
	return out
})

// printed returns the figure that the paper prints for a row; nil if there is none.
// "name, remark" is the data set name, prepared or divided in another way.
func printed(r Row) *float64 {
	set, _, _ := strings.Cut(r.Dataset, ", ")
	for _, name := range []string{r.Dataset, set} {
		if v, is := printedFigures()[figureKey{r.Table, name, r.Method, r.Metric}]; is {
			return &v
		}
	}
	return nil
}
