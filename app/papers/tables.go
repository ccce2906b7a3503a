// Package papers reproduces the tables and figures of the papers that the
// methods come from: one row per data set and method with the paper's value and
// ours.
//
// A table is a function over a *run. It asks the run for its settings and its data
// sets, fits methods to the training rows and has package protocol score them:
// test rows and test targets never reach it. What is measured is repeated with
// other seeds, and a row is published with the mean and the standard deviation.
// The first error ends the table: see must.
//
// The figures that the papers print are in the file papers.tsv.
// Results of past runs are stored in the folder results, one file for each table,
// and the page docs/tables.md is generated from them.
package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gramworks/gram/app/papers/protocol"
)

// Row is one figure of a table: what a method reaches on a data set, and what the paper prints.
type Row = protocol.Row

// Table is a table or figure of a paper. ID is the number as printed: 3.7,
// fig-3.8, zhang-1.
type Table struct {
	ID, Title string

	// The axes of a figure; empty for a table.
	X, Y       string
	LogX, LogY bool

	picture bool // docs/tables.md shows it drawn
	drawn   bool // and shows the points of its lines in the pictures alone
	memory  bool // the bytes of its points are drawn, too, with the metric as Y
	run     func(r *run)

	// How its rows are compared with the paper's. Of data sets that it prepares or divides
	// in several ways nearest is the remark of the one that counts, as near as can be told
	// to the paper's; it is declared before there are figures. budget are settings with which a run counts,
	// as they say only how much work is done. sighted: settings that the paper does not print were settled
	// while figures of test rows were in sight.
	nearest      string
	budget       []string
	tunedInSight bool
}

// Selecting are the settings that say which rows a run has, and not how they come about.
var Selecting = []string{"only", "method", "methods"}

// All lists the tables in the order of the papers.
func All() []Table {
	return slices.Concat(ofApproximations(), ofLandmarks(), ofKernels(), ofLabels())
}

// ofApproximations are the tables of low-rank approximations of kernels, and of machines of parts of the rows.
func ofApproximations() []Table {
	return []Table{
		{ID: "fig-3.1c", Title: "Relative error against γ at equal memory: low rank, block diagonal and both", run: fig31c,
			X: "γ", Y: "relative error", LogX: true, LogY: true},
		{ID: "fig-3.2", Title: "Relative error of the block diagonal approximation, by partition", run: fig32,
			X: "γ", Y: "relative error", LogX: true},
		{ID: "3.2", Title: "Training time and test accuracy of kernel support vector machines", run: table32},
		{ID: "3.3", Title: "Numerical rank of the blocks of a kernel matrix, by partition", run: table33},
		{ID: "fig-3.3", Title: "Cosines of the principal angles between the subspaces of diagonal and off-diagonal blocks", run: fig33,
			X: "rank k", Y: "cosine"},
		{ID: "fig-3.4", Title: "Relative error of MEKA against seconds, by basis", run: fig34,
			X: "seconds", Y: "relative error", LogX: true, LogY: true},
		{ID: "3.5", Title: "Seconds for the steps of MEKA", run: table35},
		{ID: "fig-3.5", Title: "Relative error and seconds of MEKA against the threshold of its links", run: fig35,
			X: "ε", Y: "relative error", LogX: true},
		{ID: "fig-3.6", Title: "Relative error of MEKA against memory, by the ranks of the clusters", run: fig36,
			X: "memory, bytes", Y: "relative error", LogX: true, LogY: true},
		{ID: "3.7", Title: "Relative error of low-rank approximations of the Gaussian kernel at equal memory", run: table37},
		{ID: "fig-3.7", Title: "Relative error against memory for low-rank approximations of the Gaussian kernel", run: fig37,
			X: "memory, bytes", Y: "relative error", LogX: true, LogY: true},
		{ID: "fig-3.8", Title: "Relative error against γ for low-rank approximations of the Gaussian kernel", run: fig38,
			X: "γ", Y: "relative error", LogX: true, LogY: true, picture: true},
		{ID: "fig-3.9", Title: "Relative error and seconds of MEKA against the number of clusters", run: fig39,
			X: "clusters c", LogY: true},
		{ID: "fig-3.10", Title: "Relative error against memory for approximations of the Laplacian kernel", run: fig310,
			X: "memory, bytes", Y: "relative error", LogX: true, LogY: true},
		{ID: "3.8", Title: "Data sets of DC-KRR, and γ by cross-validation", run: table38},
		{ID: "3.9", Title: "Test RMSE and training time of VP-KRR, Random-KRR and DC-KRR", run: table39},
		{ID: "3.10", Title: "Test RMSE and training time of Whole-KRR, Random-KRR and DC-KRR", run: table310},
		{ID: "fig-3.11", Title: "Functions of Whole-KRR and DC-KRR on the toy problems", run: fig311,
			X: "x", Y: "f(x)"},
		{ID: "fig-3.12", Title: "Test RMSE against the number of parts on the toy problems", run: fig312,
			X: "parts", Y: "RMSE"},
		{ID: "fig-3.13", Title: "Test RMSE against the number of training rows", run: fig313,
			X: "training rows", Y: "RMSE"},
		{ID: "fig-3.14", Title: "g(λ) against the number of parts on the real data sets", run: fig314,
			X: "parts", Y: "g(λ)", LogX: true},
		{ID: "fig-3.15", Title: "g(λ) against the number of parts on the toy problems", run: fig315,
			X: "parts", Y: "g(λ)", LogX: true},
	}
}

