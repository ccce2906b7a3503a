package settings

import (
	"slices"
	"strings"
)

// Targets are the kinds of targets for which candidates are declared.
type Targets uint8

// Candidates can be declared for these kinds of targets.
const (
	AnyTargets Targets = iota
	ForClasses
	ForValues
	ForLabels // sets of labels
)

// Judge says what a choice judges candidates by.
type Judge uint8

// A choice can judge candidates by these.
const (
	Folds       Judge = iota // the loss of rows that are held out in folds
	HeldOut                  // the rows of one part, held out, that are predicted right
	LeaveOneOut              // the method's own leave-one-out error, for which no candidates are declared
)

// Candidates declares the values that a choice by the data tries for a setting that is not given, or
// for several settings together, beside their defaults. A configuration that is fitted as it is does not
// choose; package crossval does.
type Candidates struct {
	Names []string // the settings; they are chosen only if none of them is given
	// Lists holds assignments NAME=VALUE, with spaces between those of several names. A choice by folds goes
	// through each list until an entry is worse than those before it.
	Lists    [][]string
	Targets  Targets
	MostRows int // the number of rows up to which they are chosen; 0: any
	Judge    Judge
	With     string // HeldOut: an assignment for the fits that judge
}

// Tries declares candidates. They are chosen in the order of their declarations.
func (s *Fields) Tries(c Candidates) {
	if s.resolving {
		return
	}
	prefixed := func(list []string) []string {
		var out []string
		for _, text := range list {
			words := strings.Fields(text)
			for i := range words {
				words[i] = s.prefix + words[i]
			}
			out = append(out, strings.Join(words, " "))
		}
		return out
	}
	c.Names = prefixed(c.Names)
	lists := c.Lists
	c.Lists = nil
	for _, list := range lists {
		c.Lists = append(c.Lists, prefixed(list))
	}
	s.candidates = append(s.candidates, c)
}

// Untried drops the candidates that were declared so far: the configuration leaves settings of its parts at their defaults.
func (s *Fields) Untried() { s.candidates = nil }

// without drops the candidates from number at on of which a setting has one of the names.
func (s *Fields) without(at int, names []string) {
	s.candidates = append(s.candidates[:at:at], slices.DeleteFunc(s.candidates[at:], func(c Candidates) bool {
		return slices.ContainsFunc(c.Names, func(name string) bool { return slices.Contains(names, strings.TrimPrefix(name, s.prefix)) })
	})...)
}

// Tries declares a list of candidates that a choice by folds tries after the default. Each call adds a list.
func (n *Number[T]) Tries(values ...T) *Number[T] {
	return n.tries(Folds, AnyTargets, values)
}

// TriesHeldOut is Tries for a choice by one part of the rows that is held out, for such targets.
func (n *Number[T]) TriesHeldOut(targets Targets, values ...T) *Number[T] {
	return n.tries(HeldOut, targets, values)
}

// LeaveOneOut declares that a choice takes the value that the method's own leave-one-out error prefers, for
// such targets.
func (n *Number[T]) LeaveOneOut(targets Targets) *Number[T] {
	return n.tries(LeaveOneOut, targets, nil)
}

func (n *Number[T]) tries(judge Judge, targets Targets, values []T) *Number[T] {
	if n.s.resolving {
		return n
	}
	var list []string
	for _, v := range values {
		list = append(list, n.item.Name+"="+format(v/n.unit))
	}
	all := n.s.candidates
	if k := len(all) - 1; k >= 0 && judge == Folds && slices.Equal(all[k].Names, []string{n.item.Name}) {
		all[k].Lists = append(all[k].Lists, list)
		return n
	}
	c := Candidates{Names: []string{n.item.Name}, Judge: judge, Targets: targets}
	if list != nil {
		c.Lists = [][]string{list}
	}
	n.s.candidates = append(all, c)
	return n
}

// InDeviations says that candidates and a search look for the value in units of the standard deviation of the
// target.
func (n *Number[T]) InDeviations() *Number[T] {
	n.item.InDeviations = true
	return n
}
