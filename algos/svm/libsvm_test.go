package svm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// run runs a program of LIBSVM and returns what it prints; without it the test is
// skipped.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("not installed: ", name)
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func writeSet(t *testing.T, path string, d *dataset.Set) {
	t.Helper()
	f := must.Have(os.Create(path))(t)
	must.Do(t, dataset.Write(f, d, dataset.LIBSVM))
	must.Do(t, f.Close())
}

func lines(t *testing.T, path string) []float64 {
	t.Helper()
	text := must.Have(os.ReadFile(path))(t)
	var out []float64
	for _, s := range strings.Fields(string(text)) {
		v := must.Have(strconv.ParseFloat(s, 64))(t)
		out = append(out, v)
	}
	return out
}

// peer is a problem for both programs.
type peer struct {
	name string
	args []string
	k    kernel.Kernel
}

// peers has kernels whose parameters svm-train keeps exactly, in float32, too.
func peers() []peer {
	return []peer{
		{"rbf", []string{"-t", "2", "-g", "0.0625"}, kernel.Gaussian{Gamma: 0.0625}},
		{"linear", []string{"-t", "0"}, kernel.Linear{}},
		{"polynomial", []string{"-t", "1", "-d", "2", "-g", "0.25", "-r", "1"}, kernel.Polynomial{Degree: 2, Offset: 4}},
		{"sigmoid", []string{"-t", "3", "-g", "0.015625", "-r", "-0.5"}, kernel.Sigmoid{Scale: 0.015625, Offset: -0.5}},
	}
}

// TestLIBSVMClasses reads models of svm-train and lets svm-predict read ours.
func TestLIBSVMClasses(t *testing.T) {
	for _, classes := range []int{2, 4} {
		x, y := gen.Blobs(160, 6, classes, 1.5, 3)
		y.Names = []string{"-1", "1", "7", "12"}[:classes]
		train := &dataset.Set{X: x.Slice(0, 100, 0, 6), Labels: gram.Labels{Class: y.Class[:100], Names: y.Names}}
		test := &dataset.Set{X: x.Slice(100, 160, 0, 6), Labels: gram.Labels{Class: y.Class[100:], Names: y.Names}}
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		writeSet(t, file("train"), train)
		writeSet(t, file("test"), test)
		for _, p := range peers() {
			run(t, "svm-train", append(append([]string{"-q", "-c", "2", "-e", "1e-6"}, p.args...), file("train"), file("model"))...)
			run(t, "svm-predict", file("test"), file("model"), file("out"))
			text := must.Have(os.ReadFile(file("model")))(t)
			m, err := ReadLIBSVM(bytes.NewReader(text), 0)
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			want := lines(t, file("out"))
			for i, c := range m.Predict(nil, test.X) {
				if m.Classes()[c] != strconv.Itoa(int(want[i])) {
					t.Errorf("%s, %d classes: row %d is %s, by svm-predict %v", p.name, classes, i, m.Classes()[c], want[i])
				}
			}
			// The values, computed from the lines of the file in LIBSVM's own order.
			values := byTheBook(t, string(text), test.X, p)
			got := m.Values(nil, test.X)
			sign := -1.0
			if classes == 2 {
				sign = 1
			}
			for i, row := range values {
				for f, v := range row {
					if !(math.Abs(v-sign*got.At(i, f)) <= 1e-10*(1+math.Abs(v))) {
						t.Fatalf("%s, %d classes: row %d, function %d: %v, by the book %v", p.name, classes, i, f, sign*got.At(i, f), v)
					}
				}
			}
			if p.name == "sigmoid" {
				continue // not definite: no unique solution
			}
			// Ours: the same functions, written and read by svm-predict.
			ours := must.Have(Config{Kernel: p.k, C: 2 * scale(p), Tol: 1e-6}.Fit(context.Background(), train.X, train.Labels, nil))(t)
			their := m.Values(nil, train.X)
			if classes > 2 { // the classes of m are in the file's order
				reordered(their, m.Classes(), y.Names)
			}
			if !mat.EqualApprox(their, ours.Values(nil, train.X), 1e-3) {
				t.Errorf("%s, %d classes: not the functions of svm-train", p.name, classes)
			}
			var b bytes.Buffer
			must.Do(t, ours.WriteLIBSVM(&b))
			must.Do(t, os.WriteFile(file("ours"), b.Bytes(), 0o600))
			run(t, "svm-predict", file("test"), file("ours"), file("out"))
			want = lines(t, file("out"))
			for i, c := range ours.Predict(nil, test.X) {
				if y.Names[c] != strconv.Itoa(int(want[i])) {
					t.Errorf("%s, %d classes: row %d is %s, by svm-predict on our file %v", p.name, classes, i, y.Names[c], want[i])
				}
			}
			back := must.Have(ReadLIBSVM(&b, 6))(t)
			if !mat.EqualApprox(back.Values(nil, test.X), ours.Values(nil, test.X), 1e-12) {
				t.Errorf("%s, %d classes: written and read, the values are others", p.name, classes)
			}
		}
	}
}

