package neighbors

import (
	"context"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Config are the settings of classification by the nearest neighbors in a kernel.
type Config struct {
	Kernel   kernel.Kernel `json:"-"` // whose distances order the rows, stored as its Spec or, if it was learned, as a whole; no default
	K        int           // neighbors that vote; default 5, or the number of rows if that is less
	gram.Run `json:"-"`
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Int(&c.K, "k", "neighbors that vote").DefaultRule(min(5, s.Shape.N), "5, or the number of rows if that is less").
		AtLeast(1).AtMostRule(s.Shape.N, "the number of rows").SearchList(1, 3, 5, 9, 15)
}

// Plan returns what Fit will cost: a copy of the rows, and the kernel of every row with itself.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d := float64(s.N), float64(s.D)
	bytes := check.Bytes(8 * n * (2*d + 3))
	return gram.Plan{Flops: cost(c.Kernel, s.N, s.D), PeakBytes: bytes, ModelBytes: bytes, Description: "nearest neighbors in a kernel"}, nil
}

// Fit keeps a copy of all rows of x that have a weight, with their classes. The n weights w multiply the votes of the rows; nil
// means ones.
//
// Errors: *gram.ConfigError for a setting that is out of range, *gram.DataError for NaN in x, for a class that has
// no name, or for a weight that is negative; ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	start, err := rows.Begin(&c, c.Run, x, y, w)
	if err != nil {
		return nil, err
	}
	s, y, w := start.X, start.Y, start.W
	n := s.N()
	if w == nil {
		w = slices.Repeat([]float64{1}, n)
	}
	m := &Classifier{cfg: c, x: rows.Dense(s, nil), class: slices.Clone(y.Class), weight: slices.Clone(w), names: slices.Clone(y.Names)}
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	c.Report(gram.Event{Phase: "neighbors", Done: int64(n), Total: int64(n)})
	return m, nil
}

// Classifier predicts by the votes of the K nearest rows in a kernel. It is safe for concurrent use.
type Classifier struct {
	cfg    Config
	x      *mat.Dense // the rows of the fit
	class  []int
	weight []float64
	names  []string
	diag   []float64              // κ(x,x) of the rows
	block  *kernel.Block[float64] // κ against the rows
}

var _ gram.Classifier = (*Classifier)(nil)

// prepare computes what follows from the rows. The error is ctx.Err().
func (c *Classifier) prepare(ctx context.Context) error {
	n, _ := c.x.Dims()
	c.diag = make([]float64, n)
	const step = 240
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		kernel.Diagonal(c.diag[lo:hi], c.cfg.Kernel, gram.Of(c.x).Slice(lo, hi))
	}
	c.block = kernel.Against[float64](c.cfg.Kernel, c.x).Limit(c.cfg.Workers)
	return ctx.Err()
}

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (c *Classifier) Classes() []string { return c.names }

// Kernel returns the kernel whose distances order the rows.
func (c *Classifier) Kernel() kernel.Kernel { return c.cfg.Kernel }

// Config returns the settings with all defaults filled in.
func (c *Classifier) Config() Config { return c.cfg }

// Dim returns the number of columns of the data.
func (c *Classifier) Dim() int { _, d := c.x.Dims(); return d }

// Scores returns the share of the votes that the neighbors give to each class, n×classes (see the package comment).
// For two classes it is n×1, the difference between class 1 and class 0. A nil dst is allocated.
func (c *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = rows.Destination("neighbors", dst, x, c.Dim(), c.width())
	all := gram.Of(x)
	step := rows.BlockRows(n, len(c.class))
	w := &poll{votes: make([]float64, len(c.names))}
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		values := rows.Borrow(hi-lo, len(c.class))
		c.block.Fill(gram.View(values), all.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			scores(c, w, dst.RawRowView(i), values.RawRowView(i-lo))
		}
		rows.Return(values)
	}
	return dst
}

// width is the number of scores of a row.
func (c *Classifier) width() int { return multiclass.Functions(len(c.names)) }

// count adds up the votes of the neighbors near, which are given nearest first.
func (c *Classifier) count(votes []float64, near []int) {
	clear(votes)
	for place, j := range near {
		first := true
		for _, i := range near[:place] {
			first = first && c.class[i] != c.class[j]
		}
		v := c.weight[j]
		if first {
			v += 0.5 * (1 - float64(place)/float64(len(near)))
		}
		votes[c.class[j]] += v / float64(len(near))
	}
}

// Predict returns the class with the most votes, −1 for a row with NaN.
func (c *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("neighbors", dst, x, c.width(), c.Scores)
}

// Encode writes the settings, the kernel, and the rows with their classes.
func (c *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, c.form) }

// Decode reads what Encode wrote. A learned kernel must be one that the value of f knows, see kernel.Readers.
func Decode(f *modelfile.File) (*Classifier, error) {
	return modelfile.Get(f, &Classifier{}, (*Classifier).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (c *Classifier) form(x *modelfile.Exchange) {
	x.Header("neighbors", 1, &c.cfg, kernel.Stored(&c.cfg.Kernel))
	c.Exchange(x, c.cfg)
}

// Exchange writes the rows, their classes and their weights, or reads them and makes c the classifier with the
// settings cfg. It is for a model that has such a classifier and stores the settings itself.
func (c *Classifier) Exchange(x *modelfile.Exchange, cfg Config) {
	x.Strings("classes", &c.names)
	x.Dense("rows", &c.x, -1, -1)
	x.Ints("class", &c.class, -1, 0, len(c.names)-1)
	x.Float64("weight", &c.weight, len(c.class))
	if !x.Reading() {
		return
	}
	n, d := c.x.Dims()
	x.Require(len(c.class) == n, "class", "%d classes for %d rows", len(c.class), n)
	x.Require(len(c.names) > 1 && cfg.K > 0 && cfg.K <= n, "", "%d classes, %d neighbors of %d rows", len(c.names), cfg.K, n)
	if k, learned := cfg.Kernel.(interface{ Dims() (d, r int) }); learned {
		columns, _ := k.Dims()
		x.Require(columns == d, "rows", "%d columns, the kernel is for %d", d, columns)
	}
	c.cfg = cfg
	_ = c.prepare(context.Background()) // which ends with no error, as this context does not end
}
