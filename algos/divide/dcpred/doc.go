// Package dcpred makes kernel machines that predict fast: DC-Pred++, a tree of
// k-means clusters with a small local model in each leaf.
//
// Fit, [S16] Algorithm 4:
//
//  1. the rows are clustered by hierarchical k-means (package kmeans, Tree);
//  2. in every leaf a support vector machine (package svm), or kernel ridge
//     regression (package krr) for values, is fitted to its rows: α;
//  3. the leaf's landmarks are k-means centroids of its rows with the weights
//     α_i². The error of the model on the approximate kernel is bounded by this
//     weighted k-means objective ([S16] Theorems 9–11);
//  4. pseudo-landmarks are added, products of the kernel values or values at
//     bounds of the distances (package pseudo, [S16] Algorithm 2);
//  5. a linear model is trained on the features of the approximate kernel and
//     stored as a function of the kernel values and pseudo-landmarks themselves.
//
// DC-Fast-Nys has structured landmarks in step 3 and no step 4 (package fastnys):
// their seeds are learned from rows drawn in proportion to α_i².
//
// A prediction goes down the tree, always to the child with the nearest center,
// and evaluates that one leaf: Branch products of length d a level, M kernel
// values (of s·d operations for structured ones), P products and the linear
// functions. Nothing depends on the number of training rows or support vectors.
//
// A leaf with rows of a single class has no kernel values: its score is a
// constant. In a leaf without rows of some class, that class has the score −1, as
// the machine against the rest has where all rows are negative.
//
// # When it fails
//
// The features of step 5 are fitted to the rows of a leaf, and where these are few and far
// from each other, as in heavy-tailed columns, the weighted centroids of step 3 lie between
// them. Then all rows of the leaf have small kernel values with a landmark and still
// smaller products; the pseudo-inverse multiplies them up, and as ridge regression counts
// the squares of coefficients of features, not of columns, the coefficients of such
// columns are of the order of 10⁶. A row that comes nearer to the landmark than any row of
// the leaf would be predicted thousands of times the range of the targets. Package pseudo
// leaves most of such columns out, and a leaf keeps its values within the range of its
// targets and a tenth of that beyond. FitValues reports an error where the rows, left out
// one by one, are predicted worse than by the mean of the others. The logarithm of such
// columns is a better cure than all of these.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [S16] S. Si. Large-scale non-linear prediction with applications. PhD thesis,
// University of Texas at Austin, 2016, section 5.2.
//
// [HSD14] C.-J. Hsieh, S. Si and I. S. Dhillon. Fast prediction for large-scale
// kernel machines. NIPS 2014.
package dcpred
