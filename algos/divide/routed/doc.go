// Package routed is for models that are larger than memory, or whose rows are: the rows are
// divided by a tree of centers, every part has a model of its own in a file of its own, and a row
// is predicted by the model of its part.
//
// With kernel ridge regression in the parts this is DC-KRR ([S16] 3.3), with support vector
// machines the early prediction of BKA-SVM ([S16] 3.2), with Nyström features local Nyström. If
// there is no tree, every row belongs to all parts and the prediction is their mean: random KRR
// ([ZDW13]).
//
// The tree is fitted to a sample of the rows (Tree), with leaves so small that a leaf gets no more
// than Cap of all rows. The number in a leaf is estimated from the sample, so that some leaves get
// more; FitPart divides the rows of such a leaf again. No model is fitted to more than Cap rows.
//
// A model is a main file and a folder beside it, PATH.parts, with a file for each part. Parts are
// read when rows reach them, and those used last are kept up to a number of bytes.
//
// # References
//
//   - [S16] S. Si, Large-scale machine learning using kernel methods, PhD thesis, University of
//     Texas at Austin, 2016.
//   - [ZDW13] Y. Zhang, J. Duchi and M. Wainwright, Divide and conquer kernel ridge regression,
//     COLT 2013.
package routed