// scale is what (γ⟨x,y⟩+c)^p is of our kernel: C counts in its units.
func scale(p peer) float64 {
	if p.name == "polynomial" {
		return 1.0 / 16
	}
	return 1
}

// reordered puts the columns of pairs of classes in one order into another.
func reordered(values *mat.Dense, from, to []string) {
	n, _ := values.Dims()
	old := mat.DenseCopyOf(values)
	place := func(name string) int {
		for i, s := range from {
			if s == name {
				return i
			}
		}
		return -1
	}
	f := 0
	for a := range to {
		for b := a + 1; b < len(to); b++ {
			i, j := place(to[a]), place(to[b])
			sign := 1.0
			if i > j {
				sign = -1
			}
			for r := range n {
				values.Set(r, f, sign*old.At(r, functionOf(i, j, len(to))))
			}
			f++
		}
	}
}

// byTheBook evaluates a model file as LIBSVM's documentation says, by Eval.
func byTheBook(t *testing.T, text string, x mat.Matrix, p peer) [][]float64 {
	t.Helper()
	head, body, _ := strings.Cut(text, "\nSV\n")
	var rho []float64
	var counts []int
	for _, line := range strings.Split(head, "\n") {
		fields := strings.Fields(line)
		for _, s := range fields[1:] {
			v, _ := strconv.ParseFloat(s, 64)
			switch fields[0] {
			case "rho":
				rho = append(rho, v)
			case "nr_sv":
				counts = append(counts, int(v))
			}
		}
	}
	n, d := x.Dims()
	type sv struct {
		class int
		coef  []float64
		point []float64
	}
	var all []sv
	class, left := 0, counts[0]
	for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
		for left == 0 {
			class++
			left = counts[class]
		}
		left--
		s := sv{class: class, point: make([]float64, d)}
		for _, field := range strings.Fields(line) {
			at, value, pair := strings.Cut(field, ":")
			if !pair {
				v, _ := strconv.ParseFloat(at, 64)
				s.coef = append(s.coef, v)
				continue
			}
			j, _ := strconv.Atoi(at)
			s.point[j-1], _ = strconv.ParseFloat(value, 64)
		}
		all = append(all, s)
	}
	out := make([][]float64, n)
	for r := range n {
		row := mat.Row(nil, r, x)
		f := 0
		for i := range counts {
			for j := i + 1; j < len(counts); j++ {
				sum := -rho[f]
				for _, s := range all {
					k := p.k.Eval(row, s.point) / scaleOf(p)
					if s.class == i {
						sum += s.coef[j-1] * k
					} else if s.class == j {
						sum += s.coef[i] * k
					}
				}
				out[r] = append(out[r], sum)
				f++
			}
		}
	}
	return out
}

func scaleOf(p peer) float64 { return 1 / scale(p) }

