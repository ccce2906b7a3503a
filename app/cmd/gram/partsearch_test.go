package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gram part chooses the settings of gram fit --search and writes its bytes, by two workers of which one is killed at several points,
// also where a score is damaged; the folder of another search is refused.
func TestPartSearch(t *testing.T) {
	if testing.Short() || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("starts processes")
	}
	dir := small(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	weights := in("weights.txt")
	if err := os.WriteFile(weights, []byte(strings.Repeat("1\n2\n", 75)), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		best string
	}{
		"svm": {[]string{"--data", in("rings.libsvm"), "--method", "svm", "--search", "c=1,10;gamma=0.1,1,10", "--folds", "3", "--proba", "--conformal", "--class-weights", "balanced", "--seed", "5"}, "best of 6: c="},
		"nystrom": {[]string{"--data", in("friedman.csv"), "--task", "regression", "--method", "nystrom", "--set", "m=20", "--search", "lambda=0.001,0.1;gamma=0.01,0.1", "--folds", "3", "--halving", "--weights", weights, "--conformal=0.3"},
			"best of 4"},
		"auto": {[]string{"--data", in("friedman.csv"), "--task", "regression", "--search", "auto", "--trials", "5", "--folds", "2", "--scale", "search", "--metric", "mae"}, "trial"},
	} {
		t.Run(name, func(t *testing.T) {
			one, pieces, work := filepath.Join(t.TempDir(), "one.gram"), filepath.Join(t.TempDir(), "pieces.gram"), filepath.Join(t.TempDir(), "work")
			ok(t, append([]string{"fit", "-o", one}, test.args...)...)
			items := append([]string{"part", "items", "--work", work}, test.args...)
			n, err := strconv.Atoi(strings.TrimSpace(ok(t, items...)))
			if err != nil || n < 10 {
				t.Fatalf("%d pieces, %v", n, err)
			}
			for _, k := range []int{0, 1, n / 2, n - 1} { // one worker does all, and is killed when piece k is there
				kill(t, filepath.Join(work, "search-00-0-"+strings.Repeat("0", 6-len(strconv.Itoa(k)))+strconv.Itoa(k)+".state"), "part", "search", "--work", work)
			}
			files, err := filepath.Glob(filepath.Join(work, "search-00-*.state"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			b, err := os.ReadFile(files[len(files)/2])
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)-3] ^= 4
			if err := os.WriteFile(files[len(files)/2], b, 0o666); err != nil {
				t.Fatal(err)
			}
			next := ""
			for i := 0; ; i++ {
				last := next
				if next = strings.TrimSpace(ok(t, "part", "next", "--work", work)); next == "finish 0" {
					break
				}
				if next == last || i > 9 {
					t.Fatalf("%s is to be made again", next)
				}
				step, count, _ := strings.Cut(next, " ")
				n, err := strconv.Atoi(count)
				if err != nil {
					t.Fatal(err)
				}
				for k := range n { // the other worker begins at the end
					ok(t, "part", step, "--work", work, "--item", strconv.Itoa(n-1-k), "--workers", "1")
				}
			}
			if out := ok(t, "part", "finish", "--work", work, "-o", pieces); !strings.HasPrefix(out, test.best) {
				t.Errorf("finish says %q", out)
			}
			want, err := os.ReadFile(one)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(pieces); err != nil || !bytes.Equal(got, want) {
				t.Errorf("another model than that of gram fit, %v", err)
			}
			if out := ok(t, "part", "status", "--work", work); !strings.Contains(out, "all passes of the fit are made") {
				t.Errorf("status: %q", out)
			}
			fails(t, 1, []string{"it is of another job", "Folds is 4, and was"}, append(slices.Clone(items), "--folds", "4")...)
		})
	}
	work := in("work")
	for _, bad := range [][]string{
		{"--method", "krr", "--folds", "3"}, {"--method", "krr", "--search", "gama=1"}, {"--method", "krr", "--search", "gamma=1", "--cap", "50"},
		{"--method", "krr", "--search", "gamma=1", "--scale", "search"}, {"--search", "gamma=1"}, {"--method", "svm", "--proba", "nope"},
		{"--method", "krr", "--search", "gamma=1", "--trials", "2"}, {"--method", "svm", "--adaptive"}, {"--method", "svm", "--proba", "--item-bytes", "1kB"},
	} {
		fails(t, 2, nil, append([]string{"part", "items", "--work", work, "--data", in("rings.libsvm")}, bad...)...)
	}
	if _, err := os.Stat(work); err == nil {
		t.Error("a refused job leaves its folder")
	}
}
