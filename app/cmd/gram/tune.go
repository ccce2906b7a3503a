package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram/app/page"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/modelfile"
	"github.com/spf13/cobra"
)

// tuneReport is the output of gram tune --json.
type tuneReport struct {
	bench.Machine
	Loaded     bench.ProfileState `json:"profile"` // the profile in force when the command began
	Parameters []bench.Tuned      `json:"parameters"`
	Values     map[string]int     `json:"values"`            // the best values
	Distance   float64            `json:"distance_pct"`      // largest gain of a parameter's best value, in percent
	Noise      float64            `json:"noise_pct"`         // the largest noise of a parameter
	Threshold  float64            `json:"threshold_pct"`     // gain that fails --check, in percent
	OK         bool               `json:"ok"`                // always true without --check
	CannotTell bool               `json:"cannot_tell"`       // with --check: the noise hides the answer
	Written    string             `json:"written,omitempty"` // the file that Values were written to
}

type tuneFlags struct {
	check, asJSON bool
	out, html     string
	threshold     float64
	budget        time.Duration
}

func newTune() *cobra.Command {
	var o tuneFlags
	c := &cobra.Command{
		Use:   "tune",
		Short: "Measure block sizes and cut-offs on this CPU and store them in a profile",
		Long: `tune measures the block sizes and cut-offs of the native linear algebra and of
kernel blocks on this CPU, at the level in force, and writes the best ones to a
profile that every program with this module loads: the file named by GRAM_PROFILE,
or else gram/profile.json in the user's configuration directory. A profile holds values
for any number of CPUs and levels; tune replaces those of this CPU and level. The values
change no bit of any result: they say how much is packed or kept in a cache at a time,
and from which size on several goroutines share a call. Without a profile, defaults that
depend on the cache sizes are in force. gram info shows which values are in force.

--check compares the values in force with the best and writes no profile, unless --out
names a file. The exit code is 1 if another value of a parameter makes the calls that
depend on it faster by more than --threshold percent.

Nothing else should run on the machine meanwhile. tune also measures how quiet the
machine is: a fixed call runs in every round, and the value in force is compared with
itself. The largest difference between equal things is the noise; a value is better only
if it gains more. If the noise is too large to tell whether the threshold is exceeded,
--check writes no profile, and the exit code is 3.`,
		Example: `  gram tune
  gram tune --check --threshold 5 --html tune.html
  gram tune --check --json --out best.json
  GRAM_LEVEL=avx2 gram tune`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.BoolVar(&o.check, "check", false, "compare the values in force with the best")
	f.Float64Var(&o.threshold, "threshold", 5, "largest gain, in `PERCENT`, that --check accepts")
	f.StringVarP(&o.out, "out", "o", "", "write the profile to `FILE` (default: the file that profiles are loaded from)")
	f.DurationVar(&o.budget, "time", 45*time.Second, "approximate time of the measurements")
	f.BoolVar(&o.asJSON, "json", false, "write one JSON object")
	f.StringVar(&o.html, "html", "", "also write a page with a plot to `FILE`")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return o.run(ctx, c) }).runE
	return c
}

func (o *tuneFlags) run(ctx context.Context, c *cobra.Command) error {
	if !(o.threshold >= 0) {
		return usagef("--threshold is %v, want a percentage of at least 0", o.threshold)
	}
	if c.Flags().Changed("threshold") && !o.check {
		return usagef("--threshold is for --check")
	}
	if o.budget < time.Second {
		return usagef("--time is %v, want at least 1s", o.budget)
	}
	path := o.out
	if path == "" && !o.check {
		if path = bench.ProfilePath(); path == "" {
			return errors.New("there is no configuration folder for a profile: set GRAM_PROFILE or --out")
		}
	}
	if o.html != "" && o.html == path {
		return usagef("--html is %s, where the profile goes", path)
	}
	if err := writable(o.html, path); err != nil {
		return err
	}
	if path != "" { // an unusable file is reported before the measurements
		if err := bench.CheckProfile(path); err != nil {
			return err
		}
	}
	loaded := bench.LoadedProfile()
	b := newBar(c.ErrOrStderr())
	best, found, err := bench.Tune(ctx, o.budget, b.step)
	b.close()
	if err != nil {
		return err
	}
	return o.finish(c.OutOrStdout(), loaded, path, best, found)
}

