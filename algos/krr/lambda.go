package krr

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// maxJudged is the number of rows that ChooseLambda looks at, and slack the share by which the
// error of its choice may be above the least.
const (
	maxJudged = 500
	slack     = 1e-3
)

// ChooseLambda returns the largest λ, in the convention of c.Penalty, whose leave-one-out error
// of the n×t targets y is within a thousandth of the least: a quarter of a power of ten between
// 10⁻⁸ and 10² times the mean eigenvalue of the kernel matrix. Of more than 500 rows it takes 500 at random. The number
// that is added to the diagonal carries over to all rows, because it stands for the variance
// of the noise, which does not depend on their number. w are weights of the rows; nil means
// ones. The Lambda and the Solver of c do not matter.
//
// Cost: that of Path for at most 500 rows, of which the eigendecomposition, a tenth of a second,
// cannot be interrupted.
func (c Config) ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	x, y, w, _, err := rows.Weighted(c, c.Run, x, y, w)
	if err != nil {
		return 0, err
	}
	n, _ := x.Dims()
	if err := check.Rows(n); err != nil {
		return 0, err
	}
	if err := check.Targets(y, n); err != nil {
		return 0, err
	}
	if err := check.Weights(w, n); err != nil {
		return 0, err
	}
	total := float64(n)
	if w != nil {
		total = 0
		for _, v := range w {
			total += v
		}
	}
	if n > maxJudged {
		index := rng.New(rng.Derive(c.Seed, "lambda"), 0).Perm(n)[:maxJudged]
		// Sparse rows stay sparse until the plan for so many is checked.
		x, y, w = gram.Of(x).Select(index), rows.Dense(gram.Of(y), index), rows.Pick(w, index)
	}
	path, err := c.Path(ctx, x, y, w)
	if err != nil {
		return 0, err
	}
	var mean float64
	for _, mu := range path.mu {
		mean += mu / float64(len(path.mu))
	}
	if !(mean > 0) {
		mean = 1
	}
	var shift []float64
	for k := range 41 {
		shift = append(shift, mean*math.Pow(10, -8+float64(k)/4))
	}
	scores, least := path.scores(shift), math.Inf(1)
	for _, s := range scores {
		least = min(least, s.LeaveOneOut)
	}
	best := shift[0]
	for i, s := range scores {
		if s.LeaveOneOut <= (1+slack)*least {
			best = shift[i]
		}
	}
	return best / c.Penalty.Scale(1, total), nil
}

// ChooseLambdaClasses is ChooseLambda for the targets ±1 of FitClasses.
func (c Config) ChooseLambdaClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (float64, error) {
	signs, err := signsOf(x, y, w)
	if err != nil {
		return 0, err
	}
	return c.ChooseLambda(ctx, x, signs, w)
}
