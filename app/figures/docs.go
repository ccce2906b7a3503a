package figures

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/bench"
)

// sections of the page of a machine, each with the kernels of gram bench that it shows.
var sections = []struct {
	title   string
	kernels []string
}{
	{"Transforms", []string{"fwht", "fwht_rows", "haar", "haar_rows", "haar_levels"}},
	{"Products and kernel blocks", []string{"gemm", "batch_gemm", "syrk", "gauss_block", "gauss_mv", "laplace_block"}},
	{"Functions of vectors", []string{"exp", "log", "sincos", "dot_int8", "distance_int8"}},
	{"Factors and spectra", []string{"qr", "qr_pivoted", "batch_cholesky", "batch_lu", "batch_inverse", "batch_eigen", "eig_rankone", "ident_rank1_apply"}},
	{"Updates", []string{"chol_update", "chol_downdate"}},
	{"Sketches and codes", []string{"rotate", "rabitq", "scalar_codes", "hamming"}},
}

// libraries are the libraries that bench/peers compares with, by the names that it gives them.
var libraries = []string{"FFHT", "PyWavelets", "scikit-learn", "qrupdate", "gonum", "gonum, small matrices", "LAPACK, dlaed9", "OpenBLAS", "OpenBLAS, small matrices", "XGBoost", "scikit-learn, boosting", "RaBitQ-Library, FhtKacRotator"}

// Texts are the pages in the folder docs that have tables of this package among their text.
var Texts = []string{"choosing.md", "performance.md"}