// TestLIBSVMValues is the same for regression, where svm-predict prints values.
func TestLIBSVMValues(t *testing.T) {
	x, y := gen.Smooth(150, 5, 0.2, 3)
	train := &dataset.Set{X: x.Slice(0, 100, 0, 5), Value: y[:100]}
	test := &dataset.Set{X: x.Slice(100, 150, 0, 5), Value: y[100:]}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeSet(t, file("train"), train)
	writeSet(t, file("test"), test)
	for _, p := range peers()[:3] {
		run(t, "svm-train", append(append([]string{"-q", "-s", "3", "-p", "0.05", "-c", "2", "-e", "1e-6"}, p.args...), file("train"), file("model"))...)
		run(t, "svm-predict", file("test"), file("model"), file("out"))
		text := must.Have(os.ReadFile(file("model")))(t)
		m, err := ReadLIBSVMRegressor(bytes.NewReader(text), 0)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		near := func(what string, got, want []float64, tol float64) {
			t.Helper()
			for i, v := range got {
				if !(math.Abs(v-want[i]) <= tol*(1+math.Abs(want[i]))) {
					t.Fatalf("%s: %s: row %d is %v, by svm-predict %v", p.name, what, i, v, want[i])
				}
			}
		}
		near("their model", m.Predict(nil, test.X), lines(t, file("out")), printed)
		ours := must.Have(Regression{Kernel: p.k, C: 2 * scale(p), Epsilon: gram.Set(0.05), Tol: 1e-6}.Fit(context.Background(), train.X, train.Value, nil))(t)
		near("ours and theirs", ours.Predict(nil, test.X), lines(t, file("out")), 1e-3)
		var b bytes.Buffer
		must.Do(t, ours.WriteLIBSVM(&b))
		must.Do(t, os.WriteFile(file("ours"), b.Bytes(), 0o600))
		run(t, "svm-predict", file("test"), file("ours"), file("out"))
		near("our model", ours.Predict(nil, test.X), lines(t, file("out")), printed)
	}
}

// printed is the relative accuracy of the values that svm-predict prints.
const printed = 1e-10

// TestLIBSVMObjective holds objectives against those that svm-train prints.
func TestLIBSVMObjective(t *testing.T) {
	if testing.Short() {
		t.Skip("reads three data sets")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	for _, s := range []struct {
		name     string
		keep     []string // classes
		rows     int
		c, gamma float64
	}{
		{"german.numer", nil, 1000, 1, 1e-4},
		{"usps", []string{"3", "8"}, 5000, 10, 0.01},
		{"a9a", nil, 3000, 1, 0.05},
	} {
		train, _, err := dir.Load(s.name, dataset.Options{})
		if err != nil {
			t.Skip("no data: ", err)
		}
		var index []int
		y := gram.Labels{Names: s.keep}
		if s.keep == nil {
			y.Names = train.Labels.Names
		}
		for i, c := range train.Labels.Class {
			for k, name := range y.Names {
				if name == train.Labels.Names[c] && len(index) < s.rows {
					index, y.Class = append(index, i), append(y.Class, k)
				}
			}
		}
		var x mat.Matrix
		switch all := train.X.(type) {
		case *sparse.CSR:
			x = all.Select(index)
		case *mat.Dense:
			part := mat.NewDense(len(index), all.RawMatrix().Cols, nil)
			for k, i := range index {
				part.SetRow(k, all.RawRowView(i))
			}
			x = part
		}
		tmp := t.TempDir()
		writeSet(t, filepath.Join(tmp, "train"), &dataset.Set{X: x, Labels: y})
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		out := run(t, "svm-train", "-c", number(s.c), "-g", number(s.gamma), filepath.Join(tmp, "train"), filepath.Join(tmp, "model"))
		_, rest, _ := strings.Cut(out, "obj = ")
		text, _, _ := strings.Cut(rest, ",")
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%s: svm-train printed %q", s.name, out)
		}
		m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: s.gamma}, C: s.c}.Fit(context.Background(), x, y, nil))(t)
		if got := m.Stats().Problems[0]; !(math.Abs(got.Objective-want) <= 1e-4*math.Abs(want)) {
			t.Errorf("%s: objective %v, of svm-train %v", s.name, got.Objective, want)
		} else {
			t.Logf("%s, %T: objective %v, of svm-train %v: %+v", s.name, x, got.Objective, want, got)
		}
	}
}

