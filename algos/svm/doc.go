// Package svm trains exact kernel support vector machines: classifiers (C-SVC, and ν-SVC as
// NuSVC), regressions (ε-SVR, and ν-SVR as NuSVR) and one-class machines (OneClass), which are
// LIBSVM's five. For more than two classes it trains one function for each
// pair of classes, or one for each class against the rest.
//
// # Problem
//
// All of them are the same quadratic problem in signed dual variables, see Problem:
//
//	min ½βᵀKβ − yᵀβ + ε·Σ|β_i|,   lower_i ≤ β_i ≤ upper_i,   Σβ_i = 0.
//
// For classes y_i = ±1 the variables are β_i = y_iα_i, where α is the solution of
// the dual in LIBSVM and in [S16] (3.7). [S16] has no bias and therefore no equality
// constraint. Regression needs one variable for each row rather than two: the term
// ε|β_i| has a kink at 0, so the solver uses the one-sided derivatives there.
//
// Of a one-class machine the sum of the β_i is ν·Σw_i instead of 0. Of ν-SVC and ν-SVR, ε is not given but the sums of
// the positive and of the negative parts of β are ([SSWB00]); the two parts of a step belong to one of them ([CL01]).
//
// # Method
//
// The solver is sequential minimal optimization. Each iteration takes the variable
// that violates its optimality condition most, pairs it with the variable that gives
// the largest decrease of the objective to second order ([FCL05]), and moves the two.
// Without a bias the two variables are not tied by an equation, and each moves by the
// amount that is best for both together ([SHS11]).
//
// Variables that are unlikely to move are left out for a while (shrinking, [J99]).
// The gradient, the offsets and the cached kernel rows are packed, so the cost of a
// step depends on the number of active variables alone. When the active variables
// are optimal, the gradient of all rows is computed anew in float64, as the product
// of the kernel matrix with the coefficients, and variables that violate their
// conditions become active again. A fit ends when all rows satisfy their conditions
// according to that gradient.
//
// # More than two classes
//
// OneVsOne trains one function for each pair of k classes. A row takes part only in
// the k−1 functions of its own class, so a model stores k−1 coefficients of each
// support vector rather than k(k−1)/2. A prediction computes each kernel value once
// for all functions: n rows cost O(n·m·(d+k)) for m support vectors. Expand,
// Coefficients and Values present all k(k−1)/2 functions.
//
// # Kernel rows
//
// Package kernel computes four kernel rows at a time, because a tile of rows takes
// little longer than one row. The three additional rows belong to variables that
// were nearly chosen. Rows of data most of whose numbers are zeros share no work in a tile, and
// their kernel rows are computed one at a time. The most recently used rows are kept in float32. As in LIBSVM,
// this halves memory and traffic, and here also the time to compute a row. It causes
// an error of about 10⁻⁷·Σ|β_iK_i| in the gradient, which the next computation of the
// whole gradient removes; tolerances of 1e-8 can therefore be reached. If the rounds
// in float32 stop making progress (badly conditioned kernel, large C, small Tol), the
// solver continues with rows in float64. Double uses float64 from the start.
//
// Pairs of classes that have at most 128 rows together take the values of the kernel from a matrix
// in float64 of the rows of many classes, in tiles of at most 2048 rows, and need no gradient of their own
// at the end. With 500 classes of two rows this takes a quarter of the time of a block for each pair.
//
// A step takes O(n') operations on n' active rows, and O(n·d) for a kernel row that the cache does
// not hold. No formula bounds the number of steps; it grows about as n where a constant share
// of the rows are support vectors, so that a fit takes some n²·(d+1). Memory is the cache, 4·n² bytes
// until its bound, and about 100 bytes for each row.
//
// Neither the size of the cache nor the number of workers changes any bit of a
// solution.
//
// # Prediction
//
// Values and Scores are computed in float64. Predict, of 32 rows or more with a Gaussian
// kernel, first computes the functions in float32, together with Σ_j max_f|β_jf|·K(x_j,x), to
// which the errors are relative; kernel.ProductBound has the bound. Rows whose class an
// error of that size might change are computed again in float64. The classes are therefore
// those of Values. Where a quarter of the first 256 rows are computed again, so are all.
// The memory for the support vectors in float32 is taken at the first such prediction.
//
// Of ijcnn1 (two classes, 22 columns) .3 % of the rows are computed again and of a9a (two
// classes, 123 columns) 4 %, and a prediction takes about two thirds of the time of float64.
// Of usps (ten classes in pairs, 256 columns) 78 % of the rows would be.
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
// [CL01] C.-C. Chang, C.-J. Lin. Training ν-support vector classifiers: theory and
// algorithms. Neural Computation 13 (2001): the largest ν, and steps within a class.
//
// [SSWB00] B. Schölkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett. New support vector
// algorithms. Neural Computation 12 (2000): ν-SVC and ν-SVR.
//
// [SPSSW01] B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson. Estimating the
// support of a high-dimensional distribution. Neural Computation 13 (2001): one-class machines.
//
// [SHS11] I. Steinwart, D. Hush, C. Scovel. Training SVMs
// without offset. JMLR 12 (2011): two variables at a time.
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// The University of Texas at Austin, 2016.
package svm
