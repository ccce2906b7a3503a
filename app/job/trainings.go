package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
)

// rungPass is the first part of the names of the passes of a search, one for each rung of halving. bandPass is the pass of the quantiles
// that adaptive intervals are made of, after the pass fitPass of the model.
const rungPass, bandPass = "search", fitPass + "-band"

// The names under which a folder keeps the trainings of a pass, and what a search has found.
const listPass, foundPass = "list", "found"

// rungName is the name of the pass of a rung.
func rungName(rung int) string { return fmt.Sprintf("%s-%02d", rungPass, rung) }

// list is what a folder keeps of a pass of trainings: their names, and the candidates that the first rung has drawn.
type list struct {
	Names []string
	Drawn []search.Candidate `json:",omitempty"`
}

// Exchange describes the list in a file; a list without names is refused.
func (l *list) Exchange(x *modelfile.Exchange) {
	x.Header("job.list", 1, l)
	x.Require(len(l.Names) > 0, "", "a pass without trainings")
}

// list returns the list of a pass, nil if it is not there.
func (w *Work) list(pass string) (*list, error) {
	l := &list{}
	if have, err := w.known(listPass+"-"+pass, 0, l); !have {
		return nil, err
	}
	return l, nil
}

// known is recall for what can be made again: a file that is damaged is not there.
func (w *Work) known(name string, number int, body stored) (bool, error) {
	have, err := w.recall(name, number, body)
	if damaged := (*modelfile.FormatError)(nil); errors.As(err, &damaged) {
		return false, nil
	}
	return have, err
}

// scores is the state of a training of a search.
type scores struct {
	Name   string
	Scores []search.Score
}

// Exchange describes the scores in a file; a training without scores is refused.
func (s *scores) Exchange(x *modelfile.Exchange) {
	x.Header("job.scores", 1, s)
	x.Require(len(s.Scores) > 0, "", "a training without scores")
}

// searchResult is what a search has found, in the form in which a folder keeps it.
type searchResult struct{ *search.Found }

// Exchange describes in a file what the search has found.
func (f *searchResult) Exchange(x *modelfile.Exchange) {
	x.Header("job.found", 1, f.Found)
	x.Require(f.Best >= 0 && f.Best < len(f.Trials), "", "the best is trial %d of %d", f.Best, len(f.Trials))
}

