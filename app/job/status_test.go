package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/encode"
)

// counts returns the passes of a status, each with its pieces that are done, failed and missing.
func counts(t *testing.T, w *Work) (passes []string, ended bool) {
	t.Helper()
	w, err := Open(w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Status()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Passes {
		if p.Done+p.Failed+p.Missing != p.Pieces || len(p.Failures) != p.Failed || (p.Left == 0) != (p.Done == p.Pieces) {
			t.Errorf("%+v", p)
		}
		passes = append(passes, fmt.Sprintf("%s %d/%d/%d", p.Pass, p.Done, p.Failed, p.Missing))
	}
	return passes, s.Ended
}

// The status of every kind of job has the pass that Next names, counts its pieces as they are made, and says when there are no more.
func TestStatus(t *testing.T) {
	values, classes := writeParts(t, 2, 300), writeClasses(t, 2, 300, "no", "yes")
	for name, spec := range map[string]Spec{
		"values":  {Data: values, Task: "regression", Method: "linear"},
		"classes": {Data: classes, Task: "classes", Method: "linear"},
		"divided": {Data: values, Task: "regression", Method: "dc-krr", Settings: []string{"lambda=0.01"}, Cap: 100},
		"trees":   {Data: values, Task: "regression", Method: "gbdt", Settings: []string{"rounds=2", "leaves=3"}},
		"table":   {Data: values, Task: "regression", Method: "linear", Table: &Table{Encode: encode.Config{Categories: encode.TargetMean}}},
	} {
		t.Run(name, func(t *testing.T) {
			spec.ItemBytes = 2000
			j, err := New(spec)
			if err != nil {
				t.Fatal(err)
			}
			w, err := Create(t.TempDir(), j)
			if err != nil {
				t.Fatal(err)
			}
			for {
				next, err := w.Next(t.Context(), gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				if next == "" {
					break
				}
				p, err := w.Pass(t.Context(), next, gram.Run{})
				if err != nil {
					t.Fatal(err)
				}
				for k := range 2 {
					passes, ended := counts(t, w)
					if want := fmt.Sprintf("%s %d/0/%d", next, k, p.Pieces()-k); !slices.Contains(passes, want) || ended {
						t.Fatalf("%v, ended: %v, want %s", passes, ended, want)
					}
					if err := w.Item(t.Context(), p, k, gram.Run{Workers: 1}); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Make(t.Context(), p, gram.Run{}); err != nil {
					t.Fatal(err)
				}
			}
			passes, ended := counts(t, w)
			for _, p := range passes {
				if !strings.HasSuffix(p, "/0/0") {
					t.Errorf("%v", passes)
				}
			}
			if !ended {
				t.Errorf("%v are not all passes", passes)
			}
			m, _, err := w.Model(t.Context(), gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Predict(t.Context(), m, 1); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "m.gram")
			if err := Save(path, m); err != nil {
				t.Fatal(err)
			}
			eval, err := w.Eval(m, path, nil)
			if err == nil {
				err = w.Item(t.Context(), eval, 0, gram.Run{})
			}
			if err != nil {
				t.Fatal(err)
			}
			n := len(j.Items) - 1
			passes, ended = counts(t, w)
			if got := passes[len(passes)-2:]; got[0] != fmt.Sprintf("%s 1/0/%d", eval.Name, n) || got[1] != fmt.Sprintf("predict 1/0/%d", n) || !ended {
				t.Errorf("with predictions and measures: %v, ended: %v", passes, ended)
			}
		})
	}
}

// The error of a piece is kept until the piece is made; a piece that was interrupted has not failed.
func TestStatusOfFailures(t *testing.T) {
	data := writeParts(t, 2, 300)
	j, err := New(Spec{Data: data, Task: "regression", Method: "linear", ItemBytes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(t.TempDir(), j)
	if err != nil {
		t.Fatal(err)
	}
	path := j.Items[0].Path
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := []byte(strings.Replace(string(text), "\n0.", "\nx.", 1))
	if err := os.WriteFile(path, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Item(ended, j.Scan(), 1, gram.Run{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	wrong := w.Item(t.Context(), j.Scan(), 0, gram.Run{})
	if wrong == nil {
		t.Fatal("a damaged row is read")
	}
	if err := w.Item(t.Context(), j.Scan(), len(j.Items), gram.Run{}); err == nil {
		t.Fatal("there is an item too many")
	}
	s, err := w.Status()
	if err != nil {
		t.Fatal(err)
	}
	n := len(j.Items) - 1
	if p := s.Passes[0]; len(s.Passes) != 1 || p.Failed != 1 || p.Missing != n || p.Failures[0] != (Failure{0, wrong.Error()}) || p.Left != -1 || s.Ended {
		t.Errorf("%+v, want the error %v", s, wrong)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := w.Item(t.Context(), j.Scan(), 0, gram.Run{}); err != nil {
		t.Fatal(err)
	}
	if passes, _ := counts(t, w); len(passes) != 1 || passes[0] != fmt.Sprintf("scan 1/0/%d", n) {
		t.Errorf("%v", passes)
	}
	if left, _ := filepath.Glob(filepath.Join(w.Dir, "*.failed")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// The seconds left follow from the times of the states: three pieces after 30 s leave ten seconds for each of the others.
func TestStatusSeconds(t *testing.T) {
	j, err := New(Spec{Data: writeParts(t, 2, 300), Task: "regression", Method: "linear", ItemBytes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(t.TempDir(), j)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now().Add(-time.Hour).Truncate(time.Second)
	at := func(path string, seconds int) {
		t.Helper()
		when := begin.Add(time.Duration(seconds) * time.Second)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	at(filepath.Join(w.Dir, jobFile), 0)
	scan := j.Scan()
	for i, k := range []int{4, 0, 2} {
		if err := w.Item(t.Context(), scan, k, gram.Run{}); err != nil {
			t.Fatal(err)
		}
		at(w.path(scan, node{0, k}), []int{30, 12, 21}[i])
	}
	s, err := w.Status()
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Passes[0]; p.Left != float64(10*(p.Pieces-3)) || !s.Last.Equal(begin.Add(30*time.Second)) {
		t.Errorf("%+v", s)
	}
	// The next pass begins with the features, a thousand seconds later.
	if err := w.Make(t.Context(), scan, gram.Run{}); err != nil {
		t.Fatal(err)
	}
	for k := range j.Items {
		at(w.path(scan, node{0, k}), 30)
	}
	f, err := w.Features(t.Context(), gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	at(filepath.Join(w.Dir, featuresFile), 1030)
	_, err = w.Features(t.Context(), gram.Run{}) // which reads them
	if info, found := os.Stat(filepath.Join(w.Dir, featuresFile)); err != nil || found != nil || !info.ModTime().Equal(begin.Add(1030*time.Second)) {
		t.Errorf("the features are written again: %v, %v", err, found)
	}
	normal := j.Normal(f)
	if err := w.Item(t.Context(), normal, 1, gram.Run{}); err != nil {
		t.Fatal(err)
	}
	at(w.path(normal, node{0, 1}), 1035)
	if s, err = w.Status(); err != nil {
		t.Fatal(err)
	}
	if p := s.Passes[1]; s.Passes[0].Left != 0 || p.Left != float64(5*(p.Pieces-1)) {
		t.Errorf("%+v", s)
	}
}
