package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// driver is added to every package that is measured. The test binary then
// reads from standard input which benchmarks to run, again and again, so that
// one process serves many slices. %s is the name of the package.
const driver = `package %s

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.run", "^$")
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		f := strings.SplitN(in.Text(), " ", 3)
		flag.Set("test.count", f[0])
		flag.Set("test.benchtime", f[1])
		flag.Set("test.bench", f[2])
		fmt.Println("` + ended + `", m.Run())
	}
	os.Exit(0)
}
`

const (
	driverFile = "zz_benchgate_test.go"
	ended      = "benchgate: code"
)

// A tree is one of the two sides: a checkout that no other program uses.
type tree struct {
	dir string
	bin string // directory of its test binaries
}

// A target is a package of a tree.
type target struct{ path, dir, name string }

// list returns the packages among patterns that have tests.
func (t tree) list(ctx context.Context, patterns []string) ([]target, error) {
	out, err := t.command(ctx, append([]string{"list", "-f",
		"{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}\t{{.Name}}{{end}}"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []target
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
			all = append(all, target{f[0], f[1], f[2]})
		}
	}
	return all, nil
}

func (t tree) binary(path string) string {
	return filepath.Join(t.bin, strings.ReplaceAll(path, "/", "_")+".test")
}

// build makes the test binary of a package, with the driver. Paths are
// trimmed, so that equal sources give equal binaries.
func (t tree) build(ctx context.Context, p target) error {
	file := filepath.Join(p.dir, driverFile)
	if err := os.WriteFile(file, fmt.Appendf(nil, driver, p.name), 0o666); err != nil {
		return err
	}
	defer os.Remove(file)
	_, err := t.command(ctx, "test", "-c", "-trimpath", "-o", t.binary(p.path), p.path)
	return err
}

func (t tree) command(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = t.dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s in %s: %w\n%s", args[0], t.dir, err, stderr.Bytes())
	}
	return out, nil
}

// A process is a test binary that waits for commands.
type process struct {
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr bytes.Buffer
}

func (t tree) start(ctx context.Context, p target) (*process, error) {
	s := &process{name: p.path, cmd: exec.CommandContext(ctx, t.binary(p.path))}
	s.cmd.Dir = p.dir
	s.cmd.Stderr = &s.stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewScanner(out)
	return s, s.cmd.Start()
}

// stop closes the input of the process, at which it ends, and waits for it.
func (s *process) stop() error {
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		return s.failed(err)
	}
	return nil
}

func (s *process) failed(err error) error {
	text := s.stderr.Bytes()
	return fmt.Errorf("benchmarks of %s: %w\n%s", s.name, err, text[:min(len(text), 2000)])
}

// A timing is the least time of one benchmark in ns.
type timing struct {
	name string
	ns   float64
}

var resultLine = regexp.MustCompile(`^(Benchmark\S*)\s+\d+\s.*?([0-9.e+]+) ns/op`)

// run runs the benchmarks that match a pattern count times, for benchtime
// each. It returns the least time of each benchmark, in the order of their
// first appearance.
func (s *process) run(count int, benchtime, pattern string) ([]timing, error) {
	if _, err := fmt.Fprintf(s.in, "%d %s %s\n", count, benchtime, pattern); err != nil {
		return nil, s.failed(err)
	}
	var all []timing
	place := map[string]int{}
	for s.out.Scan() {
		line := s.out.Text()
		if code, ok := strings.CutPrefix(line, ended); ok {
			if code != " 0" {
				return nil, s.failed(fmt.Errorf("%s failed", pattern))
			}
			return all, nil
		}
		m := resultLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, s.failed(err)
		}
		name := m[1]
		if p := runtime.GOMAXPROCS(0); p > 1 {
			name = strings.TrimSuffix(name, fmt.Sprintf("-%d", p))
		}
		if i, ok := place[name]; ok {
			all[i].ns = min(all[i].ns, ns)
		} else {
			place[name] = len(all)
			all = append(all, timing{name, ns})
		}
	}
	return nil, s.failed(fmt.Errorf("%s ended the process", pattern))
}

// exactly returns a pattern for go test -bench that matches only these
// benchmarks.
func exactly(names []string) string {
	var all []string
	for _, n := range names {
		parts := strings.Split(n, "/")
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		all = append(all, strings.Join(parts, "/"))
	}
	return strings.Join(all, "|")
}
