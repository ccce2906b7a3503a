// Benchgate compares the benchmarks of two checkouts of a module and says which
// ones became slower, on a machine that other programs may use at the same time.
//
//	benchgate -old DIR -new DIR [flags] PACKAGE…
//
// Every benchmark is measured in blocks of short slices, old and new in turn. The
// least slice of each side counts, because other programs can only add to the
// time of a slice. Each block of a benchmark runs in processes of its own,
// because the pages that a process gets have an influence, too. First all
// benchmarks are screened by 8 to 16 blocks of four slices. A benchmark that is
// not found fine is a suspect and is measured again by blocks of sixteen slices
// (A B B A), until it is clearly slower, clearly not, or 256 blocks are over. The
// probability that any benchmark is called slower in a comparison of equal trees
// is below 1 %.
//
// With -variants gonum,native it compares, in equal checkouts, the benchmarks whose names
// have backend=native with those that have backend=gonum instead: the first is the old side.
//
// Packages whose test binaries are the same byte for byte are not measured, and
// neither are ceilings, other libraries and benchmarks with long calls.
//
// The exit code is 0 if no benchmark is slower by more than the limit, 1 if one
// is, 2 after a mistake in the command line or if benchmarks could not be built
// or run, 3 if none is slower but some could not be decided in the time given.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes, as the package comment describes them.
const (
	exitFine = iota
	exitSlower
	exitFailed
	exitUnsure
)

type settings struct {
	old, new string
	bench    string
	skip     *regexp.Regexp
	limit    float64 // percent
	budget   time.Duration
	slice    time.Duration
	maxTime  time.Duration
	all      bool
	variants [2]string // parts of names, of the old side and the new one; or empty
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o settings
	skip, variants := "", ""
	f := flag.NewFlagSet("benchgate", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.old, "old", "", "`folder` of the checkout to compare with")
	f.StringVar(&o.new, "new", "", "`folder` of the checkout that may be slower")
	f.StringVar(&o.bench, "bench", ".", "benchmarks to run, as for go test")
	f.StringVar(&skip, "skip", `/asm/peak |[/=]copy\b|=gonum\b|BenchmarkPeak\b|BenchmarkWrite\b`, "`regexp` of benchmarks not to measure, matched with \"package name\"")
	f.Float64Var(&o.limit, "limit", 3, "`percent` that a benchmark may be slower")
	f.DurationVar(&o.budget, "time", 15*time.Minute, "longest time to measure, builds not included")
	f.DurationVar(&o.slice, "slice", 500*time.Microsecond, "length of a slice")
	f.DurationVar(&o.maxTime, "longest", 30*time.Millisecond, "benchmarks whose calls take longer are left out")
	f.BoolVar(&o.all, "all", false, "measure packages with equal binaries, too")
	f.StringVar(&variants, "variants", "", "`old,new`: compare benchmarks with /backend=old in their names with those with /backend=new")
	if err := f.Parse(args); err != nil {
		return exitFailed
	}
	var err error
	if o.skip, err = regexp.Compile(skip); err != nil || o.old == "" || o.new == "" || !(o.limit > 0) || f.NArg() == 0 {
		fmt.Fprintln(stderr, "benchgate: want -old, -new, a positive -limit, a -skip that is a regular expression, and packages")
		return exitFailed
	}
	if variants != "" {
		before, after, ok := strings.Cut(variants, ",")
		if !ok || before == "" || after == "" {
			fmt.Fprintf(stderr, "benchgate: -variants is %q, want old,new\n", variants)
			return exitFailed
		}
		o.all, o.variants = true, [2]string{"/backend=" + before, "/backend=" + after}
	}
	code, err := o.compare(ctx, f.Args(), stdout)
	if err != nil {
		fmt.Fprintln(stderr, "benchgate:", err)
		return exitFailed
	}
	return code
}

// A benchmark is one that both sides have in the package with the index pkg.
type benchmark struct {
	pkg  int
	name string
	cost float64 // approximate time of a slice in ns
}

