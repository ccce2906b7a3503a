package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/settings"
)

// Candidate names a method, the scaling of the columns and settings NAME=VALUE beside those that all candidates have.
type Candidate struct {
	Method, Scale string
	Settings      []string
}

// drawn returns the candidates s.Drawn, each as a path of its own; a method that the search does not have is refused.
func (s Config) drawn() (out candidates, err error) {
	out.paths, out.axis = crossval.Each(len(s.Drawn)), -1
	for _, c := range s.Drawn {
		of := trialSettings{settings: c.Settings}
		for _, m := range s.Methods {
			if m.Name == c.Method {
				of.method = m
			}
		}
		if of.method.Name == "" {
			return out, settings.Refuse("Drawn", c.Method, "candidates of the methods of the search")
		}
		if of.scale, err = training.ParseScale(c.Scale); err != nil {
			return out, err
		}
		out.all = append(out.all, of)
	}
	return out, nil
}

// Trainings is a search whose trainings are made apart from each other, in any order, by any processes. Each of them makes
// Trainings of the same Config and the same rows, with the candidates Drawn by the first. It is safe for concurrent use.
type Trainings struct{ p *prepared }

// Training is one candidate, or several that a method trains together, on one fold.
type Training struct {
	Rung int    // rung of successive halving, from 0; 0 without halving
	Name string // says what is trained; no other training of the search has it
	task crossval.Task
}

// Trainings prepares the search on the rows of d, which stay as they are. It returns the errors that Do returns before its first
// training. A Config with a Budget, whose choice would depend on the time, is refused; Journal and Report are not used.
func (s Config) Trainings(d *dataset.Set) (*Trainings, error) {
	if s.Budget > 0 {
		return nil, settings.Refuse("Budget", s.Budget, "none for trainings that are made apart: Trials bounds their number")
	}
	s.Journal, s.Report, s.Progress = "", nil, nil
	p, err := s.begin(d)
	if err != nil {
		return nil, err
	}
	p.search.MemoryLimit = 0 // that of each training is given to Train
	return &Trainings{p}, nil
}

// Drawn returns the candidates that were drawn, nil for a Grid.
func (t *Trainings) Drawn() []Candidate {
	if t.p.list.grid {
		return nil
	}
	var all []Candidate
	for _, c := range t.p.list.all {
		all = append(all, Candidate{c.method.Name, c.scale.String(), c.settings})
	}
	return all
}

// Bytes returns the memory of the smallest and of the largest training, beside the rows of the search.
func (t *Trainings) Bytes() (least, most int64) { return slices.Min(t.p.bytes), slices.Max(t.p.bytes) }

// Rung returns the trainings of the first rung that is not complete, in an order that depends on the search alone, or the result if all
// are. knownScores returns the scores of a training, or none if it was not made; it is called from several goroutines. An error of knownScores
// is returned.
func (t *Trainings) Rung(ctx context.Context, knownScores func(of Training) ([]Score, error)) ([]Training, *Found, error) {
	var (
		mu       sync.Mutex
		list     []Training // trainings of the first rung that is not complete
		complete = true     // whether the rung and all before it have their scores
	)
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found, err := t.p.judged(inner, func(_ context.Context, task crossval.Task) ([]float64, float64, error) {
		of := Training{task.Rung, t.p.nameOf(task), task}
		mu.Lock()
		if len(list) > 0 && list[0].Rung != of.Rung {
			if !complete { // what is left here follows from scores that are missing
				mu.Unlock()
				return nil, 0, errNotMade
			}
			list = nil
		}
		list = append(list, of)
		mu.Unlock()
		scores, err := knownScores(of)
		if err != nil {
			cancel(err)
			return nil, 0, err
		}
		if scores == nil {
			mu.Lock()
			complete = false
			mu.Unlock()
			return nil, 0, errNotMade
		}
		return judgedBy(scores)
	})
	if cause := context.Cause(inner); cause != nil {
		return nil, nil, cause
	}
	if complete {
		return nil, found, err
	}
	slices.SortFunc(list, func(a, b Training) int {
		return cmp.Or(cmp.Compare(a.task.Candidates[0], b.task.Candidates[0]), cmp.Compare(a.task.Fold, b.task.Fold))
	})
	return list, nil, nil
}

// errNotMade stands for the scores of a training that was not made.
var errNotMade = errors.New("the training was not made")

// nameOf returns the name of a training: its candidates, its fold and the number of its training rows.
func (p *prepared) nameOf(t crossval.Task) string {
	var names []string
	for _, i := range t.Candidates {
		names = append(names, p.entry(p.list.all[i], t).Candidate)
	}
	return fmt.Sprintf("%s: fold %d, %d rows", strings.Join(names, ", "), t.Fold, len(t.Train))
}

// Train makes a training of Rung and returns a score for each of its candidates, within the memory and with the workers of run, which
// change no score. The error is ctx.Err(), a *gram.ConfigError of settings that a grid has, or a *gram.MemoryError. Any other
// reason why there is no score is in Score.Failed.
func (t *Trainings) Train(ctx context.Context, of Training, run gram.Run) ([]Score, error) {
	if need := t.p.bytes[of.task.Candidates[0]]; run.MemoryLimit > 0 && need > run.MemoryLimit {
		return nil, &gram.MemoryError{Need: need, Limit: run.MemoryLimit}
	}
	task := of.task
	task.Run = gram.Run{Seed: t.p.Seed, Workers: run.Workers, MemoryLimit: run.MemoryLimit}
	start := time.Now()
	values, failed := t.p.try(ctx, t.p.d, t.p.measure, t.p.list, task)
	took := time.Since(start).Seconds() / float64(len(task.Candidates))
	if scores := t.p.scored(ctx, t.p.list, task, values, took, failed); scores != nil {
		return scores, nil
	}
	return nil, cmp.Or(ctx.Err(), failed)
}

// Forgo returns the scores of a training of Rung that nobody will make, as of one that has failed for that reason.
func (t *Trainings) Forgo(ctx context.Context, of Training, why string) []Score {
	return t.p.scored(ctx, t.p.list, of.task, nil, 0, errors.New(why))
}

// ReadGroups reads a column of the table in a file, whose other columns are read as o says, and returns a number for the cell of each
// row: equal cells have the same number. It is what Config.Group takes.
func ReadGroups(ctx context.Context, path string, o dataset.Options, column string) ([]int, error) {
	o.Target, o.TargetFile, o.Task = column, "", dataset.Classes
	o.Ignore = slices.DeleteFunc(slices.Clone(o.Ignore), func(c string) bool { return c == column })
	named, err := par.Await(ctx, func() (*dataset.Set, error) { return dataset.Open(path, o) })
	if err != nil {
		return nil, err
	}
	return named.Labels.Class, nil
}
