package rfm

import (
	"flag"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/machine"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var (
	figures = flag.String("figures", "", "fit these data sets of GRAM_DATA, separated by commas, or regression, classes or all, and log test errors; takes some seconds a set and seed")
	seeds   = flag.Int("figures-seeds", 1, "splits of each set")
)

// Rows to train on, held out and to test on.
type protocol struct{ train, held, test int }

var protocols = map[string]protocol{
	"pol": {2500, 800, 3000}, "kin40k": {2500, 800, 3000}, "elevators": {1500, 500, 3000}, "cadata": {1500, 500, 3000},
	"ijcnn1": {1500, 500, 3000}, "pendigits": {1500, 500, 3000},
	"segment": {1386, 462, 462}, "airfoil": {901, 301, 301}, "wine-quality": {1500, 500, 3000},
}

var groupsOfSets = map[string]string{
	"regression": "pol,kin40k,elevators,cadata", "classes": "ijcnn1,pendigits,segment", "all": "pol,kin40k,elevators,cadata,ijcnn1,pendigits",
}

// TestFigures logs the errors of the default settings on real data beside those of ridge regression
// with the same kernel, which is the same search without rounds: root mean square error in standard
// deviations of the training targets, or wrong answers in percent. It fails where the learned metric predicts values clearly worse.
func TestFigures(t *testing.T) {
	if *figures == "" {
		t.Skip("-figures is not set")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	list := *figures
	if l, is := groupsOfSets[list]; is {
		list = l
	}
	for _, name := range strings.Split(list, ",") {
		p, is := protocols[name]
		if !is {
			t.Fatalf("no protocol for %q", name)
		}
		for seed := range *seeds {
			learned, c, s, seconds := figure(t, dir, name, p, seed, Config{})
			plain, _, _, plainSeconds := figure(t, dir, name, p, seed, Config{Metric: Full, Rounds: gram.Set(0)})
			t.Logf("%-12s seed %d  rfm %.4f (%.1f s: %v, length %v, lambda %v, round %d)  ridge %.4f (%.1f s)",
				name, seed, learned, seconds, c.Metric, c.Length.Value(), c.Lambda.Value(), s.Chosen, plain, plainSeconds)
			if !(learned <= 1.05*plain) && !strings.Contains(groupsOfSets["classes"], name) {
				t.Errorf("%s: %v with a learned metric, and %v without", name, learned, plain)
			}
		}
	}
}

// figure fits c to one split of a set, and returns the test error and the CPU time of the fit.
func figure(t *testing.T, dir dataset.Dir, name string, p protocol, seed int, c Config) (float64, Config, Stats, float64) {
	t.Helper()
	o := dataset.Options{Task: dataset.Regression}
	if strings.Contains(groupsOfSets["classes"], name) {
		o.Task = dataset.Classes
	}
	d, second := must.Have2(dir.Load(name, o))(t)
	n, _ := d.Dims()
	order := rng.New(rng.Derive(uint64(seed), "figures"), 0).Perm(n)
	pick := func(k int) *dataset.Set {
		k = min(k, len(order))
		out := d.Select(order[:k])
		order = order[k:]
		return out
	}
	known := pick(p.train + p.held)
	test := second
	if test == nil || o.Task == dataset.Regression {
		test = pick(p.test)
	} else if rows, _ := test.Dims(); rows > p.test {
		test = test.Select(rng.New(rng.Derive(uint64(seed), "test"), 0).Perm(rows)[:p.test])
	}
	first := make([]int, p.train)
	for i := range first {
		first[i] = i
	}
	scale := must.Have(dataset.Standardize(known.Select(first).X))(t)
	x, z := scale.Apply(known.X), scale.Apply(test.X)
	for i := range p.held {
		c.Given.Held = append(c.Given.Held, p.train+i)
	}
	c.Run.Seed = uint64(seed)
	begin, _ := machine.CPUTime()
	if o.Task == dataset.Classes {
		m := must.Have(c.FitClasses(t.Context(), x, known.Labels, nil))(t)
		end, _ := machine.CPUTime()
		wrong := 0
		for i, k := range m.Predict(nil, z) {
			if m.Classes()[k] != test.Labels.Names[test.Labels.Class[i]] {
				wrong++
			}
		}
		f := m.Functions.(*Model)
		return 100 * float64(wrong) / float64(len(test.Labels.Class)), f.Config(), f.Stats(), (end - begin).Seconds()
	}
	m := must.Have(c.Fit(t.Context(), x, known.Value, nil))(t)
	end, _ := machine.CPUTime()
	var moments [2]float64
	for _, v := range known.Value[:p.train] {
		moments[0] += v / float64(p.train)
		moments[1] += v * v / float64(p.train)
	}
	return metric.RMSE(m.Predict(nil, mat.DenseCopyOf(z)), test.Value) / math.Sqrt(moments[1]-moments[0]*moments[0]), m.Config(), m.Stats(), (end - begin).Seconds()
}
