package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram/app/cost"
	"github.com/gramworks/gram/app/job"
	"github.com/spf13/cobra"
)

func newStatus() *cobra.Command {
	var (
		work   string
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "status --work DIR",
		Short: "Say how far the work in a folder has come",
		Long: `status lists the passes that are known so far, and how many of their pieces are done, have failed
and are missing. A failed piece ended with an error, which is shown, and has not been made since then;
a missing piece was not begun, is being made, or was killed. For classes the number of passes is known
only when the last one is made. Trees have a line for their rounds and one for the pass of the round in hand.

The time until a pass ends is estimated from the number of its missing pieces and the mean time of those that
are done; time during which no piece was made counts, too. status looks at the names and times of the files
alone, writes nothing, and may be called while pieces are at work.`,
		Example: `  gram part status --work w
  gram part status --work w --json`,
		Args: cobra.NoArgs,
	}
	c.Flags().StringVar(&work, "work", "", "`DIR` that the pieces share")
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	c.RunE = action(func(_ context.Context, c *cobra.Command, _ []string) error {
		if work == "" {
			return usagef("--work is missing")
		}
		w, err := job.Open(work)
		if err != nil {
			return err
		}
		s, err := w.Status()
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(c.OutOrStdout()).Encode(s)
		}
		return printStatus(c.OutOrStdout(), s, time.Now())
	}).runE
	return c
}

// mostFailures is the number of errors that are shown of a pass.
const mostFailures = 3

// printStatus writes how far work has come as text.
func printStatus(out io.Writer, s *job.Status, now time.Time) error {
	fmt.Fprintf(out, "%s on %s, %s\n", cmp.Or(s.Method, "a search of methods"), s.Data, plural(s.Items, "item"))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "pass\tpieces\tdone\tfailed\tmissing\ttime left\t\n")
	for _, p := range s.Passes {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t\n", p.Pass, p.Pieces, p.Done, p.Failed, p.Missing, timeLeft(p.Left))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range s.Passes {
		for i, f := range p.Failures {
			if i == mostFailures {
				fmt.Fprintf(out, "%s, %d more errors: see --json\n", p.Pass, len(p.Failures)-i)
				break
			}
			fmt.Fprintf(out, "%s, piece %d: %s\n", p.Pass, f.Piece, f.Error)
		}
	}
	if s.Ended {
		_, err := fmt.Fprintln(out, "all passes of the fit are made: gram part finish writes the model")
		return err
	}
	_, err := fmt.Fprintf(out, "its last file was written %s ago\n", now.Sub(s.Last).Round(time.Second))
	return err
}

// timeLeft is a time to wait in words.
func timeLeft(seconds float64) string {
	switch {
	case seconds < 0:
		return "unknown"
	case seconds == 0:
		return "-"
	}
	return cost.About(seconds)
}
