package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/search"
	"github.com/spf13/pflag"
)

// searchFlags are the flags of gram fit that choose settings by cross-validation.
type searchFlags struct {
	spec                            string // auto or a grid; empty: no search
	trials, folds, repeats, halving int
	groups, journal                 string
}

// logEvery is the time between two lines of a search on standard error.
const logEvery = 10 * time.Second

// searched is the value of --scale with which a search draws the scaling, too.
const searched = "search"

func (s *searchFlags) define(f *pflag.FlagSet) {
	s.defineTrials(f)
	f.StringVar(&s.journal, "journal", "", "for --search: `FILE` that keeps the score of each training; the same command goes on from there")
}

// defineTrials defines the flags that say what a search trains.
func (s *searchFlags) defineTrials(f *pflag.FlagSet) {
	f.StringVar(&s.spec, "search", "", "choose settings by cross-validation: auto, or among the combinations of `'NAME=V1,V2,...;NAME=...'`")
	f.IntVar(&s.trials, "trials", 0, "for --search auto: number of `TRIALS` at most (default 20 for each method; with --budget as many as it allows)")
	f.IntVar(&s.folds, "folds", 5, "number of parts of the cross-validation of --search")
	f.IntVar(&s.repeats, "repeats", 1, "for --search: divide the rows into parts that many times")
	f.StringVar(&s.groups, "groups", "", "for --search: `COLUMN` of a table; rows with the same cell are in the same part. The column is not learned from")
	f.IntVar(&s.halving, "halving", 0, "for --search: keep one of `FACTOR` combinations and take FACTOR times the rows (default 2)")
	f.Lookup("halving").NoOptDefVal = "2"
}

// auto reports whether the search draws the settings itself, with --search auto.
func (s *searchFlags) auto() bool { return s.spec == "auto" }

// parse checks the flags and returns the search of these methods, none for the portfolio, with
// the given settings.
func (s *searchFlags) parse(f *pflag.FlagSet, methods []catalog.Method, settings []string, measure string, budget time.Duration) (search.Config, error) {
	out := search.Config{Methods: methods, Settings: settings, Trials: s.trials, Folds: s.folds, Repeats: s.repeats, Halving: s.halving, Journal: s.journal, Metric: measure}
	if s.spec == "" {
		for _, name := range []string{"trials", "folds", "repeats", "groups", "halving", "journal", "metric"} {
			if f.Changed(name) && (name != "metric" || len(methods) > 0) {
				return out, usagef("--%s is for --search", name)
			}
		}
		return out, nil
	}
	var err error
	if !s.auto() {
		out.Grid, err = search.ParseGrid(s.spec)
	}
	if err == nil {
		err = out.Check()
	}
	switch {
	case err != nil:
		return out, usageError{fmt.Errorf("--search: %w", err)}
	case f.Changed("trials") && (s.trials < 1 || !s.auto()):
		return out, usagef("--trials is %d, want at least 1 and --search auto", s.trials)
	case s.folds < 2:
		return out, usagef("--folds is %d, want at least 2", s.folds)
	case s.repeats < 1:
		return out, usagef("--repeats is %d, want at least 1", s.repeats)
	case f.Changed("halving") && s.halving < 2:
		return out, usagef("--halving is %d, want at least 2", s.halving)
	}
	if f.Changed("budget") {
		out.Budget = budget
	}
	return out, nil
}

// logTrials returns a function that writes a trial every ten seconds to log, with the best so far.
func logTrials(log io.Writer, larger bool) func(search.Trial) {
	begin := time.Now()
	last := begin
	best := search.Trial{Failed: "none"}
	return func(t search.Trial) {
		if t.Failed == "" && (best.Failed != "" || t.Share > best.Share || t.Share == best.Share && t.Score != best.Score && (t.Score > best.Score) == larger) {
			best = t
		}
		if time.Since(last) < logEvery {
			return
		}
		last = time.Now()
		line := fmt.Sprintf("%.0f s: trial %d, %s: %s", time.Since(begin).Seconds(), t.Number, describeTrial(t), outcome(t))
		if best.Failed == "" {
			line += fmt.Sprintf("; best %.4g", best.Score)
		}
		fmt.Fprintln(log, line)
	}
}

// describeTrial names method, scaling and settings of a trial.
func describeTrial(t search.Trial) string {
	return strings.Join(append([]string{t.Method, "scale=" + t.Scale}, t.Settings...), " ")
}

// outcome is the score of a trial, or why there is none.
func outcome(t search.Trial) string {
	if t.Failed != "" {
		return oneLine(t.Failed)
	}
	text := fmt.Sprintf("%.4g ± %.2g", t.Score, t.Std)
	if t.Share > 0 && t.Share < 1 {
		text += fmt.Sprintf(" on %.3g %% of the rows", 100*t.Share)
	}
	if !t.Converged {
		text += ", stopped before its tolerance"
	}
	return text
}

// print writes what the search has found: for one that draws, the best ten trials.
func (s *searchFlags) print(out io.Writer, tuned search.Config, found *search.Found, seconds float64) error {
	best, of := found.Trials[found.Best], fmt.Sprint(len(found.Trials))
	if s.auto() {
		ranked := slices.Clone(found.Trials)
		slices.SortStableFunc(ranked, func(a, b search.Trial) int {
			switch {
			case (a.Failed == "") != (b.Failed == ""):
				return map[bool]int{true: -1, false: 1}[a.Failed == ""]
			case a.Share != b.Share:
				return map[bool]int{true: -1, false: 1}[a.Share > b.Share]
			case a.Score == b.Score:
				return 0
			}
			return map[bool]int{true: -1, false: 1}[(a.Score > b.Score) == found.Larger]
		})
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "trial\t%s\tseconds\tmethod, scale and settings\n", found.Metric)
		for _, trial := range ranked[:min(10, len(ranked))] {
			fmt.Fprintf(t, "%d\t%s\t%.3g\t%s\n", trial.Number, outcome(trial), trial.Seconds, describeTrial(trial))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if found.Same > 0 {
		of += fmt.Sprintf(" (%s more are the same, but for settings that their kernel does not use)", plural(found.Same, "combination"))
	}
	if s.halving > 0 {
		whole := 0
		for _, t := range found.Trials {
			if t.Share == 1 {
				whole++
			}
		}
		of += fmt.Sprintf(", %d on all rows", whole)
	}
	name := strings.Join(best.Settings, " ")
	if s.auto() {
		name = describeTrial(best)
	}
	in := fmt.Sprintf("%d folds", found.Folds)
	if found.Repeats > 1 {
		in = fmt.Sprintf("%d times %s", found.Repeats, in)
	}
	fmt.Fprintf(out, "best of %s: %s: %s %.4g ± %.2g in %s; %.3g s\n", of, name, found.Metric, best.Score, best.Std, in, seconds)
	if hints := tuned.AtEdge(best); hints != nil {
		fmt.Fprintf(out, "%s: values beyond may do better\n", strings.Join(hints, ", "))
	}
	return nil
}
