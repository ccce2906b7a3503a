package settings

import (
	"fmt"
	"strings"
)

// Unknown returns the error of a name that is not one of names: it lists them, with the hint of Hint.
func Unknown(name string, names []string) error {
	return fmt.Errorf("want one of %s%s", strings.Join(names, ", "), Hint(name, names))
}

// Hint returns " (did you mean NAME?)" with the name in names that name is likely to stand for, and "" if there
// is none. Errors about unknown names end with it. Capital and small letters are the same, and so are "_" and "-".
// A name is, in this order,
//
//   - what another library calls it (n_estimators for rounds, rbf for gaussian),
//   - near: no more than one change of a letter in three, where a change inserts, deletes or replaces a letter or
//     swaps two neighbors, and not all letters,
//   - the only one that begins with name, or that has name as a word or is a word of it (f1 for macro_f1, max_depth
//     for depth). A word has at least two letters, a beginning three.
func Hint(name string, names []string) string {
	plain := folded(name)
	for _, other := range synonyms[strings.ReplaceAll(plain, "-", "")] {
		for _, n := range names {
			if folded(n) == other {
				return meant(n)
			}
		}
	}
	best, least := "", max(1, len(name)/3)+1
	for _, n := range names {
		if d := distance(plain, folded(n)); d < min(least, max(len(name), len(n))) {
			best, least = n, d
		}
	}
	if best != "" {
		return meant(best)
	}
	found := ""
	for _, n := range names {
		if known := folded(n); len(plain) > 2 && strings.HasPrefix(known, plain) || hasWord(known, plain) || hasWord(plain, known) {
			if found != "" {
				return ""
			}
			found = n
		}
	}
	if found == "" {
		return ""
	}
	return meant(found)
}

func meant(name string) string { return " (did you mean " + name + "?)" }

// folded returns name in small letters with dashes in place of underscores and blanks.
func folded(name string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
}

// hasWord reports whether word is one of those of name, which dashes divide.
func hasWord(name, word string) bool {
	return len(word) > 1 && strings.Contains("-"+name+"-", "-"+word+"-")
}

// synonyms are names that other libraries have for methods, settings, kernels, scales, tasks and measures, folded and
// without dashes, and what they are here.
var synonyms = map[string][]string{
	// methods
	"svc": {"svm"}, "libsvm": {"svm"}, "logistic": {"linear"}, "logisticregression": {"linear"}, "logreg": {"linear", "logistic"}, "softmax": {"linear"},
	"ols": {"linear"}, "lasso": {"linear"}, "liblinear": {"linear"},
	"ridge": {"krr", "lambda"}, "kernelridge": {"krr"}, "gpr": {"gp"}, "gaussianprocess": {"gp"}, "kriging": {"gp"},
	"xgboost": {"gbdt"}, "xgb": {"gbdt"}, "lightgbm": {"gbdt"}, "lgbm": {"gbdt"}, "catboost": {"gbdt"}, "gbm": {"gbdt"}, "gradientboosting": {"gbdt"},
	"boosting": {"gbdt"}, "trees": {"gbdt", "rounds"}, "tree": {"gbdt"}, "randomforest": {"gbdt"},
	"fourier": {"rff"}, "randomfeatures": {"rff"}, "rbfsampler": {"rff"},
	// kernels
	"rbf": {"gaussian"}, "se": {"gaussian"}, "squaredexponential": {"gaussian"}, "poly": {"polynomial"}, "tanh": {"sigmoid"},
	// settings
	"cost": {"c"}, "penalty": {"c", "lambda"}, "alpha": {"lambda"}, "reg": {"lambda", "c"}, "regularization": {"lambda", "c"}, "reglambda": {"lambda"},
	"l2": {"lambda"}, "l2regularization": {"lambda"}, "sigma": {"gamma", "length"}, "bandwidth": {"gamma", "length"}, "width": {"gamma", "length"},
	"lengthscale": {"length", "gamma"}, "coef0": {"offset"}, "ncomponents": {"m"}, "components": {"m"}, "nlandmarks": {"m"}, "features": {"m"},
	"inducing": {"m"}, "epochs": {"max-iter"}, "iterations": {"rounds", "max-iter"}, "niter": {"max-iter", "rounds"}, "fitintercept": {"no-bias"},
	"intercept": {"no-bias"}, "classweight": {"class-weights"}, "tube": {"epsilon"},
	"nestimators": {"rounds"}, "numtrees": {"rounds"}, "numrounds": {"rounds"}, "numboostround": {"rounds"}, "nrounds": {"rounds"}, "ntrees": {"rounds"},
	"learningrate": {"shrinkage"}, "eta": {"shrinkage"}, "lr": {"shrinkage", "linear"}, "numleaves": {"leaves"}, "maxleafnodes": {"leaves"},
	"minchildsamples": {"min-rows"}, "minsamplesleaf": {"min-rows"}, "mindatainleaf": {"min-rows"}, "minchildweight": {"min-curvature"},
	"subsample": {"row-sample"}, "baggingfraction": {"row-sample"}, "colsample": {"column-sample"}, "colsamplebytree": {"column-sample"},
	"featurefraction": {"column-sample"}, "maxbin": {"bins"}, "earlystoppingrounds": {"patience"}, "validationfraction": {"holdout"},
	// scales
	"std": {"standard"}, "zscore": {"standard"}, "standardize": {"standard"}, "normalize": {"rows"}, "minmax": {"minmax"},
	// tasks
	"values": {"regression"}, "numbers": {"regression"}, "classification": {"classes"}, "binary": {"classes"}, "multiclass": {"classes"},
	"tags": {"multilabel"}, "labels": {"multilabel"},
	// measures
	"acc": {"accuracy"}, "mse": {"rmse"}, "rootmeansquarederror": {"rmse"}, "logloss": {"log-loss"}, "crossentropy": {"log-loss"}, "nll": {"log-loss"},
	"rocauc": {"auc"}, "auroc": {"auc"}, "roc": {"auc"}, "ap": {"average-precision"}, "prauc": {"average-precision"}, "auprc": {"average-precision"},
	"ece": {"calibration-error"}, "rsquared": {"r2"}, "f1score": {"macro-f1"}, "f1macro": {"macro-f1"}, "bacc": {"balanced-accuracy"},
	"precision": {"p@1"}, "precision@1": {"p@1"}, "ndcg": {"ndcg@5"},
}

// distance is the Damerau–Levenshtein distance of a and b in which no letter is changed
// twice, in O(|a|·|b|).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
