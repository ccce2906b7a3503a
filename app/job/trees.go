package job

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/store"
	"gonum.org/v1/gonum/mat"
)

// The passes of trees: bins writes the bins of the cells, and trees-R-P is pass number P of round R.
const binsPass, treesPass = "bins", "trees"

// treesName is the name of a pass of a round.
func treesName(round, number int) string {
	return fmt.Sprintf("%s-%06d-%03d", treesPass, round, number)
}

// The names under which a folder keeps what passes of trees need: what is known before the first round, a pass, and
// the trees of a round.
const startPass, askPass, roundPass = "start", "ask", "round"

// binned is the state of the pass bins: what the rows are, and how many each item has.
type binned struct {
	*gbdt.Counts
	rows []int64
}

func (s *binned) add(o State) error {
	t := o.(*binned)
	s.Merge(t.Counts)
	s.rows = append(s.rows, t.rows...)
	return nil
}

// Exchange describes in a file the counts of the bins and the number of rows of each item, which must add up.
func (s *binned) Exchange(x *modelfile.Exchange) {
	x.Part("counts", s.Counts.Exchange)
	x.Int64("items", &s.rows, -1)
	var n int64
	for k, rows := range s.rows {
		x.Require(rows >= 0 && rows <= int64(s.Rows()), "items", "%d rows of item %d", rows, k)
		n += rows
	}
	x.Require(n == int64(s.Rows()), "items", "%d rows, not %d", n, s.Rows())
}

// started is what the rounds need to know of the rows.
type started struct {
	*binned
	total float64 // of the values
}

// Exchange describes in a file what the pass has gathered.
func (s *started) Exchange(x *modelfile.Exchange) {
	x.Part("binned", s.binned.Exchange)
	x.Number("total", &s.total)
}

// summed is the state of a pass of a round.
type summed struct{ *gbdt.Sums }

func (s *summed) add(o State) error { return s.Merge(o.(*summed).Sums) }

// trees is where the trees of a folder stand.
type trees struct {
	w    *Work
	f    *Features
	bins *gbdt.Bins
	*started
}

// bins returns the pass that writes the bins of the cells of each item to a file of the folder.
func (w *Work) bins(f *Features) Pass {
	bins := f.bins(gram.Run{Workers: 1})
	return Pass{
		Name: binsPass,
		j:    w.Job,
		item: func(ctx context.Context, k int) (State, error) {
			p, err := w.writeBins(ctx, f, bins, k)
			if err != nil {
				return nil, err
			}
			return &binned{p.Counts(), []int64{int64(p.Counts().Rows())}}, nil
		},
		make: func() State { return &binned{Counts: bins.NewCounts()} },
		cost: func(workers int) int64 { return int64(workers) * bins.PieceBytes() },
	}
}

// binsFile is the file of the bins and targets of item k, and scoreFile that of its scores before a round.
func (w *Work) binsFile(k int) string {
	return store.Join(w.Dir, fmt.Sprintf("bins-%06d.rows", k))
}

func (w *Work) scoreFile(round, k int) string {
	return store.Join(w.Dir, fmt.Sprintf("scores-%06d-%06d.rows", round, k))
}

// inOrder is a file to which the blocks of a piece are written in their order.
type inOrder struct {
	to io.Writer
	n  int64
}

// WriteAt appends p. It returns an error unless at is where the file ends.
func (f *inOrder) WriteAt(p []byte, at int64) (int, error) {
	if at != f.n {
		return 0, fmt.Errorf("a block is written at %d, not at %d", at, f.n)
	}
	n, err := f.to.Write(p)
	f.n += int64(n)
	return n, err
}

// writeBins reads item k and writes the file of its bins.
func (w *Work) writeBins(ctx context.Context, f *Features, bins *gbdt.Bins, k int) (*gbdt.Piece, error) {
	p := bins.NewPiece(ctx)
	err := modelfile.WriteFile(w.binsFile(k), func(to io.Writer) error {
		rows := &inOrder{to: to}
		err := f.binned(ctx, k, func(x mat.Matrix, value []float64, class []int) error { return p.Add(rows, x, value, class) })
		if bad := (*gram.DataError)(nil); errors.As(err, &bad) {
			err = fmt.Errorf("%s: %w", w.Job.Items[k].Path, err)
		}
		if err != nil {
			return err
		}
		return p.Flush(rows)
	})
	return p, err
}

