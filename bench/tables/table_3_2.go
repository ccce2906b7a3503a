package tables

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
)

type set32 struct {
	name     string
	file     string // empty: not at hand
	c, gamma float64
	paper    map[string][2]float64 // seconds, accuracy
}

func (s set32) String() string { return s.name }

var sets32 = []set32{
	{"ijcnn1", "ijcnn1", 32, 2, map[string][2]float64{
		"BKA-SVM": {5, .9849}, "LIBSVM": {115, .9869}, "LIBSVM (subsample)": {6, .9824}, "LLSVM": {38, .9823}, "Fastfood": {87, .9595},
	}},
	{"census", "", 512, 1. / 512, map[string][2]float64{
		"BKA-SVM": {838, .9472}, "LIBSVM": {2920, .942}, "LIBSVM (subsample)": {641, .932}, "LLSVM": {1212, .928}, "Fastfood": {851, .916},
	}},
	{"covtype", "", 32, 32, map[string][2]float64{
		"BKA-SVM": {436, .9605}, "LIBSVM": {83631, .9615}, "LIBSVM (subsample)": {5330, .9246}, "LLSVM": {4451, .8421}, "Fastfood": {8550, .801},
	}},
}

// trained32 is what one run of a method gave.
type trained32 struct {
	train, test float64 // seconds
	accuracy    protocol.Score
	objective   float64 // of the dual on all rows; 0: none
	note        string
}

// problem32 is a data set with the settings of all methods.
type problem32 struct {
	svm.Config
	*protocol.Split
	features int     // of LLSVM and Fastfood
	clusters int     // of BKA-SVM
	share    float64 // of the rows, for the subsample
	libsvm   *libsvm // nil: not installed
}

type method32 struct {
	name string
	peer bool // needs svm-train
	run  func(ctx context.Context, p problem32) (trained32, error)
}

var methods32 = []method32{
	{"SVM (exact)", false, func(ctx context.Context, p problem32) (trained32, error) {
		begin := time.Now()
		m, err := p.Config.Fit(ctx, p.Split.Train.X, p.Split.Train.Labels, nil)
		if err != nil {
			return trained32{}, err
		}
		t, err := p.tested(begin, m)
		t.objective, t.note = objective32(m), fmt.Sprintf("%d support vectors", m.Stats().Support)
		return t, err
	}},
	{"DC-SVM", false, func(ctx context.Context, p problem32) (trained32, error) {
		begin := time.Now()
		m, stats, err := dcsvm.Config{Machine: p.Config}.Fit(ctx, p.Split.Train.X, p.Split.Train.Labels, nil)
		if err != nil {
			return trained32{}, err
		}
		t, err := p.tested(begin, m)
		t.objective, t.note = objective32(m), fmt.Sprintf("%d clusters on the lowest of %d levels", stats.Levels[0].Parts, len(stats.Levels))
		return t, err
	}},
	{"BKA-SVM", false, func(ctx context.Context, p problem32) (trained32, error) {
		c := p.Config
		c.NoBias = true
		begin := time.Now()
		m, err := bka.SVM{Machine: c, Partition: bka.Partition{Clusters: p.clusters}}.Fit(ctx, p.Split.Train.X, p.Split.Train.Labels, nil)
		if err != nil {
			return trained32{}, err
		}
		t, err := p.tested(begin, m)
		sizes := m.Stats().Sizes
		t.note = fmt.Sprintf("no constant, %d clusters of %d to %d rows", len(sizes), slices.Min(sizes), slices.Max(sizes))
		return t, err
	}},
	{"LIBSVM", true, func(ctx context.Context, p problem32) (trained32, error) { return p.libsvm.run(ctx, p.libsvm.train, p) }},
	{"LIBSVM (subsample)", true, func(ctx context.Context, p problem32) (trained32, error) {
		n, _ := p.Split.Train.Dims()
		few := max(2, int(p.share*float64(n)))
		path := filepath.Join(p.libsvm.dir, "sample.libsvm")
		if err := dataset.Save(path, p.Split.Train.Select(dataset.Sample(n, few, rng.Derive(p.Seed, "subsample")))); err != nil {
			return trained32{}, err
		}
		t, err := p.libsvm.run(ctx, path, p)
		t.objective = 0 // of another problem
		t.note = notes(fmt.Sprintf("%d rows", few), t.note)
		return t, err
	}},
	{"LLSVM", false, func(ctx context.Context, p problem32) (trained32, error) {
		return p.linear(ctx, landmarkMethod("", landmark.KMeans{}), p.features, "landmarks")
	}},
	{"Fastfood", false, func(ctx context.Context, p problem32) (trained32, error) {
		return p.linear(ctx, frequencyMethod("", rff.Fastfood), p.features/2, "frequencies")
	}},
}

