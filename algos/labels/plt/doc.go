// Package plt implements probabilistic label trees with linear nodes ([JWDB20], [PKHAV18],
// [KXB20]): the labels, however many, are the ends of a tree, and the score of a label is the
// product of probabilities on the way to it.
//
// Every row is divided by its length first, in fits and in predictions: x̂ = x/‖x‖. The feature
// of a label is the sum of the x̂ of its rows, divided by its length. A node with more than Leaf
// labels is divided among at most Branch children by balanced 2-means of these features,
// applied again and again: each division makes parts whose numbers of labels differ as little
// as they can, and moves labels until the sum of cosines between features and centers hardly
// increases. Labels without rows are not in the tree and are never predicted.
//
// The problem of a child c of a node v has the rows that have a label of v, the root all rows.
// With y_i = 1 for rows that have a label of c and −1 for the others, and x̃ = (x̂, 1), its
// weights are
//
//	min_w ½‖w‖² + C·Σ_i max(0, 1−y_i·w·x̃_i)²
//
// by dual coordinate descent with shrinking ([HCLKS08]). The children of a node share its rows,
// gathered once with their columns renumbered. Weights of at most Cut are stored as none.
//
// The probability of a child is 1/(1+exp(−2w·x̃)), which at w·x̃ = 0 has the value and the slope of
// (1+w·x̃)/2, what the squared hinge estimates; [PKHAV18] take exp(−max(0, 1−w·x̃)²), in which all
// products above 1 are equal. A prediction goes down level by level and follows the Beam best nodes of each
// level; the probability of a label is the product along its path, 0 if the beam does not reach it. With several trees, which begin with other centers, it is the mean of
// theirs.
//
// The parts of a tree must be found again from new rows, which fails for labels of very few rows that have nothing in common with
// others; the mean of the rows of such a label tells more. Near says how much: the weight with which the labels of held-out rows come first most
// often, by the mean of P@1, P@3 and P@5, of a model of the other rows. The features are stored by column, so that a row meets the labels alone
// with which it shares one. The weights of a node are stored by column, for all its children together ([EBD22]):
// a row looks for its nonzero columns once a node, by binary search or by a scan.
//
// A fit costs O(nnz(X)·a·(Branch·levels + Leaf)) for each pass of coordinate descent, where a is
// the mean number of different nodes of a level that a row has labels in, and nearly twice that if Near is chosen. A prediction costs
// O(Beam·levels·(nnz(x)·log + weights met)) and the features met.
//
// P@1 with Near and Rarity 0, and with the defaults: bibtex .641, .653; delicious .671, .669; medical .831, .837; tmc2007-500 .702, .711. On
// 90 000 generated rows with 50 000 labels that have nothing in common (BenchmarkMany) .48, .92, which is what the nearest feature has.
//
// Config.Pieces cuts a fit into pieces, which any processes with the same rows make, and joins the model that Fit returns.
//
// Limit: the lengths of the rows are lost.
//
// References: [PKHAV18] Y. Prabhu, A. Kag, S. Harsola, R. Agrawal, M. Varma, Parabel:
// partitioned label trees for extreme classification with application to dynamic search
// advertising, WWW 2018. [KXB20] S. Khandagale, H. Xiao, R. Babbar, Bonsai: diverse and shallow
// trees for extreme multi-label classification, Machine Learning 109, 2020. [JWDB20]
// K. Jasinska-Kobus, M. Wydmuch, K. Dembczyński, M. Kuznetsov, R. Busa-Fekete, Probabilistic
// label trees for extreme multi-label classification, arXiv 2009.11218, 2020. [HCLKS08] C.-J.
// Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, A dual coordinate descent
// method for large-scale linear SVM, ICML 2008. [EBD22] P. A. Etter, K. Zhong, H.-F. Yu, L.
// Ying, I. Dhillon, Accelerating inference for sparse extreme multi-label ranking trees, WWW 2022.
package plt
