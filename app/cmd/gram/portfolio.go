package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram/app/search"
	"github.com/spf13/pflag"
)

// unnamed is the error of flags that a fit without --method cannot have.
func unnamed(f *pflag.FlagSet, budget time.Duration, auto bool) error {
	if f.Changed("method") {
		return usagef("--method is empty; gram fit --list shows the methods")
	}
	for _, name := range []string{"set", "search"} {
		if f.Changed(name) && !(auto && name == "search") {
			return usagef("--%s is for one method, and --method is missing; gram fit --list shows the methods", name)
		}
	}
	if budget <= 0 {
		return usagef("--budget is %v, want more than 0", budget)
	}
	return nil
}

// printCompared writes a line for each method that was compared, and one if the budget ended the comparison.
func printCompared(out io.Writer, c *search.Compared) error {
	held := fmt.Sprintf("%d folds", c.Folds)
	if c.Folds == 1 {
		held = "others held out"
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "method\t%s, %s\trows\tseconds\n", c.Metric, held)
	for i, m := range c.Methods {
		if m.Failed != "" {
			fmt.Fprintf(t, "%s\t%s\n", m.Method, m.Failed)
			continue
		}
		score := fmt.Sprintf("%.4g", m.Score)
		if c.Folds > 1 {
			score += fmt.Sprintf(" ± %.2g", m.Std)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%.3g", m.Method, score, m.Rows, m.Seconds)
		if i == c.Best {
			fmt.Fprint(t, "  best")
		}
		if m.Out != "" {
			fmt.Fprintf(t, "  %s", m.Out)
		}
		if !m.Converged {
			fmt.Fprint(t, "  stopped before its tolerance")
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil || c.LeftOut == "" {
		return err
	}
	_, err := fmt.Fprintln(out, c.LeftOut)
	return err
}
