// Package linear trains linear models on features: support vector machines by
// dual coordinate descent and Newton's method, logistic regression by Newton's
// method, ridge regression. With a gram.FeatureMap that approximates a kernel they are kernel
// machines for many rows; with none the features are the data.
//
// Features of dense maps are computed once and kept if they fit the memory
// limit, and otherwise mapped again, block of rows by block, whenever they are
// needed. The result is the same, to the bit.
//
// Predictions with a map that has a method Factor() (raw gram.FeatureMap, a *mat.Dense),
// which says that its features are raw(x)·a, use raw and a·w: Nyström features cost
// the product with the root of W in training alone.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [HCLKS08] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S.
// Sundararajan. A dual coordinate descent method for large-scale linear SVM.
// ICML 2008.
//
// [YHCL12] H.-F. Yu, C.-J. Hsieh, K.-W. Chang and C.-J. Lin. Large linear
// classification when data cannot fit in memory. TKDD 5 (2012).
//
// [KD05] S. S. Keerthi and D. DeCoste. A modified finite Newton method for fast
// solution of large scale linear SVMs. JMLR 6 (2005).
//
// [LWK08] C.-J. Lin, R. C. Weng and S. S. Keerthi. Trust region Newton method
// for large-scale logistic regression. JMLR 9 (2008).
package linear
