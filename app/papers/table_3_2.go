package papers

import (
	"context"
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
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
)

type set32 struct {
	name     string
	file     string // empty: not at hand
	c, gamma float64
}

// String returns the name of the data set.
func (s set32) String() string { return s.name }

var sets32 = []set32{{"ijcnn1", "ijcnn1", 32, 2}, {"census", "", 512, 1. / 512}, {"covtype", "", 32, 32}}

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

// method32 is one of our methods. fit returns the dual objective on all rows, too,
// or 0, and a remark.
type method32 struct {
	name string
	fit  func(ctx context.Context, p problem32) (m gram.Classifier, objective float64, note string)
}

var methods32 = []method32{
	{"SVM (exact)", func(ctx context.Context, p problem32) (gram.Classifier, float64, string) {
		m := must(p.Config.Fit(ctx, p.Split.Train.X, p.Split.Train.Labels, nil))
		return m, objective32(m), fmt.Sprintf("%d support vectors", m.Stats().Support)
	}},
	{"DC-SVM", func(ctx context.Context, p problem32) (gram.Classifier, float64, string) {
		m, stats, err := dcsvm.Config{Machine: p.Config}.Fit(ctx, p.Split.Train.X, p.Split.Train.Labels, nil)
		fail(err)
		return m, objective32(m), fmt.Sprintf("%d clusters on the lowest of %d levels", stats.Levels[0].Parts, len(stats.Levels))
	}},
	{"BKA-SVM", func(ctx context.Context, p problem32) (gram.Classifier, float64, string) {
		p.Config.NoBias = true
		m := must(bka.SVM{Machine: p.Config, Partition: bka.Partition{Clusters: p.clusters}}.Fit(ctx, p.Split.Train.X, p.Split.Train.Labels, nil))
		sizes := m.Stats().Sizes
		return m, 0, fmt.Sprintf("no constant, %d clusters of %d to %d rows", len(sizes), slices.Min(sizes), slices.Max(sizes))
	}},
	{"LIBSVM", nil},
	{"LIBSVM (subsample)", nil},
	{"LLSVM", func(ctx context.Context, p problem32) (gram.Classifier, float64, string) {
		return p.linear(ctx, landmarkMethod("", landmark.KMeans{}), p.features, "landmarks")
	}},
	{"Fastfood", func(ctx context.Context, p problem32) (gram.Classifier, float64, string) {
		return p.linear(ctx, frequencyMethod("", rff.Fastfood), p.features/2, "frequencies")
	}},
}

// run trains with the method on the training part and scores the model by the test part; for LIBSVM both are done by its own
// programs.
func (m method32) run(ctx context.Context, p problem32) trained32 {
	switch m.name {
	case "LIBSVM":
		return p.libsvm.run(ctx, p.libsvm.train, p)
	case "LIBSVM (subsample)":
		n, _ := p.Split.Train.Dims()
		few := max(2, int(p.share*float64(n)))
		path := filepath.Join(p.libsvm.dir, "sample.libsvm")
		fail(dataset.Save(ctx, path, p.Split.Train.Select(dataset.Sample(n, few, rng.Derive(p.Seed, "subsample")))))
		t := p.libsvm.run(ctx, path, p)
		t.objective = 0 // of another problem
		t.note = notes(fmt.Sprintf("%d rows", few), t.note)
		return t
	}
	begin := time.Now()
	model, objective, note := m.fit(ctx, p)
	seconds := time.Since(begin).Seconds()
	score := must(p.Accuracy(model))
	return trained32{seconds, score.Seconds(), score, objective, note}
}

func objective32(m *svm.Model) float64 {
	var sum float64
	for _, s := range m.Stats().Problems {
		sum += s.Objective
	}
	return sum
}

// linear trains a linear machine on as many features, with the squared hinge:
// LIBLINEAR's default, as the paper does not say.
func (p problem32) linear(ctx context.Context, features lowRank, size int, of string) (gram.Classifier, float64, string) {
	n, _ := p.Split.Train.Dims()
	size = min(n, size)
	a := features.fit(ctx, p.Kernel, p.Split.Train.X, size, p.Run)
	m, rough := fitted(linear.SVM{C: p.C, Run: p.Run}.Fit(ctx, a.FeatureMap, p.Split.Train.X, p.Split.Train.Labels, nil))
	note := fmt.Sprintf("%d %s", size, of)
	if rough != nil {
		note += "; not converged"
	}
	return m, 0, note
}

// libsvm are its programs, with the training part as they read it.
type libsvm struct {
	trainer, predictor string
	dir                string
	train              string
}

// installed returns nil if LIBSVM is not. The caller removes dir.
func (p problem32) installed() *libsvm {
	trainer, noTrainer := exec.LookPath("svm-train")
	predictor, noPredictor := exec.LookPath("svm-predict")
	if noTrainer != nil || noPredictor != nil {
		return nil
	}
	dir := must(os.MkdirTemp("", "table-3.2"))
	return &libsvm{trainer, predictor, dir, filepath.Join(dir, "train.libsvm")}
}

var objLine = regexp.MustCompile(`(?m)^obj = (\S+),`)

