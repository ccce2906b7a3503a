package job

import (
	"context"
	"errors"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
)

// cut is the training of a model that consists of pieces. Its passes come before the pass fit, whose piece for the model joins them.
type cut struct {
	fit    catalog.Cut
	parts  *training.Parts
	bytes  int64 // memory of all rows, in bytes
	passes int   // number of passes whose pieces fit has been given
}

// CutsFit reports whether the fit of a method to rows in memory consists of pieces itself.
func CutsFit(method string) bool {
	m, err := catalog.Find(method)
	return err == nil && inPieces(m) != nil
}

// inPieces returns a fitter of the method if its fit consists of pieces, else nil.
func inPieces(m catalog.Method) catalog.InPieces {
	f, _ := catalog.Plain(m.New()).(catalog.InPieces)
	return f
}

// cutter returns a fitter of the model's method if its fit consists of pieces, else nil. It is nil, too, until the search is at its end.
func (w *Work) cutter() (catalog.InPieces, error) {
	name := w.Job.Spec.Method
	if w.Job.Spec.Whole.Search != "" {
		f := &searchResult{&search.Found{}}
		if have, err := w.known(foundPass, 0, f); !have || err != nil {
			return nil, err
		}
		name = f.Trials[f.Best].Method
	}
	m, err := catalog.Find(name)
	if err != nil {
		return nil, err
	}
	return inPieces(m), nil
}

// errCut ends a training that was begun to get its pieces.
var errCut = errors.New("the training is cut into pieces")

// cutFit returns the training of the model in pieces, which has the pieces of the passes before the given one.
func (w *Work) cutFit(ctx context.Context, f catalog.InPieces, pass int, run gram.Run) (*cut, error) {
	h, err := w.rows(ctx)
	if err != nil {
		return nil, err
	}
	h.cutting.Lock()
	defer h.cutting.Unlock()
	if h.cut == nil {
		c := &cut{bytes: h.set.Bytes()}
		if c.parts, err = w.parts(ctx, run); err != nil {
			return nil, err
		}
		unbound := run
		unbound.MemoryLimit = 0 // each piece checks it
		_, err := c.parts.Through(ctx, unbound, func(f catalog.Fitter, d *dataset.Set, run gram.Run) (_ modelfile.Model, err error) {
			if x := gram.CSR(d.X); x == nil || x != gram.CSR(h.set.X) { // a copy
				c.bytes += d.Bytes()
			}
			if c.fit, err = f.(catalog.InPieces).Cut(d, run); err == nil {
				err = errCut
			}
			return nil, err
		})
		if !errors.Is(err, errCut) {
			return nil, err
		}
		h.cut = c
	}
	for c := h.cut; c.passes < pass; c.passes++ {
		all := make([]catalog.Piece, c.fit.Pieces(c.passes))
		for k := range all {
			if all[k], err = w.piece(f, c.passes, k); err != nil {
				return nil, err
			}
		}
		if err := c.fit.Take(ctx, c.passes, all); err != nil {
			return nil, err
		}
	}
	return h.cut, nil
}

// piece returns a piece that must be there.
func (w *Work) piece(f catalog.InPieces, pass, k int) (catalog.Piece, error) {
	s, name := f.Piece(pass), f.Passes()[pass]
	if have, err := w.known(name, k, s); !have {
		return nil, errors.Join(err, fmt.Errorf("the pass %s is not complete: it has not made piece %d", name, k))
	}
	return s, nil
}

// ofCut returns a pass of the training of the model, whose pieces it lists in the folder if the passes before are complete.
func (w *Work) ofCut(ctx context.Context, f catalog.InPieces, pass int, run gram.Run) (Pass, error) {
	name := f.Passes()[pass]
	l, err := w.list(name)
	if err != nil {
		return Pass{}, err
	}
	if l == nil {
		c, err := w.cutFit(ctx, f, pass, run)
		if err != nil {
			return Pass{}, err
		}
		l = &list{}
		for k := range c.fit.Pieces(pass) {
			l.Names = append(l.Names, fmt.Sprintf("%s %d", name, k))
		}
		if err := w.keep(listPass+"-"+name, 0, l); err != nil {
			return Pass{}, err
		}
	}
	p := Pass{Name: name, j: w.Job, pieces: len(l.Names)}
	p.verify = func(k int) bool {
		have, err := w.known(name, k, f.Piece(pass))
		return have && err == nil
	}
	p.cost = func(workers int) int64 {
		c, err := w.cutFit(context.Background(), f, pass, gram.Run{})
		if err != nil {
			return 0 // the piece says why
		}
		most := int64(0)
		for k := range p.pieces {
			most = max(most, c.fit.Plan(pass, k, gram.Run{Workers: 1}).PeakBytes)
		}
		return c.bytes + int64(workers)*most
	}
	p.compute = func(ctx context.Context, k int, run gram.Run) error {
		c, err := w.cutFit(ctx, f, pass, run)
		if err != nil {
			return err
		}
		if run, err = run.Beside(c.bytes); err != nil {
			return err
		}
		s, err := c.fit.Make(ctx, pass, k, run)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Names[k], err)
		}
		return w.save(p, node{0, k}, s)
	}
	return p, nil
}

// nextCut returns the pass of the training of the model that is to be made, empty if there is none.
func (w *Work) nextCut(ctx context.Context, run gram.Run) (string, error) {
	f, err := w.cutter()
	if f == nil {
		return "", err
	}
	for pass := range f.Passes() {
		if p, err := w.ofCut(ctx, f, pass, run); err != nil || !w.complete(p) {
			return p.Name, err
		}
	}
	return "", nil
}

// join reads the pieces of the last pass and makes the model of them.
func (w *Work) join(ctx context.Context, f catalog.InPieces, run gram.Run) (*training.Part, error) {
	last := len(f.Passes()) - 1
	c, err := w.cutFit(ctx, f, last, run)
	if err != nil {
		return nil, err
	}
	return c.parts.Through(ctx, run, func(_ catalog.Fitter, _ *dataset.Set, run gram.Run) (modelfile.Model, error) {
		return c.fit.Join(ctx, func(k int) (catalog.Piece, error) { return w.piece(f, last, k) }, run)
	})
}
