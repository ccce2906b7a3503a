package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/kernel"
)

// Table 3.5 of [Si 2016]: seconds for the steps of MEKA at the settings of Table
// 3.7. The paper's machine is an Intel Xeon X5440 of 2007, and its program has no
// step that restores definiteness.
var table35 = Table{
	ID:    "3.5",
	Title: "Seconds for the steps of MEKA",
	Run:   runTable35,
}

// steps are the parts of a fit; the paper has the first three.
var steps = []struct {
	name    string
	seconds func(meka.Stats) float64
}{
	{"T_C clusters", func(s meka.Stats) float64 { return s.ClusterSeconds }},
	{"T_W bases", func(s meka.Stats) float64 { return s.BasisSeconds }},
	{"T_L links", func(s meka.Stats) float64 { return s.LinkSeconds }},
	{"definiteness", func(s meka.Stats) float64 { return s.RepairSeconds }},
}

var paper35 = map[string][]float64{
	"pendigits": {.05, .69, .35, 0},
	"ijcnn1":    {.15, 1.27, .84, 0},
	"covtype":   {1.83, 9.82, 12.23, 0},
}

func runTable35(ctx context.Context, env Env, emit func(Row)) error {
	if err := env.parse(env.flags()); err != nil {
		return err
	}
	repeats := env.repeats(5, 3)
	for _, s := range sets37 {
		x, ok, err := s.load(env)
		if err != nil {
			return err
		}
		samples := make([]sample, len(steps))
		c := meka.Config{Kernel: kernel.Gaussian{Gamma: s.gamma}, Clusters: mekaClusters(s.name), Rank: s.rank}
		for i := range repeats {
			if !ok {
				break
			}
			c.Run = env.repeat(i)
			m, err := c.Fit(ctx, x)
			if err != nil {
				return err
			}
			for j, step := range steps {
				seconds := step.seconds(m.Stats())
				samples[j].add(seconds, seconds, m.Stats().Bytes)
			}
		}
		for j, step := range steps {
			row := Row{Table: "3.5", Dataset: s.name, Method: "MEKA " + step.name, Metric: "seconds", Paper: paper(paper35[s.name][j])}
			if !ok {
				row.Note = noData
				emit(row)
				continue
			}
			row.Note = notes(fmt.Sprintf("k %d, γ %g, c %d", s.rank, s.gamma, c.Clusters), counted(repeats, "repeat"))
			emit(samples[j].into(row))
		}
	}
	return nil
}
