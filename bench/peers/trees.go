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
	"strings"

	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// trees reads one data set and answers each line "library action" with the seconds, of its
// own clock or of CPU time, and, for predict, the accuracy. Rows with less than a quarter
// of their elements are a CSR matrix for XGBoost, to which the others are missing;
// scikit-learn has dense rows only. Both libraries get the settings that are gram's defaults.
const trees = `
import sys, time
import numpy, scipy.sparse, xgboost, sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
folder, threads, clock = sys.argv[1], int(sys.argv[2]), getattr(time, sys.argv[3])
load = lambda name: numpy.load(folder + '/' + name + '.npy')
def rows(part):
    shape = load(part + '-shape').ravel().astype(int)
    if len(shape) == 0 or shape[2] == 0:
        return load(part)
    return scipy.sparse.csr_matrix((load(part + '-val').ravel(), load(part + '-col').ravel().astype('int32'),
        load(part + '-ptr').ravel().astype('int32')), shape=shape[:2])
x, y = rows('train'), load('train-target').ravel()
tx, ty = rows('test'), load('test-target').ravel()
x32, tx32 = x.astype('float32'), tx.astype('float32')
if scipy.sparse.issparse(x):
    x, tx = x.toarray(), tx.toarray()
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
for line in sys.stdin:
    which, action = line.split()
    accuracy = 0
    start = clock()
    if action == 'fit':
        fit(which)
        seconds = clock() - start
    else:
        p = predict(which)
        seconds = clock() - start
        accuracy = float((p == ty).mean())
    print(seconds, accuracy, flush=True)
`

// treeData are the largest data sets with classes that the folder of data sets has. Those
// without a test part are divided at random.
var treeData = []string{"skin_nonskin", "cod-rna", "ijcnn1", "a9a", "covtype-first20k", "mushrooms"}

// compareTrees compares training and predicting the test part of several data sets by gbdt
// with XGBoost and with scikit-learn's histogram boosting in turn, with 100 trees of 31 leaves.
// Notes have the accuracy of both.
func compareTrees(o options) ([]*bench.Peers, error) {
	dir, err := dataset.FindDir()
	if err != nil {
		return nil, err
	}
	o.rounds = min(o.rounds, 3)
	out, err := exec.Command(o.xgboost, "-c", "import xgboost, sklearn; print(xgboost.__version__, sklearn.__version__)").Output()
	versions := strings.Fields(string(out))
	if err != nil || len(versions) != 2 {
		return nil, fmt.Errorf("%s does not run XGBoost and scikit-learn: %w", o.xgboost, err)
	}
	peers := []*bench.Peers{o.peer("XGBoost", versions[0], o.xgboost), o.peer("scikit-learn, boosting", versions[1], o.xgboost)}
	for _, name := range treeData {
		if o.work != "" && o.work != name {
			continue
		}
		train, test, err := dir.Load(name, dataset.Options{Task: dataset.Classes})
		if err != nil {
			return nil, err
		}
		if test == nil {
			train, test = train.Split(.2, 1)
		}
		if err := compareTreesOn(o, peers, name, train, test); err != nil {
			return nil, err
		}
	}
	return peers, nil
}

func compareTreesOn(o options, peers []*bench.Peers, name string, train, test *dataset.Set) error {
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := saveParts(folder, map[string]*dataset.Set{"train": train, "test": test}); err != nil {
		return err
	}
	clock := "perf_counter"
	if o.cpu {
		clock = "process_time"
	}
	cmd := exec.Command(o.xgboost, "-c", trees, folder, fmt.Sprint(runtime.GOMAXPROCS(0)), clock)
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
		start := o.clock()
		if action == "fit" {
			model, err = gbdt.Config{Rounds: 100}.Fit(context.Background(), train.X, train.Labels, nil)
			return (o.clock() - start).Seconds(), 0, err
		}
		p := model.Predict(nil, test.X)
		seconds = (o.clock() - start).Seconds()
		return seconds, metric.Accuracy(p, test.Labels.Class), nil
	}
	contestants := []struct {
		name string
		do   func(action string) (seconds, accuracy float64, err error)
	}{{"gram", gram}, {"xgboost", ask("xgboost")}, {"scikit-learn", ask("scikit-learn")}}
	results := make([][3][]float64, len(contestants))
	for range o.rounds {
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
	addTimes(o, peers, name, train, results)
	if err := in.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

// saveParts saves the rows and classes of every part for other libraries; sparse rows are saved as such.
func saveParts(folder string, parts map[string]*dataset.Set) error {
	for part, s := range parts {
		target := make([]float64, len(s.Labels.Class))
		for i, c := range s.Labels.Class {
			target[i] = float64(c)
		}
		n, d := s.X.Dims()
		files := map[string]mat.Matrix{part + "-target": mat.NewDense(n, 1, target)}
		stored := 0
		a, ok := s.X.(*sparse.CSR)
		if !ok {
			a = sparse.FromDense(s.X)
		}
		if len(a.Val) < n*d/4 {
			stored = 1
			files[part+"-ptr"], files[part+"-col"], files[part+"-val"] = column(a.Ptr), column(a.Col), column(a.Val)
		} else {
			files[part] = s.X
		}
		files[part+"-shape"] = column([]int{n, d, stored})
		for file, x := range files {
			if err := dataset.Save(context.Background(), filepath.Join(folder, file+".npy"), &dataset.Set{X: x}); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTimes adds the least times, the ratios and the accuracies of the peers. The results of each library,
// the first of which is gram, are its seconds of training and of prediction, and its accuracies.
func addTimes(o options, peers []*bench.Peers, name string, train *dataset.Set, results [][3][]float64) {
	n, d := train.X.Dims()
	for i, p := range peers {
		for k, work := range []string{"train", "predict"} {
			ours, theirs := results[0][k], results[i+1][k]
			ratios := make([]float64, len(ours))
			for r := range ours {
				ratios[r] = theirs[r] / ours[r]
			}
			slices.Sort(ratios)
			o.add(p, work+" "+name, "float64", fmt.Sprintf("%dx%d", n, d), 1e9*slices.Min(ours), 1e9*slices.Min(theirs), ratios[len(ratios)/2],
				fmt.Sprintf("accuracy %.4f and %.4f", slices.Max(results[0][2]), slices.Max(results[i+1][2])))
		}
	}
}

// column returns the numbers as a matrix of one column.
func column[T int | int32 | float64](v []T) mat.Matrix {
	out := mat.NewDense(len(v), 1, nil)
	for i, x := range v {
		out.Set(i, 0, float64(x))
	}
	return out
}
