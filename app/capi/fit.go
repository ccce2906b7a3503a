//go:build cgo

package main

/*
#define GRAM_TYPES_ONLY
#include "gram.h"
#include <stdlib.h>

static inline int32_t gram_call(gram_progress f, void *context, const char *phase, int64_t done, int64_t total, double objective) {
	return f(context, phase, done, total, objective);
}
*/
import "C"

import (
	"context"
	"strconv"
	"time"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/fit"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/search"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
)

//export gram_fit
func gram_fit(method *C.char, config **C.char, x *C.gram_matrix, y *C.gram_target, weights *C.double, options *C.gram_options, model *C.gram_model, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		a, err := asks(method, config, options, model)
		if err != nil {
			return err
		}
		defer a.end()
		rows, err := matrix("x", x)
		if err != nil {
			return err
		}
		a.Set = &dataset.Set{X: rows}
		if err := setTarget(a.Set, y); err != nil {
			return err
		}
		return a.fit(weights, model)
	})
}

// asking is what a call asks of package fit, all but the rows.
type asking struct {
	fit.Request
	ctx context.Context
	end func() // must be called
}

// asks returns what a call asks for, but the rows, and sets the handle to none.
func asks(method *C.char, config **C.char, options *C.gram_options, model *C.gram_model) (*asking, error) {
	m, err := named(method, model)
	if err != nil {
		return nil, err
	}
	a := &asking{Request: fit.Request{Method: m, Settings: texts(config)}}
	switch {
	case method != nil:
		err = assigned(m.New().Settings(), a.Settings)
	case len(a.Settings) > 0 && (options == nil || options.from == 0):
		err = invalid("settings are for one method, and method is NULL")
	}
	if err != nil {
		return nil, err
	}
	r, err := running(options)
	if err != nil {
		return nil, err
	}
	a.ctx, a.end, a.Run, a.Trust, a.Prepare.Scale = r.ctx, r.end, r.run, r.trust, r.scale
	if err := choices(&a.Request, options); err != nil {
		a.end()
		return nil, err
	}
	return a, nil
}

// fit fits the model to the rows of a.Set with the weights.
func (a *asking) fit(weights *C.double, model *C.gram_model) (err error) {
	if weights != nil {
		n, _ := a.Set.Dims()
		if a.Set.Weight, err = array[float64]("weights", unsafe.Pointer(weights), n); err != nil {
			return err
		}
	}
	got, err := fit.Do(a.ctx, a.Request)
	if err != nil {
		return err
	}
	*model = newHandle(got.Model)
	return got.Short
}

// choices adds to a request what the options say of a search, a race and a model to go on from.
func choices(r *fit.Request, o *C.gram_options) (err error) {
	if o == nil {
		return nil
	}
	if o.from != 0 {
		if r.From, err = at[*pipeline.Model](o.from, "model to go on from"); err != nil {
			return err
		}
		if r.Method.Name != "" && r.Method.Name != r.From.Method {
			return invalid("the method is %s, the model to go on from is one of %s", r.Method.Name, r.From.Method)
		}
		if r.Method, err = catalog.Find(r.From.Method); err != nil {
			return err
		}
		if o.search != nil || r.Trust.Proba != nil || r.Trust.Conformal != 0 || o.scale != nil {
			return invalid("search, probabilities, conformal and scale are not for a model to go on from")
		}
		r.Prepare.Scale = training.NoScale // beside that of the model
	}
	if !(o.budget >= 0 && o.budget <= 1e9) {
		return invalid("budget is %v, want seconds from 0 on", float64(o.budget))
	}
	r.Budget = time.Duration(float64(o.budget) * float64(time.Second))
	if o.metric != nil {
		r.Metric = C.GoString(o.metric)
	}
	if o.search == nil {
		if o.trials != 0 || o.folds != 0 || r.Method.Name != "" && (o.metric != nil || o.budget != 0) {
			return invalid("trials, folds, metric and budget are for a search")
		}
		return nil
	}
	s := &search.Config{Settings: r.Settings, Metric: r.Metric}
	if r.Method.Name != "" {
		s.Methods = []catalog.Method{r.Method}
	}
	if s.Trials, err = number("trials", o.trials); err == nil {
		s.Folds, err = number("folds", o.folds)
	}
	if err != nil {
		return err
	}
	if text := C.GoString(o.search); text != "auto" {
		if s.Trials != 0 || r.Budget != 0 {
			return invalid("trials and budget are for the search auto")
		}
		if s.Grid, err = search.ParseGrid(text); err != nil {
			return invalid("search: %v", err)
		}
	}
	s.Budget = r.Budget
	if err := s.Check(); err != nil {
		return invalid("search: %v", err)
	}
	r.Search = s
	return nil
}

