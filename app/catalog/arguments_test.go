package catalog_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kernelkmeans"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/cluster/pairwise"
	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/algos/kernels/bregman"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/plt"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/learned/alacarte"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/kpca"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/neighbors"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// estimators are the settings of every estimator of the module.
func estimators() []any {
	gauss := kernel.Gaussian{Gamma: .5}
	local := krr.Config{Kernel: gauss, NoBias: true}
	parts := bka.Partition{Clusters: 3}
	side := sideinfo.Config{Kernel: gauss, M: 5, Lambda: 1}
	return []any{
		kernelkmeans.Config{Kernel: gauss, K: 3}, kmeans.Config{K: 3}, kmeans.Tree{Leaf: 10}, kmeans.Voronoi{},
		pairwise.Config{K: 2, Lambda: []float64{1}, Rounds: 1, Steps: 1, Starts: 1},
		aesvm.Config{Machine: svm.Config{Kernel: gauss}}, bka.Config{Kernel: gauss, Partition: parts}, bka.SVM{Machine: svm.Config{Kernel: gauss}, Partition: parts},
		dckrr.Config{Local: local, Parts: 2}, dckrr.Random{Local: local, Parts: 2}, dcpred.Config{Kernel: gauss, Leaf: 10, M: 3}, dcsvm.Config{Machine: svm.Config{Kernel: gauss}},
		falkon.Config{Kernel: gauss, M: 5, NoBias: true}, gp.Config{Kernel: gauss, NoBias: true}, gp.ClassConfig{Kernel: gauss, Lambda: gram.Set(.1)}, local, krr.Config{Kernel: gauss, Solver: krr.CG, NoBias: true},
		bregman.Config{Slack: 1}, bregman.Features{Nystrom: nystrom.Config{Kernel: gauss, M: 4}, Pairs: 20},
		itml.Config{Kernel: gauss, Slack: 1}, itml.Manifold{Kernel: gauss}, kpca.Config{Kernel: gauss, Rank: 2}, neighbors.Config{Kernel: gauss}, itml.KNN{Config: itml.Config{Kernel: gauss}, Pairs: constraint.Pairs{Count: 20}},
		side, sideinfo.Either{Learned: side}, sideinfo.TwoStage{Gammas: []float64{.1, 1}}, sideinfo.CSI{Kernel: gauss, M: 5, Kappa: gram.Set(1.)},
		fastxml.Config{Trees: 2}, gbml.Config{Trees: 2}, gimc.Config{}, leml.Config{Rank: 2}, plt.Config{}, sleec.Config{Rank: 2, Learners: 1},
		alacarte.Config{Kernel: gauss, M: 4, MaxIter: gram.Set(1)}, completion.Config{Rank: 2}, rfm.Config{Length: gram.Set(2.), Lambda: gram.Set(.1), Rounds: gram.Set(1)}, goal.Config{Kernel: gauss, M: 4, MaxIter: gram.Set(1)},
		linear.Config{}, linear.Ridge{}, linear.Logistic{}, linear.SVM{},
		fastnys.Config{Kernel: gauss, M: 4}, meka.Config{Kernel: gauss, Clusters: 2, Rank: 2}, nystrom.Config{Kernel: gauss, M: 4},
		nystrom.Ensemble{Config: nystrom.Config{Kernel: gauss, M: 4}}, pseudo.Config{Kernel: gauss, M: 4}, rff.Config{Kernel: gauss, M: 4},
		svm.Config{Kernel: gauss}, svm.Regression{Kernel: gauss}, svm.NuSVC{Kernel: gauss}, svm.NuSVR{Kernel: gauss}, svm.OneClass{Kernel: gauss}, gbdt.Config{Rounds: 2}, ldkl.Config{},
	}
}

