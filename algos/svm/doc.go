// Package svm trains exact kernel support vector machines: classifiers (C-SVC),
// one against one or one against the rest for more than two classes, and
// regressions (ε-SVR).
//
// # Problem
//
// All of them are one quadratic problem in signed dual variables, see Problem:
//
//	min ½βᵀKβ − yᵀβ + ε·Σ|β_i|,   lower_i ≤ β_i ≤ upper_i,   Σβ_i = 0.
//
// For classes β_i = y_iα_i, with α and the objective of LIBSVM and of [S16]
// (3.7), who has no bias and so no equation. Regression needs one variable a row,
// not two: |β| has a kink at 0 where the rates of raising and lowering differ.
//
// # Method
//
// Sequential minimal optimization: the pair of variables that lowers the objective
// most to second order moves at a time, the first being the one that violates its
// condition most ([FCL05]). Without a bias the same pair moves, each of
// its variables as far as is best for both ([SHS11]).
//
// Variables that are not likely to move are left out (shrinking, [J99]):
// gradient, offsets and cached kernel rows are packed so that a step costs what the
// active variables cost. When these are optimal the gradient of all rows is computed
// anew in float64, as a product of the kernel matrix with the support vectors'
// coefficients, and what violates its condition becomes active again. A fit ends
// only when all rows satisfy the conditions, by that gradient.
//
// # More than two classes
//
// OneVsOne has a function for each pair of k classes. A row has a part only in the
// k−1 functions of its own class, so a model holds k−1 coefficients of each support
// vector, not k(k−1)/2, and a prediction takes a kernel value once for all functions:
// n rows cost O(n·m·(d+k)) with m support vectors. Expand, Coefficients and Values
// show all k(k−1)/2 functions.
//
// # Kernel rows
//
// Rows are computed by package kernel, four at a time: a tile of rows takes little
// longer than one. The other three are of variables that came near being chosen. The
// rows used last are kept, in float32. As in LIBSVM that halves memory and traffic,
// and here computing time too; the error it brings into the gradient, about 10⁻⁷ of
// Σ|β_iK_i|, is gone when the gradient is computed anew, so that a tolerance of 1e-8
// is reached, too. Where rounds do not get ahead (a badly conditioned kernel, large
// C, small Tol) the rows are computed in float64. Double asks for that from the
// start.
//
// Neither the budget for rows nor the number of workers changes any bit of a
// solution.
//
// # LIBSVM
//
// ReadLIBSVM and WriteLIBSVM exchange models with svm-train and svm-predict.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [FCL05] R.-E. Fan, P.-H. Chen, C.-J. Lin. Working set selection
// using second order information for training support vector machines. JMLR 6
// (2005).
//
// [J99] T. Joachims. Making large-scale SVM learning practical. In:
// Advances in kernel methods, MIT Press, 1999.
//
// [CL11] C.-C. Chang, C.-J. Lin. LIBSVM: a library for support vector
// machines. ACM TIST 2 (2011): stopping, bias, shrinking, votes.
//
// [SHS11] I. Steinwart, D. Hush, C. Scovel. Training SVMs
// without offset. JMLR 12 (2011): two variables at a time.
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// The University of Texas at Austin, 2016.
package svm
