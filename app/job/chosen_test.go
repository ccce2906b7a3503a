package job

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

// A stream chooses the settings that a fit in memory chooses, if the sample is all rows.
func TestChosen(t *testing.T) {
	ctx := context.Background()
	some := 0
	for _, task := range []dataset.Task{dataset.Regression, dataset.Classes} {
		set := dataset.Friedman1(150, 6, .1, 2)
		if task == dataset.Classes {
			set.Labels.Names = []string{"low", "high"}
			for _, v := range set.Value {
				set.Labels.Class = append(set.Labels.Class, map[bool]int{v > 14: 1}[true])
			}
			set.Value = nil
		}
		data := filepath.Join(t.TempDir(), "rows.csv")
		if err := dataset.Save(t.Context(), data, set); err != nil {
			t.Fatal(err)
		}
		read, err := dataset.Open(data, dataset.Options{Task: task})
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{"nystrom", "fastnys", "pseudo", "rff", "linear"} {
			t.Run(fmt.Sprint(method, " ", task), func(t *testing.T) {
				m, err := catalog.Find(method)
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				trust := training.Trust{Chosen: func(settings []string) { want = settings }}
				inMemory, err := trust.Train(ctx, m, nil, read, training.AutoScale, gram.Run{Seed: 4})
				if err != nil {
					t.Fatal(err)
				}
				if lambda, is := catalog.Lambda(inMemory.Model); is {
					want = append(slices.Clone(want), fmt.Sprint("lambda=", lambda))
				}
				if name, v := catalog.HeldOut(inMemory.Model); name != "" {
					want = append(slices.Clone(want), fmt.Sprint(name, "=", v))
				}
				j, err := New(Spec{Data: data, Method: method, Task: task.String(), Scale: "auto", Seed: 4, ItemBytes: 2000})
				if err != nil {
					t.Fatal(err)
				}
				_, f, err := j.Fit(ctx, gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if (f.Scaling != nil) != (inMemory.Scaling != nil) {
					t.Errorf("a stream scales the columns: %t, a fit in memory: %t", f.Scaling != nil, inMemory.Scaling != nil)
				}
				have := slices.DeleteFunc(slices.Clone(f.Settings), func(s string) bool { return s == "c=1" }) // HeldOut does not say it
				if !slices.Equal(have, want) {
					t.Errorf("a stream chooses %q, a fit in memory %q", have, want)
				}
				some += len(want)
			})
		}
	}
	if some < 6 {
		t.Errorf("only %d settings were chosen", some)
	}
}
