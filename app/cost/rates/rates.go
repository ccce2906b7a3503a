// Package rates holds the rates of all methods, as gram table growth has measured them on one machine, for estimates of the seconds of a
// fit on any machine.
//
// Estimate is all there is to call. The rates are in the file rates.tsv, which the test TestRates of package papers writes from the stored
// run of the table. Package cost says how an estimate follows from them, and what it does not count.
package rates

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/cost"
	"github.com/gramworks/gram/dataset"
)

// stored has a line with the speeds of the machine and one for each method and kind of target, columns separated by tabs.
//
//go:embed rates.tsv
var stored string

// key is what a rate is found by: the method, and the kind of its targets.
type key struct {
	method string
	task   string
}

var parsed = sync.OnceValues(func() (on cost.Machine, of map[key]cost.Rate) {
	of = map[key]cost.Rate{}
	for line := range strings.Lines(stored) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var k key
		var r cost.Rate
		if _, err := fmt.Sscanf(line, "machine %g %g", &on.Peak, &on.Plain); err == nil {
			continue
		}
		if _, err := fmt.Sscanf(line, "%s %s %g %g %g", &k.method, &k.task, &r.Fixed, &r.PerFlop, &r.Parallel); err != nil {
			panic(fmt.Sprintf("rates: rates.tsv: %q: %v", line, err))
		}
		of[k] = r
	}
	return on, of
})

// Like names for methods that came after the stored run one with the same solver.
var Like = map[string]string{"nu-svm": "svm", "nu-svr": "svr", "one-class": "svm"}

// Estimate returns the seconds by the clock of a fit of a method to targets of a kind on this machine, given its plan. It
// reports false for a method that was not measured. For a kind of targets that was not measured it takes the rate of another kind, of values first.
//
// A method that was not measured yet takes the rate of one with the same solver.
func Estimate(method string, task dataset.Task, p gram.Plan, goroutines int) (seconds float64, known bool) {
	on, of := parsed()
	for _, name := range []string{method, Like[method]} {
		for _, t := range []dataset.Task{task, dataset.Regression, dataset.Classes, dataset.MultiLabel} {
			if r, known := of[key{name, t.String()}]; known {
				return r.Seconds(p.Flops, goroutines, on, cost.Here()), true
			}
		}
	}
	return 0, false
}
