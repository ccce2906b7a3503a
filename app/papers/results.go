package papers

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gramworks/gram/app/papers/protocol"
)

// Results are the runs of a table, as gram table --json prints them and as they
// are stored in the folder results.
type Results struct {
	Table  string `json:"table"`
	Reason string `json:"reason,omitempty"` // why there are no runs
	Runs   []Stored
}

// Stored is one run of a table. What is not known of a run is empty.
type Stored struct {
	CPU      string            `json:"cpu"`
	Level    string            `json:"level"`
	Workers  int               `json:"workers"` // goroutines; 0: not recorded
	Go       string            `json:"go"`
	Revision string            `json:"revision"`
	Sources  string            `json:"sources,omitempty"` // the hash of the code; "": not recorded
	Date     string            `json:"date"`
	Seed     *uint64           `json:"seed"` // the repeats have seeds derived from it; null: not recorded
	Quick    bool              `json:"quick"`
	Repeats  int               `json:"repeats,omitempty"` // that were asked for; 0: those of the table
	Settings map[string]string `json:"settings,omitempty"`
	Note     string            `json:"note,omitempty"`
	Rows     []Row             `json:"-"`
}

// Write writes the results as JSON, one row a line, numbers to five digits.
func (r Results) Write(w io.Writer) error {
	return try(func() {
		var runs []string
		for _, run := range r.Runs {
			var rows []string
			for _, row := range run.Rows {
				rows = append(rows, string(must(json.Marshal(protocol.Rounded(row)))))
			}
			runs = append(runs, withList(run, "rows", rows))
		}
		head := struct {
			Table  string `json:"table"`
			Reason string `json:"reason,omitempty"`
		}{r.Table, r.Reason}
		_, err := fmt.Fprintln(w, withList(head, "runs", runs))
		fail(err)
	})
}

// withList is an object as JSON, with a list more, whose elements have a line each.
func withList(object any, name string, list []string) string {
	text := string(must(json.Marshal(object)))
	text = strings.TrimSuffix(text, "}") + fmt.Sprintf(",%q:[", name)
	if len(list) > 0 {
		text += "\n" + strings.Join(list, ",\n")
	}
	return text + "\n]}"
}

// ReadResults reads what Results.Write has written. An unknown field is an error.
func ReadResults(b []byte) (Results, error) {
	var in struct {
		Table, Reason string
		Runs          []struct {
			Stored
			Rows []Row
		}
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Results{}, err
	}
	out := Results{Table: in.Table, Reason: in.Reason}
	for _, run := range in.Runs {
		run.Stored.Rows = run.Rows
		out.Runs = append(out.Runs, run.Stored)
	}
	return out, nil
}

//go:embed results
var storedFiles embed.FS

// Stored returns the stored results of a table and what is to be said of them, in
// Markdown.
func (t Table) Stored() (r Results, about string, err error) {
	b, err := storedFiles.ReadFile("results/" + t.ID + ".json")
	if err != nil {
		return r, "", err
	}
	if r, err = ReadResults(b); err != nil {
		return r, "", fmt.Errorf("results/%s.json: %w", t.ID, err)
	}
	text, err := storedFiles.ReadFile("results/" + t.ID + ".md")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, string(text), err
}

// papers are the figures that the papers print. A block is separated from the next by
// an empty line. Its first line has the table, the metric and the data sets, the
// others have a method and its figure for each data set, 27.09±2.16 where its deviation
// is printed; a dash stands where the paper prints none. Columns are separated by tabs.
// Where deviations are printed the table has the number of repeats behind it: zhang-1 n=30.
//
//go:embed papers.tsv
var papers string

// figureKey is what a printed figure is found by.
type figureKey struct{ table, dataset, method, metric string }

// figure is what a paper prints: a value, half a unit of the last digit that the block
// has, by which rounding moved it at most, and, 0 if not printed, the standard deviation
// over n repeats.
type figure struct {
	value, half, std float64
	n                int
}

var printedFigures = sync.OnceValue(func() map[figureKey]figure {
	number := func(cell string) float64 {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			panic(fmt.Sprintf("tables: papers.tsv: %v", err))
		}
		return v
	}
	out := map[figureKey]figure{}
	for block := range strings.SplitSeq(strings.TrimSpace(papers), "\n\n") {
		lines := strings.Split(block, "\n")
		head := strings.Split(lines[0], "\t")
		table, repeats, _ := strings.Cut(head[0], " n=")
		n, digits := 0, 0
		if repeats != "" {
			n = int(number(repeats))
		}
		values := map[figureKey]figure{}
		for _, line := range lines[1:] {
			cells := strings.Split(line, "\t")
			for i, cell := range cells[1:] {
				if cell == "-" {
					continue
				}
				mean, std, has := strings.Cut(cell, "±")
				_, fraction, _ := strings.Cut(mean, ".")
				digits = max(digits, len(fraction))
				f := figure{value: number(mean)}
				if has {
					f.std, f.n = number(std), n
				}
				values[figureKey{table, head[2+i], cells[0], head[1]}] = f
			}
		}
		for key, f := range values {
			f.half = 0.5 * math.Pow10(-digits)
			out[key] = f
		}
	}
	return out
})

// printed returns the figure that the paper prints for a row; nil if there is none.
// "name, remark" is the data set name, prepared or divided in another way.
func printed(r Row) *figure {
	set, _, _ := strings.Cut(r.Dataset, ", ")
	for _, name := range []string{r.Dataset, set} {
		if f, is := printedFigures()[figureKey{r.Table, name, r.Method, r.Metric}]; is {
			return &f
		}
	}
	return nil
}

// reasons are why rows are not within two deviations of the paper. A line has the table,
// the data sets, the methods and the metrics that it is about, with semicolons between
// them and * for all, a cause and a sentence. The first line that fits a row is its own.
//
//go:embed reasons.tsv
var reasons string

// reason says why a row is where it is: what kind of cause there is, and what is known of it.
type reason struct {
	table, dataset, method, metric string
	cause, text                    string
}

var allReasons = sync.OnceValue(func() (out []reason) {
	for line := range strings.Lines(reasons) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 6 {
			panic(fmt.Sprintf("tables: reasons.tsv: %q has %d columns", line, len(f)))
		}
		out = append(out, reason{f[0], f[1], f[2], f[3], f[4], f[5]})
	}
	return out
})

// fits says that the reason is about a row.
func (e reason) fits(r Row) bool {
	among := func(list, name string) bool {
		return list == "*" || slices.Contains(strings.Split(list, "; "), name)
	}
	return e.table == r.Table && among(e.dataset, r.Dataset) && among(e.method, r.Method) && among(e.metric, r.Metric)
}

// reasonIndex returns the place of a row's reason, -1 without one.
func reasonIndex(r Row) int {
	return slices.IndexFunc(allReasons(), func(e reason) bool { return e.fits(r) })
}
