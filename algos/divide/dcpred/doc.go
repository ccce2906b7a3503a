// Package dcpred trains kernel machines with fast predictions: DC-Pred++ is a tree of k-means
// clusters with a small local model in each leaf.
//
// A fit has these steps ([S16] Algorithm 4):
//
//  1. Hierarchical k-means clusters the rows (kmeans.Tree).
//  2. In every leaf a support vector machine (package svm), or kernel ridge regression (package
//     krr) for values, is fitted to the rows of the leaf. α are its coefficients.
//  3. The landmarks of the leaf are k-means centroids of its rows with the weights α_i². This
//     weighted k-means objective bounds the error of the model on the approximate kernel
//     ([S16] Theorems 9–11).
//  4. Pseudo-landmarks are added: products of kernel values, or values at bounds of the distances
//     (package pseudo, [S16] Algorithm 2).
//  5. A linear model is trained on the features of the approximate kernel, and stored as a
//     function of the kernel values and pseudo-landmarks.
//
// DC-Fast-Nys uses structured landmarks in step 3 and omits step 4 (package fastnys). Their seeds
// are learned from rows drawn in proportion to α_i².
//
// A prediction goes down the tree, always to the child with the nearest center, and evaluates one
// leaf. It takes Branch products of length d on each level, M kernel values (from s·d operations
// for structured landmarks), P products and the linear functions. The cost does not depend on
// the number of training rows or support vectors.
//
// A leaf whose rows all have the same class has no kernel values; its score is a constant. In a
// leaf without rows of some class, that class has the score −1, which is the score of a machine
// against the rest if all rows are negative.
//
// # Cost
//
// The tree takes n·d·Branch flops for each step of k-means on each of its log(n/Leaf) levels. A leaf
// with l rows takes what package svm takes for them, or l³/3 flops for values, l·m·d for each
// step of k-means for m landmarks, and l·r² for the linear model on r = m + p features. For a given size of leaves
// that is n·log n in all.
//
// # Limits
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