// ofLandmarks are the tables of structured landmarks, and of features learned for a goal.
func ofLandmarks() []Table {
	return []Table{
		{ID: "4.1", Title: "Seconds of the steps of the Nyström method with uniform and with structured landmarks, and relative error", run: table41},
		{ID: "fig-4.1", Title: "Relative error of the Nyström method with pseudo-landmarks, by number of landmarks", run: fig41,
			X: "landmarks m", Y: "relative error", LogY: true},
		{ID: "fig-4.2", Title: "Landmarks of k-means against structured landmarks on Gaussian data in the plane, at equal operations", run: fig42,
			X: "products with seeds or landmarks", Y: "relative error", LogY: true},
		{ID: "fig-4.3", Title: "Haar and Hadamard landmarks, random and learned seeds: relative error against seconds", run: fig43,
			X: "seconds", Y: "relative error", LogX: true, LogY: true},
		{ID: "fig-4.4", Title: "Low-rank approximations of polynomial and Gaussian kernels: relative error against seconds", run: fig44,
			X: "seconds", Y: "relative error", LogX: true, LogY: true},
		{ID: "5.1", Title: "Test RMSE of kernel ridge regression on approximations of equal memory", run: table51, tunedInSight: true},
		{ID: "fig-5.1", Title: "Test RMSE of kernel ridge regression against training time, by rank", run: fig51,
			X: "seconds", Y: "RMSE", LogX: true},
		{ID: "5.2", Title: "Accuracy and prediction time, in multiples of a linear model's, of kernel machines made for prediction", run: table52, tunedInSight: true},
		{ID: "fig-5.2", Title: "Accuracy against prediction time in multiples of a linear model's", run: fig52,
			X: "prediction time / linear", Y: "accuracy", LogX: true},
		{ID: "5.3", Title: "Operations and nanoseconds for a product with one of m = 2d landmarks", run: table53,
			X: "columns d", Y: "ns for a landmark", LogX: true, LogY: true},
		{ID: "fig-5.3", Title: "Accuracy of support vector machines on drawn and on learned features, by their number", run: fig53,
			X: "landmarks or frequencies m", Y: "accuracy", LogX: true},
		{ID: "5.5", Title: "Test RMSE of ridge regression on drawn and on learned features", run: table55, tunedInSight: true},
		{ID: "fig-5.4", Title: "Completion of a matrix with side information, drawn and learned features", run: fig54,
			X: "% observed", Y: "relative error"},
		{ID: "fig-5.5", Title: "P@3 against the number of features, drawn and learned", run: fig55,
			X: "m", Y: "P@3", LogX: true},
		{ID: "5.7", Title: "Precision of sets of labels with learned features", run: table57, tunedInSight: true},
		{ID: "5.8", Title: "Error of semi-supervised clustering by the number of pairs", run: table58, budget: []string{"lambda", "rounds", "products", "steps", "pairs"}, tunedInSight: true},
		{ID: "gimc-scale", Title: "Seconds of a round of GIMC-LFF against the size of the problem", run: gimcScale,
			X: "entries of X", Y: "seconds a round"},
		{ID: "selectors", Title: "Relative error of the Nyström method against the number of landmarks, by selector", run: selectors,
			X: "landmarks m", Y: "relative error", LogX: true, LogY: true, picture: true},
	}
}

