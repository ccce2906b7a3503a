package tables

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/krr"
)

// Table 3.9 of [Si 2016]: Voronoi cells against clusters and random parts. The
// thesis chooses the cells' radius on cpusmall, which is not at hand, and gets
// 6, 9, 13 and 40 cells; here as many centres are taken, each the row farthest
// from those before it. elevators stands in, with as many rows.
var table39 = Table{
	ID:    "3.9",
	Title: "Test RMSE and training time of VP-KRR, Random-KRR and DC-KRR",
	Run:   runTable39,
}

var paper39 = map[string][4]float64{
	"VP":                {5.8914, 5.8653, 6.1331, 6.3026},
	"Random":            {6.6232, 7.3143, 7.9986, 10.1980},
	"DC k-means":        {6.4246, 6.4610, 6.6415, 7.2206},
	"DC kernel k-means": {5.7819, 5.8338, 5.8069, 6.01},
}

func runTable39(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rows := f.Int("rows", 6553, "training rows at most")
	if err := env.parse(f); err != nil {
		return err
	}
	limit := *rows
	if env.Quick {
		limit = min(limit, 2500)
	}
	methods := append([]ridgeMethod{{"VP", fitDivided(krr.Voronoi)}}, ridgeMethods[1:]...)
	for _, s := range ridgeSets {
		if s.name != "cpusmall" && s.name != "elevators" {
			continue
		}
		d, ok, err := s.load(env)
		if err != nil {
			return err
		}
		var gamma float64
		var chosen string
		if ok {
			if gamma, chosen, err = env.gammaOf(ctx, s, d); err != nil {
				return err
			}
		}
		repeats := env.repeats(3, 1)
		for i, parts := range []int{6, 9, 13, 40} {
			for _, m := range methods {
				row := Row{Table: "3.9", Dataset: s.label, Method: fmt.Sprintf("%s, %d parts", m.name, parts), Metric: "rmse"}
				if s.paper {
					row.Paper = paper(paper39[m.name][i])
				}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				got, remark, err := env.ridgeRow(ctx, s, m, d, gamma, parts, limit, repeats)
				if err != nil {
					return err
				}
				row.Note = notes(chosen, counted(repeats, "split"), limitNote(limit, d), remark)
				emit(got.into(row))
			}
		}
	}
	return nil
}
