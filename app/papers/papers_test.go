package papers

import (
	"strings"
	"testing"
)

// Every figure of papers.tsv stands in a row, data or not, but for one that a table
// has with data alone.
func TestPapers(t *testing.T) {
	left, tables := map[figureKey]bool{}, map[string]bool{}
	for key := range printedFigures() {
		if key.metric != "Ux_gain" {
			left[key], tables[key.table] = true, true
		}
	}
	if len(left) < 400 {
		t.Errorf("%d figures", len(left))
	}
	sets := map[string]map[string]string{"6.3": {"only": "delicious"}, "kulis-fig2": small["kulis-fig2"]} // what these have besides is generated
	for id := range tables {
		for _, r := range rowsOf(t, id, Env{Repeats: 1, Quick: id == "kulis-fig2", Set: sets[id]}) {
			set, _, _ := strings.Cut(r.Dataset, ", ")
			for _, name := range []string{r.Dataset, set} {
				delete(left, figureKey{r.Table, name, r.Method, r.Metric})
			}
			if want := printed(r); (want == nil) != (r.Paper == nil) || want != nil && want.value != *r.Paper {
				t.Errorf("%s, %s, %s: the row has %v", id, r.Dataset, r.Method, r.Paper)
			}
		}
	}
	for key := range left {
		t.Errorf("no row for %+v", key)
	}
}
