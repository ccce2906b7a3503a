package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
)

// journal is the file of a search: a line that says which search it is, and a line for each
// training, in JSON. A line is written at once. A last line that is cut off, because the
// program or the machine stopped, is removed when the file is opened again. The nil journal
// stores nothing.
type journal struct {
	mu    sync.Mutex
	file  *os.File
	known map[string]Score
}

// journalHead is the first line: what the scores of a candidate depend on.
type journalHead struct {
	Journal int // version of the format
	Data    string
	Seed    uint64
	Folds   int
	Repeats int
	Metric  string
	Encode  encode.Config
}

// Score is the result of a candidate on a fold: a line of a journal.
type Score struct {
	Candidate string // name of the candidate, with the settings common to all
	Fold      int
	Rows      int // number of training rows
	Score     float64
	Seconds   float64
	Slow      *gram.ConvergenceError `json:",omitempty"` // why the training stopped before its tolerance, with a residual of 0 for one that is no number
	Failed    string                 `json:",omitempty"` // why there is no score
	NotNumber bool                   `json:",omitempty"` // the score is no finite number, for which Score has 0
}

func (e Score) key() string { return fmt.Sprint(e.Candidate, " | ", e.Fold, " ", e.Rows) }

// openJournal reads the journal of s, or makes it.
func openJournal(s Config, d *dataset.Set, measure metric.Measure) (*journal, error) {
	if s.Journal == "" {
		return nil, nil
	}
	head := journalHead{Journal: 1, Data: Fingerprint(d, s.Group), Seed: s.Seed, Folds: s.Folds, Repeats: max(1, s.Repeats), Metric: measure.Name, Encode: s.Encode}
	first, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(s.Journal, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &journal{file: f, known: map[string]Score{}}
	if err := j.read(first, head); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// read reads the file, whose first line must be first unless there is none.
func (j *journal) read(first []byte, head journalHead) error {
	data, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := int64(bytes.LastIndexByte(data, '\n') + 1)
	if whole == 0 { // no line was ever completed
		if len(data) > 0 && !bytes.HasPrefix(first, data) {
			return fmt.Errorf("%s: not the journal of a search", j.file.Name())
		}
		return errors.Join(j.file.Truncate(0), j.write(0, first))
	}
	lines := bytes.Split(bytes.TrimSuffix(data[:whole], []byte{'\n'}), []byte{'\n'})
	if !bytes.Equal(lines[0], first) {
		var old journalHead
		if json.Unmarshal(lines[0], &old) != nil || old.Journal == 0 {
			return fmt.Errorf("%s: not the journal of a search", j.file.Name())
		}
		what := "encoding"
		switch {
		case old.Journal != head.Journal:
			what = "version"
		case old.Data != head.Data:
			what = "data"
		case old.Seed != head.Seed:
			what = "seed"
		case old.Folds != head.Folds || old.Repeats != head.Repeats:
			what = "folds"
		case old.Metric != head.Metric:
			what = "metric"
		}
		return fmt.Errorf("%s: the journal of a search with another %s", j.file.Name(), what)
	}
	for i, line := range lines[1:] {
		var e Score
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%s:%d: %w", j.file.Name(), i+2, err)
		}
		j.known[e.key()] = e
	}
	if whole == int64(len(data)) {
		return nil
	}
	if err := j.file.Truncate(whole); err != nil {
		return err
	}
	_, err = j.file.Seek(whole, io.SeekStart)
	return err
}

// write writes a line at an offset of the file.
func (j *journal) write(at int64, line []byte) error {
	if _, err := j.file.Seek(at, io.SeekStart); err != nil {
		return err
	}
	_, err := j.file.Write(append(line, '\n'))
	return err
}

func (j *journal) close() {
	if j != nil {
		_ = j.file.Close()
	}
}

func (s Config) entry(c trialSettings, t crossval.Task) Score {
	c.settings = append(append([]string{}, s.Settings...), c.settings...)
	return Score{Candidate: c.String(), Fold: t.Fold, Rows: len(t.Train)}
}

// recall returns what the journal holds of the candidates of t: their scores, the seconds of one candidate, and the error of the
// training. It returns no scores and no error unless the journal has all of them.
func (j *journal) recall(s Config, list candidates, t crossval.Task) (scores []float64, seconds float64, err error) {
	if j == nil {
		return nil, 0, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	var known []Score
	for _, i := range t.Candidates {
		e, ok := j.known[s.entry(list.all[i], t).key()]
		if !ok {
			return nil, 0, nil
		}
		known = append(known, e)
	}
	return judgedBy(known)
}

// judgedBy returns what a training has returned whose candidates have these scores.
func judgedBy(known []Score) (scores []float64, seconds float64, err error) {
	for _, e := range known {
		switch {
		case e.Failed != "":
			return nil, e.Seconds, errors.New(e.Failed)
		case e.Slow != nil:
			err = e.Slow
		}
		if e.NotNumber {
			e.Score = math.NaN()
		}
		scores, seconds = append(scores, e.Score), e.Seconds
	}
	return scores, seconds, err
}

// scored returns the scores of the candidates of t, or none if the training ended by an interruption, by a mistake in the
// settings or by too little memory, which another run may not have.
func (s Config) scored(ctx context.Context, list candidates, t crossval.Task, scores []float64, seconds float64, failed error) []Score {
	var slow *gram.ConvergenceError
	var config *gram.ConfigError
	var memory *gram.MemoryError
	if ctx.Err() != nil || errors.As(failed, &config) || errors.As(failed, &memory) {
		return nil
	}
	if failed != nil && !errors.As(failed, &slow) {
		scores = nil // a model that came with the error does not count
	}
	var out []Score
	for k, i := range t.Candidates {
		e := s.entry(list.all[i], t)
		if e.Seconds = seconds; scores == nil {
			e.Failed = failed.Error()
		} else if e.Score = scores[k]; slow != nil {
			if e.Slow = slow; !isNumber(slow.Residual) {
				e.Slow = &gram.ConvergenceError{Iter: slow.Iter, Tol: slow.Tol}
			}
		}
		if !isNumber(e.Score) {
			e.Score, e.NotNumber = 0, true
		}
		out = append(out, e)
	}
	return out
}

// isNumber reports whether v is finite: JSON has no other numbers.
func isNumber(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// record adds the result of t, if another run would have it, too.
func (j *journal) record(ctx context.Context, s Config, list candidates, t crossval.Task, scores []float64, seconds float64, failed error) error {
	if j == nil {
		return nil
	}
	var lines bytes.Buffer
	for _, e := range s.scored(ctx, list, t, scores, seconds, failed) {
		if e.NotNumber { // which versions before would read as 0
			return nil
		}
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err := j.file.Write(lines.Bytes())
	return err
}

// Fingerprint is a hash of the rows, the targets, the weights and the groups.
func Fingerprint(d *dataset.Set, group []int) string {
	h := sha256.New()
	add := func(v any) { // of a fixed size
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err) // cannot happen: a hash takes everything
		}
	}
	integers := func(list []int) {
		wide := make([]int64, len(list))
		for i, v := range list {
			wide[i] = int64(v)
		}
		add(int64(len(wide)))
		add(wide)
	}
	n, dim := d.Dims()
	integers([]int{n, dim, int(d.Task())})
	x := gram.Of(d.X)
	if x.IsSparse() { // a row may have very many columns
		for i := range n {
			col, val := x.Nonzeros(i)
			integers([]int{len(col), len(val)})
			add(col)
			add(val)
		}
	} else {
		row := make([]float64, dim)
		for i := range n {
			x.CopyRow(row, i)
			add(row)
		}
	}
	add(d.Value)
	integers(d.Labels.Class)
	fmt.Fprintf(h, "%q", d.Labels.Names)
	if d.Tags != nil {
		integers(d.Tags.Ptr)
		add(d.Tags.Col)
	}
	add(d.Weight)
	integers(group)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
