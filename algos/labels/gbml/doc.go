// Package gbml implements gradient boosted trees for very many labels: GBML
// ([S16] section 6.3, Algorithms 9 and 10), also known as GBDT-SPARSE
// ([SZKMDH17]).
//
// A row x is projected to z = Wᵀx + b, which has few columns (at most about 100). W comes from LEML
// (algos/labels/leml), as the method defines it, or is given (Config.Given). Trees on z are grown one
// after another, with squared loss, on the residuals c_i = y_i − F(x_i), which are vectors with an
// entry for every label. The value of a set V of rows is ‖Σ_{i∈V} c_i‖²/(λ+|V|), and a node is split
// such that the sum of the values of its children is largest. When the tree is complete, each leaf
// keeps the Keep labels with the largest |Σc_i|, the lower label of equals, with the values
//
//	h = Σc_i/(λ+|V|),
//
// and η·h of the leaf of x is added to F(x). A residual therefore has at most the labels of its row
// and Keep more for every tree, and a model has Keep numbers for each leaf. A prediction takes the
// projection, a path through every tree and Keep additions for each tree. None of these costs depends
// on the number of labels.
//
// Differences to the printed algorithms: λ is not multiplied by the number of
// rows (with the printed λN and λ = 5 no split ever gains); the shrinkage η,
// which Algorithm 10 lacks, is needed (without it precision on delicious stops
// at .59–.61).
//
// Splits are found exactly for the bins of the columns (internal/bins). Rows cross from right to left
// in the order of their bins, and the norms of both sums follow from ‖s+c‖² = ‖s‖² + 2⟨s,c⟩ + ‖c‖²,
// which takes one multiplication and two additions for each entry of a residual and each column. Labels
// that only one row of a node has take none, because they do not interact. A tree costs
// O(depth·d̄·nnz(c)) operations. Memory is O(nnz(Y) + n·trees·Keep) for the residuals and one byte for
// each entry of z.
//
// All numbers are in double precision. With Single those that the model keeps, the
// projection, thresholds and values, are rounded to single precision, which halves it;
// residuals lose what the model says, so rounding does not pile up. The residuals
// of a block of rows are renewed together, so that they are never held twice.
//
// The projection, columns and residuals can be given: what one step of the method does
// to numbers of one's own can be seen by Tree, Projection and Scores.
//
// References: [S16] S. Si, Large-scale non-linear prediction with applications,
// PhD thesis, The University of Texas at Austin, 2016. [SZKMDH17] S. Si, H. Zhang,
// S. S. Keerthi, D. Mahajan, I. S. Dhillon, C.-J. Hsieh, Gradient boosted decision
// trees for high dimensional sparse output, ICML 2017.
package gbml