// trainings returns the trainings of the search. The first process draws the candidates, of those whose plans fit the limit of run.
func (w *Work) trainings(ctx context.Context, run gram.Run) (*rowsInMemory, error) {
	h, err := w.rows(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all != nil {
		return h, nil
	}
	c, err := w.Job.Spec.config()
	if err != nil {
		return nil, err
	}
	c.Group = h.group
	if w.Job.Spec.Whole.Draw {
		c.Scales = search.Scales(h.set)
	}
	first, err := w.list(rungName(0))
	if err != nil {
		return nil, err
	}
	if first != nil {
		c.Drawn = first.Drawn
	} else if c.Grid == nil {
		beside, err := run.Beside(h.set.Bytes())
		if err != nil {
			return nil, err
		}
		c.MemoryLimit = beside.MemoryLimit
	}
	h.all, err = c.Trainings(h.set)
	return h, err
}

// rung returns the trainings of the first rung that is not complete, or the result of the search.
func (w *Work) rung(ctx context.Context, run gram.Run) ([]search.Training, *search.Found, error) {
	h, err := w.trainings(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	number := map[string]int{} // of a training in its rung
	for rung := 0; ; rung++ {
		l, err := w.list(rungName(rung))
		if err != nil {
			return nil, nil, err
		}
		if l == nil {
			break
		}
		for k, name := range l.Names {
			number[fmt.Sprint(rung, " ", name)] = k
		}
	}
	return h.all.Rung(ctx, func(of search.Training) ([]search.Score, error) {
		k, is := number[fmt.Sprint(of.Rung, " ", of.Name)]
		if !is {
			return nil, nil
		}
		s := &scores{}
		if have, err := w.known(rungName(of.Rung), k, s); !have || s.Name != of.Name {
			return nil, err
		}
		return s.Scores, nil
	})
}

// ofRung returns the pass of a rung, whose trainings the folder lists.
func (w *Work) ofRung(rung int, l *list) Pass {
	p := Pass{Name: rungName(rung), j: w.Job, pieces: len(l.Names)}
	p.verify = func(k int) bool {
		s := &scores{}
		have, err := w.known(p.Name, k, s)
		return have && err == nil && s.Name == l.Names[k]
	}
	p.cost = func(workers int) int64 {
		h, err := w.trainings(context.Background(), gram.Run{})
		if err != nil {
			return 0 // the piece says why
		}
		least, most := h.all.Bytes()
		if workers == 1 { // each piece looks for itself whether it has room
			return h.set.Bytes() + least
		}
		return h.set.Bytes() + int64(workers)*most
	}
	p.forgo = func(ctx context.Context, k int, large *gram.MemoryError) error {
		of, err := w.training(ctx, rung, k, gram.Run{})
		if of == nil {
			return err
		}
		h, err := w.trainings(ctx, gram.Run{})
		if err != nil {
			return err
		}
		if s := h.all.Forgo(ctx, *of, large.Error()); s != nil {
			return w.save(p, node{0, k}, &scores{of.Name, s})
		}
		return ctx.Err()
	}
	p.compute = func(ctx context.Context, k int, run gram.Run) error {
		of, err := w.training(ctx, rung, k, run)
		if of == nil {
			return err
		}
		h, err := w.trainings(ctx, run)
		if err != nil {
			return err
		}
		if run, err = run.Beside(h.set.Bytes()); err != nil {
			return err
		}
		s, err := h.all.Train(ctx, *of, run)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Names[k], err)
		}
		return w.save(p, node{0, k}, &scores{of.Name, s})
	}
	return p
}

// training returns training k of a rung, or none and no error if the rung has become complete.
func (w *Work) training(ctx context.Context, rung, k int, run gram.Run) (*search.Training, error) {
	h, err := w.trainings(ctx, run)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	known := h.rungs[rung]
	h.mu.Unlock()
	if known == nil {
		if known, _, err = w.rung(ctx, run); err != nil {
			return nil, err
		}
		if known == nil || known[0].Rung > rung {
			return nil, nil
		}
		if known[0].Rung < rung {
			return nil, fmt.Errorf("pass %s: the pass %s is not complete", rungName(rung), rungName(known[0].Rung))
		}
		h.mu.Lock()
		h.rungs[rung] = known
		h.mu.Unlock()
	}
	return &known[k], nil
}

// found returns what the search has found. If that is not in the folder yet, it follows from the scores and is kept; trainings that are
// missing are an error.
func (w *Work) found(ctx context.Context, run gram.Run) (*search.Found, error) {
	f := &searchResult{&search.Found{}}
	if have, err := w.known(foundPass, 0, f); have || err != nil {
		return f.Found, err
	}
	list, result, err := w.rung(ctx, run)
	if err != nil {
		return nil, err
	}
	if result == nil {
		return nil, fmt.Errorf("pass %s is not complete: gram part next says which passes are to be made", rungName(list[0].Rung))
	}
	return result, w.keep(foundPass, 0, &searchResult{result})
}

// Found returns what the search of the job has found; nil for a job without a search. The error says which pass is missing.
func (w *Work) Found(ctx context.Context, run gram.Run) (*search.Found, error) {
	if w.Job.Spec.Whole == nil || w.Job.Spec.Whole.Search == "" {
		return nil, nil
	}
	return w.found(ctx, run)
}

