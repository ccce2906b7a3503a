package papers

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// measurement is what is compared with a paper: a row, or several of one data set and
// metric that have the same figure here, because they are one computation.
type measurement struct {
	rows []Row
	run  Stored
}

// verdict is where a measurement is from the paper's figure. With s of n repeats here and
// s' of n' in the paper the difference of the means has the standard error
// √(s²/n + s'²/n'); where the paper prints no deviation s' and n' are taken to be s and n.
// The band is half a unit of the paper's last digit and the 97.5 % quantile of Student's
// distribution times the standard error, to both sides.
type verdict struct {
	paper, got float64
	std        float64
	repeats    int
	band       float64
	place      int  // −1, 0, 1: worse, within, better
	draw       bool // not within, but it would be if the paper, which prints no deviation, had one repeat
}

// judge compares a measurement. It is false of one run without repeats.
func (m measurement) judge() (v verdict, known bool) {
	r := m.rows[0]
	v.got = *r.Got
	var f figure
	for _, row := range m.rows {
		p := printed(row)
		v.paper += *row.Paper / float64(len(m.rows))
		if p != nil {
			f.half, f.std, f.n = max(f.half, p.half), p.std, p.n
		}
	}
	if r.Std == nil || r.Repeats < 2 {
		return v, false
	}
	v.std, v.repeats = *r.Std, r.Repeats
	ours := v.std * v.std / float64(v.repeats)
	theirs, degrees := ours, float64(v.repeats-1)
	if f.n > 1 {
		theirs = f.std * f.std / float64(f.n)
		// Welch's degrees of freedom
		degrees = (ours + theirs) * (ours + theirs) / (ours*ours/float64(v.repeats-1) + theirs*theirs/float64(f.n-1))
	}
	v.band = f.half
	if se := math.Sqrt(ours + theirs); se > 0 {
		v.band += se * student(degrees)
	}
	switch diff := Quality(r.Metric) * (v.got - v.paper); {
	case diff > v.band:
		v.place = 1
	case diff < -v.band:
		v.place = -1
	}
	v.draw = v.place != 0 && f.n == 0 && math.Abs(v.got-v.paper) <= f.half+math.Sqrt(ours+v.std*v.std)*student(degrees)
	return v, true
}

// width is the band in parts of the paper's figure.
func (v verdict) width() float64 { return v.band / math.Abs(v.paper) }

// remark returns how the data set was prepared or divided, which its name says after a comma; "" if the paper prints a figure for
// the whole name.
func remark(r Row) string {
	if _, is := printedFigures()[figureKey{r.Table, r.Dataset, r.Method, r.Metric}]; is {
		return ""
	}
	_, remark, _ := strings.Cut(r.Dataset, ", ")
	return remark
}

// counts says that a row is judged: it has a figure of quality of the paper beside ours,
// its test part was not seen, and it comes from the protocol that the table declares
// nearest to the paper's.
func (t Table) counts(run Stored, r Row) bool {
	for k := range run.Settings {
		if !slices.Contains(Selecting, k) && !slices.Contains(t.budget, k) {
			return false
		}
	}
	return r.Paper != nil && r.Got != nil && Quality(r.Metric) != 0 && r.Seen == "" && !run.Quick &&
		!strings.HasPrefix(r.Dataset, "generated") && remark(r) == t.nearest
}

// measured are the measurements of a table's results that count.
func (t Table) measured(r Results) (out []measurement) {
	for _, run := range r.Runs {
		for _, row := range run.Rows {
			if !t.counts(run, row) {
				continue
			}
			i := slices.IndexFunc(out, func(m measurement) bool {
				a := m.rows[0]
				return a.Dataset == row.Dataset && a.Metric == row.Metric && *a.Got == *row.Got && a.Repeats == row.Repeats &&
					a.Std != nil && row.Std != nil && *a.Std == *row.Std
			})
			if i < 0 {
				out = append(out, measurement{run: run})
				i = len(out) - 1
			}
			out[i].rows = append(out[i].rows, row)
		}
	}
	return out
}

// tally are the verdicts on the results of a table.
type tally struct {
	Table
	places   [3]int // worse, within, better
	single   int    // measurements without repeats, which are not judged
	recorded int    // of those judged
	widths   []float64
	outside  []outlier
}

// outlier is a measurement that is not within the band.
type outlier struct {
	measurement
	verdict
}

// tallyOf counts the verdicts on the results of a table, and collects what lies outside of the band.
func tallyOf(t Table, r Results) tally {
	out := tally{Table: t}
	for _, m := range t.measured(r) {
		v, told := m.judge()
		if !told {
			out.single++
			continue
		}
		out.places[1+v.place]++
		out.widths = append(out.widths, v.width())
		if m.run.Sources != "" {
			out.recorded++
		}
		if v.place != 0 {
			out.outside = append(out.outside, outlier{m, v})
		}
	}
	return out
}

