// Package machine trains linear machines on the features of a map that is fitted to the same rows, such as Nyström or random Fourier
// features: a support vector machine or logistic regression for classes, ridge regression for values.
//
// # Use
//
// On joins the configurations of a map and of a machine. The weight of the loss C and the penalty Lambda depend on the features, which
// are there only after the fit of the map; so a fit chooses them itself unless they are given. C is the one of 1, 0.1, 10 and
// 100 with the most weight of rows right among a fifth held out of at most 2500 rows, and 1 for fewer than 100 rows. Lambda is that of
// krr.Config.ChooseLambda, by leave-one-out, for at most 500 rows. The width of the kernel is chosen by crossval.Tune.
//
// # Limits
//
// C of a support vector machine and of logistic regression are one choice. The rows that choose are also rows of the fit of the map.
package machine