// fits returns the names of the parameters of every method Fit… of the packages below algos,
// by package, type and method.
func fits(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(repo.Path(t, "algos"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is || fn.Recv == nil || !strings.HasPrefix(fn.Name.Name, "Fit") || len(fn.Type.Params.List) < 2 {
				continue
			}
			kind, is := fn.Recv.List[0].Type.(*ast.Ident)
			if !is || !kind.IsExported() {
				continue
			}
			names := []string{}
			for _, p := range fn.Type.Params.List {
				for _, name := range p.Names {
					names = append(names, name.Name)
				}
			}
			found[f.Name.Name+"."+kind.Name+"."+fn.Name.Name] = names
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// argument is a value for a parameter of a fit. wrong says that no fit may accept it.
type argument struct {
	what  string
	value any
	wrong bool
}

// problemRows is the number of rows of the good arguments, which have four columns.
const problemRows = 40

// arguments returns values for a parameter of the given name and type, the first one of which is good.
func arguments(name string, kind reflect.Type) []argument {
	all := func(n int, v float64) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = v
		}
		return s
	}
	d := algotest.Problem(1, problemRows+1, 4, 3)
	dense := d.X.(*mat.Dense)
	part := func(n int) *mat.Dense { return dense.Slice(0, n, 0, 4).(*mat.Dense) }
	square := func(n int) *mat.SymDense {
		var k mat.SymDense
		k.SymOuterK(1, part(n))
		return &k
	}
	damaged := func(change func(a *sparse.CSR)) *sparse.CSR {
		a := sparse.FromDense(part(problemRows))
		change(a)
		return a
	}
	switch kind {
	case reflect.TypeFor[mat.Matrix]():
		if name == "y" { // of completion: one row for each of five columns, or none
			return []argument{{"none", nil, false}, {"good", part(5), false}, {"a nil *mat.Dense", (*mat.Dense)(nil), true}, {"an empty *mat.Dense", &mat.Dense{}, true}, {"an empty *sparse.CSR", &sparse.CSR{}, true}, {"a row more", part(6), true}}
		}
		return []argument{
			{"good", part(problemRows), false}, {"sparse", sparse.FromDense(part(problemRows)), false},
			{"nil", nil, true}, {"a nil *mat.Dense", (*mat.Dense)(nil), true}, {"a nil *sparse.CSR", (*sparse.CSR)(nil), true},
			{"an empty *mat.Dense", &mat.Dense{}, false}, {"an empty *sparse.CSR", &sparse.CSR{}, true}, {"zero Samples", gram.Samples[float64]{}, false},
			{"no rows", &sparse.CSR{D: 4, Ptr: []int{0}}, false}, {"no columns", &sparse.CSR{N: problemRows, Ptr: make([]int, problemRows+1)}, true},
			{"a row less", part(problemRows - 1), false}, {"a row more", dense, false}, {"one row", part(1), false},
			{"rows of zeros", mat.NewDense(problemRows, 4, nil), false},
			{"no pointers", damaged(func(a *sparse.CSR) { a.Ptr = nil }), true},
			{"pointers that descend", damaged(func(a *sparse.CSR) { a.Ptr[3], a.Ptr[4] = a.Ptr[4], a.Ptr[3] }), true},
			{"pointers beyond the end", damaged(func(a *sparse.CSR) { a.Ptr[problemRows] += 7 }), true},
			{"a column beyond the last", damaged(func(a *sparse.CSR) { a.Col[5] = 9 }), true},
			{"a negative column", damaged(func(a *sparse.CSR) { a.Col[5] = -1 }), true},
			{"values missing", damaged(func(a *sparse.CSR) { a.Val = a.Val[:9] }), true},
		}
	case reflect.TypeFor[*mat.Dense]():
		return []argument{
			{"good", part(problemRows), false}, {"nil", (*mat.Dense)(nil), name == "y"}, {"an empty *mat.Dense", &mat.Dense{}, true},
			{"a row less", part(problemRows - 1), true}, {"a row more", dense, true}, {"zeros", mat.NewDense(problemRows, 1, nil), false},
		}
	case reflect.TypeFor[mat.Symmetric]():
		return []argument{
			{"good", square(problemRows), false}, {"nil", nil, true}, {"a nil *mat.SymDense", (*mat.SymDense)(nil), true},
			{"an empty *mat.SymDense", &mat.SymDense{}, true}, {"a row less", square(problemRows - 1), false}, {"zeros", mat.NewSymDense(problemRows, nil), false},
		}
	case reflect.TypeFor[[]float64]():
		good := d.Value[:problemRows]
		if name != "y" {
			good = all(problemRows, .5)
		}
		row := name == "y" || name == "w"
		return []argument{
			{"good", good, false}, {"nil", []float64(nil), name == "y"}, {"none", []float64{}, row}, {"one less", good[1:], row},
			{"one more", append(good[:problemRows:problemRows], .5), row}, {"zeros", all(problemRows, 0), name == "w"}, {"negative", all(problemRows, -1), name == "w"},
			{"NaN", all(problemRows, math.NaN()), row}, {"infinite", all(problemRows, math.Inf(1)), row}, {"huge", all(problemRows, math.MaxFloat64), row},
		}
	case reflect.TypeFor[gram.Labels]():
		class := func(n, first int) gram.Labels {
			return gram.Labels{Class: append([]int{first}, d.Labels.Class[1:n]...), Names: d.Labels.Names}
		}
		return []argument{
			{"good", class(problemRows, 0), false}, {"none", gram.Labels{}, true}, {"no names", gram.Labels{Class: d.Labels.Class[:problemRows]}, true},
			{"no classes", gram.Labels{Names: d.Labels.Names}, true}, {"one less", class(problemRows-1, 0), true}, {"one more", class(problemRows+1, 0), true},
			{"a class beyond the names", class(problemRows, 3), true}, {"the largest class", class(problemRows, math.MaxInt), true}, {"the least class", class(problemRows, math.MinInt), true},
			{"all of one class", gram.Labels{Class: make([]int, problemRows), Names: d.Labels.Names}, false},
		}
	case reflect.TypeFor[*sparse.CSR]():
		tags := func(n int) *sparse.CSR { return d.Tags.Slice(0, n) }
		changed := func(change func(a *sparse.CSR)) *sparse.CSR {
			a := *tags(problemRows)
			a.Col, a.Ptr = append([]int32(nil), a.Col...), append([]int(nil), a.Ptr...)
			change(&a)
			return &a
		}
		return []argument{
			{"good", tags(problemRows), false}, {"nil", (*sparse.CSR)(nil), true}, {"empty", &sparse.CSR{}, true}, {"a row less", tags(problemRows - 1), true}, {"a row more", d.Tags, true},
			{"no labels", &sparse.CSR{N: problemRows, Ptr: make([]int, problemRows+1)}, true}, {"no label of a row", &sparse.CSR{N: problemRows, D: 5, Ptr: make([]int, problemRows+1)}, false},
			{"no pointers", changed(func(a *sparse.CSR) { a.Ptr = nil }), true},
			{"pointers that descend", changed(func(a *sparse.CSR) { a.Ptr[3] = a.Ptr[9] }), true},
			{"pointers beyond the end", changed(func(a *sparse.CSR) { a.Ptr[problemRows] += 7 }), true},
			{"a negative pointer", changed(func(a *sparse.CSR) { a.Ptr[0] = -3 }), true},
			{"a label beyond the last", changed(func(a *sparse.CSR) { a.Col[5] = 9 }), true},
			{"a negative label", changed(func(a *sparse.CSR) { a.Col[5] = -1 }), true},
			{"labels twice", changed(func(a *sparse.CSR) {
				for i := range a.Col {
					a.Col[i] = 2
				}
			}), true},
		}
	case reflect.TypeFor[[]int]():
		return []argument{
			{"good", []int{0, 1, 2, 3, 7, 8}, false}, {"nil", []int(nil), false}, {"none", []int{}, false},
			{"a row beyond the last", []int{0, 1, problemRows}, true}, {"a negative row", []int{-1, 1, 2}, true}, {"a row twice", []int{1, 1, 2}, true},
		}
	case reflect.TypeFor[[]constraint.Pair]():
		return []argument{
			{"good", []constraint.Pair{{I: 0, J: 3, Same: true}, {I: 0, J: 1}}, false}, {"nil", []constraint.Pair(nil), false},
			{"a row beyond the last", []constraint.Pair{{I: 0, J: problemRows}}, true}, {"a negative row", []constraint.Pair{{I: -1, J: 3}}, true}, {"a row with itself", []constraint.Pair{{I: 3, J: 3}}, true},
		}
	case reflect.TypeFor[[]constraint.Linear]():
		return []argument{
			{"good", []constraint.Linear{constraint.Distance(0, 3, constraint.AtMost, 1)}, false}, {"nil", []constraint.Linear(nil), false}, {"a zero constraint", make([]constraint.Linear, 1), false},
			{"a row beyond the last", []constraint.Linear{constraint.Distance(0, problemRows+3, constraint.AtMost, 1)}, true}, {"NaN", []constraint.Linear{constraint.Distance(0, 3, constraint.AtMost, math.NaN())}, true},
		}
	case reflect.TypeFor[[]constraint.Statement]():
		return []argument{
			{"good", []constraint.Statement{{Pair: constraint.Pair{I: 0, J: 3, Same: true}}, {Pair: constraint.Pair{I: 0, J: 1}}}, false}, {"nil", []constraint.Statement(nil), false},
			{"a row beyond the last", []constraint.Statement{{Pair: constraint.Pair{I: 0, J: problemRows}}}, true}, {"a negative row", []constraint.Statement{{Pair: constraint.Pair{I: -1, J: 3}}}, true},
		}
	case reflect.TypeFor[gram.FeatureMap]():
		return []argument{{"none", nil, false}}
	}
	return nil
}

// No argument of a fit makes it panic as the runtime does: each mistake is an error, or a panic
// that begins with the name of a package of the module.
func TestArguments(t *testing.T) {
	algotest.Serial(t)
	names, tried := fits(t), map[string]bool{}
	for _, c := range estimators() {
		v := reflect.ValueOf(c)
		for i := range v.NumMethod() {
			method := v.Type().Method(i)
			key := v.Type().String() + "." + method.Name
			parameters, is := names[key]
			if !is {
				continue
			}
			tried[key] = true
			t.Run(key, func(t *testing.T) { tryArguments(t, v.Method(i), parameters) })
		}
	}
	for key := range names {
		if !tried[key] {
			t.Errorf("%s is not among the estimators of this test", key)
		}
	}
}

// tryArguments calls a fit with each argument in turn, beside good ones.
func tryArguments(t *testing.T, fit reflect.Value, parameters []string) {
	kind := fit.Type()
	choices := make([][]argument, kind.NumIn())
	good := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < kind.NumIn(); i++ {
		if choices[i] = arguments(parameters[i], kind.In(i)); choices[i] == nil {
			t.Fatalf("no argument of type %v", kind.In(i))
		}
		good = append(good, valueOf(choices[i][0].value, kind.In(i)))
	}
	try := func(what string, in []reflect.Value, wrong bool) (err error) {
		defer func() {
			e := recover()
			if e == nil {
				return
			}
			if _, is := e.(runtime.Error); is || !ownPanic.MatchString(fmt.Sprint(e)) {
				t.Errorf("%s: panic: %v", what, e)
			}
		}()
		out := fit.Call(in)
		err, _ = out[len(out)-1].Interface().(error)
		none := out[0].Kind() == reflect.Pointer && out[0].IsNil()
		switch {
		case err == nil && none:
			t.Errorf("%s: no model and no error", what)
		case err == nil && wrong:
			t.Errorf("%s is accepted", what)
		case strings.Contains(fmt.Sprint(err), "%!"):
			t.Errorf("%s: error %v", what, err)
		}
		return err
	}
	if i := slices.Index(parameters, "index"); i > 0 {
		good[slices.Index(parameters, "w")] = reflect.ValueOf([]float64(nil)) // one for each of these rows
	}
	var slow *gram.ConvergenceError
	if err := try("what is good", good, false); err != nil && !errors.As(err, &slow) {
		t.Errorf("what is good: %v", err)
	}
	for i := 1; i < len(good); i++ {
		for _, a := range choices[i] {
			in := append([]reflect.Value(nil), good...)
			in[i] = valueOf(a.value, kind.In(i))
			try(parameters[i]+" is "+a.what, in, a.wrong && !optional(parameters, i))
		}
	}
	nothing := append([]reflect.Value(nil), good[:1]...)
	for i := 1; i < len(good); i++ {
		nothing = append(nothing, reflect.Zero(kind.In(i)))
	}
	try("all zero", nothing, false)
}

// optional reports whether a fit does without parameter i: classes where there are statements on
// rows, and side information of the rows of a matrix.
func optional(parameters []string, i int) bool {
	return parameters[i] == "y" && slices.Contains(parameters, "statements") || parameters[i] == "x" && slices.Contains(parameters, "a")
}

// valueOf returns v as an argument of the given type, which may be an interface.
func valueOf(v any, kind reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(kind)
	}
	return reflect.ValueOf(v)
}

// ownPanic matches what a package of the module says when it panics.
var ownPanic = regexp.MustCompile(`^[a-z0-9]+: `)
