// Package gbml implements gradient boosted trees for very many labels: GBML
// ([S16] section 6.3, Algorithms 9 and 10), also known as GBDT-SPARSE
// ([SZKMDH17]).
//
// A row x is projected to z = Wᵀx + b with few columns (at most about 100), W
// from LEML (algos/labels/leml; by definition of the method) or given (Config.Given). Trees on z
// are grown one after another on the residuals c_i = y_i − F(x_i), vectors with
// an entry for every label, with squared loss. A set V of rows is worth
// ‖Σ_{i∈V} c_i‖²/(λ+|V|), and the split of a node whose children are worth most is
// taken. When the tree is complete each leaf keeps the Keep labels of largest
// |Σc_i|, the lower label of equals, with the values
//
//	h = Σc_i/(λ+|V|)
//
// and F(x) grows by η·h of the leaf of x. So residuals have at most the row's
// labels and Keep more for every tree, a model has Keep numbers a leaf, and a
// prediction takes the projection, a walk down every tree and Keep additions for
// each: none of it depends on the number of labels.
//
// Differences to the printed algorithms: λ is not multiplied by the number of
// rows (with the printed λN and λ = 5 no split ever gains); the shrinkage η,
// which Algorithm 10 lacks, is needed (without it precision on delicious stops
// at .59–.61).
//
// Splits are found exactly for the bins of the columns (internal/bins): rows
// cross from right to left in the order of their bins, and the norms of both
// sums follow from ‖s+c‖² = ‖s‖² + 2⟨s,c⟩ + ‖c‖², one multiplication and two
// additions for each entry of a residual and column. Labels that only one row of
// a node has need none, as they never meet. A tree costs O(depth·d̄·nnz(c))
// operations; memory is O(nnz(Y) + n·trees·Keep) for residuals and one byte for
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