// sized opens a file if it is there and has so many bytes; else it returns nil.
func sized(path string, bytes int64) (store.File, error) {
	file, err := store.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Size() == bytes {
		return file, nil
	}
	file.Close()
	return nil, err
}

// A file of scores is not synced to the disk, so that a crash of the machine may damage it. Its last bytes are the
// CRC-32C of those before.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writeSummed writes a file with such a sum.
func writeSummed(path string, write func(to io.Writer) error) error {
	return modelfile.WriteUnsynced(path, func(to io.Writer) error {
		sum := crc32.New(castagnoli)
		if err := write(io.MultiWriter(to, sum)); err != nil {
			return err
		}
		_, err := to.Write(sum.Sum(nil))
		return err
	})
}

// completeFile opens a file with such a sum behind so many bytes. It returns nil unless the file is there and whole.
func completeFile(path string, bytes int64) (store.File, error) {
	file, err := sized(path, bytes+crc32.Size)
	if file == nil {
		return nil, err
	}
	sum, have := crc32.New(castagnoli), make([]byte, crc32.Size)
	if _, err = io.Copy(sum, io.NewSectionReader(file, 0, bytes)); err == nil {
		_, err = file.ReadAt(have, bytes)
	}
	if err == nil && string(sum.Sum(nil)) == string(have) {
		return file, nil
	}
	file.Close()
	return nil, err
}

// open returns the rows of item k and the file of their bins, which is made again if it is gone.
func (t *trees) open(ctx context.Context, k int) (*gbdt.Piece, store.File, error) {
	first := int64(0)
	for _, n := range t.rows[:k] {
		first += n
	}
	p := t.bins.OpenPiece(ctx, int(t.rows[k]), int(first))
	bytes, _ := p.Bytes()
	for again := false; ; again = true {
		file, err := sized(t.w.binsFile(k), bytes)
		if file != nil || err != nil {
			return p, file, err
		}
		if again {
			return nil, nil, fmt.Errorf("%s: it has not the %d bytes of its rows", t.w.binsFile(k), bytes)
		}
		made, err := t.w.writeBins(ctx, t.f, t.bins, k)
		if err != nil {
			return nil, nil, err
		}
		if n := made.Counts().Rows(); int64(n) != t.rows[k] {
			return nil, nil, fmt.Errorf("%s: an item has %d rows, and had %d: the data have changed", t.w.Job.Items[k].Path, n, t.rows[k])
		}
	}
}

// scores returns the file of the scores of item k before a round. If it is gone it is made again: from the scores before
// the last round, if they are there, or from the first round on.
func (t *trees) scores(ctx context.Context, p *gbdt.Piece, bins io.ReaderAt, round, k int) (store.File, error) {
	_, bytes := p.Bytes()
	path := t.w.scoreFile(round, k)
	if file, err := completeFile(path, bytes); file != nil || err != nil {
		return file, err
	}
	var from io.ReaderAt
	begin := 0
	if round > 0 {
		before, err := completeFile(t.w.scoreFile(round-1, k), bytes)
		if err != nil {
			return nil, err
		}
		if before != nil {
			defer before.Close()
			from, begin = before, round-1
		}
	}
	rounds, err := t.rounds(begin, round)
	if err != nil {
		return nil, err
	}
	b, err := t.boost()
	if err != nil {
		return nil, err
	}
	err = writeSummed(path, func(to io.Writer) error {
		return p.Score(ctx, bins, from, &inOrder{to: to}, b.Constants(), rounds...)
	})
	if err != nil {
		return nil, err
	}
	return store.Open(path)
}