//export gram_fit_map
func gram_fit_map(method *C.char, config **C.char, x *C.gram_matrix, options *C.gram_options, model *C.gram_model, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := named(method, model)
		if err == nil && method == nil {
			err = invalid("method is NULL")
		}
		if err != nil {
			return err
		}
		rows, err := matrix("x", x)
		if err != nil {
			return err
		}
		fitter, ok := catalog.Plain(m.New()).(catalog.Streamed)
		if !ok || !fitter.Streams() || !fitter.Mapped() {
			return invalid("method %s has no feature map that is fitted alone", m.Name)
		}
		if err := assigned(fitter.Settings(), texts(config)); err != nil {
			return err
		}
		r, err := running(options)
		if err != nil {
			return err
		}
		defer r.end()
		switch o := options; {
		case r.scaled && r.scale != training.NoScale || r.trust.Proba != nil || r.trust.Conformal != 0 || r.trust.Adaptive:
			return invalid("a feature map has neither scaling nor probabilities nor intervals")
		case o != nil && (o.from != 0 || o.search != nil || o.trials != 0 || o.folds != 0 || o.metric != nil || o.budget != 0):
			return invalid("from, search, trials, folds, metric and budget are for models, not for feature maps")
		}
		b, err := fitter.FitMap(r.ctx, rows, r.run)
		if err != nil {
			return err
		}
		*model = newHandle(b)
		return nil
	})
}

// named returns the method, if it has a name, and sets the handle to none.
func named(method *C.char, model *C.gram_model) (m catalog.Method, err error) {
	if model == nil {
		return m, invalid("the place of the model is NULL")
	}
	if *model = 0; method != nil {
		m, err = catalog.Find(C.GoString(method))
	}
	return m, err
}

// assigned gives settings their values; an error is one of the call.
func assigned(s *settings.Bound, assignments []string) error {
	if err := s.Set(assignments...); err != nil {
		return invalid("%v", err)
	}
	return nil
}