// parts returns the trainings of the model and of what is fitted beside it.
func (w *Work) parts(ctx context.Context, run gram.Run) (*training.Parts, error) {
	c, err := w.Job.Spec.config()
	if err != nil {
		return nil, err
	}
	t, err := w.Job.Spec.trust()
	if err != nil {
		return nil, err
	}
	given := w.Job.Spec.Settings
	if f, err := w.Found(ctx, run); err != nil {
		return nil, err
	} else if f != nil {
		best := f.Trials[f.Best]
		m, err := catalog.Find(best.Method)
		if err != nil {
			return nil, err
		}
		c.Methods = []catalog.Method{m}
		if c.Scale, err = training.ParseScale(best.Scale); err != nil {
			return nil, err
		}
		given = append(slices.Clone(given), best.Settings...)
	}
	h, err := w.rows(ctx)
	if err != nil {
		return nil, err
	}
	return t.Parts(c.Methods[0], given, h.set, c.Scale, w.Job.Spec.Seed)
}

// fitted is the state of a training of the model, of a fold or of a quantile.
type fitted struct{ *training.Part }

// Exchange describes in a file what the search has found.
func (s *fitted) Exchange(x *modelfile.Exchange) {
	head := struct {
		Pairs  bool
		Chosen []string
	}{s.Pairs, s.Chosen}
	x.Header("job.fitted", 1, &head)
	s.Pairs, s.Chosen = head.Pairs, head.Chosen
	if x.OptionalPart("model", s.Model != nil) {
		modelfile.Part(x, "model", &s.Model, func(f *modelfile.File) (*pipeline.Model, error) { return pipeline.Decode(f, catalog.Registry()) })
	}
	if x.Optional("scores", s.Scores != nil) {
		x.Dense("scores", &s.Scores, -1, -1)
	}
	if x.Optional("short", s.Short != nil) {
		var v []float64
		if s.Short != nil {
			v = []float64{float64(s.Short.Iter), s.Short.Residual, s.Short.Tol}
		}
		if x.AnyFloat64("short", &v, 3); x.Reading() {
			s.Short = &gram.ConvergenceError{Iter: int(v[0]), Residual: v[1], Tol: v[2]}
		}
	}
}

// partState returns the state of a training, nil if it is not there.
func (w *Work) partState(pass string, k int) (*training.Part, error) {
	s := &fitted{&training.Part{}}
	if have, err := w.known(pass, k, s); !have {
		return nil, err
	}
	return s.Part, nil
}

// ofFit returns the pass of the model and the folds, or of the band, which the folder lists.
func (w *Work) ofFit(name string, l *list) Pass {
	p := Pass{Name: name, j: w.Job, pieces: len(l.Names)}
	p.verify = func(k int) bool {
		s, err := w.partState(name, k)
		return err == nil && s != nil
	}
	p.compute = func(ctx context.Context, k int, run gram.Run) error {
		parts, err := w.parts(ctx, run)
		if err != nil {
			return err
		}
		h, err := w.rows(ctx)
		if err != nil {
			return err
		}
		number, chosen := k, []string(nil)
		if name == bandPass {
			first, err := w.partState(fitPass, 0)
			if first == nil {
				return errors.Join(err, errNoModel)
			}
			number, chosen = parts.Number()+k, first.Chosen
		}
		if run, err = run.Beside(h.set.Bytes()); err != nil {
			return err
		}
		part, err := w.makePart(ctx, parts, number, chosen, run)
		if short := (*gram.ConvergenceError)(nil); err != nil && (part == nil || part.Model == nil || !errors.As(err, &short) || short.Residual != short.Residual) {
			return fmt.Errorf("%s: %w", l.Names[k], err)
		}
		return w.save(p, node{0, k}, &fitted{part})
	}
	return p
}

// makePart is Make of parts. The model of a method whose fit consists of pieces joins those.
func (w *Work) makePart(ctx context.Context, parts *training.Parts, number int, chosen []string, run gram.Run) (*training.Part, error) {
	if number == 0 {
		if f, err := w.cutter(); f != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return w.join(ctx, f, run)
		}
	}
	return parts.Make(ctx, number, chosen, run)
}

var errNoModel = fmt.Errorf("the pass %s has not made the model", fitPass)