// boost returns the boosting of the binned rows before its first round.
func (t *trees) boost() (*gbdt.Boosting, error) { return t.bins.Boost(t.Counts, t.total) }

// rounds reads the trees of the rounds lo … hi−1.
func (t *trees) rounds(lo, hi int) ([]*gbdt.Round, error) {
	var all []*gbdt.Round
	for k := lo; k < hi; k++ {
		r := t.bins.NewRound()
		if have, err := t.w.recall(roundPass, k, r); err != nil || !have {
			return nil, errors.Join(err, missing(have, "round %d is not there", k))
		}
		all = append(all, r)
	}
	return all, nil
}

// missing is an error unless something is there.
func missing(have bool, format string, args ...any) error {
	if have {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// started returns what is known before the first round. It is nil if the pass bins is not complete.
func (w *Work) started(ctx context.Context, f *Features) (*trees, error) {
	bins := f.bins(gram.Run{Workers: 1})
	t := &trees{w, f, bins, &started{binned: &binned{Counts: bins.NewCounts()}}}
	if have, err := w.recall(startPass, 0, t.started); have || err != nil {
		return t, err
	}
	p := w.bins(f)
	if !w.complete(p) {
		return nil, nil
	}
	s, err := w.Sum(ctx, p)
	if err != nil {
		return nil, err
	}
	t.binned = s.(*binned)
	if err := f.sameRows(int64(t.Rows())); err != nil {
		return nil, err
	}
	for k := 0; k < len(t.rows) && f.Info.Task == dataset.Regression; k++ { // in the order of the rows, as in memory
		p, file, err := t.open(ctx, k)
		if err == nil {
			t.total, err = p.Total(ctx, file, t.total)
			file.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	return t, w.keep(startPass, 0, t.started)
}

// pass returns the pass of a round that finds an answer.
func (t *trees) pass(pass *gbdt.Pass) Pass {
	return Pass{
		Name: treesName(pass.Round, pass.Number),
		j:    t.w.Job,
		item: func(ctx context.Context, k int) (State, error) {
			p, bins, err := t.open(ctx, k)
			if err != nil {
				return nil, err
			}
			defer bins.Close()
			scores, err := t.scores(ctx, p, bins, pass.Round, k)
			if err != nil {
				return nil, err
			}
			defer scores.Close()
			s, err := p.Sum(ctx, bins, scores, pass)
			return &summed{s}, err
		},
		make:     func() State { return &summed{pass.Sums()} },
		cost:     func(workers int) int64 { return int64(workers) * t.bins.PieceBytes() },
		unsynced: true,
	}
}

// askNumber is the number under which the folder keeps a pass.
func askNumber(round, number int) int { return 1000*round + number }

// made returns the number of rounds that are made, and the number of the last pass that is kept, −1 if there is none.
func (w *Work) made() (rounds, passes int, err error) {
	names, err := w.files()
	passes = -1
	for _, name := range names {
		var k int
		if _, err := fmt.Sscanf(name, roundPass+"-0-%d.state", &k); err == nil {
			rounds = max(rounds, k+1)
		}
		if _, err := fmt.Sscanf(name, askPass+"-0-%d.state", &k); err == nil {
			passes = max(passes, k)
		}
	}
	return rounds, passes, err
}

// grow takes the steps that the complete passes allow and returns the pass that is to be made next, with its question kept in the
// folder. It is nil once all rounds are made.
func (t *trees) grow(ctx context.Context) (*Pass, error) {
	b, err := t.boost()
	if err != nil {
		return nil, err
	}
	made, _, err := t.w.made()
	if err != nil {
		return nil, err
	}
	if made > 0 {
		last, err := t.rounds(made-1, made)
		if err != nil {
			return nil, err
		}
		b.Continue(made, last[0])
	}
	for !b.Done() {
		ask := b.Pass()
		p := t.pass(ask)
		s, err := t.w.load(p, node{t.w.Job.Depth(), 0})
		if err != nil {
			if !t.w.complete(p) {
				return &p, t.w.keep(askPass, askNumber(ask.Round, ask.Number), ask)
			}
			if s, err = t.w.Sum(ctx, p); err != nil {
				if made, _, other := t.w.made(); other == nil && made > ask.Round { // another process has forgotten the round meanwhile
					return t.grow(ctx)
				}
				return nil, err
			}
		}
		r, err := b.Step(ctx, s.(*summed).Sums)
		if err != nil {
			return nil, err
		}
		if r != nil {
			if err := t.w.keep(roundPass, ask.Round, r); err != nil {
				return nil, err
			}
			if err := t.w.forget(ask.Round); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// forget removes what belongs to rounds before the given one, which is made: nobody needs it but a process that is
// late, which makes it again or fails.
func (w *Work) forget(round int) error {
	names, err := w.files()
	for _, name := range names {
		k, old := 0, round
		for _, form := range []string{treesPass + "-%d", "scores-%d", askPass + "-0-%d"} {
			if _, err := fmt.Sscanf(name, form, &k); err == nil {
				if form[0] == askPass[0] {
					old = askNumber(round, 0)
				}
				if k < old {
					err = store.Remove(store.Join(w.Dir, name))
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						return err
					}
				}
				break
			}
		}
	}
	return err
}

// nextOfTrees returns the name of the next pass of boosted trees once the bins are known, empty at the end.
func (w *Work) nextOfTrees(ctx context.Context, f *Features) (string, error) {
	t, err := w.started(ctx, f)
	if err != nil {
		return "", err
	}
	if t == nil {
		return binsPass, nil
	}
	p, err := t.grow(ctx)
	if p == nil {
		return "", err
	}
	return p.Name, err
}

// ofTrees returns a pass of trees: bins, trees-R-P, or trees for that which Next has named last. A pass of a round that is
// made has nothing to do.
func (w *Work) ofTrees(ctx context.Context, f *Features, name string) (Pass, error) {
	if name == binsPass {
		return w.bins(f), nil
	}
	t, err := w.started(ctx, f)
	if err == nil && t == nil {
		err = fmt.Errorf("pass %s: the pass %s comes first", name, binsPass)
	}
	if err != nil {
		return Pass{}, err
	}
	var round, number int
	if name == treesPass {
		_, last, err := w.made()
		if err != nil {
			return Pass{}, err
		}
		if last < 0 {
			p, err := t.grow(ctx)
			if p == nil {
				return Pass{Name: name, j: w.Job, done: true}, err
			}
			return *p, err
		}
		round, number = last/askNumber(1, 0), last%askNumber(1, 0)
	} else if _, err := fmt.Sscanf(name, treesPass+"-%d-%d", &round, &number); err != nil || round < 0 || number < 0 || number >= askNumber(1, 0) {
		return Pass{}, fmt.Errorf("pass %s: want %s-R-P", name, treesPass)
	}
	ask := t.bins.NewPass()
	have, err := w.recall(askPass, askNumber(round, number), ask)
	if err != nil {
		return Pass{}, err
	}
	if made, _, err := w.made(); err != nil || round < made {
		return Pass{Name: name, j: w.Job, done: true}, err
	}
	if !have {
		return Pass{}, fmt.Errorf("pass %s: gram part next says which pass is to be made", name)
	}
	return t.pass(ask), nil
}

// grown returns the model of all rounds, or an error while passes are missing.
func (w *Work) grown(ctx context.Context, f *Features) (modelfile.Model, error) {
	t, err := w.started(ctx, f)
	if err == nil && t == nil {
		err = fmt.Errorf("the pass %s is not complete", binsPass)
	}
	if err != nil {
		return nil, err
	}
	p, err := t.grow(ctx)
	if err == nil && p != nil {
		err = fmt.Errorf("the pass %s is not complete", p.Name)
	}
	if err != nil {
		return nil, err
	}
	made, _, err := w.made()
	if err != nil {
		return nil, err
	}
	rounds, err := t.rounds(0, made)
	if err != nil {
		return nil, err
	}
	b, err := t.boost()
	if err != nil {
		return nil, err
	}
	return b.Model(rounds), nil
}