// ofKernels are the tables of kernels learned from pairs and labels.
func ofKernels() []Table {
	return []Table{
		{ID: "kulis-fig1", Title: "Clustering of digits in a kernel of rank 16 learned from pairs", run: kulisFig1,
			X: "constraints", Y: "NMI"},
		{ID: "kulis-digits", Title: "Nearest neighbors on digits in a kernel of rank 16 learned from pairs, and sweeps to learn it", run: kulisDigits},
		{ID: "kulis-fig2", Title: "Nearest neighbors in a kernel of full rank learned from distances alone, from the identity", run: kulisFig2,
			X: "constraints", Y: "accuracy"},
		{ID: "jain-1", Title: "Accuracy of nearest neighbors in kernels learned from pairs", run: jain1, nearest: jainScalings[1], tunedInSight: true},
		{ID: "jain-fig1c", Title: "Handwritten digits in the plane", run: jainFig1c,
			X: "first coordinate", Y: "second coordinate"},
		{ID: "zhang-1", Title: "Low-rank kernels learned from 100 labels: error of a linear SVM on the other rows", run: zhang1, tunedInSight: true},
		{ID: "zhang-fig1", Title: "The score of λ and the error it is to foretell", run: zhangFig1,
			X: "λ/‖P‖²", Y: "error and score, %", LogX: true},
	}
}

// ofLabels are the tables of sets of labels, of the growth of all methods, and of ranks.
func ofLabels() []Table {
	return []Table{
		{ID: "fig-6.1", Title: "Gradient boosted trees against direct loss minimization", run: fig61,
			X: "trees", LogX: true},
		{ID: "6.1", Title: "Prediction time and model size against the number of labels", run: table61,
			X: "labels", LogX: true, LogY: true},
		{ID: "6.3", Title: "Precision, prediction time and model size for sets of labels", run: table63, budget: []string{"lambda"}, tunedInSight: true},
		{ID: "fig-6.2", Title: "P@1 against prediction time and model size", run: fig62,
			X: "µs a row, or MB", Y: "P@1", LogX: true},
		{ID: "gbml-growth", Title: "Training, residuals and prediction of GBML against rows and labels", run: gbmlGrowth,
			X: "rows = labels", LogX: true, LogY: true},
		{ID: "growth", Title: "Exponents of the time and the memory of every method, stated and measured", run: growth,
			X: "size", LogX: true, LogY: true, picture: true, drawn: true, memory: true},
		{ID: "ranks", Title: "Ranks of recursive feature machines, boosted trees and kernel machines on small sets", run: ranks},
	}
}

// Find returns the table with the given ID.
func Find(id string) (Table, error) {
	all := All()
	i := slices.IndexFunc(all, func(t Table) bool { return t.ID == id })
	if i < 0 {
		var ids []string
		for _, t := range all {
			ids = append(ids, t.ID)
		}
		return Table{}, fmt.Errorf("there is no table %q; there are %s", id, strings.Join(ids, ", "))
	}
	return all[i], nil
}