func TestLIBSVMErrors(t *testing.T) {
	good := "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1\n-1 2:1\n"
	must.Have(ReadLIBSVM(strings.NewReader(good), 0))(t)
	for _, c := range []struct {
		from, to string
		line     int
	}{
		{"c_svc", "one_class", 1},
		{"rbf", "string", 9},
		{"rbf", "precomputed", 10}, // whose support vectors are rows 0:1, 0:2, …
		{"gamma 0.5", "gamma x", 3},
		{"gamma 0.5", "gamma 1 2", 3},
		{"gamma 0.5", "gamma -1", 9},
		{"gamma 0.5", "degree 2.5", 3},
		{"nr_class 2", "nr_class 1", 4},
		{"nr_class 2", "nr_class 2.5", 4},
		{"total_sv 2", "total_sv 2.5", 5},
		{"nr_class 2", "nr_class 3", 9},
		{"total_sv 2", "total_sv 3", 11},
		{"rho 0", "rho NaN", 6},
		{"label 1 -1", "label 1", 1},
		{"nr_sv 1 1", "nr_sv 1 2", 1},
		{"nr_sv 1 1", "nr_sv -1 3", 8},
		{"SV\n", "", 9},
		{"1 1:1", "1 0:1", 10},
		{"1 1:1", "1 2:1 1:1", 10},
		{"1 1:1", "1 1", 10},
		{"1 1:1", "x 1:1", 10},
		{"rho", "row", 6},
		{"nr_class 2\n", "", 8},
		{"total_sv 2", "total_sv 0", 9},
		{"total_sv 2\n", "", 8},
		{"-1 2:1\n", "x 2:1", 11},
		{"1 1:1", "\n\n1 1:x", 12},
		{"rbf\ngamma 0.5", "polynomial\ngamma 0", 9},
		{"rbf\ngamma 0.5\nnr_class 2", "linear\nnr_class 3\nprobB 1", 9},
		{"nr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1", "nr_class 3\ntotal_sv 2\nrho 0 0 0\nlabel 1 2 3\nnr_sv 1 1 0\nSV\n1", 10},
		{"SV\n1 1:1\n-1 2:1\n", "", 8},
	} {
		_, err := ReadLIBSVM(strings.NewReader(strings.Replace(good, c.from, c.to, 1)), 0)
		var le *LIBSVMError
		if !errors.As(err, &le) || le.Line != c.line || !strings.Contains(le.Error(), fmt.Sprintf("line %d", c.line)) {
			t.Errorf("%q instead of %q: %v, want an error in line %d", c.to, c.from, err, c.line)
		}
	}
	broken := errors.New("the disk fails")
	for _, part := range []string{good[:15], good} {
		if _, err := ReadLIBSVM(io.MultiReader(strings.NewReader(part), iotest.ErrReader(broken)), 0); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", len(part), err)
		}
	}
	// The densities of one-class machines are passed over.
	if _, err := ReadLIBSVM(strings.NewReader(strings.Replace(good, "SV\n", "prob_density_marks 1 2\nSV\n", 1)), 0); err != nil {
		t.Error(err)
	}
	if _, err := ReadLIBSVMRegressor(strings.NewReader(good), 0); err == nil {
		t.Error("a classifier is read as a regression")
	}
	x, y := gen.Blobs(30, 2, 3, 2, 3)
	for _, c := range []Config{{Kernel: kernel.Laplacian{Gamma: 1}}, {Kernel: kernel.Linear{}, Multi: OneVsRest}} {
		m := must.Have(c.Fit(context.Background(), x, gram.Labels{Class: y.Class, Names: []string{"1", "2", "3"}}, nil))(t)
		var ce *gram.ConfigError
		if err := m.WriteLIBSVM(&bytes.Buffer{}); !errors.As(err, &ce) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	m := must.Have(Config{Kernel: kernel.Linear{}}.Fit(context.Background(), x, gram.Labels{Class: y.Class, Names: []string{"1", "2", "three"}}, nil))(t)
	if err := m.WriteLIBSVM(&bytes.Buffer{}); err == nil {
		t.Error("a class called three is written")
	}
	m = must.Have(Config{Kernel: kernel.Linear{}}.Fit(t.Context(), x, gram.Labels{Class: y.Class, Names: []string{"1", "2", "3"}}, nil))(t)
	for kind, ok := range map[calibration.Kind]bool{calibration.Platt: true, calibration.Isotonic: false} {
		c := must.Have(calibration.Fit(kind, m.Values(nil, x), y, true, nil))(t)
		if err := m.WithCalibration(c).WriteLIBSVM(&bytes.Buffer{}); (err == nil) != ok {
			t.Errorf("probabilities of the kind %v: %v", kind, err)
		}
	}
	halves := make([]int, 30)
	for i := range halves {
		halves[i] = i % 2
	}
	two := must.Have(calibration.Fit(calibration.Platt, mat.NewDense(30, 1, mat.Col(nil, 0, x)), gram.Labels{Class: halves, Names: []string{"1", "2"}}, true, nil))(t)
	for what, c := range map[string]*calibration.Map{
		"functions of each class": must.Have(calibration.Fit(calibration.Platt, m.Values(nil, x), y, false, nil))(t), "two classes": two,
	} {
		if must.Recovered(func() { m.WithCalibration(c) }) == nil {
			t.Errorf("a calibration for %s", what)
		}
	}
	r := must.Have(Regression{Kernel: kernel.Laplacian{Gamma: 1}}.Fit(t.Context(), x, mat.Col(nil, 0, x), nil))(t)
	if err := r.WriteLIBSVM(&bytes.Buffer{}); err == nil {
		t.Error("a kernel that LIBSVM does not have is written")
	}
}

