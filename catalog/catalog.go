// Package catalog lists the methods of the module by name, with their settings
// as flags, and stores fitted models with what belongs to them: class names,
// task and scaling. The command line is made of it. A program that needs one
// method imports that method's package instead.
//
// A new method adds one file here and one line in Methods.
package catalog

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
)

// Method is one entry of the list. Decode reads what the models of its Fitter
// encode: files whose method is Name.
type Method struct {
	Name, Summary string
	Tasks         []dataset.Task // kinds of targets it learns
	New           func() Fitter
	Decode        func(*modelfile.File) (modelfile.Model, error)
}

// check is a *gram.ConfigError unless the method learns targets like those of d.
func (m Method) check(d *dataset.Set) error {
	if slices.Contains(m.Tasks, d.Task()) {
		return nil
	}
	var names []string
	for _, t := range m.Tasks {
		names = append(names, t.String())
	}
	return &gram.ConfigError{Field: "task", Value: d.Task(), Want: strings.Join(names, " or ") + " for method " + m.Name}
}

// Fitter trains one method with settings given as text.
type Fitter interface {
	// Flags defines the settings on fs with types, defaults and help; setting
	// k=v is fs.Set(k, v).
	Flags(fs *flag.FlagSet)
	// Plan returns what Fit will cost for data of shape s. Settings that follow
	// from the data are taken at a typical value.
	Plan(s gram.Shape) (gram.Plan, error)
	// Fit trains on d, of one of the method's tasks, which it neither keeps nor changes. The model is also a
	// gram.Classifier, gram.Regressor or gram.Ranker. As with the estimators
	// themselves, a model may come with a *gram.ConvergenceError.
	Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error)
}

// Methods returns all methods.
func Methods() []Method {
	return []Method{
		linearMethod,
		svmMethod,
		svrMethod,
		bkaMethod,
		dcsvmMethod,
		krrMethod,
		dividedMethod,
		mekaMethod,
		nystromMethod,
		rffMethod,
		goalNysMethod,
		goalRFFMethod,
		gbdtMethod,
		lemlMethod,
		gimcMethod,
		gbmlMethod,
		fastxmlMethod,
		sleecMethod,
		fastnysMethod,
		pseudoMethod,
		dcpredMethod,
		inductiveMethod,
		sideinfoMethod,
	}
}

// Find returns the method of that name. The error lists the names there are.
func Find(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, &gram.ConfigError{Field: "method", Value: name, Want: "one of " + strings.Join(names, ", ")}
}

// Settings returns the flags of f as a set that reports its errors and prints
// nothing by itself.
func Settings(f Fitter) *flag.FlagSet {
	fs := flag.NewFlagSet("settings", flag.ContinueOnError)
	fs.Usage = func() {}
	f.Flags(fs)
	return fs
}

// Set applies settings of the form k=v. The error names the setting, and the
// ones there are if it is unknown.
func Set(fs *flag.FlagSet, settings []string) error {
	for _, s := range settings {
		k, v, found := strings.Cut(s, "=")
		if !found {
			return fmt.Errorf("setting %q is not of the form name=value", s)
		}
		if fs.Lookup(k) == nil {
			var names []string
			fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
			return fmt.Errorf("no setting %q, there are %s", k, strings.Join(names, ", "))
		}
		if err := fs.Set(k, v); err != nil {
			return fmt.Errorf("setting %s=%s: %w", k, v, err)
		}
	}
	return nil
}

// Load reads a model file: a *Fitted as Save and the command line write it, the
// bare model of one of the methods, or a model file of LIBSVM, which becomes a
// *Fitted.
func Load(path string) (modelfile.Model, error) {
	if m, err := loadLIBSVM(path); m != nil || err != nil {
		return m, err
	}
	f, err := modelfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m modelfile.Model
	if f.Method() == fittedName {
		m, err = decodeFitted(f)
	} else {
		m, err = decode(f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// LoadFitted is Load for a model with the columns and classes of its data, as
// Save and gram fit write it; a bare model is an error.
func LoadFitted(path string) (*Fitted, error) {
	m, err := Load(path)
	if err != nil {
		return nil, err
	}
	f, ok := m.(*Fitted)
	if !ok {
		return nil, fmt.Errorf("%s: a bare model, without the columns and classes of its data; gram fit stores them", path)
	}
	return f, nil
}

// decode reads the model of a method, or a compiled one.
func decode(f *modelfile.File) (modelfile.Model, error) {
	if f.Method() == predict.FileMethod {
		return predict.Decode(f, decode)
	}
	for _, m := range Methods() {
		if m.Name == f.Method() {
			return m.Decode(f)
		}
	}
	return nil, f.Errorf("", "a model of method %q, which this version does not know", f.Method())
}
