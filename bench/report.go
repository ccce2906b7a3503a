package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Head returns the names of the columns of Row.Cells.
func Head() []string { return slices.Clone(head) }

var head = []string{"kernel", "type", "shape", "level", "threads", "time", "GFLOP/s", "GB/s", "vs generic", "% of ceiling", "ceiling", "note"}

// Cells returns the figures of a row as text, in the order of Head.
func (r Row) Cells() []string {
	return []string{
		r.Kernel, r.Type, r.Shape, r.Level, fmt.Sprint(r.Threads), duration(r.NS),
		figure(r.GFlops, "%.4g"), figure(r.GBs, "%.4g"), figure(r.VsGeneric, "%.3gx"), figure(r.PctCeiling, "%.0f"), r.Ceiling, r.Note,
	}
}

// figure is v as text, "-" if it is 0: not counted.
func figure(v float64, format string) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.4g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.4g µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.4g ms", ns/1e6)
	}
	return time.Duration(ns).Round(time.Millisecond).String()
}

// WriteTable writes the machine in one line and the rows as a table, whose columns are aligned with spaces.
func WriteTable(w io.Writer, m Machine, rows []Row) error {
	fmt.Fprintln(w, m)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r.Cells(), "\t"))
	}
	return t.Flush()
}