// The kernels that have other parameters in a file are written so that they have the same values.
func TestLIBSVMKernels(t *testing.T) {
	x, y := gen.Blobs(30, 2, 2, 2, 3)
	y.Names = []string{"1", "2"}
	for _, k := range []kernel.Kernel{kernel.Homogeneous{Degree: 3}, kernel.Sigmoid{Scale: .2, Offset: .1}, kernel.Polynomial{Degree: 2, Offset: .5}} {
		m := must.Have(Config{Kernel: k}.Fit(t.Context(), x, y, nil))(t)
		var b bytes.Buffer
		must.Do(t, m.WriteLIBSVM(&b))
		back := must.Have(ReadLIBSVM(&b, 2))(t)
		if !mat.EqualApprox(back.Values(nil, x), m.Values(nil, x), 1e-9*mat.Norm(m.Values(nil, x), 2)) || !slices.Equal(back.Predict(nil, x), m.Predict(nil, x)) {
			t.Errorf("%T: other values", k)
		}
	}
}

func FuzzReadLIBSVM(f *testing.F) {
	f.Add([]byte("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1\n-1 2:1\n"))
	f.Add([]byte("svm_type epsilon_svr\nkernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 1\nnr_class 2\ntotal_sv 1\nrho 0.25\nSV\n0.5 1:1 3:2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := ReadLIBSVM(bytes.NewReader(text), 0); err == nil && m.Dim() < 1000 {
			m.Predict(nil, mat.NewDense(1, m.Dim(), nil))
		}
		if m, err := ReadLIBSVMRegressor(bytes.NewReader(text), 0); err == nil && m.Dim() < 1000 {
			m.Predict(nil, mat.NewDense(1, m.Dim(), nil))
		}
	})
}

