package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page of a comparison begins with what each model learned: of the spirals, of values, and of more than two columns.
func TestRegions(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"spirals", nil, []string{"Of 2000 test rows,", "; a linear model has", "and a constant 50.0", "nystrom kmeans, m=8: ", "<title>-1</title>", "by their two columns"}},
		{"values of three columns", []string{"--data", write(t, "v.csv", "a,b,c,y\n"+table(200, func(i int) string {
			return fmt.Sprintf("%d,%d,%g,%g", i%7, i%5, float64(i%11)/4, float64(i%7)-float64(i%5)/3+float64(i%3)/9)
		}))}, []string{"Of 60 test rows,", "rmse", "the two directions in which the scaled columns vary most", "the darker, the larger"}},
	} {
		file := filepath.Join(t.TempDir(), "c.html")
		ok(t, append([]string{"compare", "--m", "8,16", "--exact-rows", "200", "--html", file}, c.args...)...)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %q is missing", c.name, want)
			}
		}
		if n := strings.Count(string(text), `<figure>`); n < 9 {
			t.Errorf("%s: %d figures", c.name, n)
		}
	}
}
