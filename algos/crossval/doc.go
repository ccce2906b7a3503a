// Package crossval holds data out of training in order to choose between models: settings
// from a grid, the number of rounds of an iterative method, or one of several models. Every
// method of this module that holds rows out uses this package.
//
// # Use
//
// A model is judged by data that it has not seen. A Split names the rows to train on and the
// rows to hold out. Folds, Groups, Share and Cut make splits; Entries holds out entries of a
// matrix. Search trains candidates on every split and judges each by the mean of its scores,
//
//	m_c = 1/k · Σ_f s(model of c trained on Train_f; Held_f),
//
// and reports the standard deviation √(Σ_f (s_f − m_c)²/(k−1)) between the k splits. The
// caller provides a function that trains a candidate and returns its score, and says
// whether larger or smaller scores are better; so any metric, data and model can be used. A
// search with one candidate is plain cross-validation.
//
// Grid counts the combinations of a grid. Its Paths lists those combinations that a method
// can train together, such as all λ of a ridge regression.
//
// Curve follows the held-out scores of one model from round to round and says when to stop.
// Mean and Rounds combine the curves of several splits. Choose and Best are the rule that
// all of these share: the first of the best scores wins, and NaN never does.
//
// Choice chooses settings of a method among the few candidates that its configuration declares where it
// describes the settings, such as three weights of a loss: in three folds of at most 1000 rows, one setting after the
// other, and only by a clear gain. ByPart chooses by one part that is held out. Tune makes of a method's configuration
// and its fit a method that chooses first, with kernel widths and λ, as the command gram fit does. Settings that are given stay.
//
// # Limits
//
// The score of the best of many candidates is optimistic, because the candidate was chosen
// by it. Judge the final model by rows that no part of the search has seen.
//
// Rows that belong together, such as those of one person or near copies of each other, must
// not be divided between training and held-out rows. Use Groups for them. If rows are
// ordered in time, hold out the last ones with Cut.
//
// Everything that is learned from data is part of the fit. A scaling or a selection of
// columns that was computed on all rows has seen the held-out ones.
//
// With few rows a split tells little. The standard deviation between the splits shows this,
// but dividing it by √k underestimates the standard error, because the training sets
// overlap. Rounds requires an improvement to exceed its standard error.
//
// # Successive halving
//
// With Halving, a search trains all candidates on a small part of the rows, keeps the better
// ones, and continues with more rows, until the remaining candidates are trained on all rows
// ([JT16] algorithm 1). For n candidates and the factor η there are
//
//	J = ⌈log_η n⌉
//
// rungs, but at least 1. Rung j = 0, …, J−1 trains the remaining candidates on the share
// η^(j+1−J) of the training rows of every split, and the best ⌈n/η^(j+1)⌉ candidates
// continue. If the cost of a fit is linear in the rows, all rungs cost about the same, and
// the search costs about J·η fits on all rows instead of n. If the cost is cubic, the last
// rung is nearly the whole cost. [JT16] rounds the number of remaining candidates down and
// counts the budget in iterations; set Halving.Rounds for such a budget.
//
// Halving fails if few rows are misleading. If the best value of a setting depends on the
// number of rows, every rung but the last judges it at the wrong number; give a penalty λ
// per row in this case. A model that needs many rows to be better than a simple one is
// dropped before it has them. Least is a lower bound of the smallest rung.
//
// # Reproducibility
//
// A result depends on the seed alone. The number of workers and the memory limit change only
// how many candidates are trained at a time. Equal scores are decided by the order of the
// candidates.
//
// # References
//
// [JT16] K. Jamieson and A. Talwalkar. Non-stochastic best arm identification and
// hyperparameter optimization. AISTATS 2016.
package crossval
