package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/must"
)

func quickRows(t *testing.T, match string) []Row {
	t.Helper()
	var rows []Row
	err := Run(context.Background(), Options{Quick: true, Match: regexp.MustCompile(match)}, func(r Row) error {
		rows = append(rows, r)
		return nil
	})
	var above *CeilingError
	if err != nil && !errors.As(err, &above) { // how fast this machine seems to be is no matter of a test
		t.Fatal(err)
	}
	return rows
}

func TestRun(t *testing.T) {
	rows := quickRows(t, "^fwht/float64/64$")
	if want := len(available()); len(rows) != want {
		t.Fatalf("%d rows, want one for each of %d levels", len(rows), want)
	}
	for i, r := range rows {
		if r.Level != available()[i].String() {
			t.Errorf("row %d is of level %s, want %s", i, r.Level, available()[i])
		}
		for name, v := range map[string]float64{"ns": r.NS, "gflops": r.GFlops, "gbs": r.GBs, "vs_generic": r.VsGeneric, "pct_ceiling": r.PctCeiling} {
			if !(v > 0) || math.IsInf(v, 0) {
				t.Errorf("level %s: %s is %v", r.Level, name, v)
			}
		}
		if d := math.Abs(r.GFlops*r.NS - 64*6); !(d <= 0.01*64*6) {
			t.Errorf("level %s: %g GFLOP/s times %g ns are not %d flops", r.Level, r.GFlops, r.NS, 64*6)
		}
		if i == 0 && r.VsGeneric != 1 {
			t.Errorf("generic is %g times as fast as generic", r.VsGeneric)
		}
		if !strings.HasPrefix(r.Ceiling, "add ") && !strings.HasPrefix(r.Ceiling, "add+fma ") && !strings.HasPrefix(r.Ceiling, "update ") {
			t.Errorf("ceiling %q", r.Ceiling)
		}
	}
	if cpu.Current() != cpu.Detected() && cpu.EnvError() == nil && available()[len(available())-1] != cpu.Current() {
		t.Errorf("the level is %s after the run", cpu.Current())
	}
}

// The names and the order of the fields are relied on by programs.
func TestJSON(t *testing.T) {
	b := must.Have(json.Marshal(Row{}))(t)
	const want = `{"kernel":"","type":"","n":0,"shape":"","level":"","threads":0,"ns":0,"gflops":0,"gbs":0,"vs_generic":0,"pct_ceiling":0,"ceiling":""}`
	if string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
}

