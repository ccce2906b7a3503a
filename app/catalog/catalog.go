// Package catalog lists the methods of the module by name, with their settings, and the registry that reads
// their models. It serves the command line. A program that needs one method imports the package of that
// method instead.
//
// A new method adds one file here and one line in Methods.
package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/routed"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/neighbors"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/store"
)

// Method is one entry of the list. Decode reads what the models of its Fitter
// encode: files whose method is Name.
type Method struct {
	Name, Summary string
	Tasks         []dataset.Task // kinds of targets it learns
	Clusters      bool           // its classes are clusters, which have no names in common with those of data
	Trees         bool           // it splits single columns, whose scale does not matter
	Scaled        bool           // dense columns have mean 0 and variance 1 for it unless a scale is asked for, as they have for a kernel
	Lengths       bool           // sparse rows with sets of labels, such as counts of words, have length 1 for it unless a scale is asked for
	Mixed         bool           // it takes categories, as levels, and missing cells as they are
	Blocks        bool           // of numbers that encode a category it knows that they belong together: in the schema of its rows they have a name in common
	New           func() Fitter
	Decode        func(*modelfile.File) (modelfile.Model, error)
}

// Check is a *gram.ConfigError unless the method learns targets like those of d, with weights
// if d has them.
func (m Method) Check(d *dataset.Set) error {
	if slices.Contains(m.Tasks, d.Task()) {
		if d.Weight != nil && (m.Clusters || d.Task() == dataset.MultiLabel) {
			return settings.Refuse("weights", "given", "none for method %s", m.Name)
		}
		return nil
	}
	var names []string
	for _, t := range m.Tasks {
		names = append(names, t.String())
	}
	other := ""
	if c := m.Counterpart(); c != "" {
		other = " (did you mean " + c + "?)"
	}
	if m.WithoutTarget() {
		return settings.Refuse("task", d.Task(), "none for method %s, which learns without a target (--task none)", m.Name)
	}
	return settings.Refuse("task", d.Task(), "%s for method %s%s", strings.Join(names, " or "), m.Name, other)
}

// WithoutTarget reports whether the method learns from rows alone.
func (m Method) WithoutTarget() bool {
	return slices.Equal(m.Tasks, []dataset.Task{dataset.NoTarget})
}

// Counterpart returns the method that learns values as m learns classes, or classes as m learns values; "" if
// there is none, or m learns both.
func (m Method) Counterpart() string {
	switch m.Name {
	case svrMethod.Name:
		return svmMethod.Name
	case nuSVMMethod.Name:
		return nuSVRMethod.Name
	case nuSVRMethod.Name:
		return nuSVMMethod.Name
	case svmMethod.Name, bkaMethod.Name, dcsvmMethod.Name, aesvmMethod.Name:
		return svrMethod.Name
	}
	return ""
}

// Fitter trains one method with settings given as text.
type Fitter interface {
	// Settings returns the settings. Setting them changes the fitter.
	Settings() *settings.Bound
	// Plan returns the expected cost of Fit with run for data of the task and of shape s: some fits take another way
	// if its MemoryLimit asks for that. Settings that follow from the data are taken at a typical value.
	Plan(task dataset.Task, s gram.Shape, run gram.Run) (gram.Plan, error)
	// Fit trains on d, of one of the method's tasks, which it neither keeps nor changes. The model is also a
	// gram.Classifier, gram.Regressor or gram.Ranker. As with the estimators
	// themselves, a model may come with a *gram.ConvergenceError.
	Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error)
}

