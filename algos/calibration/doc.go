// Package calibration turns the scores of classifiers into probabilities.
//
// A score orders rows, but it says nothing about frequencies: among the rows that a
// support vector machine gives the value 1 there may be 60 or 99 percent of class 1. A Map
// is a function from scores to probabilities that is fitted to scores of rows whose classes
// are known. These rows must not be those the classifier was trained on, since training
// pushes scores apart; CrossFit obtains scores of all rows from classifiers that were
// trained without them. There are three kinds of maps:
//
//   - Platt: p = 1/(1+exp(A·s+B)), by maximum likelihood with the smoothed targets of
//     [P00], minimized as in [LLW07]. It needs few rows, and fits margins well.
//   - Isotonic: the non-decreasing function of least squared error, by pooling adjacent
//     violators, linear between the rows ([ZE02]). It assumes no form but needs about a
//     thousand rows of each class.
//   - Temperature: softmax(s/T), by maximum likelihood over T > 0 ([GPSW17]). It has a
//     single parameter for any number of classes and never changes their order. The scores
//     should be logarithms of odds up to a factor.
//
// For two classes there is one function of one score. For more classes Platt and Isotonic
// fit one function for each class against the rest and divide the results by their sum
// ([ZE02]). For machines of pairs of classes, such as those of svm.OneVsOne, there is one
// function for each pair, fitted to the rows of its two classes, and a coupling makes of the
// probabilities within the pairs those of the classes ([WLW04], second method).
//
// A map does not change which class a classifier predicts; that class may differ from the
// one with the largest probability.
//
// [GPSW17] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger. On calibration of modern neural
// networks. ICML 2017.
//
// [LLW07] H.-T. Lin, C.-J. Lin and R. C. Weng. A note on Platt's probabilistic outputs for
// support vector machines. Machine Learning 68, 2007.
//
// [P00] J. C. Platt. Probabilistic outputs for support vector machines and comparisons to
// regularized likelihood methods. Advances in Large Margin Classifiers, 2000.
//
// [WLW04] T.-F. Wu, C.-J. Lin and R. C. Weng. Probability estimates for multi-class
// classification by pairwise coupling. JMLR 5, 2004.
//
// [ZE02] B. Zadrozny and C. Elkan. Transforming classifier scores into accurate multiclass
// probability estimates. KDD 2002.
package calibration
