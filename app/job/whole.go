package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
)

// Whole says what is fitted to rows that every process has in memory. Its pieces are trainings: of the candidates of a search on
// each fold, then of the model, which itself may consist of pieces, and of the folds that probabilities are fitted to. The choice
// and the model are the same as those that one process makes.
type Whole struct {
	Search    string  `json:",omitempty"` // auto, or a grid as of search.ParseGrid; empty: the settings of the Spec are taken
	Trials    int     `json:",omitempty"` // this and the next seven are as in search.Config; Draw draws the scaling, too
	Folds     int     `json:",omitempty"`
	Repeats   int     `json:",omitempty"`
	Halving   int     `json:",omitempty"`
	Metric    string  `json:",omitempty"`
	Groups    string  `json:",omitempty"` // a column, which is not learned from
	Draw      bool    `json:",omitempty"`
	Proba     string  `json:",omitempty"` // kind of the probabilities as of calibration.ParseKind; empty: none
	Conformal float64 `json:",omitempty"`
	Adaptive  bool    `json:",omitempty"` // this and Conformal are as in training.Trust
	Balanced  bool    `json:",omitempty"` // this and Weights are as of training.Weigh
	Weights   string  `json:",omitempty"`

	// Rows is a hash of the rows, the targets, the weights, the groups, and the names and levels of the columns, which NewWhole sets.
	Rows string
}

// wholeFile is more than the bytes of any file: each one is an item.
const wholeFile = 1 << 50

// rowsInMemory is what a process has of a fit to rows in memory.
type rowsInMemory struct {
	mu    sync.Mutex
	set   *dataset.Set
	group []int
	all   *search.Trainings
	rungs map[int][]search.Training

	cutting sync.Mutex // for cut
	cut     *cut       // the training of the model in pieces; nil: it was not begun
}

// hash returns the hash of the rows, groups and schema, with which Whole.Rows is compared.
func (h *rowsInMemory) hash() string {
	text := search.Fingerprint(h.set, h.group)
	if h.set.Schema != nil {
		text = fmt.Sprintf("%s %q", text, fmt.Sprintf("%+v", *h.set.Schema))
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// NewWhole is New for a Spec with Whole. It reads all rows, and checks that they can be learned.
func NewWhole(ctx context.Context, spec Spec) (*Job, error) {
	whole := *spec.Whole
	whole.Rows = ""
	spec.Whole = &whole
	j, err := New(spec)
	if err != nil {
		return nil, err
	}
	h, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := j.learns(h.set); err != nil {
		return nil, err
	}
	whole.Rows = h.hash()
	if err := j.resolve(); err != nil {
		return nil, err
	}
	j.inMemory = h
	return j, nil
}

// checkWhole checks the settings of a fit to rows in memory.
func (s Spec) checkWhole() error {
	c, err := s.config()
	if err == nil {
		_, err = s.trust()
	}
	if err != nil {
		return err
	}
	w := s.Whole
	switch {
	case s.Cap > 0:
		return settings.Refuse("Cap", s.Cap, "0 for a fit to rows in memory")
	case s.Table == nil:
		return settings.Refuse("Table", "not given", "given for a fit to rows in memory")
	case s.Method == "" && w.Search == "":
		return settings.Refuse("method", "not given", "a method, or a search")
	case w.Draw && w.Search != searchAuto:
		return settings.Refuse("Draw", true, "false without a search that draws")
	case w.Balanced && w.Weights != "":
		return settings.Refuse("Weights", w.Weights, "none beside Balanced")
	case w.Search == "":
		if w.Groups != "" {
			return settings.Refuse("Groups", w.Groups, "none without a search")
		}
		m, err := catalog.Find(s.Method)
		if err != nil {
			return err
		}
		return m.New().Settings().Set(s.Settings...)
	}
	return c.Check()
}

// searchAuto is the value of Whole.Search with which candidates are drawn from the ranges of the settings.
const searchAuto = "auto"

// config returns the search without what follows from the rows.
func (s Spec) config() (search.Config, error) {
	w := s.Whole
	c := search.Config{Settings: s.Settings, Trials: w.Trials, Folds: w.Folds, Repeats: w.Repeats, Halving: w.Halving, Metric: w.Metric,
		Encode: s.encoding(), Run: gram.Run{Seed: s.Seed}}
	var err error
	if s.Scale != "" {
		if c.Scale, err = training.ParseScale(s.Scale); err != nil {
			return c, err
		}
	}
	if s.Method != "" {
		m, err := catalog.Find(s.Method)
		if err != nil {
			return c, err
		}
		c.Methods = []catalog.Method{m}
	}
	if w.Search != searchAuto && w.Search != "" {
		c.Grid, err = search.ParseGrid(w.Search)
	}
	return c, err
}

// encoding returns how columns become numbers; it is the zero Config for data without a Table.
func (s Spec) encoding() encode.Config {
	if s.Table == nil {
		return encode.Config{}
	}
	return s.Table.Encode
}

// trust returns what is fitted beside the model.
func (s Spec) trust() (training.Trust, error) {
	w := s.Whole
	t := training.Trust{Conformal: w.Conformal, Adaptive: w.Adaptive, Encode: s.encoding()}
	if w.Proba == "" {
		return t, nil
	}
	kind, err := calibration.ParseKind(w.Proba)
	t.Proba = &kind
	return t, err
}

// open reads the rows with their weights and groups.
func (j *Job) open(ctx context.Context) (*rowsInMemory, error) {
	w := j.Spec.Whole
	set, err := par.Await(ctx, func() (*dataset.Set, error) { return dataset.Open(j.Spec.Data, j.options) })
	if err != nil {
		return nil, err
	}
	if err := training.Weigh(set, w.Balanced, w.Weights); err != nil {
		return nil, err
	}
	h := &rowsInMemory{set: set, rungs: map[int][]search.Training{}}
	if w.Groups != "" {
		if h.group, err = search.ReadGroups(ctx, j.Spec.Data, j.options, w.Groups); err != nil {
			return nil, fmt.Errorf("the groups: %w", err)
		}
	}
	return h, nil
}

// learns is the error of rows that cannot be learned.
func (j *Job) learns(d *dataset.Set) error {
	c, err := j.Spec.config()
	if err != nil {
		return err
	}
	t, err := j.Spec.trust()
	if err != nil {
		return err
	}
	if c.Methods == nil {
		if c.Methods, err = search.Portfolio(d); err != nil {
			return err
		}
	}
	for _, m := range c.Methods {
		if err := m.Check(d); err != nil {
			return err
		}
		if err := t.Check(m, j.Spec.Settings, d); err != nil {
			return err
		}
	}
	return nil
}

// Rows returns the rows of a job of NewWhole, or of a job with Spec.Whole whose rows this process has read; nil: there are none.
func (j *Job) Rows() *dataset.Set {
	j.reading.Lock()
	defer j.reading.Unlock()
	if j.inMemory == nil {
		return nil
	}
	return j.inMemory.set
}

// rows returns the rows of the job, which this process reads once.
func (w *Work) rows(ctx context.Context) (*rowsInMemory, error) {
	j := w.Job
	j.reading.Lock()
	defer j.reading.Unlock()
	if j.inMemory != nil {
		return j.inMemory, nil
	}
	h, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	if h.hash() != j.Spec.Whole.Rows {
		return nil, fmt.Errorf("%s: its rows, columns, targets, weights or groups have changed since the job in %s was begun: begin again in another folder", j.Spec.Data, w.Dir)
	}
	j.inMemory = h
	return h, nil
}
