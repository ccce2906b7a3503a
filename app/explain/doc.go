// Package explain says which columns of the data a fitted model uses, and how.
//
//   - Permutation: how much worse the predictions for rows become when the numbers of one
//     column are exchanged between the rows ([B01], [FRD19]). It works for every model. Of two
//     columns that tell the same, neither may look important.
//   - Partial: the mean prediction as a function of one column, with the other columns as they
//     are in the rows ([F01] §8.2). It works for every model.
//   - Forest: Shapley values of the columns for each prediction of boosted trees, by TreeSHAP
//     ([LEL18] Algorithm 2). They add up to the difference between the prediction and the mean.
//   - Sampled: estimates of Shapley values for one prediction of any model, by drawn orders of the columns ([CGT09], [SK14]).
//     Rows chooses between the two, as gram serve does.
//   - Relevance: the root mean square of the slope of a machine of Gaussian kernels along each
//     column, times the column's standard deviation.
//   - Learned: the shares of the columns in the metric that a model has learned, and the directions
//     along which it sees rows far apart. It needs no rows.
//
// None of them says what would happen if somebody changed a column in the world.
//
// # References
//
// [B01] L. Breiman. Random forests. Machine Learning 45, 2001.
//
// [CGT09] J. Castro, D. Gómez and J. Tejada. Polynomial calculation of the Shapley value based on
// sampling. Computers & Operations Research 36, 2009.
//
// [F01] J. H. Friedman. Greedy function approximation: a gradient boosting machine. Annals of
// Statistics 29, 2001.
//
// [FRD19] A. Fisher, C. Rudin and F. Dominici. All models are wrong, but many are useful. JMLR
// 20, 2019.
//
// [LEL18] S. M. Lundberg, G. G. Erion and S.-I. Lee. Consistent individualized feature
// attribution for tree ensembles. arXiv:1802.03888, 2018.
//
// [SK14] E. Štrumbelj and I. Kononenko. Explaining prediction models and individual predictions
// with feature contributions. Knowledge and Information Systems 41, 2014.
package explain