// Every case can be made and run, and has what its ceilings need.
func TestCases(t *testing.T) {
	names := []string{}
	for _, c := range Cases(Options{Quick: true}) {
		if !slices.Contains(names, c.Kernel) {
			names = append(names, c.Kernel)
		}
		if c.room < 64 || c.bytes <= 0 || c.N < 1 || c.Shape == "" {
			t.Errorf("%s %s %s: room %d, bytes %g, n %d", c.Kernel, c.Type, c.Shape, c.room, c.bytes, c.N)
		}
		if testing.Short() && c.room > 1<<20 {
			continue
		}
		w := c.operands()
		for range 2 {
			if w.Reset != nil {
				w.Reset()
			}
			w.Run(1)
		}
		if c.shared {
			w.Run(2)
		}
	}
	want := []string{
		"fwht", "fwht_rows", "haar", "haar_rows", "haar_levels", "gemm", "syrk", "batch_gemm", "batch_cholesky", "batch_lu", "batch_inverse", "batch_eigen", "qr", "qr_pivoted", "exp", "log", "sincos", "dot_int8", "distance_int8", "gauss_block", "gauss_mv",
		"laplace_block", "chol_update", "chol_downdate", "ident_rank1_apply", "eig_rankone", "rotate", "rabitq",
		"scalar_codes", "hamming",
	}
	if !slices.Equal(names, want) { // programs rely on the names
		t.Errorf("the kernels are %q, want %q", names, want)
	}
	for _, c := range Cases(Options{}) {
		if !slices.Contains(names, c.Kernel) {
			t.Errorf("%s is missing from the quick cases", c.Kernel)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range Cases(Options{Match: regexp.MustCompile("rows/float32")}) {
		if !strings.HasSuffix(c.Kernel, "rows") || c.Type != "float32" {
			t.Errorf("%s %s matches", c.Kernel, c.Type)
		}
	}
	if n := len(Cases(Options{Match: regexp.MustCompile("^nothing$")})); n != 0 {
		t.Errorf("%d cases match nothing", n)
	}
}

// A kernel that claims more work than can be done is measured again, and then
// fails the run.
func TestAboveCeiling(t *testing.T) {
	runs := 0
	c := Case{
		Kernel: "lie", Type: "float64", N: 1, Shape: "1", Flops: 1e12, op: opAdd, bytes: 8, memory: memRead, room: 4096,
		operands: func() work { return work{Run: func(int) {}, Reset: func() { runs++ }} },
	}
	saved := suites
	defer func() { suites = saved }()
	suites = []func(bool) []Case{func(bool) []Case { return []Case{c} }}
	emitted := 0
	err := Run(context.Background(), Options{Quick: true}, func(Row) error { emitted++; return nil })
	var above *CeilingError
	if !errors.As(err, &above) || len(above.Rows) != len(available()) {
		t.Fatalf("error %v, want a *CeilingError with %d rows", err, len(available()))
	}
	if emitted != len(available()) {
		t.Errorf("%d rows passed on, want %d", emitted, len(available()))
	}
	if runs < attempts*3 {
		t.Errorf("%d timed runs: the measurement was not repeated", runs)
	}
}

// A kernel that is above its ceiling by less than its runs differ is noisy, and
// the run does not fail.
func TestNoisy(t *testing.T) {
	m := newMeter(true)
	c := Case{Type: "float64", N: 1, Flops: 100, op: opAdd}
	v := &variant{level: cpu.Current(), threads: 1, ns: []float64{10, 10, 10}, least: 10}
	for _, k := range operations(c, v) {
		m.ceilings.rate[k], m.ceilings.worst[k] = 5, 5
	}
	row := func() Row { return m.rows(c, []*variant{v})[0] }
	if r := row(); !r.above() || r.Note != "" {
		t.Errorf("twice the ceiling: %+v", r)
	}
	v.ns[2] = 30
	if r := row(); !r.above() || r.Note != noisy {
		t.Errorf("twice the ceiling, runs of 10 to 30 ns: %+v", r)
	}
	v.ns[2] = 10
	m.ceilings.worst[m.ceilings.highest(operations(c, v))] = 2
	if r := row(); !r.above() || r.Note != noisy {
		t.Errorf("twice the ceiling, which was 2 to 5: %+v", r)
	}
	m.ceilings.measure(operations(c, v)[1])
	if got := m.ceilings.highest(operations(c, v)); m.ceilings.best(got) < 5 {
		t.Errorf("the highest of two ceilings is %v", got)
	}
}

// A level that is slower than the one below it is named, on every number of
// threads by itself.
func TestSlowerLevel(t *testing.T) {
	variants := []*variant{
		{level: cpu.AVX512, threads: 1, ns: []float64{17, 18}, least: 16},
		{level: cpu.AVX2, threads: 1, ns: []float64{10, 11}, least: 9},
		{level: cpu.Generic, threads: 1, ns: []float64{100, 110}, least: 90},
		{level: cpu.AVX512, threads: 2, ns: []float64{17, 18}, least: 9},
		{level: cpu.AVX2, threads: 2, ns: []float64{10, 11}, least: 9},
		{level: cpu.Generic, threads: 2, ns: []float64{9, 10}, least: 8},
	}
	for i, want := range []string{"slower than avx2: 1.67 times its time", "", "", "", "slower than generic: 1.11 times its time", ""} {
		if got := slowerThanBelow(variants[i], variants); got != want {
			t.Errorf("%s on %d threads: %q, want %q", variants[i].level, variants[i].threads, got, want)
		}
	}
	m := newMeter(true)
	c := Case{Type: "float64", N: 1, Flops: 1e-9, op: opAdd}
	for _, v := range variants[:3] {
		m.ceilings.rate[operations(c, v)[0]] = 5
	}
	if rows := m.rows(c, variants[:3]); rows[0].Note != "" || rows[2].Note == "" {
		t.Errorf("%+v", rows)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, Options{Quick: true}, func(Row) error { return nil }); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	stop := errors.New("stop")
	if err := Run(context.Background(), Options{Quick: true}, func(Row) error { return stop }); err != stop {
		t.Errorf("error %v, want that of emit", err)
	}
}

func TestCeilings(t *testing.T) {
	c := newCeilings(20 * time.Microsecond)
	for _, typ := range []string{"float32", "float64"} {
		for _, threads := range []int{1, 2} {
			for _, k := range []key{{kind: "fma"}, {kind: "add"}, {kind: mixed}, {kind: "read", room: 1 << 14}, {kind: "copy", room: 1 << 14}, {kind: "update", room: 1 << 14}, {kind: "fill", room: 1 << 14}} {
				k.typ, k.threads, k.level = typ, threads, cpu.Current()
				c.measure(k)
				first := c.best(k)
				if !(first > 0) || math.IsInf(first, 0) {
					t.Errorf("%v: %v", k, first)
				}
				c.measure(k)
				if c.best(k) < first {
					t.Errorf("%v: the ceiling fell from %v to %v", k, first, c.best(k))
				}
			}
		}
	}
}

func TestReports(t *testing.T) {
	rows := []Row{
		{Kernel: "fwht", Type: "float64", N: 64, Shape: "64", Level: "generic", Threads: 1, NS: 400, GFlops: 1, GBs: 2, VsGeneric: 1, PctCeiling: 20, Ceiling: "add 5 GFLOP/s"},
		{Kernel: "fwht", Type: "float64", N: 64, Shape: "64", Level: "avx2", Threads: 1, NS: 40, GFlops: 10, GBs: 20, VsGeneric: 10, PctCeiling: 50, Ceiling: "add 20 GFLOP/s"},
		{Kernel: "exp", Type: "float32", N: 64, Shape: "64", Level: "generic", Threads: 1, NS: 4e7, GBs: 2, VsGeneric: 1, PctCeiling: 20, Ceiling: "copy 10 GB/s"},
	}
	var b bytes.Buffer
	must.Do(t, WriteTable(&b, Here(), rows))
	if n := strings.Count(b.String(), "\n"); n != 2+len(rows) {
		t.Errorf("%d lines, want %d", n, 2+len(rows))
	}
}

func TestDifference(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2}, []float64{1, 2}, 0},
		{[]float64{1, 3}, []float64{1, 4}, 0.25},
		{[]float64{nan, inf, 1}, []float64{nan, inf, 1}, 0},
		{[]float64{nan, 1}, []float64{1, 1}, math.MaxFloat64},
		{[]float64{1, 1}, []float64{1, nan}, math.MaxFloat64},
		{[]float64{inf}, []float64{1}, math.MaxFloat64},
		{[]float64{1}, []float64{-inf}, math.MaxFloat64},
		{[]float64{1e-300}, []float64{0}, math.MaxFloat64},
	} {
		if got := difference(c.a, c.b); got != c.want {
			t.Errorf("difference of %v and %v is %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestSelfTest(t *testing.T) {
	all := SelfTest(context.Background(), 0)
	if want := len(checks()) * (len(available()) - 1); len(all) != want {
		t.Errorf("%d comparisons, want %d", len(all), want)
	}
	for _, a := range all {
		if !a.OK || !(a.Worst <= a.Allowed) {
			t.Errorf("%+v", a)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if n := len(SelfTest(ctx, time.Hour)); n != 0 {
		t.Errorf("%d comparisons after the end", n)
	}
}

func TestSignificant(t *testing.T) {
	for in, want := range map[float64]float64{0: 0, 1234567: 1235000, 0.00123456: 0.001235, 99999: 100000, 1: 1} {
		if got := significant(in); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("significant(%v) is %v, want %v", in, got, want)
		}
	}
	if m := median([]float64{3, 1, 2}); m != 2 {
		t.Errorf("median is %v", m)
	}
	if m := median([]float64{3, 1, 2, 10}); m != 2.5 {
		t.Errorf("median is %v", m)
	}
}