// sum returns one tally of several tables, which belongs to none of them.
func sum(all []tally) (out tally) {
	for _, t := range all {
		for i, n := range t.places {
			out.places[i] += n
		}
		out.single += t.single
		out.recorded += t.recorded
		out.widths = append(out.widths, t.widths...)
		out.outside = append(out.outside, t.outside...)
	}
	return out
}

// causes are what may keep a row from the paper's figure.
var causes = [][2]string{
	{"data", "the data, their split or their preparation are not the paper's"},
	{"setting", "the paper does not print a setting, or its figure does not follow from those it prints"},
	{"draws", "the paper prints one draw, or the draws differ by more than the deviation says"},
	{"ours", "the method here does more or less than the paper's"},
	{"open", "not explained"},
}

// percent is a number of all with its share.
func percent(n, all int) string {
	return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(max(1, all)))
}

// writeSummary writes what the results say of the papers' figures.
func writeSummary(w *bytes.Buffer, tables []tally) {
	all := sum(tables)
	told, draws := len(all.widths), 0
	for _, o := range all.outside {
		if o.draw {
			draws++
		}
	}
	var blind, sighted []tally
	var names []string
	for _, t := range tables {
		switch {
		case len(t.widths) == 0:
		case t.tunedInSight:
			sighted, names = append(sighted, t), append(names, t.ID)
		default:
			blind = append(blind, t)
		}
	}
	open, seen := sum(blind), sum(sighted)
	fmt.Fprintf(w, `
**%d measurements have a figure of accuracy or error in the paper and repeats here. %s of them do not differ from the paper's by more
than the two means may, %s are better and %s are worse.** The settings of %d of them, in the tables %s, were settled while
figures of test rows were in sight: there %d are within, %d better and %d worse. In the other tables, where what the papers do not
print is a default or chosen on training rows alone, it is %d, %d and %d. %d of all come from recorded runs, whose code
`+"`gram table --check`"+` compares with the present one. %d more have one run and no verdict. Of those that are elsewhere %d would be within if
the paper's figure were that of one draw.

A verdict compares two means: with the standard deviation s of n repeats here and s' of n' in the paper the band is the 97.5 %% quantile of
Student's distribution times √(s²/n + s'²/n'), and half a unit of the paper's last digit. Zhang et al. print deviations of 30 repeats; for the other papers
s' and n' are taken to be s and n. Folds and splits of the same rows are not independent, so that the band of such a mean is
too narrow rather than too wide. **The band is %.2g %% of the paper's figure in the median and %.2g %% at most**: within says no more than that.
A table declares which of several protocols is nearest to the paper's, and that one counts; the others stand beside it. Rows with the same mean and
deviation of one data set are one computation and count once, against the mean of the paper's figures. Rows of methods that saw the test part and of generated
data do not count.

| table | judged | within | better | worse | band, median | one run | recorded | test figures in sight |
|---|---|---|---|---|---|---|---|---|
`, told, percent(all.places[1], told), percent(all.places[2], told), percent(all.places[0], told),
		len(seen.widths), strings.Join(names, ", "), seen.places[1], seen.places[2], seen.places[0],
		open.places[1], open.places[2], open.places[0], all.recorded, all.single, draws,
		100*median(all.widths), 100*slices.Max(all.widths))
	for _, t := range tables {
		if len(t.widths)+t.single == 0 {
			continue
		}
		band := ""
		if len(t.widths) > 0 {
			band = fmt.Sprintf("%.2g %%", 100*median(t.widths))
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %s | %d | %d | %s |\n", t.ID, len(t.widths), t.places[1], t.places[2], t.places[0], band, t.single, t.recorded,
			map[bool]string{true: "yes", false: "no"}[t.tunedInSight])
	}
	writeOutside(w, all.outside)
}