func objective32(m *svm.Model) float64 {
	var sum float64
	for _, s := range m.Stats().Problems {
		sum += s.Objective
	}
	return sum
}

// tested scores a model whose training began at begin.
func (p problem32) tested(begin time.Time, m gram.Classifier) (trained32, error) {
	train := time.Since(begin).Seconds()
	score, err := p.Accuracy(m)
	return trained32{train: train, test: score.Seconds(), accuracy: score}, err
}

// linear trains a linear machine on as many features, with the squared hinge:
// LIBLINEAR's default, as the paper does not say.
func (p problem32) linear(ctx context.Context, m lowRank, size int, of string) (trained32, error) {
	begin := time.Now()
	n, _ := p.Split.Train.Dims()
	a, err := m.fit(ctx, p.Kernel, p.Split.Train.X, min(n, size), p.Run)
	if err != nil {
		return trained32{}, err
	}
	l, err := linear.SVM{C: p.C, Run: p.Run}.Fit(ctx, a.FeatureMap, p.Split.Train.X, p.Split.Train.Labels, nil)
	var rough *gram.ConvergenceError
	if err != nil && !(l != nil && errors.As(err, &rough)) {
		return trained32{}, err
	}
	t, err := p.tested(begin, l)
	if t.note = fmt.Sprintf("%d %s", min(n, size), of); rough != nil {
		t.note += "; not converged"
	}
	return t, err
}

// libsvm are its programs, with the training part as they read it.
type libsvm struct {
	trainer, predictor string
	dir                string
	train              string
}

// installed returns nil if LIBSVM is not. The caller removes dir.
func (p problem32) installed() (*libsvm, error) {
	l := &libsvm{}
	var err error
	if l.trainer, err = exec.LookPath("svm-train"); err != nil {
		return nil, nil
	}
	if l.predictor, err = exec.LookPath("svm-predict"); err != nil {
		return nil, nil
	}
	if l.dir, err = os.MkdirTemp("", "table-3.2"); err != nil {
		return nil, err
	}
	l.train = filepath.Join(l.dir, "train.libsvm")
	return l, dataset.Save(l.train, p.Split.Train)
}

var objLine = regexp.MustCompile(`(?m)^obj = (\S+),`)

// run trains on a file and predicts the test part.
func (l *libsvm) run(ctx context.Context, train string, p problem32) (t trained32, err error) {
	model, out := filepath.Join(l.dir, "model"), filepath.Join(l.dir, "out")
	fit := func(tol float64) (string, float64, error) {
		return l.call(ctx, l.trainer, "-c", fmt.Sprint(p.C), "-g", fmt.Sprint(p.Kernel.(kernel.Gaussian).Gamma), "-e", fmt.Sprint(tol), "-m", "256", train, model)
	}
	// ask fits and predicts; it returns what the training says and both seconds.
	ask := func(tol float64) (text string, score protocol.Score, trained, tested float64, err error) {
		if text, trained, err = fit(tol); err != nil {
			return
		}
		score, err = p.Program(l.dir, func(rows string) (string, error) {
			_, seconds, err := l.call(ctx, l.predictor, rows, model, out)
			tested = seconds
			return out, err
		})
		return
	}
	_, _, read, readTest, err := ask(1e9) // satisfied from the start: no support vectors
	if err != nil {
		return t, err
	}
	text, score, trained, tested, err := ask(p.Tol)
	if err != nil {
		return t, err
	}
	for _, match := range objLine.FindAllStringSubmatch(text, -1) {
		v, err := strconv.ParseFloat(match[1], 64)
		if err != nil {
			return t, fmt.Errorf("svm-train: %w", err)
		}
		t.objective += v
	}
	t.accuracy, t.train, t.test = score, max(0, trained-read), max(0, tested-readTest)
	t.note = fmt.Sprintf("reading training and test part %.2g s and %.2g s", read, readTest)
	return t, nil
}

func (l *libsvm) call(ctx context.Context, name string, args ...string) (string, float64, error) {
	begin := time.Now()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if ctx.Err() != nil {
		return "", 0, ctx.Err()
	}
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", name, err)
	}
	return string(out), time.Since(begin).Seconds(), nil
}

