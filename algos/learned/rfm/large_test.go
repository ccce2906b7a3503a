package rfm

import (
	"flag"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/machine"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var (
	large     = flag.String("trees", "", "fit trees of leaves and boosted trees to these data sets of GRAM_DATA, separated by commas, and log test errors")
	largeLeaf = flag.String("trees-leaf", "2500", "rows of a leaf, separated by commas")
	largeOver = flag.Float64("trees-overlap", 0, "overlap")
	largeRows = flag.Int("trees-rows", 100_000, "rows to train on at most")
	largePeer = flag.Bool("trees-gbdt", true, "boosted trees, too")
)

// TestLarge logs the errors on 5000 test rows, or less, and the CPU time of the fit: root mean square error in standard deviations, or wrong
// answers in percent.
func TestLarge(t *testing.T) {
	if *large == "" {
		t.Skip("-trees is not set")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	for _, name := range strings.Split(*large, ",") {
		train, test := largeSet(t, dir, name)
		n, d := train.Dims()
		run := gram.Run{Seed: 1}
		for _, leaf := range strings.Split(*largeLeaf, ",") {
			c := Config{Leaf: gram.Set(integer(t, leaf)), Overlap: gram.Set(*largeOver), Run: run}
			begin, _ := machine.CPUTime()
			var model *Model
			var wrong float64
			_, heap := machine.Peak(func() {
				if train.Labels.Class != nil {
					m := must.Have(c.FitClasses(t.Context(), train.X, train.Labels, nil))(t)
					model, wrong = m.Functions.(*Model), wrongClasses(m, test)
				} else {
					model = must.Have(c.Fit(t.Context(), train.X, train.Value, nil))(t)
					wrong = metric.RMSE(model.Predict(nil, test.X), test.Value) / metric.Deviation(test.Value, nil)
				}
			})
			end, _ := machine.CPUTime()
			s := model.Config()
			t.Logf("%s %d×%d leaf %s (%d): %.4f, %.1f CPU s, %d MB; %v length %v lambda %.2g soft %v, round %d",
				name, n, d, leaf, len(model.Leaves()), wrong, (end - begin).Seconds(), heap>>20, s.Metric, s.Length.Value(), s.Lambda.Value(), s.Soft.Value(), model.Stats().Chosen)
		}
		if !*largePeer {
			continue
		}
		begin, _ := machine.CPUTime()
		c := gbdt.Config{Run: run}
		var wrong float64
		if train.Labels.Class != nil {
			m := must.Have(c.Fit(t.Context(), train.X, train.Labels, nil))(t)
			wrong = wrongClasses(m, test)
		} else {
			m := must.Have(c.FitValues(t.Context(), train.X, train.Value, nil))(t)
			wrong = metric.RMSE(m.Predict(nil, test.X), test.Value) / metric.Deviation(test.Value, nil)
		}
		end, _ := machine.CPUTime()
		t.Logf("%s boosted trees: %.4f, %.1f CPU s", name, wrong, (end - begin).Seconds())
	}
}

func integer(t *testing.T, text string) int {
	t.Helper()
	v := 0
	for _, c := range text {
		v = 10*v + int(c-'0')
	}
	return v
}

// wrongClasses is the share of wrong answers in percent.
func wrongClasses(m gram.Classifier, test *dataset.Set) float64 {
	wrong := 0
	for i, k := range m.Predict(nil, test.X) {
		if m.Classes()[k] != test.Labels.Names[test.Labels.Class[i]] {
			wrong++
		}
	}
	return 100 * float64(wrong) / float64(len(test.Labels.Class))
}

// largeSet returns rows to train on and to test on, standardized.
func largeSet(t *testing.T, dir dataset.Dir, name string) (train, test *dataset.Set) {
	t.Helper()
	o := dataset.Options{Task: dataset.Classes}
	if _, is := protocols[name]; is && !strings.Contains(groupsOfSets["classes"], name) {
		o.Task = dataset.Regression
	}
	d, second := must.Have2(dir.Load(name, o))(t)
	n, _ := d.Dims()
	order := rng.New(rng.Derive(1, "large"), 0).Perm(n)
	if second != nil {
		test = second
		if k, _ := second.Dims(); k > 20_000 {
			test = second.Select(rng.New(rng.Derive(1, "large test"), 0).Perm(k)[:20_000])
		}
	} else {
		held := min(n/5, 20_000)
		test, order = d.Select(order[:held]), order[held:]
	}
	train = d.Select(order[:min(len(order), *largeRows)])
	scale := must.Have(dataset.Standardize(train.X))(t)
	train.X, test.X = mat.DenseCopyOf(scale.Apply(train.X)), mat.DenseCopyOf(scale.Apply(test.X))
	return train, test
}