// finish stores and shows the best values. It returns an error if --check finds a
// gain above the threshold.
func (o *tuneFlags) finish(out io.Writer, loaded bench.ProfileState, path string, best map[string]int, found []bench.Tuned) error {
	worst := slices.MaxFunc(found, func(a, b bench.Tuned) int { return cmp.Compare(a.Gain, b.Gain) })
	r := tuneReport{
		Machine: bench.Here(), Loaded: loaded, Parameters: found, Values: best,
		Distance: worst.Gain, Threshold: o.threshold, OK: true,
	}
	for _, p := range found {
		r.Noise = max(r.Noise, p.Noise)
	}
	if o.check {
		r.OK, r.CannotTell = verdict(r.Distance, r.Noise, o.threshold)
	}
	if path != "" && !r.CannotTell {
		if err := bench.WriteProfile(path, best); err != nil {
			return err
		}
		r.Written = path
	}
	if err := r.write(out, o.asJSON); err != nil {
		return err
	}
	if o.html != "" {
		if err := modelfile.WriteFile(o.html, r.page); err != nil {
			return err
		}
	}
	if r.CannotTell {
		return &undecided{fmt.Errorf("cannot tell: the machine is not quiet enough: what is the same seemed to differ by %.3g %%; the best seems %.3g %% away, the threshold is %.3g %%",
			r.Noise, r.Distance, o.threshold)}
	}
	if !r.OK {
		return fmt.Errorf("%.3g %% from the best: %s is %d, best is %d; the threshold is %.3g %%", worst.Gain, worst.Parameter, worst.InForce, worst.Best, o.threshold)
	}
	return nil
}

// verdict compares the largest gain with the threshold, all in percent, and
// reports whether the values in force are good enough or the noise is too large to
// tell.
func verdict(distance, noise, threshold float64) (ok, cannotTell bool) {
	switch {
	case distance-noise > threshold:
		return false, false
	case distance+noise <= threshold:
		return true, false
	}
	return false, true
}

func (r tuneReport) write(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	fmt.Fprintln(out, r.Machine)
	fmt.Fprintf(out, "profile: %s\n", r.Loaded)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(tunedHead, "\t"))
	for _, cells := range r.cells() {
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Written != "" {
		fmt.Fprintf(out, "written to %s\n", r.Written)
	}
	return nil
}

var tunedHead = []string{"parameter", "in force", "best", "faster", "noise"}

// cells returns the parameters as the cells of a table.
func (r tuneReport) cells() [][]string {
	var rows [][]string
	for _, p := range r.Parameters {
		gain, noise := "-", fmt.Sprintf("%.2g %%", p.Noise)
		switch {
		case p.Runs == 0:
			gain, noise = "not measured", "-"
		case p.Best != p.InForce:
			gain = fmt.Sprintf("%.3g %%", p.Gain)
		}
		rows = append(rows, []string{p.Parameter, fmt.Sprint(p.InForce), fmt.Sprint(p.Best), gain, noise})
	}
	return rows
}

// page writes the report as a page: the gain of each parameter beside the noise of its measurement.
func (r tuneReport) page(w io.Writer) error {
	p := page.Page{Title: "gram tune"}
	p.Lead(r.headline())
	p.Text(r.Machine.String())
	p.Text("Profile: " + r.Loaded.String())
	p.Text("A parameter is worth changing where its gain is above the noise, which is the largest difference that equal things seemed to have.")
	chart := page.Chart{Title: "Gain of the best value", Y: "percent", Zero: true, Dots: true}
	gain, noise := page.Series{Name: "gain"}, page.Series{Name: "noise"}
	for _, t := range r.Parameters {
		if t.Runs > 0 {
			x := float64(len(chart.Ticks))
			chart.Ticks = append(chart.Ticks, t.Parameter)
			gain.X, gain.Y = append(gain.X, x), append(gain.Y, t.Gain)
			noise.X, noise.Y = append(noise.X, x), append(noise.Y, t.Noise)
		}
	}
	chart.Series = []page.Series{gain, noise}
	if err := p.Chart(chart); err != nil {
		return err
	}
	p.Table(tunedHead, r.cells())
	if r.Written != "" {
		p.Text("Written to " + r.Written)
	}
	return p.Write(w)
}

// headline says what the parameters in force lose.
func (r tuneReport) headline() string {
	measured := 0
	var worst bench.Tuned
	for _, t := range r.Parameters {
		if t.Runs > 0 {
			measured++
			if t.Gain > worst.Gain {
				worst = t
			}
		}
	}
	if worst.Gain <= worst.Noise {
		return fmt.Sprintf("Of %d parameters that were measured, none gains more than the noise by another value.", measured)
	}
	return fmt.Sprintf("Of %d parameters that were measured, %s gains most: %d instead of %d is %.3g %% faster (noise %.2g %%).", measured, worst.Parameter, worst.Best, worst.InForce, worst.Gain, worst.Noise)
}