// writeOutside writes which measurements are elsewhere, and why.
func writeOutside(w *bytes.Buffer, outside []outlier) {
	fmt.Fprint(w, "\nWhy measurements are elsewhere:\n\n| cause | better | worse |\n|---|---|---|\n")
	for _, c := range causes {
		count := map[int]int{}
		for _, o := range outside {
			if cause, _ := o.reason(); cause == c[0] {
				count[o.place]++
			}
		}
		fmt.Fprintf(w, "| %s | %d | %d |\n", c[1], count[1], count[-1])
	}
	for _, place := range []int{-1, 1} {
		fmt.Fprintf(w, "\n%s than the paper:\n\n| table | data set | method | metric | paper | got | n | band | reason |\n|---|---|---|---|---|---|---|---|---|\n", map[int]string{-1: "Worse", 1: "Better"}[place])
		said := ""
		for _, o := range outside {
			if o.place != place {
				continue
			}
			_, text := o.reason()
			if text == said {
				text = "as above"
			} else {
				said = text
			}
			r := o.rows[0]
			cells := []string{r.Table, r.Dataset, o.methods(), r.Metric, fmt.Sprintf("%.4g", o.paper), fmt.Sprintf("%.4g ± %.2g", o.got, o.std),
				fmt.Sprint(o.repeats), fmt.Sprintf("%.2g", o.band), text}
			fmt.Fprintf(w, "| %s |\n", strings.ReplaceAll(strings.Join(cells, " | "), "|Ω|", "\\|Ω\\|"))
		}
	}
}

// reason is the cause of what is stored for the measurement's rows, and a sentence.
func (o outlier) reason() (cause, text string) {
	if i := reasonIndex(o.rows[0]); i >= 0 {
		return allReasons()[i].cause, allReasons()[i].text
	}
	if o.draw {
		return "draws", "If the paper's figure is that of one draw it is within the band."
	}
	return "open", ""
}

// methods returns the names of the methods that the measurement compares.
func (m measurement) methods() string {
	var names []string
	for _, r := range m.rows {
		names = append(names, r.Method)
	}
	return strings.Join(names, ", ")
}

// lead says which method is best on a data set: in the paper, and here.
type lead struct {
	table, set, metric string
	paper, here        Row // the rows of the paper's best and of the best here
	place              int // 1: the same method; 0: another by no more than the means may differ; −1: another
}

// leads compares who is best, on data sets with several methods.
func (t Table) leads(r Results) (out []lead) {
	groups := map[[3]string][]Row{}
	var order [][3]string
	for _, run := range r.Runs {
		for _, row := range run.Rows {
			if !t.counts(run, row) {
				continue
			}
			variant := "" // of all methods: a number of parts, of pairs
			for _, mark := range []string{" |Ω|", ", ", " m="} {
				if i := strings.Index(row.Method, mark); i >= 0 {
					variant = row.Method[i:]
				}
			}
			key := [3]string{row.Dataset, row.Metric, variant}
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], row)
		}
	}
	for _, key := range order {
		rows := groups[key]
		if len(rows) < 2 {
			continue
		}
		sign := Quality(rows[0].Metric)
		best := func(of func(Row) float64) Row {
			return slices.MaxFunc(rows, func(a, b Row) int { return cmp.Compare(sign*of(a), sign*of(b)) })
		}
		l := lead{table: t.ID, set: key[0], metric: key[1], paper: best(func(r Row) float64 { return *r.Paper }), here: best(func(r Row) float64 { return *r.Got }), place: 1}
		a, b := l.paper, l.here
		if *a.Got != *b.Got {
			if a.Std == nil || b.Std == nil || min(a.Repeats, b.Repeats) < 2 {
				continue
			}
			se := math.Sqrt(*a.Std**a.Std/float64(a.Repeats) + *b.Std**b.Std/float64(b.Repeats))
			if l.place = 0; math.Abs(*a.Got-*b.Got) > student(float64(min(a.Repeats, b.Repeats)-1))*se {
				l.place = -1
			}
		}
		out = append(out, l)
	}
	return out
}

// writeLeads writes which of the papers' best methods are not best here.
func writeLeads(w *bytes.Buffer, all []lead) {
	var places [3]int
	for _, l := range all {
		places[1+l.place]++
	}
	fmt.Fprintf(w, `
Which method is best is what most of the papers' sentences say. On %d data sets that several methods of a paper have figures of, the paper's
best is the best here on %s, on %s another is ahead by no more than the two means may differ, and on %s the claim is not reproduced:

| table | data set | metric | best in the paper | here | best here |
|---|---|---|---|---|---|
`, len(all), percent(places[2], len(all)), percent(places[1], len(all)), percent(places[0], len(all)))
	for _, l := range all {
		if l.place < 0 {
			cells := []string{l.table, l.set, l.metric, fmt.Sprintf("%s, %.4g", l.paper.Method, *l.paper.Paper), fmt.Sprintf("%.4g ± %.2g", *l.paper.Got, *l.paper.Std),
				fmt.Sprintf("%s, %.4g ± %.2g", l.here.Method, *l.here.Got, *l.here.Std)}
			fmt.Fprintf(w, "| %s |\n", strings.ReplaceAll(strings.Join(cells, " | "), "|Ω|", "\\|Ω\\|"))
		}
	}
}

// student is the 97.5 % quantile of Student's distribution.
func student(degrees float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile(.975)
}
