package search

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

// What a search is told of its rows, columns and draws changes the scores of its candidates.
func TestSearchIsTold(t *testing.T) {
	var b strings.Builder
	b.WriteString("color,size,y\n")
	for i := range 90 {
		fmt.Fprintf(&b, "%s,%d,%d\n", []string{"red", "green", "blue"}[i%3], 1+i*i%17, i%3%2+i%5/4*5)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(path, dataset.Options{Table: true, Target: "y", Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	grid, err := ParseGrid("lambda=0.1,1")
	if err != nil {
		t.Fatal(err)
	}
	scores := func(change func(s *Config)) string {
		s := Config{Methods: []catalog.Method{catalog.Must("rff")}, Settings: []string{"m=5", "gamma=0.3"}, Grid: grid, Folds: 3}
		change(&s)
		var all []string
		for _, trial := range search(t, s, d).Trials {
			all = append(all, fmt.Sprint(trial.Score))
		}
		return strings.Join(all, " ")
	}
	before := scores(func(*Config) {})
	for name, change := range map[string]func(s *Config){
		"Encode":   func(s *Config) { s.Encode.Categories = encode.Ordinal },
		"Scale":    func(s *Config) { s.Scale = training.MinMax },
		"Seed":     func(s *Config) { s.Seed = 7 },
		"Folds":    func(s *Config) { s.Folds = 4 },
		"Repeats":  func(s *Config) { s.Repeats = 2 },
		"Metric":   func(s *Config) { s.Metric = "mae" },
		"Settings": func(s *Config) { s.Settings = []string{"m=6", "gamma=0.3"} },
		"Group": func(s *Config) {
			for i := range 90 {
				s.Group = append(s.Group, i/5)
			}
		},
	} {
		if scores(change) == before {
			t.Errorf("%s changes no score", name)
		}
	}
}
