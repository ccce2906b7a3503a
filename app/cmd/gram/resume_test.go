package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/dataset"
)

// A fit with --work that is killed in each of its passes goes on, and its model has the bytes of one that was not; that of values has
// those of a fit from a stream without a folder.
func TestFitResumes(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	dir := parts(t, 4000)
	at := func(name string) string { return filepath.Join(dir, name) }
	classes := dataset.Rings(3000, 2, .1, 1)
	if err := dataset.Save(t.Context(), at("rings.csv"), classes); err != nil {
		t.Fatal(err)
	}
	var late strings.Builder // a text behind the beginning of the data
	late.WriteString("a,b,y\n")
	for i := range 100_000 {
		fmt.Fprintf(&late, "%d.25,%d,%d.5\n", i%71, i%97, i%71+i%97)
	}
	late.WriteString("1,?,4\n")
	if err := os.WriteFile(at("late.csv"), []byte(late.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	values := []string{"--data", at("part-*"), "--task", "regression", "--set"}
	some := []string{"--data", at("part-0.csv"), "--task", "regression", "--set"}
	for _, c := range []struct {
		name   string
		how    []string
		passes []string // patterns of files, at whose appearance the fit is killed
	}{
		{"values", append(values, "m=32", "--method", "nystrom", "--set", "landmarks=uniform", "--set", "gamma=0.5", "--set", "lambda=0.0001"), []string{"job.json", "scan-0-*", "features.state", "normal-0-*"}},
		{"classes", []string{"--data", at("rings.csv"), "--method", "linear"}, []string{"newton-00-0-*", "newton-02-0-*"}},
		{"trees", append(some, "rounds=2", "--method", "gbdt", "--set", "leaves=4"), []string{"bins-0-*", "trees-000000-001-0-*", "round-0-000000.state"}},
		{"divided", append(some, "lambda=0.01", "--method", "krr"), []string{"assign-0-*", "parts/*"}},
		{"table", []string{"--data", at("late.csv"), "--method", "linear"}, []string{"job.json", "survey-0-*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fit := append([]string{"fit", "-o", at("m.gram")}, c.how...)
			read := func() []byte {
				t.Helper()
				b, err := os.ReadFile(at("m.gram"))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(at("m.gram")); err != nil {
					t.Fatal(err)
				}
				return b
			}
			if _, stderr, code := cli(t, append(slices.Clone(fit), "--work", at("whole-"+c.name))...); code != 0 || !strings.Contains(stderr, " it reads the rows in ") {
				t.Fatalf("exit code %d, %s", code, stderr)
			}
			want := read()
			work := at("work-" + c.name)
			for _, pass := range c.passes {
				kill(t, filepath.Join(work, pass), append(slices.Clone(fit), "--work", work)...)
				if _, err := os.Stat(at("m.gram")); err == nil {
					t.Errorf("the fit has ended before it was killed in %s", pass)
				}
			}
			_, stderr, code := cli(t, append(slices.Clone(fit), "--work", work)...)
			if code != 0 || !strings.Contains(stderr, "it goes on with the pass ") {
				t.Fatalf("exit code %d, %s", code, stderr)
			}
			if !bytes.Equal(read(), want) {
				t.Error("the fit that was killed gives another model")
			}
			if c.name == "values" {
				if _, stderr, code := cli(t, append(slices.Clone(fit), "--memory-limit", above("1300kB"))...); code != 0 || !strings.Contains(stderr, "in two passes") || !bytes.Equal(read(), want) {
					t.Errorf("the model of a stream without a folder differs: %d, %s", code, stderr)
				}
			}
		})
	}
}

// A fit with --work is refused in the folder of another one, with what differs, after the data were written, and where it could not go on.
func TestFitResumesTheSame(t *testing.T) {
	dir := parts(t, 1000)
	at := func(name string) string { return filepath.Join(dir, name) }
	fit := func(args ...string) []string {
		return append([]string{"fit", "--data", at("part-*"), "--task", "regression", "-o", at("m.gram"), "--work", at("w")}, args...)
	}
	linear := fit("--method", "linear")
	if _, stderr, code := cli(t, linear...); code != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct{ args, want []string }{
		{fit("--method", "linear", "--seed", "7"), []string{at("w"), "Seed is 7, and was 1"}},
		{fit("--method", "rff"), []string{`Method is "rff", and was "linear"`}},
		{fit("--method", "linear", "--set", "lambda=0.5"), []string{`Settings is ["lambda=0.5"], and was null`}},
		{fit("--method", "linear", "--data", at("part-0.csv")), []string{"Data is ", "part-0.csv"}},
		{fit("--method", "linear", "--search", "lambda=1,2"), []string{`Search is "lambda=1,2", and was not given`}},
	} {
		fails(t, 1, c.want, c.args...)
	}
	lambdas := fit("--method", "linear", "--search", "lambda=1,2")
	for _, args := range [][]string{fit(), fit("--method", "linear", "--data", "-"), append(slices.Clone(lambdas), "--journal", at("j")), fit("--search", "auto", "--budget", "1s")} {
		fails(t, 2, []string{"--work"}, args...)
	}
	text, err := os.ReadFile(at("part-1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(100, func(i, j int) { // columns of digits, in place
		if a, b := &text[i+2000], &text[j+2000]; *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9' {
			*a, *b = *b, *a
		}
	})
	if err := os.WriteFile(at("part-1.csv"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(at("part-1.csv"), later, later); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"part-1.csv was written after the job in "}, linear...)
	if err := os.WriteFile(at("part-1.csv"), append(text, text[len(text)/2:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{at("part-1.csv") + " has ", " bytes, and had "}, linear...)
}