// TestLIBSVMProbabilities compares probabilities with those of svm-predict -b 1 on models of
// both programs. LIBSVM stops its coupling of classes at a tolerance of .005/classes.
func TestLIBSVMProbabilities(t *testing.T) {
	for _, classes := range []int{2, 4} {
		x, y := gen.Blobs(220, 4, classes, 3, 3)
		y.Names = []string{"-1", "1", "7", "12"}[:classes]
		train := &dataset.Set{X: x.Slice(0, 150, 0, 4), Labels: gram.Labels{Class: y.Class[:150], Names: y.Names}}
		test := &dataset.Set{X: x.Slice(150, 220, 0, 4), Labels: gram.Labels{Class: y.Class[150:], Names: y.Names}}
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		writeSet(t, file("train"), train)
		writeSet(t, file("test"), test)
		run(t, "svm-train", "-q", "-b", "1", "-t", "2", "-g", "0.0625", file("train"), file("model"))
		text := must.Have(os.ReadFile(file("model")))(t)
		m := must.Have(ReadLIBSVM(bytes.NewReader(text), 4))(t)
		if m.Calibration() == nil {
			t.Fatal("the model has no probabilities")
		}
		var again bytes.Buffer
		must.Do(t, m.WriteLIBSVM(&again))
		must.Do(t, os.WriteFile(file("again"), again.Bytes(), 0o600))
		for _, name := range []string{"model", "again"} {
			run(t, "svm-predict", "-b", "1", file("test"), file(name), file("out"))
			out := must.Have(os.ReadFile(file("out")))(t)
			rows := strings.Split(strings.TrimSpace(string(out)), "\n")
			order := strings.Fields(rows[0])[1:]
			p := m.Calibration().Probabilities(nil, m.Values(nil, test.X))
			spread := 0.0
			for i, row := range rows[1:] {
				for k, s := range strings.Fields(row)[1:] {
					want := must.Have(strconv.ParseFloat(s, 64))(t)
					got := p.At(i, slices.Index(m.Classes(), order[k]))
					spread = max(spread, got)
					if !(math.Abs(got-want) <= .01) {
						t.Fatalf("%s, %d classes, row %d, class %s: %v, by svm-predict %v", name, classes, i, order[k], got, want)
					}
				}
			}
			if !(spread > .8) {
				t.Errorf("no class has a probability above %v", spread)
			}
		}
		back := must.Have(ReadLIBSVM(&again, 4))(t)
		if !reflect.DeepEqual(back.Calibration(), m.Calibration()) {
			t.Errorf("written and read, the sigmoids are %v, want %v", back.Calibration(), m.Calibration())
		}
		if m.WithCalibration(nil).Calibration() != nil {
			t.Error("a model without a calibration has one")
		}
	}
}

// The parameters of probabilities that do not belong to the model are refused, and the noise
// of a regression is kept.
func TestLIBSVMProbabilityLines(t *testing.T) {
	const classes = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\n%snr_sv 1 0\nSV\n1 1:1\n"
	const values = "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\n%sSV\n1 1:1\n"
	for lines, ok := range map[string]bool{"": true, "probA -1\nprobB 0\n": true, "probA -1\n": false, "probB -1\n": false, "probA -1 2\nprobB 0 1\n": false, "probA nan\nprobB 0\n": false} {
		m, err := ReadLIBSVM(strings.NewReader(fmt.Sprintf(classes, lines)), 0)
		if (err == nil) != ok {
			t.Errorf("%q: %v", lines, err)
		} else if ok && (m.Calibration() != nil) != (lines != "") {
			t.Errorf("%q: %v", lines, m.Calibration())
		}
	}
	for lines, noise := range map[string]float64{"": 0, "probA .25\n": .25, "probA -1\n": -1, "probA 1 2\n": -1, "probA 1\nprobB 1\n": -1} {
		m, err := ReadLIBSVMRegressor(strings.NewReader(fmt.Sprintf(values, lines)), 0)
		if (err == nil) != (noise >= 0) {
			t.Errorf("%q: %v", lines, err)
			continue
		}
		if err != nil {
			continue
		}
		var b bytes.Buffer
		if err := m.WriteLIBSVM(&b); err != nil || m.Noise() != noise {
			t.Fatalf("%q: %v, %v", lines, m.Noise(), err)
		}
		if back, err := ReadLIBSVMRegressor(&b, 0); err != nil || back.Noise() != noise {
			t.Errorf("%q: written and read: %v", lines, err)
		}
	}
}

