package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"
)

// python is a process that answers each line "… reps" with the seconds that reps
// calls took by its own clock.
type python struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startPython runs a script whose first line of output is the version of the library
// that it measures.
func startPython(interpreter, script string) (p *python, version string, err error) {
	p = &python{cmd: exec.Command(interpreter, "-c", script)}
	p.cmd.Stderr = os.Stderr
	p.cmd.Env = append(os.Environ(), fmt.Sprint("OPENBLAS_NUM_THREADS=", runtime.GOMAXPROCS(0)))
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	pipe, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, "", err
	}
	p.out = bufio.NewReader(pipe)
	if _, err := fmt.Fscanln(p.out, &version); err != nil {
		return nil, "", fmt.Errorf("%s does not run the script: %w", interpreter, err)
	}
	return p, version, nil
}

func (p *python) close() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// racePython does the same as race if the second contestant is a call of p's, which
// a line asks for. It returns seconds, and the median of the ratios of the second
// contestant to the first.
func racePython(o options, p *python, line string, first contestant, others ...contestant) (least []float64, ratio float64, err error) {
	all := []func(reps int) float64{clocked(first), func(reps int) (seconds float64) {
		if _, e := fmt.Fprintf(p.in, "%s %d\n", line, reps); e != nil {
			err = e
		} else if _, e := fmt.Fscanln(p.out, &seconds); e != nil {
			err = e
		}
		return seconds
	}}
	for _, c := range others {
		all = append(all, clocked(c))
	}
	reps := make([]int, len(all))
	for i, c := range all {
		reps[i] = 1
		for err == nil && c(reps[i]) < o.slice.Seconds() {
			reps[i] *= 2
		}
		least = append(least, math.Inf(1))
	}
	var ratios []float64
	for range o.rounds {
		t := make([]float64, len(all))
		for i, c := range all {
			t[i] = c(reps[i]) / float64(reps[i])
			least[i] = min(least[i], t[i])
		}
		ratios = append(ratios, t[1]/t[0])
	}
	slices.Sort(ratios)
	return least, ratios[len(ratios)/2], err
}

func clocked(c contestant) func(reps int) float64 {
	return func(reps int) float64 {
		start := time.Now()
		c(reps)
		return time.Since(start).Seconds()
	}
}
