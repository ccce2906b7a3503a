// Package linear trains linear models on features: support vector machines by dual
// coordinate descent and Newton's method, logistic regression by Newton's method, and
// ridge regression. With a gram.FeatureMap that approximates a kernel they are kernel
// machines for many rows; without a map the features are the data themselves.
//
// Config.FitTags learns sets of labels on the data themselves, with a function for each label against the rest.
//
// Features of dense maps are computed once and kept in memory if they fit the memory
// limit. Otherwise they are computed again, in blocks of rows, whenever they are
// needed. Both ways give the same bits.
//
// If the features of a map are linear functions raw(x)·a of other features, the map
// can say so by a method Factor() (raw gram.FeatureMap, a *mat.Dense). Predictions then
// use raw and the coefficients a·w. Nyström features, for example, are multiplied by
// the root of W in training alone.
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
// [CGL83] T. F. Chan, G. H. Golub and R. J. LeVeque. Algorithms for computing the
// sample variance: analysis and recommendations. The American Statistician 37 (1983).
//
// [KD05] S. S. Keerthi and D. DeCoste. A modified finite Newton method for fast
// solution of large scale linear SVMs. JMLR 6 (2005).
//
// [LWK08] C.-J. Lin, R. C. Weng and S. S. Keerthi. Trust region Newton method
// for large-scale logistic regression. JMLR 9 (2008).
package linear