// Docs returns, by their names in the folder docs, the pages and pictures of all machines, and
// those of Texts that there are, whose present text read returns and whose tables are written anew.
func Docs(read func(name string) ([]byte, error)) (map[string][]byte, error) {
	all, err := Machines()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, m := range all {
		if err := m.page(files); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	for _, name := range Texts {
		text, err := read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			files[name], err = fill(text, all)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}

// disturbed is the share of the time of all cores from which on other programs are said to
// have disturbed a run.
const disturbed = .25

// source is the sentence about where a run comes from.
func source(command string, s bench.Stamp) string {
	others := "It is not known what other programs did."
	if s.Others != nil {
		others = fmt.Sprintf("Other programs took %.0f %% of the time of all cores.", 100**s.Others)
		if *s.Others > disturbed {
			others = strings.TrimSuffix(others, ".") + ", which disturbed the times."
		}
	}
	return fmt.Sprintf("`%s`: %s, level %s, %s, backend %s, revision %s, %s. %s", command, s.CPU, s.Level, s.Go, s.Backend, s.Revision, s.Date, others)
}

func quickly(command string, quick bool) string {
	if quick {
		command += " --quick"
	}
	return command
}

var numeric = regexp.MustCompile(`^[-*0-9]`)

// table writes a table. Columns of numbers are aligned to the right, and those without any cell are left out.
func table(w *bytes.Buffer, head []string, rows [][]string) {
	keep, rule := make([]bool, len(head)), slices.Repeat([]string{"---:"}, len(head))
	for i := range head {
		keep[i] = slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" && r[i] != "-" })
		if slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" && !numeric.MatchString(r[i]) }) {
			rule[i] = "---"
		}
	}
	fmt.Fprintln(w)
	for _, cells := range slices.Concat([][]string{head, rule}, rows) {
		for i, c := range cells {
			if keep[i] {
				fmt.Fprintf(w, "| %s ", strings.ReplaceAll(c, "|", "\\|"))
			}
		}
		fmt.Fprintln(w, "|")
	}
}

// page adds the page of the machine and its pictures.
func (m Machine) page(files map[string][]byte) error {
	var w bytes.Buffer
	fmt.Fprintf(&w, `# Figures of %s

<!-- Written by "gram table --docs docs" from %s/%s.json. -->

The machine: %s. Each table is of one run, and figures of different runs must not be compared with each other.
[performance.md](../performance.md) says what the figures mean and how to record those of another machine.
`, m.Name, Dir, m.Name, m.hardware())
	if k := m.Kernels; k != nil {
		fmt.Fprintf(&w, "\nThe kernels: %s\n\nTimes are the medians of a call, and *vs generic* says how many times as fast as the generic version a level is.\n", source(quickly("gram bench", k.Quick), k.Stamp))
		for _, s := range sections {
			if err := k.section(&w, files, m.Name, s.title, s.kernels); err != nil {
				return err
			}
		}
	} else {
		fmt.Fprintf(&w, "\nNo run of the kernels is recorded: `gram bench --record %s` records one.\n", m.Name)
	}
	m.libraries(&w)
	files["figures/"+m.Name+".md"] = w.Bytes()
	return nil
}

// section writes the rows of some kernels, those of the generic version left out, and draws
// the lines of one thread in float64.
func (k *Kernels) section(w *bytes.Buffer, files map[string][]byte, machine, title string, kernels []string) error {
	fmt.Fprintf(w, "\n## %s\n", title)
	var rows [][]string
	for _, r := range k.Rows {
		if slices.Contains(kernels, r.Kernel) && r.Level != "generic" {
			rows = append(rows, r.Cells())
		}
	}
	var colors page.Palette
	for _, name := range kernels {
		mine := slices.DeleteFunc(slices.Clone(k.Rows), func(r bench.Row) bool { return r.Kernel != name || r.Type != "float64" || r.Threads != 1 })
		c := Chart(mine)
		if len(c.Ticks) < 3 {
			continue
		}
		file := fmt.Sprintf("figures/%s-%s.svg", machine, strings.ReplaceAll(name, "_", "-"))
		var err error
		if files[file], err = c.SVG(&colors); err != nil {
			return err
		}
		fmt.Fprintf(w, "\n![%s](%s)\n", c.Title, strings.TrimPrefix(file, "figures/"))
	}
	table(w, bench.Head(), rows)
	return nil
}

// Chart returns the chart of the rows of one kernel, type and number of threads: GFLOP/s
// where flops are counted, else GB/s, for every level. The axis ends at the highest
// ceiling, which is the peak where a case is bound by arithmetic.
func Chart(rows []bench.Row) page.Chart {
	if len(rows) == 0 {
		return page.Chart{}
	}
	unit, value := "GB/s", func(r bench.Row) float64 { return r.GBs }
	if rows[0].GFlops > 0 {
		unit, value = "GFLOP/s", func(r bench.Row) float64 { return r.GFlops }
	}
	c := page.Chart{Title: fmt.Sprintf("%s, %s, threads: %d", rows[0].Kernel, rows[0].Type, rows[0].Threads), Y: unit, Zero: true}
	var levels []string
	for _, r := range rows {
		if !slices.Contains(c.Ticks, r.Shape) {
			c.Ticks = append(c.Ticks, r.Shape)
		}
		if !slices.Contains(levels, r.Level) {
			levels = append(levels, r.Level)
		}
	}
	for i, l := range levels {
		s := page.Series{Name: l}
		top := page.Series{Name: "ceiling of " + l, Like: l, Dashed: true}
		for _, r := range rows {
			if r.Level == l {
				x := float64(slices.Index(c.Ticks, r.Shape))
				s.X, s.Y = append(s.X, x), append(s.Y, value(r))
				ceiling := 100 * value(r) / r.PctCeiling
				top.X, top.Y = append(top.X, x), append(top.Y, ceiling)
				c.Top = max(c.Top, ceiling)
			}
		}
		c.Series = append(c.Series, s)
		if i == len(levels)-1 {
			c.Series = append(c.Series, top)
		}
	}
	return c
}

// libraries writes the comparisons with other libraries, and which are missing.
func (m Machine) libraries(w *bytes.Buffer) {
	fmt.Fprint(w, "\n## Other libraries\n\nThe module and the library ran in turn. Times are the least of all rounds, and *peer/gram* is the median of the ratios of\nthe rounds: above 1 the module is faster.\n")
	for _, p := range m.Peers {
		command := "bench/peers -json"
		if p.Threads > 1 {
			command += fmt.Sprint(" -threads ", p.Threads)
		}
		version := p.Version
		if version != "" {
			version = " " + version
		}
		threads := "one thread"
		if p.Threads > 1 {
			threads = fmt.Sprint(p.Threads, " threads")
		}
		fmt.Fprintf(w, "\n### %s%s, level %s, %s\n\n%s: %d rounds. %s\n", p.Peer, version, p.Level, threads, p.Build, p.Rounds, source(command, p.Stamp))
		var rows [][]string
		for _, r := range p.Rows {
			rows = append(rows, r.Cells())
		}
		table(w, bench.PeerHead(), rows)
	}
	var missing []string
	for _, l := range libraries {
		if !slices.ContainsFunc(m.Peers, func(p Peers) bool { return p.Peer == l }) {
			missing = append(missing, l)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(w, "\nNot compared on this machine: %s.\n", strings.Join(missing, "; "))
	}
}

var marker = regexp.MustCompile(`(?s)<!-- figures: ([a-z0-9 ]+) -->\n.*?<!-- end of figures -->`)

// fill puts tables between the markers of a page.
func fill(text []byte, all []Machine) ([]byte, error) {
	var wrong error
	out := marker.ReplaceAllFunc(text, func(b []byte) []byte {
		key := string(marker.FindSubmatch(b)[1])
		var w bytes.Buffer
		fmt.Fprintf(&w, "<!-- figures: %s -->\n", key)
		kind, what, _ := strings.Cut(key, " ")
		switch kind {
		case "machines":
			for _, m := range all {
				fmt.Fprintf(&w, "\n- [%s](figures/%s.md): %s", m.Name, m.Name, m.hardware())
			}
			fmt.Fprintln(&w)
		case "methods":
			wrong = methodsTable(&w, all, what)
		case "defaults":
			defaultsTable(&w, all, what == "classes")
		default:
			wrong = fmt.Errorf("there are no figures %q", key)
		}
		fmt.Fprint(&w, "\n<!-- end of figures -->")
		return w.Bytes()
	})
	return out, wrong
}

// newest returns the run of the last day, of the first machine if several are of one day.
func newest[R Run](all []Machine, is func(R) bool) (found R, machine string) {
	date := ""
	for _, m := range all {
		for _, r := range m.runs() {
			if r, ok := r.(R); ok && is(r) && r.stamp().Date > date {
				date, found, machine = r.stamp().Date, r, m.Name
			}
		}
	}
	return found, machine
}

// methodsTable writes the fits to a data set.
func methodsTable(w *bytes.Buffer, all []Machine, data string) error {
	i := slices.IndexFunc(studies, func(s study) bool { return s.data == data })
	if i < 0 {
		return fmt.Errorf("there are no fits to %q", data)
	}
	s := studies[i]
	flags := ""
	if s.common != "" {
		flags = fmt.Sprintf(" (`%s`)", s.common)
	}
	fmt.Fprintf(w, "\n### %s: %s%s\n", s.data, s.title, flags)
	m, machine := newest(all, func(m Methods) bool { return m.Data == data })
	if machine == "" {
		fmt.Fprint(w, "\nNo run is recorded: `gram bench methods --data DIR --record NAME` records one.\n")
		return nil
	}
	fmt.Fprintf(w, "\n%s\n", source("gram bench methods", m.Stamp))
	head := append([]string{"flags"}, s.scores...)
	if len(s.scores) == 1 && s.scores[0] == "rmse" {
		head[1] = "RMSE"
	}
	head = append(head, "CPU seconds", "operations", "MB")
	var rows [][]string
	for _, f := range m.Rows {
		cells := []string{"`" + f.Flags + "`"}
		for k, v := range f.Scores {
			if s.scores[k] == "rmse" {
				cells = append(cells, number(v, 4))
			} else {
				cells = append(cells, fmt.Sprintf("%.4f", v))
			}
		}
		operations := "-"
		if f.Operations > 0 {
			operations = number(f.Operations, 3)
		}
		rows = append(rows, append(cells, number(f.Seconds, 2), operations, number(float64(f.Bytes)/1e6, 2)))
	}
	table(w, head, rows)
	return nil
}

// number is v with some significant digits, and all those before the point.
func number(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	places := max(0, digits-1-int(math.Floor(math.Log10(math.Abs(v)))))
	return fmt.Sprintf("%.*f", places, v)
}

// defaultsTable writes how far the defaults of methods are behind, for values or for classes.
func defaultsTable(w *bytes.Buffer, all []Machine, classes bool) {
	d, machine := newest(all, func(*Defaults) bool { return true })
	if machine == "" {
		fmt.Fprint(w, "\nNo run is recorded: `gram bench defaults --data DIR --record NAME` records one.\n")
		return
	}
	var sets, methods []string
	cell := map[[2]string]string{}
	for _, r := range d.Rows {
		if r.Classes != classes {
			continue
		}
		if !slices.Contains(sets, r.Data) {
			sets = append(sets, r.Data)
		}
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
		text := fmt.Sprintf("%.1f", math.Abs(r.behind(r.Default)))
		if r.far() {
			text = "**" + text + "**"
		}
		if r.Fixed != nil {
			text = fmt.Sprintf("%.1f → %s", math.Abs(r.behind(*r.Fixed)), text)
		}
		cell[[2]string{r.Method, r.Data}] = text
	}
	fmt.Fprintf(w, "\n%s\n", source(quickly("gram bench defaults", d.Quick), d.Stamp))
	var rows [][]string
	for _, m := range methods {
		cells := []string{"`" + m + "`"}
		for _, s := range sets {
			cells = append(cells, cell[[2]string{m, s}])
		}
		rows = append(rows, cells)
	}
	table(w, append([]string{"method"}, sets...), rows)
}
