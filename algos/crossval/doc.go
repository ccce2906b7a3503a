// Package crossval holds data out of a fit and chooses by them: settings from a
// grid, the number of rounds of a method that improves step by step, one of several
// models. Every method of this module that keeps rows back does it with this package.
//
// # For what
//
// A model is judged by data that it has not seen. Split names the rows to train on
// and the rows held out; Folds, Groups, Share and Cut make splits, and Entries holds
// out entries of a matrix. Search trains candidates on every split and judges each by
// the mean of its scores,
//
//	m_c = 1/k · Σ_f s(model of c trained on Train_f; Held_f),
//
// with the standard deviation √(Σ_f (s_f − m_c)²/(k−1)) between the k splits. What a
// score is, the caller says: a function trains and returns a number, of which the
// larger or the smaller is the better one. So any metric, data and model will do. A
// search among one candidate is plain cross-validation.
// Grid counts the combinations of a grid, and Paths those of them that a method can
// train together, such as all λ of a ridge regression.
//
// Curve follows the held-out scores of one model from round to round and says when to
// stop; Mean and Rounds draw the conclusion from the curves of several splits. Choose
// and Best are the rule itself: the first of the best scores, and never a NaN.
//
// # When it fails
//
// The score of the best of many candidates is too good: it was chosen for being so.
// Judge the final model by rows that no part of the search has seen.
//
// Rows that belong together, such as those of one person or near copies of each
// other, must not be divided: the held-out ones are then no news to the model. Use
// Groups. For rows in the order of time, hold out the last with Cut.
//
// Whatever is learned from data is part of the fit: a scaling, or a choice of columns,
// that was found on all rows has seen the held-out ones.
//
// With few rows a split tells little. The standard deviation between the splits shows
// it, though it is too small for a standard error, as training parts overlap. Rounds
// asks that an improvement exceeds its standard error.
//
// # Successive halving
//
// With Halving a search trains all candidates on a small part of the rows, keeps the
// better ones, and goes on with more rows, until the last ones are trained on all
// ([JT16] algorithm 1). With n candidates and the factor η there are
//
//	J = ⌈log_η n⌉
//
// rungs, 1 at least. Rung j = 0, …, J−1 trains what is left on the share η^(j+1−J) of
// the training rows of every split, and the ⌈n/η^(j+1)⌉ best go on. Where the cost of
// a fit is linear in the rows, every rung costs as much as the last, so that the search
// costs about J·η fits on all rows instead of n; where it is cubic, the last rung is
// nearly all there is. In [JT16] the number of those that go on is rounded down,
// and the budget is counted in steps of an iteration; set Halving.Rounds for that.
//
// It fails where few rows mislead: a setting whose best value depends on the number of
// rows is judged at the wrong one in all but the last rung. A penalty λ that is not
// counted per row should be tried as one that is. A model that needs many rows to be
// better than a simple one is thrown out before it has them. Least bounds the
// smallest rung.
//
// # Same bits
//
// A result depends on the seed alone. The number of workers and the limit of memory
// change how many trainings run at a time and nothing else; equal scores are decided
// by the order of the candidates.
//
// # References
//
// [JT16] K. Jamieson and A. Talwalkar. Non-stochastic best arm identification and
// hyperparameter optimization. AISTATS 2016.
package crossval
