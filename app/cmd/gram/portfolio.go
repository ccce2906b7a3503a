package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/job"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/dataset"
	"github.com/spf13/pflag"
)

// unnamed is the error of flags that a fit without --method cannot have.
func unnamed(f *pflag.FlagSet, budget time.Duration, auto bool) error {
	if f.Changed("method") {
		return usagef("--method is empty; gram fit --list shows the methods")
	}
	for _, name := range []string{"set", "search", "plan"} {
		if f.Changed(name) && !(auto && name == "search") {
			return usagef("--%s is for one method, and --method is missing; gram fit --list shows the methods", name)
		}
	}
	if budget <= 0 {
		return usagef("--budget is %v, want more than 0", budget)
	}
	return nil
}

// inMemory says that methods are not compared on a stream.
func inMemory(tooMuch error) error {
	return fmt.Errorf("%w; without --method all rows must fit into memory (gram fit --help names the methods that learn from a stream)", tooMuch)
}

// inParts adds to an error of a fit that needs too much memory what fits the method all the same.
func inParts(err error, method string) error {
	if !tooLarge(err) || job.Divides(method) != nil {
		return err
	}
	return fmt.Errorf("%w; gram part items --cap 3000 --method %s divides the rows into parts with a model each, and gram fit --method nystrom learns from a stream of all rows", err, method)
}

// choose compares the methods of the portfolio on set and returns the best.
func choose(ctx context.Context, find methods, set *dataset.Set, c search.Compare, strict bool) (catalog.Method, *search.Compared, error) {
	var none catalog.Method
	portfolio, err := search.Portfolio(set)
	if err != nil {
		return none, nil, err
	}
	for _, m := range portfolio {
		if m, err = find(m.Name); err != nil {
			return none, nil, err
		}
		c.Methods = append(c.Methods, m)
	}
	compared, err := c.Do(ctx, set)
	if err == nil && strict && compared.LeftOut != "" {
		err = errors.New(compared.LeftOut)
	}
	if err != nil {
		if tooLarge(err) {
			err = inMemory(err)
		}
		return none, nil, err
	}
	return c.Methods[compared.Best], compared, nil
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

// blame names the data in an error that they cause.
func (d *dataFlags) blame(err error) error {
	var bad *gram.DataError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", d.shown(), err)
	}
	return err
}