// setTarget gives set the target y, of which exactly one of label, value and sets must be there; with y NULL set has no target.
func setTarget(set *dataset.Set, y *C.gram_target) error {
	if y == nil {
		return nil
	}
	n, _ := set.Dims()
	given := 0
	for _, there := range []bool{y.label != nil, y.value != nil, y.sets != nil} {
		if there {
			given++
		}
	}
	if given != 1 {
		return invalid("one of label, value and sets is the target, not %d of them", given)
	}
	var err error
	switch {
	case y.value != nil:
		set.Value, err = array[float64]("value", unsafe.Pointer(y.value), n)
		return err
	case y.sets != nil:
		if set.Tags, err = compressed("sets", y.sets); err == nil && set.Tags.N != n {
			err = invalid("sets has %d rows, x has %d", set.Tags.N, n)
		}
		return err
	}
	classes, err := number("classes", y.classes)
	if err != nil {
		return err
	}
	labels, err := array[int64]("label", unsafe.Pointer(y.label), n)
	if err != nil {
		return err
	}
	set.Labels.Class = make([]int, n)
	for i, c := range labels {
		if c < 0 || c >= int64(classes) {
			return &gram.DataError{Row: i, Col: -1, Value: float64(c), Reason: "class " + strconv.FormatInt(c, 10) + " of " + strconv.Itoa(classes)}
		}
		set.Labels.Class[i] = int(c)
	}
	var names []*C.char
	if y.names != nil {
		if names, err = array[*C.char]("names", unsafe.Pointer(y.names), classes); err != nil {
			return err
		}
	} else if classes > n {
		return invalid("%d classes of %d rows", classes, n)
	}
	set.Labels.Names = make([]string, classes)
	first := make(map[string]int, classes)
	for c := range set.Labels.Names {
		set.Labels.Names[c] = strconv.Itoa(c)
		if names != nil {
			if names[c] == nil {
				return invalid("the name of class %d is NULL", c)
			}
			set.Labels.Names[c] = C.GoString(names[c])
		}
		name := set.Labels.Names[c]
		if before, twice := first[name]; twice {
			return invalid("the classes %d and %d are both called %q", before, c, name)
		}
		first[name] = c
	}
	return nil
}

// settled is what gram_options say, with defaults where they are NULL. Its end must be called.
type settled struct {
	ctx    context.Context
	end    func()
	run    gram.Run
	scale  training.Scale
	scaled bool // scale was given
	trust  training.Trust
}

// running returns how a fit runs. Its end must be called.
func running(o *C.gram_options) (r settled, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	r.ctx, r.end, r.scale = ctx, cancel, training.AutoScale
	if o == nil {
		return r, nil
	}
	defer func() {
		if err != nil {
			r.end()
		}
	}()
	r.run.Seed, r.run.MemoryLimit = uint64(o.seed), int64(o.memory_limit)
	if r.run.Workers, err = number("workers", o.workers); err != nil {
		return r, err
	}
	if r.run.MemoryLimit < 0 {
		return r, invalid("memory_limit is %d, want a number from 0 on", r.run.MemoryLimit)
	}
	if o.scale != nil {
		r.scaled = true
		if r.scale, err = training.ParseScale(C.GoString(o.scale)); err != nil {
			return r, err
		}
	}
	if o.probabilities != nil {
		kind, err := calibration.ParseKind(C.GoString(o.probabilities))
		if err != nil {
			return r, err
		}
		r.trust.Proba = &kind
	}
	r.trust.Conformal, r.trust.Adaptive = float64(o.conformal), o.adaptive != 0
	if o.cancel != 0 {
		s, err := at[*cancelSwitch](o.cancel, "switch")
		if err != nil {
			return r, err
		}
		stop := context.AfterFunc(s.ctx, cancel)
		r.end = func() { stop(); cancel() }
	}
	if o.progress != nil {
		call, argument := o.progress, o.context
		r.run.Progress = func(ev gram.Event) {
			phase := C.CString(ev.Phase)
			defer C.free(unsafe.Pointer(phase))
			if C.gram_call(call, argument, phase, C.int64_t(ev.Done), C.int64_t(ev.Total), C.double(ev.Objective)) != 0 {
				cancel()
			}
		}
	}
	return r, nil
}

// cancelSwitch ends the fits that were given it.
type cancelSwitch struct {
	ctx    context.Context
	cancel context.CancelFunc
}

//export gram_cancel_new
func gram_cancel_new() C.gram_cancel {
	ctx, cancel := context.WithCancel(context.Background())
	return newHandle(&cancelSwitch{ctx, cancel})
}

//export gram_cancel_now
func gram_cancel_now(h C.gram_cancel, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		s, err := at[*cancelSwitch](h, "switch")
		if err == nil {
			s.cancel()
		}
		return err
	})
}

//export gram_cancel_free
func gram_cancel_free(h C.gram_cancel) {
	if _, err := at[*cancelSwitch](h, "switch"); err == nil {
		release(h)
	}
}
