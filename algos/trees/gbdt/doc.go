// Package gbdt implements gradient boosted decision trees for regression and
// classification, with splits found in histograms, and direct loss minimization
// for two classes.
//
// The score of a row is F(x) = F₀ + η·Σ_t h_t(x), where each h_t is a tree whose
// leaves hold constants, η is the shrinkage and F₀ the constant that minimizes
// the loss. Tree t is grown on the rows' losses at F_{t−1}:
//
//	squared   ½(y−F)²             g = F−y    c = 1            one tree a round
//	quantile  max(τ(y−F), (1−τ)(F−y)) g = −τ or 1−τ  c = 1            one tree a round; absolute is twice the loss of τ = ½
//	huber     ½(y−F)² up to |y−F| = δ, then δ|y−F|−½δ²  g = F−y within ±δ  c = 1             one tree a round; F₀ is the median
//	poisson   e^F − yF            g = e^F−y    c = e^F          y ≥ 0; one tree a round; models predict e^F
//	logistic  log(1+e^F) − yF     g = σ(F)−y c = σ(F)(1−σ(F)) y ∈ {0, 1}; one tree a round
//	softmax   log Σ_k e^{F_k} − F_y                           one tree a round and class, g and c like the logistic
//
// all multiplied by the weight of the row. A tree grows by splitting the leaf whose best split gains
// most, until no split gains anything or MaxLeaves is reached.
//
// With the criterion SecondOrder the value of a set V of rows is −½G²/(H+λ) with G = Σg and H = Σc, and
// its leaf holds −G/(H+λ) ([F01], [CG16]). With DirectLoss ([S16] Algorithms 7 and 8) the value is
//
//	min_h Σ_{i∈V} log(1+exp(−y_i(F_i+h))) + ½λh²
//
// itself, computed by a safeguarded Newton iteration, and the leaf holds the minimizer. λ must be
// positive, because a child with a single class has no minimizer otherwise. In exact mode this problem
// is solved for every candidate; otherwise it is solved for the Screen candidates with the largest
// second-order gain in each leaf. MinCurvature is a lower bound of H for SecondOrder only; with
// DirectLoss, λ bounds the minimizer if H vanishes. (The listing of Algorithm 8 starts with F = y; we
// start with F₀.)
//
// Config.Columns names columns whose cells may be missing, and columns of categories. At a split by
// a number the missing cells go where the gain is larger, and where there are none, with most rows; a
// split may also part missing cells from all others. A category is split into two sets of levels:
// the levels, missing cells among them, are ordered by G/(H+10) and cut where the gain, with 10
// added to λ, is largest. For squared loss, without these 10, that is the best of all cuts into two sets ([F58]). Levels
// that a split has not seen go with most of its rows, and levels unknown in training like missing cells.
//
// With Config.Loss Absolute or Quantile, whose curvature is 0 where it exists, splits are those of squared loss for the slopes,
// and a leaf holds the weighted quantile τ of the residuals y−F of its rows, at O(n·log n) for a round. Two fits of levels
// α/2 and 1−α/2 are a band that holds about 1−α of the values, without a guarantee; package conformal has one.
//
// With Config.Monotone a split of a column with a sign has children in its order, or is refused, and all leaves below them stay on their side of
// the mean of the two values, as in XGBoost and LightGBM; gains are those of the values so limited. Leaves that are set to quantiles are moved
// to limits that follow from the quantiles of inner nodes in the same way. Missing cells, which such a split sends to one child, have no order.
//
// The reported losses of huber are divided by δ, which follows the residuals if it is not given, so that those of rounds can be compared.
// With poisson a leaf holds log((Σy+λ)/(H+λ)), the factor by which its mean is off, which is −G/(H+λ) to first order.
//
// A fit can continue from the scores of another model (Config.Given). Tree returns the nodes of a tree
// with their thresholds, gains and values. Import reads models of XGBoost and LightGBM. Disk fits rows that
// lie in a file, as bins, with the same result.
//
// Columns are divided into at most Bins bins with about equal numbers of rows. The histogram of the
// larger child of a split is the histogram of the parent minus that of the smaller child. Exact gives
// every distinct value a bin of its own.
//
// The gradients of a round are rounded to multiples of a power of two: for a million rows, of at most 2⁻³⁰ of the
// largest gradient and 2⁻²³ of the largest curvature. Their sums are exact, so that a histogram has
// the same bits for any order and division of the rows.
// So have the gradients at every level and on every machine, and with them the trees.
//
// A column of which half of the rows or more share a bin is summed over the other
// rows alone: the shared bin holds what these leave of the whole. Such columns that have
// few combinations of bins, like those that encode a category, are grouped: a row is added to its combination, and
// the sums of these are added to their bins, which takes an addition for each group and not for each column.
//
// A round costs O(s·depth) additions, halved by the subtraction, for the s entries
// of x that are not in such a shared bin. Memory for training is one byte for each
// entry of x (two with more than 256 bins; sparse data are stored in the same way)
// and four for those of sparse columns that are not in the shared bin, or one for each row and group, beside
// MaxLeaves histograms.
//
// References: [F58] W. D. Fisher, On grouping for maximum homogeneity, JASA 53. [F01] J. H. Friedman, Greedy function approximation: a
// gradient boosting machine, Annals of Statistics 29. [CG16] T. Chen, C. Guestrin,
// XGBoost: a scalable tree boosting system, KDD 2016. [S16] S. Si, Large-scale non-linear
// prediction with applications, PhD thesis, The University of Texas at Austin, 2016,
// chapter 6.
package gbdt
