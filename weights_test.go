package gram_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// heldOut has a line for each function that holds rows out of a fit: the tests, with their packages, that a row of weight k is k
// copies of it there, which are held out together, or why there is none.
var heldOut = map[string]string{
	"algos/kernels/sideinfo validate": "the method has no weights",
	"algos/labels/gimc validate":      "the method has no weights",
	"algos/labels/plt without":        "the method has no weights",
	"algos/learned/completion Fit":    "entries of a matrix are held out, which have no weights",
	"algos/learned/goal learn":        "algos/learned/goal.TestEarlyStoppingOfWeights",
	"algos/learned/rfm split":         "algos/learned/rfm.TestHeldOutWeightsAreCopies",
	"algos/lowrank/machine ChooseC":   "algos/lowrank/machine.TestBestCOfWeightsIsThatOfCopies",
	"algos/trees/gbdt holdOut":        "algos/trees/gbdt.TestRoundsOfWeightsAreThoseOfCopies",
	"algos/trees/gbdt split":          "algos/trees/gbdt.TestRoundsOfWeightsAreThoseOfCopies",
	"app/search HoldOut":              "it refuses rows with weights",
	"app/search LinearLosses":         "it refuses rows with weights",
	"app/search splits":               "measures of held-out rows count rows, as docs/conventions.md says",
	"app/training splits":             "algos/calibration.TestCrossFitWeightsAreCopies app/training.TestWeightsReachTheProbabilities",
	"app/training Parts":              "intervals and sets count rows, as docs/conventions.md says",
}

// Every function outside the papers and the choices of package crossval that holds rows out has a test of weights, or a reason. Choices by
// folds are those of app/catalog.TestLossesOfWeightsAreThoseOfCopies, those by leave-one-out of algos/krr.TestScores.
func TestHeldOutRowsHaveATestOfWeights(t *testing.T) {
	found := map[string]bool{}
	for _, folder := range append(packages(t), "app/catalog", "algos/krr") {
		if strings.HasPrefix(folder, "app/papers") || strings.HasPrefix(folder, "app/cmd") || folder == "dataset" || folder == "beam" {
			continue
		}
		files := must.Have(filepath.Glob(filepath.Join(folder, "*.go")))(t)
		for _, file := range files {
			text := must.Have(os.ReadFile(file))(t)
			if strings.HasSuffix(file, "_test.go") || !regexp.MustCompile(`crossval\.|\.Folds\(`).Match(text) {
				continue
			}
			f := must.Have(parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution))(t)
			for _, d := range f.Decls {
				if fn, is := d.(*ast.FuncDecl); is && holdsOut(fn) {
					found[folder+" "+fn.Name.Name] = true
				}
			}
		}
	}
	for place := range found {
		if heldOut[place] == "" {
			t.Errorf("%s holds rows out: which test says what their weights do?", place)
		}
	}
	for place, why := range heldOut {
		if !found[place] {
			t.Errorf("%s holds no rows out any more", place)
		}
		for _, test := range regexp.MustCompile(`[\w/]+\.Test\w+`).FindAllString(why, -1) {
			folder, name, _ := strings.Cut(test, ".")
			files, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
			if !slices.ContainsFunc(files, func(file string) bool {
				text, _ := os.ReadFile(file)
				return strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
			}) {
				t.Errorf("%s: there is no %s", place, test)
			}
		}
	}
}

// holdsOut reports whether a function calls one of those that divide rows.
func holdsOut(fn *ast.FuncDecl) (is bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		c, call := n.(*ast.CallExpr)
		if !call {
			return true
		}
		f, selects := c.Fun.(*ast.SelectorExpr)
		if !selects {
			return true
		}
		pkg, _ := f.X.(*ast.Ident)
		divides := slices.Contains([]string{"Folds", "Share", "Groups", "ByPart", "Cut", "Entries"}, f.Sel.Name) && pkg != nil && pkg.Name == "crossval"
		is = is || divides || f.Sel.Name == "Folds" && pkg != nil && pkg.Name == "d"
		return true
	})
	return is
}
