package reference_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// refused says whether err refuses the setting with this name, for a value that holds these words.
func refused(t *testing.T, field, words string, err error) {
	t.Helper()
	var ce *gram.ConfigError
	if !errors.As(err, &ce) || ce.Field != field || !strings.Contains(ce.Error(), words) {
		t.Errorf("%s: %v", field, err)
	}
}

// M = 0 stands for the number of landmarks that are fixed, of which there can be more than rows.
func TestFixedLandmarksAreCounted(t *testing.T) {
	ctx := t.Context()
	gauss := kernel.Gaussian{Gamma: .3}
	x := probeNormal(1, 20, 3)
	tags := probeTags(2, x, 4)
	y := mat.Col(nil, 0, x)
	pairs := []constraint.Linear{constraint.Distance(0, 1, constraint.AtMost, .1)}
	for _, m := range []int{3, 25} {
		u := landmark.Fixed{U: probeNormal(7, m, 3)}
		count := map[string]int{}
		count["goal"] = fitted[*goal.Regressor](t)(goal.Config{Kernel: gauss, Landmarks: u, MaxIter: gram.Set(0)}.FitValues(ctx, x, y, nil)).Config().M
		count["gimc"] = fitted[*gimc.Model](t)(gimc.Config{Map: completion.Nystrom, Landmarks: u, Fixed: true}.Fit(ctx, x, tags)).Config().M
		side := completion.Side{Map: completion.Nystrom, Landmarks: u}
		count["completion"] = fitted[*completion.Model](t)(completion.Config{Rows: side, Rank: 2}.Fit(ctx, tags, x, nil)).Config().Rows.M
		count["itml"] = fitted[*itml.Model](t)(itml.Config{Kernel: gauss, Landmarks: u, Slack: 1}.Fit(ctx, x, pairs)).Config().M
		count["nystrom"] = fitted[*nystrom.Model](t)(nystrom.Config{Kernel: gauss, Landmarks: u}.Fit(ctx, x)).Config().M
		for name, got := range count {
			if got != m {
				t.Errorf("%s: M is %d for %d landmarks", name, got, m)
			}
		}
		_, err := goal.Config{Kernel: gauss, Landmarks: u, M: 4}.FitValues(ctx, x, y, nil)
		refused(t, "M", "4", err)
		_, err = gimc.Config{Map: completion.Nystrom, Landmarks: u, M: 4}.Fit(ctx, x, tags)
		refused(t, "M", "4", err)
		side.M = 4
		_, err = completion.Config{Rows: side, Rank: 2}.Fit(ctx, tags, x, nil)
		refused(t, "Rows.M", "4", err)
		_, err = itml.Config{Kernel: gauss, Landmarks: u, M: 4}.Fit(ctx, x, pairs)
		refused(t, "M", "4", err)
	}
}

// Landmarks with row numbers are those rows, also where a model returns both.
func TestFixedIndexAndMatrix(t *testing.T) {
	ctx := t.Context()
	x := probeNormal(1, 20, 3)
	index := []int{2, 5, 11}
	u := mat.NewDense(3, 3, nil)
	for k, i := range index {
		u.SetRow(k, x.RawRowView(i))
	}
	c := nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, Landmarks: landmark.Fixed{Index: index, U: u}}
	m := fitted[*nystrom.Model](t)(c.Fit(ctx, x))
	if got := m.Stats().Index; !slices.Equal(got, index) {
		t.Errorf("landmarks are rows %v, want %v", got, index)
	}
	w := slices.Repeat([]float64{1}, 20)
	w[0], w[3] = 0, 0
	if got := fitted[*nystrom.Model](t)(c.FitWeighted(ctx, x, w)).Stats().Index; !slices.Equal(got, index) {
		t.Errorf("with weights landmarks are rows %v, want %v", got, index)
	}
	other := mat.DenseCopyOf(u)
	other.Set(1, 1, 7)
	c.Landmarks = landmark.Fixed{Index: index, U: other}
	_, err := c.Fit(ctx, x)
	refused(t, "Landmarks.U", "Index", err)
	c.Landmarks = landmark.Fixed{Index: index[:2], U: u}
	_, err = c.Fit(ctx, x)
	refused(t, "Landmarks.Index", "2", err)
}

// A row is a landmark of one expert alone, and no landmark is held out.
func TestExpertsShareNoRows(t *testing.T) {
	ctx := t.Context()
	x := probeNormal(1, 20, 3)
	c := nystrom.Ensemble{Config: nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}}, Fitted: true}
	c.Given = nystrom.Given{Experts: []landmark.Fixed{{Index: []int{1, 2, 8}}, {Index: []int{4, 8}}}}
	w := slices.Repeat([]float64{1}, 20)
	w[0] = 0
	_, err := c.FitWeighted(ctx, x, w)
	refused(t, "Given.Experts", "row 8 for experts 0 and 1", err)
	c.Given = nystrom.Given{Experts: []landmark.Fixed{{Index: []int{1, 2, 8}}, {Index: []int{4, 9}}}, HeldOut: []int{3, 9, 12}}
	_, err = c.FitWeighted(ctx, x, w)
	refused(t, "Given.HeldOut", "row 9", err)
	c.Given.HeldOut = []int{3, 12}
	m := fitted[*nystrom.EnsembleModel](t)(c.Fit(ctx, x))
	c.Given = m.Given()
	again := fitted[*nystrom.EnsembleModel](t)(c.Fit(ctx, x))
	if !slices.Equal(m.Weights(), again.Weights()) {
		t.Errorf("weights %v, with what the model returns %v", m.Weights(), again.Weights())
	}
}
