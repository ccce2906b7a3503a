package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram/num"
	"github.com/spf13/pflag"
)

// story says in words what the rows of a comparison show, and with which commands to go on.
type story struct{ says, commands []string }

// write writes the story below the table, in lines that are broken at 90 characters.
func (s story) write(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\nWhat each row buys\n")
	for _, line := range s.says {
		for i, part := range wrapped(line, 90) {
			b.WriteString([]string{"- ", "  "}[min(i, 1)] + part + "\n")
		}
	}
	b.WriteString("\nThe same on your file\n")
	for _, line := range s.commands {
		b.WriteString("  " + line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrapped divides a line between words into parts of at most width bytes; a longer word is a part of its own.
func wrapped(line string, width int) []string {
	out := []string{""}
	for _, word := range strings.Fields(line) {
		last := &out[len(out)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) <= width:
			*last += " " + word
		default:
			out = append(out, word)
		}
	}
	return out
}

// quality writes the figure of a row on the test rows.
func (r comparison) quality() string {
	if r.Metric == "accuracy" {
		return fmt.Sprintf("%.4g %% right", 100*r.Value)
	}
	return fmt.Sprintf("rmse %.6g", r.Value)
}

// worse returns by how much the row is worse than another, in the unit of its figure.
func (r comparison) worse(other comparison) float64 {
	if r.Metric == "accuracy" {
		return other.Value - r.Value
	}
	return r.Value - other.Value
}

// noise is a difference between the figures of two rows that says nothing: two standard errors
// of shares of n rows, or of root mean squares over n normal errors.
func (r comparison) noise(other comparison, n int) float64 {
	sum := 0.0
	for _, v := range []float64{r.Value, other.Value} {
		if r.Metric == "accuracy" {
			v = min(max(v, 1/float64(n)), 1-1/float64(n))
			sum += 4 * v * (1 - v) / float64(n)
		} else {
			sum += 2 * v * v / float64(n)
		}
	}
	return math.Sqrt(sum)
}

// story tells the rows, which problem has measured. data are the flags that say how the data
// are read, nil: they are generated.
func (p *problem) story(rows []comparison, data []string) story {
	var s story
	say := func(format string, args ...any) { s.says = append(s.says, fmt.Sprintf(format, args...)) }
	n, d := p.train.Dims()
	tested, _ := p.test.Dims()
	base := p.constant()
	say("Without learning: the same answer for every row has %s. Each row has to beat that.", base.quality())

	best := slices.MinFunc(rows, func(a, b comparison) int {
		if w := a.worse(b); w != 0 {
			return int(math.Copysign(1, w))
		}
		return a.M - b.M
	})
	near := func(r comparison) bool { return r.worse(best) <= r.noise(best, tested) }
	chosen, compressed := best, false // the model that is as good as the best one and compares with the fewest rows
	for _, r := range rows {
		if r.Model == "linear" {
			gain := "no better than that: the columns do not add up to the answer"
			if base.worse(r) > base.noise(r, tested) {
				gain = "which is what the columns say when each counts on its own"
			}
			say("linear: one weight for each of %s, %s, %s.", plural(d, "column"), r.quality(), gain)
		}
		if r.Model == exactName {
			say("%s: compares a row with all %s it was trained on, %s. Its kernel matrix takes %s, and ten times the rows take a hundred times the memory and a thousand times the time.",
				r.Model, plural(r.Rows, "row"), r.quality(), num.FormatBytes(8*int64(r.Rows)*int64(r.Rows)))
		}
		if c := cmp.Compare(r.compared(), chosen.compared()); near(r) && (c < 0 || c == 0 && r.worse(chosen) < 0) {
			chosen = r
		}
	}
	first, last := -1, -1 // the fewest and the most clusters
	var gap comparison    // random rows where clusters gain most
	var clusters comparison
	for i, r := range rows {
		compressed = compressed || r.M > 0
		if r.Model != "nystrom kmeans" {
			continue
		}
		if first < 0 || r.M < rows[first].M {
			first = i
		}
		if last < 0 || r.M > rows[last].M {
			last = i
		}
		for _, u := range rows {
			if u.Model == "nystrom uniform" && u.M == r.M && (clusters.M == 0 || u.worse(r) > gap.worse(clusters)) {
				gap, clusters = u, r
			}
		}
	}
	if compressed {
		say("nystrom: compares a row with m landmarks instead of all %s, so that fit and prediction cost as much as m more columns of a linear model.", plural(n, "row"))
	}
	if clusters.M > 0 && gap.worse(clusters) > gap.noise(clusters, tested) {
		say("uniform or kmeans: with m = %d, random rows have %s after %.2g s of fit, and the centers of clusters %s after %.2g s.",
			clusters.M, gap.quality(), gap.FitSeconds, clusters.quality(), clusters.FitSeconds)
	}
	if last > first && rows[first].Error != nil && rows[last].Error != nil {
		say("kernel error: what the landmarks miss of the kernel matrix, %.3g with m = %d and %.3g with m = %d of clusters.",
			*rows[first].Error, rows[first].M, *rows[last].Error, rows[last].M)
	}
	name := chosen.Model
	if chosen.M > 0 {
		name += fmt.Sprintf(", m = %d", chosen.M)
	}
	say("Buy %s: %s, %s, fitted in %.2g s. No row that compares with fewer others comes as near to the best, up to chance.",
		name, chosen.quality(), num.FormatBytes(chosen.Bytes), chosen.FitSeconds)

	s.commands = p.goOn(chosen.entry, data)
	return s
}

// goOn returns the commands that compare, fit the entry, and measure it on other rows.
func (p *problem) goOn(fit entry, data []string) (commands []string) {
	if data == nil {
		data = []string{"--data", "FILE"}
		fit.settings = slices.DeleteFunc(slices.Clone(fit.settings), func(s string) bool { return slices.Contains(p.kernel, s) }) // for other rows another width
		commands = append(commands, command("compare", data, "--html", "compare.html"))
	}
	return append(commands,
		command("fit --method "+fit.method, data, append(fit.flags(), "-o", "model.gram")...),
		command("eval --model model.gram", []string{"--data", "TEST"}, "--html", "report.html"))
}

// compared returns the number of rows that a prediction compares a row with.
func (r comparison) compared() int {
	switch {
	case r.M > 0:
		return r.M
	case r.Model == exactName:
		return r.Rows
	}
	return 0
}

// constant is the best answer that does not depend on the row: the mean of the values or the
// most frequent class of the training rows.
func (p *problem) constant() comparison {
	n, _ := p.test.Dims()
	if p.test.Value != nil {
		mean, sum := 0.0, 0.0
		for i, v := range p.train.Value {
			mean += (v - mean) / float64(i+1)
		}
		for _, v := range p.test.Value {
			sum += (v - mean) * (v - mean)
		}
		return comparison{Metric: "rmse", Value: math.Sqrt(sum / float64(n))}
	}
	count := make([]int, len(p.train.Labels.Names))
	for _, c := range p.train.Labels.Class {
		count[c]++
	}
	most, right := slices.Index(count, slices.Max(count)), 0
	for _, c := range p.test.Labels.Class {
		if c == most {
			right++
		}
	}
	return comparison{Metric: "accuracy", Value: float64(right) / float64(n)}
}

// flags returns the flags of gram fit that give the settings of the entry.
func (e entry) flags() []string {
	var flags []string
	for _, s := range e.settings {
		flags = append(flags, "--set="+s)
	}
	return flags
}

// command returns a gram command as a line for a shell, with quotes around the words that need them.
func command(name string, data []string, flags ...string) string {
	words := []string{"gram " + name}
	for _, w := range append(slices.Clone(data), flags...) {
		if strings.ContainsFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=,:+", r))
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// again returns the flags of gram fit that read and scale the data as the comparison does, nil if the
// data are generated.
func (o *compareFlags) again(given *pflag.FlagSet) (data []string) {
	if o.data.path == "" {
		return nil
	}
	reads := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(dataFlags).define(reads)
	new(dataFlags).training(reads)
	given.Visit(func(f *pflag.Flag) {
		if reads.Lookup(f.Name) == nil && f.Name != "scale" && f.Name != "seed" {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if f.Value.Type() == "bool" {
			data = append(data, "--"+f.Name+"="+value)
		} else {
			data = append(data, "--"+f.Name, value)
		}
	})
	return data
}

// plural returns a count with its noun: 1 row, 2 rows, 2 entries.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