// A gate holds the packages that are measured.
type gate struct {
	settings
	sides [2]tree
	pkgs  [2][]target // by side, with the same index
	end   time.Time
	all   []benchmark
}

func (o settings) compare(ctx context.Context, patterns []string, out io.Writer) (int, error) {
	dir, err := os.MkdirTemp("", "benchgate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	g := &gate{settings: o, sides: [2]tree{{o.old, filepath.Join(dir, "old")}, {o.new, filepath.Join(dir, "new")}}}
	equal, err := g.prepare(ctx, patterns)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	g.end = start.Add(o.budget)
	skipped, long, err := g.find(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "%d benchmarks in %d packages; left out: %d ceilings and others, %d with calls longer than %v, %d packages with equal binaries\n",
		len(g.all), len(g.pkgs[0]), skipped, long, o.maxTime, equal)
	results, err := decide(len(g.all), o.limit/100,
		func(index []int, suspects bool) ([]block, error) { return g.round(ctx, index, suspects) },
		func(part float64) bool { return time.Since(start) > time.Duration(part*float64(o.budget)) })
	if err != nil {
		return 0, err
	}
	return g.report(out, results, time.Since(start)), nil
}

// prepare builds the packages that both sides have and keeps those that differ.
func (g *gate) prepare(ctx context.Context, patterns []string) (equal int, err error) {
	var found [2][]target
	for i, t := range g.sides {
		if err := os.MkdirAll(t.bin, 0o777); err != nil {
			return 0, err
		}
		if found[i], err = t.list(ctx, patterns); err != nil {
			return 0, err
		}
	}
	var pairs [][2]target
	for _, n := range found[1] {
		if i := slices.IndexFunc(found[0], func(o target) bool { return o.path == n.path }); i >= 0 {
			pairs = append(pairs, [2]target{found[0][i], n})
		}
	}
	var (
		wait   sync.WaitGroup
		tokens = make(chan struct{}, runtime.GOMAXPROCS(0))
		errs   = make([]error, 2*len(pairs))
	)
	for i, p := range pairs {
		for side, t := range g.sides {
			wait.Go(func() {
				tokens <- struct{}{}
				defer func() { <-tokens }()
				errs[2*i+side] = t.build(ctx, p[side])
			})
		}
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	for _, p := range pairs {
		same, err := sameFile(g.sides[0].binary(p[0].path), g.sides[1].binary(p[1].path))
		if err != nil {
			return 0, err
		}
		if same && !g.settings.all {
			equal++
			continue
		}
		g.pkgs[0], g.pkgs[1] = append(g.pkgs[0], p[0]), append(g.pkgs[1], p[1])
	}
	return equal, nil
}

func sameFile(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	y, err := os.ReadFile(b)
	return bytes.Equal(x, y), err
}

// find lists the benchmarks of the new side. Benchmarks that the old side lacks
// are found when they are measured.
func (g *gate) find(ctx context.Context) (skipped, long int, err error) {
	for i, p := range g.pkgs[1] {
		s, err := g.sides[1].start(ctx, p)
		if err != nil {
			return 0, 0, err
		}
		timings, err := s.run(1, "1x", g.bench)
		if err := errors.Join(err, s.stop()); err != nil {
			return 0, 0, err
		}
		for _, t := range timings {
			switch {
			case g.skip.MatchString(p.path + " " + t.name), !strings.Contains(t.name, g.variants[1]):
				skipped++
			case t.ns > float64(g.maxTime):
				long++
			default:
				g.all = append(g.all, benchmark{i, t.name, max(t.ns, float64(2*g.slice))})
			}
		}
	}
	return skipped, long, nil
}

// turnTime is about how long one side measures before the other side does.
const turnTime = 500 * time.Millisecond

// round measures one block of each of some benchmarks.
func (g *gate) round(ctx context.Context, index []int, suspects bool) ([]block, error) {
	d := make([]block, len(index))
	for lo := 0; lo < len(index); {
		if time.Now().After(g.end) {
			return nil, errLate
		}
		pkg, hi := g.all[index[lo]].pkg, lo
		for hi < len(index) && g.all[index[hi]].pkg == pkg {
			hi++
		}
		if err := g.pair(ctx, pkg, index[lo:hi], suspects, d[lo:hi]); err != nil {
			return nil, err
		}
		lo = hi
	}
	return d, nil
}

// pair starts both binaries of a package and measures a block of each of the
// given benchmarks. It measures as many together as fit into a turn, but
// benchmarks of one function alone: to reach one of them, everything that the
// function prepares has to run.
func (g *gate) pair(ctx context.Context, pkg int, index []int, suspects bool, d []block) (err error) {
	var s [2]*process
	first := rand.IntN(2)
	for _, side := range []int{first, 1 - first} {
		if s[side], err = g.sides[side].start(ctx, g.pkgs[side][pkg]); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s[side].stop()) }()
	}
	function := func(i int) string {
		name, _, _ := strings.Cut(g.all[i].name, "/")
		return name
	}
	for lo := 0; lo < len(index); {
		cost, hi := 0.0, lo
		for hi < len(index) && function(index[hi]) == function(index[lo]) {
			if cost += 2 * g.all[index[hi]].cost; hi > lo && cost > float64(turnTime) {
				break
			}
			hi++
		}
		if err := g.block(s, index[lo:hi], suspects, d[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// block takes the turns of a block: two turns of two slices, A B, or four turns
// of four slices, A B B A.
func (g *gate) block(s [2]*process, index []int, suspects bool, d []block) error {
	var names [2][]string
	for _, i := range index {
		names[0] = append(names[0], strings.Replace(g.all[i].name, g.variants[1], g.variants[0], 1))
		names[1] = append(names[1], g.all[i].name)
	}
	var least [2]map[string]float64
	a := rand.IntN(2)
	count, turns := 2, []int{a, 1 - a}
	if suspects {
		count, turns = 4, []int{a, 1 - a, 1 - a, a}
	}
	for _, side := range turns {
		timings, err := s[side].run(count, g.slice.String(), exactly(names[side]))
		if err != nil {
			return err
		}
		if least[side] == nil {
			least[side] = map[string]float64{}
		}
		for _, t := range timings {
			if v, ok := least[side][t.name]; !ok || t.ns < v {
				least[side][t.name] = t.ns
			}
		}
	}
	for j := range index {
		before, after := least[0][names[0][j]], least[1][names[1][j]]
		if before > 0 && after > 0 {
			d[j] = block{before, after}
		}
	}
	return nil
}

// mostOpen is the number of undecided benchmarks that are named.
const mostOpen = 40

// report writes a line for each benchmark that is not fine, and a summary.
func (g *gate) report(out io.Writer, results []result, elapsed time.Duration) int {
	count := map[verdict]int{}
	faster := 0
	line := func(label string, i int) {
		r := results[i]
		fmt.Fprintf(out, "%-12s%s %s", label, g.pkgs[1][g.all[i].pkg].path, g.all[i].name)
		if r.blocks > 0 {
			fmt.Fprintf(out, "  new/old %.3f [%.3f, %.3f], %d blocks", r.ratio, r.lo, r.hi, r.blocks)
		}
		fmt.Fprintln(out)
	}
	for i, r := range results {
		count[r.verdict]++
		switch r.verdict {
		case open:
			if count[open] <= mostOpen {
				line("cannot tell", i)
			}
		case slower:
			line("slower", i)
		case absent:
			line("only in new", i)
		case fine:
			if r.hi < 1/(1+g.limit/100) {
				faster++
				line("faster", i)
			}
		}
	}
	fmt.Fprintf(out, "slower by more than %g %%: %d, cannot tell: %d, fine: %d (faster: %d), only in new: %d; measured for %v\n",
		g.limit, count[slower], count[open], count[fine], faster, count[absent], elapsed.Round(time.Second))
	switch {
	case count[slower] > 0:
		return exitSlower
	case count[open] > 0:
		return exitUnsure
	}
	return exitFine
}
