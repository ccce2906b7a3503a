package main

import (
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/spf13/pflag"
)

// trustFlags holds the flags of gram fit for probabilities, intervals and weights.
type trustFlags struct {
	proba        string
	conformal    float64
	adaptive     bool
	classWeights string
	weights      string
}

func (t *trustFlags) define(f *pflag.FlagSet) {
	f.StringVar(&t.proba, "proba", "", "store probabilities of the classes: `KIND` platt, isotonic or temperature")
	f.Lookup("proba").NoOptDefVal = calibration.Platt.String()
	f.Float64Var(&t.conformal, "conformal", 0, "hold out this `SHARE` of the rows for intervals of values or sets of classes (default .2)")
	f.Lookup("conformal").NoOptDefVal = "0.2"
	f.BoolVar(&t.adaptive, "adaptive", false, "with --conformal: sets of classes (with --proba), or intervals of gbdt, that are larger where a row is hard")
	f.StringVar(&t.classWeights, "class-weights", "", "weights of the rows by class: balanced")
	f.StringVar(&t.weights, "weights", "", "`FILE` with the weight of every row, one number in a line")
}

// trust returns what is to be fitted beside the model.
func (t *trustFlags) trust(f *pflag.FlagSet) (training.Trust, error) {
	out := training.Trust{Conformal: t.conformal, Adaptive: t.adaptive}
	if t.proba != "" {
		kind, err := calibration.ParseKind(t.proba)
		if err != nil {
			return out, usagef("--proba is %q, want platt, isotonic or temperature", t.proba)
		}
		out.Proba = &kind
	}
	switch {
	case f.Changed("conformal") && !(t.conformal > 0 && t.conformal < 1):
		return out, usagef("--conformal is %v, want above 0 and below 1", t.conformal)
	case t.adaptive && t.conformal == 0:
		return out, usagef("--adaptive is for the intervals and sets of --conformal; those of classes are made of the probabilities of --proba")
	case t.classWeights != "" && t.classWeights != "balanced":
		return out, usagef("--class-weights is %q, want balanced", t.classWeights)
	case t.classWeights != "" && t.weights != "":
		return out, usagef("--class-weights and --weights exclude each other")
	}
	return out, nil
}

// weigh sets the weights of the rows as --class-weights and --weights ask for.
func (t *trustFlags) weigh(d *dataset.Set) error {
	if t.classWeights != "" && d.Task() != dataset.Classes {
		return usagef("--class-weights is for classes, the targets are of task %s", d.Task())
	}
	return training.Weigh(d, t.classWeights != "", t.weights)
}