// Models of a kernel matrix go both ways, those of svm-train -t 4 and ours. svm-predict takes rows 0:1 1:K 2:K ….
func TestLIBSVMKernelMatrix(t *testing.T) {
	const n = 80
	x, y := gen.Blobs(n+40, 4, 3, 1.5, 3)
	y.Names = []string{"-1", "1", "7"}
	k := valuesOfKernel(gauss, x, x.Slice(0, n, 0, 4))
	train, test := k.Slice(0, n, 0, n), k.Slice(n, n+40, 0, n)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	put := func(name string, target func(i int) string, rows mat.Matrix, from int) {
		t.Helper()
		var b strings.Builder
		r, _ := rows.Dims()
		for i := range r {
			fmt.Fprintf(&b, "%s 0:%d", target(from+i), i+1)
			for j := range n {
				fmt.Fprintf(&b, " %d:%v", j+1, rows.At(i, j))
			}
			b.WriteByte('\n')
		}
		must.Do(t, os.WriteFile(file(name), []byte(b.String()), 0o600))
	}
	for _, classes := range []int{2, 3} {
		class := make([]int, n)
		for i := range class {
			class[i] = y.Class[i] % classes
		}
		target := func(i int) string { return y.Names[y.Class[i]%classes] }
		put("train", target, train, 0)
		put("test", target, test, n)
		run(t, "svm-train", "-q", "-t", "4", "-c", "2", "-e", "1e-6", file("train"), file("model"))
		run(t, "svm-predict", file("test"), file("model"), file("out"))
		text := must.Have(os.ReadFile(file("model")))(t)
		theirs := must.Have(ReadLIBSVM(bytes.NewReader(text), n))(t)
		agree := func(m *Model) {
			t.Helper()
			for i, want := range lines(t, file("out")) {
				if got := m.Classes()[m.Predict(nil, test)[i]]; got != strconv.Itoa(int(want)) {
					t.Errorf("%d classes: row %d is %s, by svm-predict %v", classes, i, got, want)
				}
			}
		}
		agree(theirs)
		ours := must.Have(Config{Kernel: kernel.Matrix{}, C: 2, Tol: 1e-6}.Fit(t.Context(), train, gram.Labels{Class: class, Names: y.Names[:classes]}, nil))(t)
		for _, m := range []*Model{ours, theirs} {
			var b bytes.Buffer
			must.Do(t, m.WriteLIBSVM(&b))
			if !strings.Contains(b.String(), "kernel_type precomputed") {
				t.Fatalf("written as\n%.200s", b.String())
			}
			must.Do(t, os.WriteFile(file("ours"), b.Bytes(), 0o600))
			run(t, "svm-predict", file("test"), file("ours"), file("out"))
			agree(m)
			back := must.Have(ReadLIBSVM(&b, n))(t)
			if !mat.EqualApprox(back.Values(nil, test), m.Values(nil, test), 1e-12) {
				t.Errorf("%d classes: written and read, the values are others", classes)
			}
		}
	}
	value := func(i int) string { return strconv.FormatFloat(x.At(i, 0)*x.At(i, 1), 'g', -1, 64) }
	put("train", value, train, 0)
	put("test", value, test, n)
	run(t, "svm-train", "-q", "-s", "3", "-t", "4", "-c", "2", "-e", "1e-6", file("train"), file("model"))
	run(t, "svm-predict", file("test"), file("model"), file("out"))
	text := must.Have(os.ReadFile(file("model")))(t)
	m := must.Have(ReadLIBSVMRegressor(bytes.NewReader(text), n))(t)
	for i, want := range lines(t, file("out")) {
		if got := m.Predict(nil, test)[i]; !(math.Abs(got-want) <= 1e-4*(1+math.Abs(want))) {
			t.Errorf("row %d has the value %v, by svm-predict %v", i, got, want)
		}
	}
}

// A linear model whose support vectors are not unit vectors is written as one.
func TestLIBSVMLinearIsLinear(t *testing.T) {
	x, y := gen.Blobs(60, 3, 2, 1.5, 3)
	y.Names = []string{"-1", "1"}
	m := must.Have(Config{Kernel: kernel.Linear{}}.Fit(t.Context(), x, y, nil))(t)
	var b bytes.Buffer
	if err := m.WriteLIBSVM(&b); err != nil || !strings.Contains(b.String(), "kernel_type linear") {
		t.Errorf("%v: %.100s", err, b.String())
	}
}