// Table 3.2 of [S16]: training time and test accuracy of support vector
// machines with a Gaussian kernel. One data set of three is at hand. LIBSVM and a
// subsample with LIBSVM are svm-train and svm-predict where these are installed; the
// dual objective of our exact machines is held against theirs. Clusters have
// machines without constants, as in the thesis; the others have one, as LIBSVM is
// installed. The methods take turns in each repeat and seconds are medians, those
// of the programs without what it takes them to read the data: the time of a run
// that stops at once. Ours use all workers, the programs have one thread.
func table32(r *run) error {
	clusters := r.int("clusters", 0, 0, "clusters of BKA-SVM; 0: 64, or one for each 20 rows if that is less")
	features := r.int("features", cut(r, "features", 3000, 500), 2, "landmarks of LLSVM, features of Fastfood")
	share := r.float("share", .2, 0, "of the rows, for LIBSVM on a subsample")
	tol := r.float("tol", 1e-3, 0, "tolerance of all kernel machines")
	if !(share > 0 && share <= 1) {
		r.wrong("share", share, "a number > 0 and ≤ 1")
	}
	repeats := r.repeats(10, 1)
	return each(r, sets32, func(s set32) {
		part := r.split(s.file, dataset.Options{Storage: dataset.Dense, Task: dataset.Classes})
		p := problem32{Config: svm.Config{Kernel: kernel.Gaussian{Gamma: s.gamma}, C: s.c, Tol: tol}, Split: part, features: features, clusters: clusters, share: share}
		if part != nil {
			r.methods32(s, p, repeats)
			return
		}
		for _, m := range methods32 {
			r.emit32(s, m.name, nil, noData)
		}
	})
}

// methods32 lets the methods take turns on the data of p.
func (r *run) methods32(s set32, p problem32, repeats int) {
	var err error
	p.libsvm, err = p.installed()
	if p.libsvm != nil {
		defer os.RemoveAll(p.libsvm.dir)
	}
	if r.fail(err) {
		return
	}
	runs := map[string][]trained32{}
	for i := range repeats {
		p.Run = r.repeat(i)
		for _, m := range methods32 {
			if m.peer && p.libsvm == nil {
				continue
			}
			t, err := m.run(r.ctx, p)
			if err != nil {
				r.fail(fmt.Errorf("%s: %w", m.name, err))
				return
			}
			runs[m.name] = append(runs[m.name], t)
		}
	}
	for _, m := range methods32 {
		all := runs[m.name]
		note := "svm-train is not installed"
		if len(all) > 0 {
			note = notes(fmt.Sprintf("C %g, γ %g", s.c, s.gamma), all[0].note)
		}
		r.emit32(s, m.name, all, note)
		if theirs := runs["LIBSVM"]; !m.peer && len(theirs) > 0 && all[0].objective != 0 {
			ours, theirs := all[0].objective, theirs[0].objective
			r.emit(Row{Dataset: s.name, Method: m.name, Metric: "objective_difference", Got: value(math.Abs(ours-theirs) / math.Abs(theirs)),
				Seconds: all[0].train, Note: fmt.Sprintf("relative to LIBSVM's; dual objectives %.8g and %.8g", ours, theirs)})
		}
	}
}

// emit32 emits the rows of one method; without runs there are no figures.
func (r *run) emit32(s set32, method string, runs []trained32, note string) {
	printed := s.paper[method]
	row := Row{Dataset: s.name, Method: method, Note: note}
	if len(runs) == 0 {
		row.Metric, row.Paper = "train_seconds", paper(printed[0])
		r.emit(row)
		row.Metric, row.Paper = "accuracy", paper(printed[1])
		r.emit(row)
		return
	}
	accuracy := protocol.NewFigure(len(runs))
	var train, test []float64
	for _, t := range runs {
		accuracy.Add(t.accuracy, t.train, 0)
		train, test = append(train, t.train), append(test, t.test)
	}
	row.Metric, row.Paper = "accuracy", paper(printed[1])
	r.emit(row.Of(accuracy))
	row.Repeats, row.Seconds = len(runs), median(train)
	row.Metric, row.Paper, row.Got = "train_seconds", paper(printed[0]), value(median(train))
	r.emit(row)
	row.Metric, row.Paper, row.Got = "test_seconds", nil, value(median(test))
	r.emit(row)
}
