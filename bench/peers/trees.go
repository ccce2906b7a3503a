package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// trees reads one data set and answers each line "library action" with the
// seconds by its own clock and, for predict, the accuracy. Both libraries get the
// settings that are gram's defaults.
const trees = `
import sys, time
import numpy, xgboost, sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
folder, threads = sys.argv[1], int(sys.argv[2])
load = lambda name: numpy.load(folder + '/' + name + '.npy')
x, y = load('train'), load('train-target').ravel()
tx, ty = load('test'), load('test-target').ravel()
x32, tx32 = x.astype('float32'), tx.astype('float32')
models = {}
def fit(which):
    if which == 'xgboost':
        m = xgboost.XGBClassifier(n_estimators=100, learning_rate=0.1, max_leaves=31, max_depth=0, grow_policy='lossguide',
            tree_method='hist', max_bin=256, reg_lambda=1, min_child_weight=1, n_jobs=threads, verbosity=0)
        m.fit(x32, y)
    else:
        m = HistGradientBoostingClassifier(max_iter=100, learning_rate=0.1, max_leaf_nodes=31, l2_regularization=1,
            min_samples_leaf=20, early_stopping=False)
        m.fit(x, y)
    models[which] = m
def predict(which):
    return models[which].predict(tx32 if which == 'xgboost' else tx)
print(xgboost.__version__, sklearn.__version__, flush=True)
for line in sys.stdin:
    which, action = line.split()
    accuracy = 0
    start = time.perf_counter()
    if action == 'fit':
        fit(which)
        seconds = time.perf_counter() - start
    else:
        p = predict(which)
        seconds = time.perf_counter() - start
        accuracy = float((p == ty).mean())
    print(seconds, accuracy, flush=True)
`

// compareTrees prints, for two data sets, the accuracy and the least seconds of
// training and of predicting the test part. It compares gbdt with XGBoost and
// with scikit-learn's histogram boosting in turn, with 100 trees of 31 leaves.
func compareTrees(o options) error {
	dir, err := dataset.FindDir()
	if err != nil {
		return err
	}
	fmt.Println("data    library       train_s  predict_s  accuracy")
	for _, name := range []string{"a9a", "ijcnn1"} {
		train, test, err := dir.Load(name, dataset.Options{})
		if err != nil {
			return err
		}
		if err := compareTreesOn(o, name, train, test); err != nil {
			return err
		}
	}
	return nil
}

func compareTreesOn(o options, name string, train, test *dataset.Set) error {
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for part, s := range map[string]*dataset.Set{"train": train, "test": test} {
		target := make([]float64, len(s.Labels.Class))
		for i, c := range s.Labels.Class {
			target[i] = float64(c)
		}
		for file, x := range map[string]mat.Matrix{part: s.X, part + "-target": mat.NewDense(len(target), 1, target)} {
			if err := dataset.Save(filepath.Join(folder, file+".npy"), &dataset.Set{X: x}); err != nil {
				return err
			}
		}
	}
	cmd := exec.Command(o.xgboost, "-c", trees, folder, fmt.Sprint(runtime.GOMAXPROCS(0)))
	cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", runtime.GOMAXPROCS(0)))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	out := bufio.NewReader(pipe)
	var versions [2]string
	if _, err := fmt.Fscanln(out, &versions[0], &versions[1]); err != nil {
		return fmt.Errorf("%s does not run XGBoost and scikit-learn: %w", o.xgboost, err)
	}
	ask := func(library string) func(action string) (seconds, accuracy float64, err error) {
		return func(action string) (seconds, accuracy float64, err error) {
			if _, err = io.WriteString(in, library+" "+action+"\n"); err == nil {
				_, err = fmt.Fscanln(out, &seconds, &accuracy)
			}
			return seconds, accuracy, err
		}
	}
	var model *gbdt.Classifier
	gram := func(action string) (seconds, accuracy float64, err error) {
		start := time.Now()
		if action == "fit" {
			model, err = gbdt.Config{}.Fit(context.Background(), train.X, train.Labels, nil)
			return time.Since(start).Seconds(), 0, err
		}
		p := model.Predict(nil, test.X)
		seconds = time.Since(start).Seconds()
		return seconds, metric.Accuracy(p, test.Labels.Class), nil
	}
	contestants := []struct {
		name string
		do   func(action string) (seconds, accuracy float64, err error)
	}{{"gram", gram}, {"xgboost", ask("xgboost")}, {"scikit-learn", ask("scikit-learn")}}
	results := make([][3][]float64, len(contestants))
	for range min(o.rounds, 3) {
		for i, c := range contestants {
			for k, action := range []string{"fit", "predict", "predict", "predict"} {
				seconds, accuracy, err := c.do(action)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				r := &results[i]
				if k == 0 {
					r[0] = append(r[0], seconds)
				} else {
					r[1], r[2] = append(r[1], seconds), append(r[2], accuracy)
				}
			}
		}
	}
	for i, c := range contestants {
		version := append([]string{""}, versions[:]...)[i]
		fmt.Printf("%-7s %-13s %7.3f  %9.4f  %8.4f  %s\n", name, c.name, slices.Min(results[i][0]), slices.Min(results[i][1]), slices.Max(results[i][2]), version)
	}
	if err := in.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}