// toFit returns the pass of the model and the folds, or that of the band when that is to be made. What it consists of, it keeps in the folder.
func (w *Work) toFit(ctx context.Context, run gram.Run) (Pass, error) {
	l, err := w.list(fitPass)
	if err != nil {
		return Pass{}, err
	}
	if l == nil {
		parts, err := w.parts(ctx, run)
		if err != nil {
			return Pass{}, err
		}
		l = &list{Names: []string{"the model"}}
		for fold := 1; fold < parts.Number(); fold++ {
			l.Names = append(l.Names, fmt.Sprintf("the model without fold %d", fold-1))
		}
		if parts.Band() > 0 {
			names := []string{"the low quantile", "the high quantile"}
			if err := w.keep(listPass+"-"+bandPass, 0, &list{Names: names}); err != nil {
				return Pass{}, err
			}
		}
		if err := w.keep(listPass+"-"+fitPass, 0, l); err != nil {
			return Pass{}, err
		}
	}
	p := w.ofFit(fitPass, l)
	band, err := w.list(bandPass)
	if err != nil || band == nil || !w.complete(p) {
		return p, err
	}
	return w.ofFit(bandPass, band), nil
}

// wholePass returns the pass of that name of a fit to rows in memory.
func (w *Work) wholePass(ctx context.Context, name string, run gram.Run) (Pass, error) {
	var rung int
	switch _, err := fmt.Sscanf(name, rungPass+"-%d", &rung); {
	case name == fitPass || name == bandPass:
		return w.toFit(ctx, run)
	case name != rungPass && (err != nil || rung < 0):
		return w.cutPass(ctx, name, run)
	case w.Job.Spec.Whole.Search == "":
		return Pass{}, settings.Refuse("pass", name, "fit, for a job without a search")
	}
	for last := name != rungPass; ; rung++ {
		l, err := w.list(rungName(rung))
		if err != nil {
			return Pass{}, err
		}
		if l == nil {
			return Pass{}, fmt.Errorf("pass %s: gram part next says which pass is to be made", name)
		}
		p := w.ofRung(rung, l)
		if !last {
			next, err := w.list(rungName(rung + 1))
			if err != nil {
				return Pass{}, err
			}
			last = next == nil || !w.complete(p)
		}
		if last {
			return p, nil
		}
	}
}

// cutPass is Pass for those of the training of the model.
func (w *Work) cutPass(ctx context.Context, name string, run gram.Run) (Pass, error) {
	f, err := w.cutter()
	if err != nil {
		return Pass{}, err
	}
	if f != nil {
		if pass := slices.Index(f.Passes(), name); pass >= 0 {
			return w.ofCut(ctx, f, pass, run)
		}
	}
	return Pass{}, settings.Refuse("pass", name, "search, search-R or fit for a fit to rows in memory, or a pass of its method, of which gram part next says the name")
}

// Begin lists the trainings of the first pass of a fit to rows in memory and returns their number. It draws the candidates of a search, of
// those whose plans fit the limit of run; all processes take these.
func (w *Work) Begin(ctx context.Context, run gram.Run) (int, error) {
	name := rungName(0)
	if w.Job.Spec.Whole.Search == "" {
		p, err := w.firstFit(ctx, run)
		if err != nil {
			return 0, err
		}
		name = p.Name
	} else if _, err := w.nextRung(ctx, run); err != nil {
		return 0, err
	}
	l, err := w.list(name)
	if l == nil {
		return 0, errors.Join(err, fmt.Errorf("the list of the pass %s is gone", name))
	}
	return len(l.Names), nil
}

// firstFit returns the first pass of the model.
func (w *Work) firstFit(ctx context.Context, run gram.Run) (Pass, error) {
	if f, err := w.cutter(); f != nil || err != nil {
		if err != nil {
			return Pass{}, err
		}
		return w.ofCut(ctx, f, 0, run)
	}
	return w.toFit(ctx, run)
}

// nextWhole returns the name of the next pass of a fit to rows in memory, empty at the end.
func (w *Work) nextWhole(ctx context.Context, run gram.Run) (string, error) {
	if name, err := w.nextRung(ctx, run); name != "" || err != nil {
		return name, err
	}
	if name, err := w.nextCut(ctx, run); name != "" || err != nil {
		return name, err
	}
	p, err := w.toFit(ctx, run)
	if err != nil || w.complete(p) {
		return "", err
	}
	return p.Name, nil
}