// run trains on a file and predicts the test part.
func (l *libsvm) run(ctx context.Context, train string, p problem32) trained32 {
	model, out := filepath.Join(l.dir, "model"), filepath.Join(l.dir, "out")
	// ask fits and predicts; it returns what the training says.
	ask := func(tol float64) (text string, t trained32) {
		gamma := p.Kernel.(kernel.Gaussian).Gamma
		text, t.train = call(ctx, l.trainer, "-c", fmt.Sprint(p.C), "-g", fmt.Sprint(gamma), "-e", fmt.Sprint(tol), "-m", "256", train, model)
		t.accuracy = must(p.Program(ctx, l.dir, func(rows string) (string, error) {
			err := try(func() { _, t.test = call(ctx, l.predictor, rows, model, out) })
			return out, err
		}))
		return text, t
	}
	_, read := ask(1e9) // satisfied from the start: no support vectors
	text, t := ask(p.Tol)
	for _, match := range objLine.FindAllStringSubmatch(text, -1) {
		t.objective += must(strconv.ParseFloat(match[1], 64))
	}
	t.train, t.test = max(0, t.train-read.train), max(0, t.test-read.test)
	t.note = fmt.Sprintf("reading training and test part %.2g s and %.2g s", read.train, read.test)
	return t
}

// call runs a program; it returns what the program says and the seconds.
func call(ctx context.Context, name string, args ...string) (string, float64) {
	begin := time.Now()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	fail(ctx.Err())
	if err != nil {
		fail(fmt.Errorf("%s: %w", name, err))
	}
	return string(out), time.Since(begin).Seconds()
}

// Table 3.2 of [S16]: training time and test accuracy of support vector
// machines with a Gaussian kernel. One data set of three is at hand. LIBSVM and a
// subsample with LIBSVM are svm-train and svm-predict where these are installed; the
// dual objective of our exact machines is held against theirs. Clusters have
// machines without constants, as in the thesis; the others have one, as LIBSVM is
// installed. The methods take turns in each repeat and seconds are medians, those
// of the programs without what it takes them to read the data: the time of a run
// that stops at once. Ours use all workers, the programs have one thread.
func table32(r *run) {
	clusters := r.int("clusters", 0, 0, "clusters of BKA-SVM; 0: 64, or one for each 20 rows if that is less")
	features := r.int("features", cut(r, "features", 3000, 500), 2, "landmarks of LLSVM, features of Fastfood")
	share := r.float("share", .2, 0, "of the rows, for LIBSVM on a subsample")
	tol := r.float("tol", 1e-3, 0, "tolerance of all kernel machines")
	if !(share > 0 && share <= 1) {
		r.wrong("share", share, "a number > 0 and ≤ 1")
	}
	repeats := r.repeats(10, 1)
	eachSet(r, sets32, func(s set32) {
		part := r.split(s.file, denseClasses)
		p := problem32{Config: svm.Config{Kernel: kernel.Gaussian{Gamma: s.gamma}, C: s.c, Tol: tol, Start: svm.ZeroStart}, Split: part, features: features, clusters: clusters, share: share}
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
	if p.libsvm = p.installed(); p.libsvm != nil {
		defer os.RemoveAll(p.libsvm.dir)
		fail(dataset.Save(r.ctx, p.libsvm.train, p.Split.Train))
	}
	runs := map[string][]trained32{}
	for i := range repeats {
		p.Run = r.repeat(i)
		for _, m := range methods32 {
			if m.fit == nil && p.libsvm == nil {
				continue
			}
			named(m.name, func() { runs[m.name] = append(runs[m.name], m.run(r.ctx, p)) })
		}
	}
	for _, m := range methods32 {
		all := runs[m.name]
		note := "svm-train is not installed"
		if len(all) > 0 {
			note = notes(fmt.Sprintf("C %g, γ %g", s.c, s.gamma), all[0].note)
		}
		r.emit32(s, m.name, all, note)
		if theirs := runs["LIBSVM"]; m.fit != nil && len(theirs) > 0 && all[0].objective != 0 {
			ours, theirs := all[0].objective, theirs[0].objective
			r.emit(Row{Dataset: s.name, Method: m.name, Metric: "objective_difference", Got: value(math.Abs(ours-theirs) / math.Abs(theirs)),
				Seconds: all[0].train, Note: fmt.Sprintf("relative to LIBSVM's; dual objectives %.8g and %.8g", ours, theirs)})
		}
	}
}

// emit32 emits the rows of one method; without runs there are no figures.
func (r *run) emit32(s set32, method string, runs []trained32, note string) {
	row := Row{Dataset: s.name, Method: method, Note: note}
	if len(runs) == 0 {
		for _, row := range metrics(row, "train_seconds", "accuracy") {
			r.emit(row)
		}
		return
	}
	accuracy := protocol.NewFigure(len(runs))
	var train, test []float64
	for _, t := range runs {
		accuracy.Add(t.accuracy, t.train, 0)
		train, test = append(train, t.train), append(test, t.test)
	}
	rows := metrics(row, "accuracy", "train_seconds", "test_seconds")
	r.emit(rows[0].Of(accuracy))
	for i, seconds := range []float64{median(train), median(test)} {
		row := rows[1+i]
		row.Got, row.Repeats, row.Seconds = value(seconds), len(runs), median(train)
		r.emit(row)
	}
}