// Methods returns all methods in a new slice, which the caller may change.
func Methods() []Method {
	return []Method{
		linearMethod,
		svmMethod,
		svrMethod,
		nuSVMMethod,
		nuSVRMethod,
		oneClassMethod,
		bkaMethod,
		dcsvmMethod,
		krrMethod,
		falkonMethod,
		gpMethod,
		rfmMethod,
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
		pltMethod,
		sleecMethod,
		fastnysMethod,
		pseudoMethod,
		dcpredMethod,
		ldklMethod,
		aesvmMethod,
		alacarteMethod,
		inductiveMethod,
		sideinfoMethod,
		bregmanMethod,
		pairwiseMethod,
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
	return Method{}, settings.Refuse("method", name, "one of %s%s", strings.Join(names, ", "), settings.Hint(name, names))
}

// Must is Find for a name that is known to be one of a method. It panics for any other.
func Must(name string) Method {
	m, err := Find(name)
	if err != nil {
		panic("catalog: " + err.Error())
	}
	return m
}

// Registry says how the models of all methods are read. To its maps, which are nobody
// else's, a program may add what is its own.
func Registry() *pipeline.Registry {
	r := &pipeline.Registry{
		Models:  map[string]func(*modelfile.File) (modelfile.Model, error){},
		Bases:   basis.Registry{},
		Kernels: kernel.Registry{},
		Learned: kernel.Readers{"inductive.function": func(f *modelfile.File) (kernel.Kernel, error) { return itml.DecodeFunction(f) }},
	}
	maps.Copy(r.Learned, kernel.CompositeReaders())
	for _, m := range Methods() {
		r.Models[m.Name] = m.Decode
	}
	r.Models["krr.divided"] = dckrr.DecodeAny
	r.Models[classifierOfProcess] = gpMethod.Decode
	r.Models["gbdt.classifier"], r.Models["gbdt.regressor"] = r.Models["gbdt"], r.Models["gbdt"]
	r.Models[routed.Method] = routed.Decode
	r.Models["ssc"] = pairwiseMethod.Decode
	r.Models["neighbors"] = func(f *modelfile.File) (modelfile.Model, error) { return neighbors.Decode(f) }
	r.Bases["nystrom"] = func(f *modelfile.File) (basis.Basis, error) { return nystrom.Decode(f) }
	r.Bases["rff"] = func(f *modelfile.File) (basis.Basis, error) { return rff.Decode(f) }
	r.Bases["fastnys"] = func(f *modelfile.File) (basis.Basis, error) { return fastnys.Decode(f) }
	r.Bases["pseudo"] = func(f *modelfile.File) (basis.Basis, error) { return pseudo.Decode(f) }
	r.Bases["bregman.features"] = func(f *modelfile.File) (basis.Basis, error) { return bregman.DecodeMap(f) }
	r.Bases["sideinfo"] = func(f *modelfile.File) (basis.Basis, error) { return sideinfo.Decode(f) }
	return r
}

// Load reads a model file: a *pipeline.Model as the command line writes it, the bare model
// of one of the methods, or a model file of LIBSVM, XGBoost (JSON) or LightGBM (text), which
// becomes a *pipeline.Model.
func Load(path string) (modelfile.Model, error) { return LoadLimited(path, 0) }

// LoadLimited is Load and returns a *gram.MemoryError if the file, with what its arrays are
// copied to, needs more than limit bytes; 0 means no limit. Models of other programs are
// refused if their files have more bytes than the limit.
func LoadLimited(path string, limit int64) (modelfile.Model, error) {
	if info, err := store.Stat(path); err == nil && limit > 0 && info.Size() > limit {
		return nil, fmt.Errorf("%s: %w", path, &gram.MemoryError{Need: info.Size(), Limit: limit})
	}
	for _, foreign := range []func(path string) (modelfile.Model, error){loadLIBSVM, loadTrees} {
		if m, err := foreign(path); m != nil || err != nil {
			return m, err
		}
	}
	f, err := modelfile.ReadFileLimited(path, limit)
	if err != nil {
		return nil, err
	}
	var m modelfile.Model
	if pipeline.Is(f) {
		m, err = pipeline.Decode(f, Registry())
	} else {
		m, err = Registry().Model(f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// LoadFitted is Load for a model with the columns and classes of its data, as gram fit
// writes it; a bare model is an error.
func LoadFitted(path string) (*pipeline.Model, error) { return LoadFittedLimited(path, 0) }

// LoadFittedLimited is LoadFitted with the limit of LoadLimited.
func LoadFittedLimited(path string, limit int64) (*pipeline.Model, error) {
	m, err := LoadLimited(path, limit)
	if err != nil {
		return nil, err
	}
	p, ok := m.(*pipeline.Model)
	if !ok {
		return nil, fmt.Errorf("%s: a bare model, without the columns and classes of its data; gram fit stores them", path)
	}
	return p, nil
}
