// Command mutate measures how well the tests of this module find faults in its
// code. It puts one fault at a time into a file, runs the tests of the file's
// package, and prints the faults that no test noticed.
//
//	go run ./ci/tools/mutate                                60 faults from all layers
//	go run ./ci/tools/mutate -n 120 -seed 7 ./algos/...     120 faults from the estimators
//	go run ./ci/tools/mutate -list ./kernel                 what would be tried, and nothing run
//	go run ./ci/tools/mutate -out r.jsonl -n 200            goes on where an earlier run with r.jsonl ended
//	go run ./ci/tools/mutate -out r.jsonl -n 200 -retry     the same, with new tests for what survived
//
// The tree is never changed: a fault reaches the compiler through the overlay of
// the go command, or the Python interpreter in a copy. The faults are drawn at random
// from those that golang.go, assembly.go and python.go list; the same seed draws the
// same faults in the same code. Faults in assembly are tried on amd64 only, at the
// levels that the machine has.
//
// The faults of a draw in the functions of a package are built into one program, each behind a variable of the
// environment; the others, and those of assembly, one by one.
//
// The tests run with -short. With -long, tests that pass run again without
// -short. A fault that makes the tests hang counts as killed, like one that
// makes them fail. A fault that does not compile does not count, and another one
// is drawn instead.
//
// The tests near a fault run first, those in the test file of its file and those that
// name its function: they find most faults, and the rest of a package can take minutes.
// -timeout limits their processor time, and a fifth of that of the others. At the end
// the tests that found faults run once without a fault, and must pass.
//
// A fault that changes no promised result is equivalent. Such faults belong in
// ci/tools/mutate/equivalent.txt, in the form in which the report prints them and with
// a reason; they are not drawn:
//
//	algos/cluster/kmeans/points.go nearest
//		- if d < best {
//		+ if d <= best {
//		Equal distances are of equal centers, which were merged before.
//
// The exit status is 1 if less than -rate percent of all faults are killed, or
// less than -layer-rate percent in a layer with at least -enough faults, and 2
// if the run fails. A run that -budget or an interrupt ends reports the results
// so far.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// dependants lists packages whose tests also run for faults in another package,
// because they use what it describes. The faults of a package that is not listed
// must be found by its own tests.
var dependants = map[string][]string{
	".":                 {"algos/krr", "algos/cluster/kmeans"},
	"num":               {"."},
	"internal/check":    {"algos/krr", "algos/linear", "dataset"},
	"internal/rows":     {"algos/krr"},
	"internal/program":  {"algos/basis", "algos/krr", "algos/divide/dckrr", "algos/divide/dcpred", "algos/labels/leml"},
	"internal/clusters": {"algos/cluster/kmeans", "algos/cluster/kernelkmeans"},
	"internal/pun":      {"asm/chol", "asm/level2"},
	"predict/approx":    {"predict"},
	"blas":              {"blas/blastest"},
}

// arguments are what the tests of a package need to test all of it.
var arguments = map[string][]string{"app/capi": {"-library"}}

// settings are the flags of a run, and its arguments as patterns. main describes each.
type settings struct {
	count, par      int
	seed            uint64
	budget, timeout time.Duration
	memory          uint64 // GiB
	out, cache      string
	retry, long     bool
	list            bool
	rate, layerRate float64
	minRate         int
	also            string
	patterns        []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var s settings
	flag.IntVar(&s.count, "n", 60, "faults to count")
	flag.IntVar(&s.par, "par", 1, "faults at the same time")
	flag.Uint64Var(&s.seed, "seed", 1, "seed of the draw")
	flag.DurationVar(&s.budget, "budget", 0, "start no trial after this time (0: no limit)")
	flag.DurationVar(&s.timeout, "timeout", 15*time.Second, "processor time of the tests near a fault; the others have ten times what they take without one")
	flag.StringVar(&s.cache, "cache", "", "folder of the profiles of tests (default gram-mutate in the cache of the user)")
	flag.Uint64Var(&s.memory, "memory", 16, "address space of a process in GiB")
	flag.StringVar(&s.out, "out", "", "file of results as JSON lines, read first and then continued")
	flag.BoolVar(&s.retry, "retry", false, "try again what survived according to -out")
	flag.BoolVar(&s.long, "long", false, "run tests that pass with -short again without it")
	flag.BoolVar(&s.list, "list", false, "print the draw and end")
	flag.Float64Var(&s.rate, "rate", 90, "least percentage of killed faults")
	flag.Float64Var(&s.layerRate, "layer-rate", 80, "least percentage of killed faults of a layer")
	flag.IntVar(&s.minRate, "enough", 10, "faults that a layer must have for -layer-rate to hold")
	flag.StringVar(&s.also, "also", "", "further packages whose tests run, as DIR=DIR[+DIR…][,…]")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./ci/tools/mutate [flags] [packages]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if s.patterns = flag.Args(); len(s.patterns) == 0 {
		s.patterns = []string{"work", "./app/columnar"}
	}
	good, err := run(ctx, s, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case !good:
		os.Exit(1)
	}
}

