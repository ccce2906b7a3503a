package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/num"
	"github.com/spf13/cobra"
)

// report is the output of gram info --json.
type report struct {
	bench.Machine
	Features []string           `json:"features"`
	Profile  bench.ProfileState `json:"profile"`
	SelfTest []bench.Agreement  `json:"self_test"`
	OK       bool               `json:"ok"`
}

func newInfo() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "info",
		Short: "Show CPU, level, caches, backend and threads, and run a one-second self-test",
		Long: `info shows what the module found on this machine: the CPU, the levels of its kernels,
the caches, the linear-algebra backend, the threads and the profile with tuned block
sizes (see gram tune). For one second it then compares every kernel at every level with
the pure-Go version on the same input and shows the largest difference, relative to the
largest value; ok means no difference. The exit code is 1 if a kernel differs by more
than its accuracy class allows.`,
		Example: `  gram info
  GRAM_LEVEL=avx2 gram info --json`,
		Args: cobra.NoArgs,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		r, err := newReport(ctx, time.Second)
		if err != nil {
			return err
		}
		if err := r.write(c.OutOrStdout(), asJSON); err != nil {
			return err
		}
		return r.verdict()
	}).runE
	return c
}

// newReport describes the machine and tests the kernels for about the given time.
func newReport(ctx context.Context, budget time.Duration) (report, error) {
	r := report{Machine: bench.Here(), Features: cpu.Describe().Features, Profile: bench.LoadedProfile()}
	if r.Features == nil {
		r.Features = []string{}
	}
	r.SelfTest = bench.SelfTest(ctx, budget)
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if r.SelfTest == nil {
		r.SelfTest = []bench.Agreement{} // [] in JSON
	}
	r.OK = r.verdict() == nil
	return r, nil
}

// verdict returns an error unless all kernels agree.
func (r report) verdict() error {
	var wrong []string
	for _, a := range r.SelfTest {
		if !a.OK {
			wrong = append(wrong, fmt.Sprintf("%s at %s is off by %.3g, allowed is %.3g", a.Kernel, a.Level, a.Worst, a.Allowed))
		}
	}
	if wrong != nil {
		return fmt.Errorf("self-test failed: %s", strings.Join(wrong, ", "))
	}
	return nil
}

func (r report) write(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-12s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("cpu", "%s", orUnknown(r.CPU))
	line("features", "%s", strings.Join(r.Features, " "))
	level := r.Level
	if r.Level != r.Detected {
		level += fmt.Sprintf(" (lowered from %s)", r.Detected)
	}
	line("level", "%s", level)
	line("caches", "L1d %s, L2 %s, L3 %s", cache(r.L1D), cache(r.L2), cache(r.L3))
	line("threads", "GOMAXPROCS %d, physical cores %d", r.GOMAXPROCS, r.Cores)
	line("go", "%s %s/%s", r.Go, r.OS, r.Arch)
	line("backend", "%s", r.Backend)
	if r.Advice != "" {
		line("", "%s", r.Advice)
	}
	line("profile", "%s", r.Profile)
	if len(r.SelfTest) == 0 {
		line("self-test", "nothing to compare: there is only the generic level")
		return nil
	}
	name := "self-test"
	for i, a := range r.SelfTest {
		verdict := "ok"
		switch {
		case !a.OK:
			verdict = fmt.Sprintf("WRONG, off by %.2g", a.Worst)
		case a.Worst > 0:
			verdict = fmt.Sprintf("%.1g", a.Worst)
		}
		if i == 0 || r.SelfTest[i-1].Kernel != a.Kernel {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintf(out, "%-12s%-24s", name, a.Kernel)
			name = ""
		}
		fmt.Fprintf(out, "%-7s %-12s", a.Level, verdict)
	}
	_, err := fmt.Fprintln(out)
	return err
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func cache(b int) string {
	if b <= 0 {
		return "unknown"
	}
	return num.FormatBytes(int64(b))
}
