package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gramworks/gram/app/page"
)

var head = []string{"kernel", "type", "shape", "level", "threads", "time", "GFLOP/s", "GB/s", "vs generic", "% of ceiling", "ceiling", "note"}

func (r Row) cells() []string {
	figure := func(v float64, format string) string {
		if v == 0 {
			return "-"
		}
		return fmt.Sprintf(format, v)
	}
	return []string{
		r.Kernel, r.Type, r.Shape, r.Level, fmt.Sprint(r.Threads), duration(r.NS),
		figure(r.GFlops, "%.4g"), figure(r.GBs, "%.4g"), figure(r.VsGeneric, "%.3gx"), figure(r.PctCeiling, "%.0f"), r.Ceiling, r.Note,
	}
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

// WriteTable writes rows as text.
func WriteTable(w io.Writer, m Machine, rows []Row) error {
	fmt.Fprintln(w, m)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r.cells(), "\t"))
	}
	return t.Flush()
}

// WriteHTML writes rows as a page with a plot per kernel and type: GFLOP/s
// where flops are counted, else GB/s, for every level. The axis ends at the highest
// ceiling, which is the peak where a case is bound by arithmetic.
func WriteHTML(w io.Writer, m Machine, rows []Row) error {
	p := page.Page{Title: "gram bench"}
	p.Text(m.String())
	p.Text("Medians of interleaved runs. A ceiling is what the same level and number of threads reach with nothing but " +
		"multiply-adds (fma), additions (add) or both (add+fma) in registers, or in moving as much memory; the one that binds is shown.")
	type chart struct {
		kernel, typ string
		threads     int
	}
	var order []chart
	for _, r := range rows {
		if c := (chart{r.Kernel, r.Type, r.Threads}); !slices.Contains(order, c) {
			order = append(order, c)
		}
	}
	for _, c := range order {
		var mine []Row
		for _, r := range rows {
			if r.Kernel == c.kernel && r.Type == c.typ && r.Threads == c.threads {
				mine = append(mine, r)
			}
		}
		if err := p.Chart(plot(c.kernel, c.typ, c.threads, mine)); err != nil {
			return err
		}
	}
	p.Heading("All figures")
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, r.cells())
	}
	p.Table(head, cells)
	return p.Write(w)
}

func plot(kernel, typ string, threads int, rows []Row) page.Chart {
	unit, value := "GB/s", func(r Row) float64 { return r.GBs }
	if rows[0].GFlops > 0 {
		unit, value = "GFLOP/s", func(r Row) float64 { return r.GFlops }
	}
	c := page.Chart{Title: fmt.Sprintf("%s, %s, threads: %d", kernel, typ, threads), Y: unit, Zero: true}
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