// run draws faults, tries them and reports. It returns whether enough were
// killed.
func run(ctx context.Context, s settings, w io.Writer) (passed bool, err error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return false, fmt.Errorf("go env: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	also, err := parseAlso(s.also)
	if err != nil {
		return false, err
	}
	units, err := load(ctx, root, s.patterns)
	if err != nil {
		return false, err
	}
	list, err := readEquivalents(filepath.Join(root, "ci", "tools", "mutate", "equivalent.txt"))
	if err != nil {
		return false, err
	}
	left, stale := list.remove(units)
	quotas := draw(units, s.seed, s.count)
	if s.list {
		for _, q := range quotas {
			for _, m := range q.order[:q.want] {
				fmt.Fprint(w, m)
			}
		}
		return true, nil
	}
	known, out, err := open(s.out, s.retry)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	tmp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	if err := limitMemory(s.memory << 30); err != nil {
		return false, fmt.Errorf("limit of memory: %w", err)
	}
	if s.cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return false, err
		}
		s.cache = filepath.Join(user, "gram-mutate")
	}
	b := &bench{root: root, tmp: tmp, cache: s.cache, procs: max(1, runtime.GOMAXPROCS(0)/s.par), long: s.long, limit: s.timeout, also: also}
	b.gather(quotas)
	results, err := tryAll(ctx, s, quotas, known, b, func(r result) error {
		fmt.Fprintf(w, "%-8s %5.1f s  %s:%d %s (%s) %s\n", r.Status, r.Seconds, r.File, r.Line, r.Func, r.Kind, r.By)
		j, err := json.Marshal(r)
		if err == nil {
			_, err = out.Write(append(j, '\n'))
		}
		return err
	})
	if err == nil {
		err = b.confirm(ctx, results)
	}
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	passed = report(w, results, left, stale, s)
	return passed, err
}

// tryAll tries the mutants of all layers in turn until each layer has its count,
// and passes each result to done. Mutants with known results are not tried
// again.
func tryAll(ctx context.Context, s settings, quotas []*quota, known map[key]result, b *bench, done func(result) error) ([]result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		quota *quota
		result
		err error
	}
	var results []result
	var failed error
	start := time.Now()
	outcomes := make(chan outcome)
	counted, running := map[*quota]int{}, 0 // counted includes running trials
	for {
		for running < s.par && failed == nil && ctx.Err() == nil && (s.budget == 0 || time.Since(start) < s.budget) {
			q := next(quotas, counted)
			if q == nil {
				break
			}
			m := q.order[0]
			q.order = q.order[1:]
			if r, ok := known[m.key()]; ok {
				r.mutant = m
				results = append(results, r)
				if r.Status != unbuilt {
					counted[q]++
				}
				continue
			}
			counted[q]++
			running++
			go func() {
				r, err := b.try(ctx, m)
				outcomes <- outcome{q, r, err}
			}()
		}
		if running == 0 {
			return results, failed
		}
		o := <-outcomes
		running--
		if o.err == nil {
			results = append(results, o.result)
			o.err = done(o.result)
		}
		if o.err != nil && failed == nil {
			failed = o.err
			cancel()
		}
		if o.Status == unbuilt {
			counted[o.quota]--
		}
	}
}

// next returns the layer that is furthest from its count, or nil if all have it.
func next(quotas []*quota, counted map[*quota]int) *quota {
	var best *quota
	for _, q := range quotas {
		if counted[q] < q.want && len(q.order) > 0 &&
			(best == nil || counted[q]*best.want < counted[best]*q.want) {
			best = q
		}
	}
	return best
}

// parseAlso adds the packages of the flag -also to dependants.
func parseAlso(s string) (map[string][]string, error) {
	out := maps.Clone(dependants)
	for part := range strings.SplitSeq(s, ",") {
		if part == "" {
			continue
		}
		dir, more, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("-also %s: want DIR=DIR[+DIR…]", part)
		}
		out[dir] = append(out[dir][:len(out[dir]):len(out[dir])], strings.Split(more, "+")...)
	}
	return out, nil
}

// open reads the results of earlier runs and opens their file to append to it.
// Without a path no results are kept. With retry, the results of survivors are
// forgotten.
func open(path string, retry bool) (map[key]result, io.WriteCloser, error) {
	known := map[key]result{}
	if path == "" {
		return known, discard{}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		var r result
		// A last line without an end comes from a run that was killed.
		if err == nil && json.Unmarshal(line, &r) == nil {
			known[r.key()] = r
		} else if err == io.EOF {
			if len(line) > 0 {
				_, err = f.Write([]byte("\n"))
			} else {
				err = nil
			}
			maps.DeleteFunc(known, func(_ key, r result) bool { return retry && r.Status == survived })
			return known, f, err
		} else if err != nil {
			return nil, nil, errors.Join(err, f.Close())
		}
	}
}

// discard takes the place of the file in a run that keeps no results.
type discard struct{}

// Write discards p and reports that all of it was written.
func (discard) Write(p []byte) (int, error) { return len(p), nil }

func (discard) Close() error { return nil }