// nextRung returns the pass of a search that is to be made, empty if there is none.
func (w *Work) nextRung(ctx context.Context, run gram.Run) (string, error) {
	if w.Job.Spec.Whole.Search == "" {
		return "", nil
	}
	if have, err := w.known(foundPass, 0, &searchResult{&search.Found{}}); have || err != nil {
		return "", err
	}
	for rung := 0; ; rung++ {
		l, err := w.list(rungName(rung))
		if err != nil {
			return "", err
		}
		if l == nil {
			trainings, result, err := w.rung(ctx, run)
			if err != nil {
				return "", err
			}
			if result != nil {
				return "", w.keep(foundPass, 0, &searchResult{result})
			}
			if before := trainings[0].Rung; before < rung {
				return rungName(before), nil
			}
			l = &list{}
			for _, of := range trainings {
				l.Names = append(l.Names, of.Name)
			}
			if h, err := w.rows(ctx); err != nil {
				return "", err
			} else if rung == 0 {
				l.Drawn = h.all.Drawn()
			}
			if err := w.keep(listPass+"-"+rungName(rung), 0, l); err != nil {
				return "", err
			}
		}
		if p := w.ofRung(rung, l); !w.complete(p) {
			return p.Name, nil
		}
	}
}

// wholeModel makes the trainings of the model that are missing, one after the other, and returns it.
func (w *Work) wholeModel(ctx context.Context, run gram.Run) (*pipeline.Model, *Features, error) {
	if _, err := w.Found(ctx, run); err != nil {
		return nil, nil, err
	}
	for {
		name, err := w.nextWhole(ctx, run)
		if err != nil {
			return nil, nil, err
		}
		if name == "" {
			break
		}
		p, err := w.wholePass(ctx, name, run)
		if err != nil {
			return nil, nil, err
		}
		for k := range p.Pieces() {
			if err := w.Item(ctx, p, k, run); err != nil {
				return nil, nil, err
			}
		}
	}
	parts, err := w.parts(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	var chosen []string
	m, err := parts.Join(ctx, func(k int) (*training.Part, error) {
		pass, at := fitPass, k
		if k >= parts.Number() {
			pass, at = bandPass, k-parts.Number()
		}
		s, err := w.partState(pass, at)
		if s == nil {
			return nil, errors.Join(err, fmt.Errorf("pass %s has not made piece %d: %w", pass, at, fs.ErrNotExist))
		}
		if s.Short != nil {
			err = s.Short
		}
		if pass == fitPass && at == 0 {
			chosen = s.Chosen
		}
		return s, err
	})
	h, held := w.rows(ctx)
	if m == nil || held != nil {
		return nil, nil, errors.Join(err, held)
	}
	n, d := h.set.Dims()
	return m, &Features{Info: dataset.Info{N: n, D: d, Task: h.set.Task(), Names: h.set.Labels.Names, Schema: h.set.Schema}, Settings: chosen, j: w.Job}, err
}

// listWhole returns the passes of a fit to rows in memory that are known, and whether no other is needed.
func (w *Work) listWhole() (passes []listed, ended bool, err error) {
	add := func(name string) (have bool, err error) {
		l, err := w.list(name)
		if l == nil {
			return false, err
		}
		after := w.path(Pass{Name: listPass + "-" + name}, node{0, 0})
		passes = append(passes, listed{name, len(l.Names), func(k int) string { return w.path(Pass{Name: name}, node{0, k}) }, after})
		return true, nil
	}
	if w.Job.Spec.Whole.Search != "" {
		for rung := 0; ; rung++ {
			if have, err := add(rungName(rung)); err != nil {
				return nil, false, err
			} else if !have {
				break
			}
		}
	}
	if f, err := w.cutter(); err != nil {
		return nil, false, err
	} else if f != nil {
		for _, name := range f.Passes() {
			if _, err := add(name); err != nil {
				return nil, false, err
			}
		}
	}
	if ended, err = add(fitPass); err == nil {
		_, err = add(bandPass)
	}
	return passes, ended, err
}
