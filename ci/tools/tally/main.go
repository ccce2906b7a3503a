// Tally runs go test, says how many tests ran and how many were skipped, and fails if
// a test was skipped that is not expected to be. A check that skips what it is there
// for then no longer looks like a check that passed.
//
//	go run ./ci/tools/tally -step noasm -- -short -tags noasm work            tests, and compares what was skipped
//	go run ./ci/tools/tally -step race -- CGO_ENABLED=1 -race work            the same with a variable for go test
//	go run ./ci/tools/tally -- work                                           only counts
//	go run ./ci/tools/tally -levels                                           the levels of this machine
//
// The arguments are those of go test. Tally adds -json, with which results are still
// taken from the cache. The output of packages that fail is printed when they end, with
// the tests that passed left out. The last line has the counts. The exit status is that
// of go test, and 1 if go test succeeds but a skip is not expected.
//
// Expected skips are in the file ci/skips. A line has four fields, separated by tabs:
// the steps, separated by commas; the package below the module; the test; and the
// beginning of the reason. A star stands for every step, package or test. TestReasons
// compares the list with what the tests of the repository print when they are skipped.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"

	"github.com/gramworks/gram/asm/cpu"
)

var (
	step   = flag.String("step", "", "`name` of the step in the list of expected skips; empty: only count")
	file   = flag.String("skips", "ci/skips", "`file` with the list of expected skips")
	levels = flag.Bool("levels", false, "print the levels of this machine, and test nothing")
)

func main() {
	flag.Parse()
	switch {
	case *levels:
		fmt.Println(describe(cpu.Detected(), cpu.Levels()))
	case flag.NArg() == 0:
		fmt.Fprintln(os.Stderr, "usage: tally [-step NAME] -- [VARIABLE=VALUE…] ARGUMENT of go test…")
		os.Exit(2)
	default:
		code, err := run(flag.Args())
		if err != nil {
			fmt.Fprintln(os.Stderr, "tally:", err)
			os.Exit(2)
		}
		os.Exit(code)
	}
}

// run runs go test with arguments that may begin with variables, and returns the exit
// status.
func run(args []string) (int, error) {
	variable := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	env := os.Environ()
	for len(args) > 0 && variable.MatchString(args[0]) {
		env, args = append(env, args[0]), args[1:]
	}
	c := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	c.Env, c.Stderr = env, os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	r, readErr := read(out, os.Stdout)
	var failed *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &failed) {
		return 0, err
	}
	if readErr != nil {
		return 0, readErr
	}
	code := c.ProcessState.ExitCode()
	if code < 0 {
		code = 1 // a signal ended it
	}
	if *step != "" {
		list, err := readList(*file)
		if err != nil {
			return 0, err
		}
		unexpected := unlisted(list, *step, r.skips)
		for _, s := range unexpected {
			fmt.Printf("skipped, which is not expected in step %q: %s %s: %s\n", *step, s.pkg, s.test, s.reason)
		}
		if len(unexpected) > 0 {
			fmt.Println("If the skip is right, put it into " + *file + ": see ci/tools/tally.")
			code = max(code, 1)
		}
	}
	fmt.Println(r)
	return code, nil
}

// describe says which levels the machine has and which it lacks.
func describe(best cpu.Level, available []cpu.Level) string {
	family := []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512}
	if best == cpu.NEON {
		family = []cpu.Level{cpu.Generic, cpu.NEON}
	}
	missing := ""
	for _, l := range family {
		has := false
		for _, a := range available {
			has = has || a == l
		}
		if !has {
			missing += " " + l.String()
		}
	}
	if missing == "" {
		return fmt.Sprintf("The highest level of this machine is %s; no level of its processor family was left out.", best)
	}
	return fmt.Sprintf("The highest level of this machine is %s; NOT RUN:%s.", best, missing)
}
