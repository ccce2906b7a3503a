// Package fastxml implements FastXML, an ensemble of trees that rank labels
// ([PV14]): the baseline of GBML (algos/labels/gbml) in Table 6.3 of [S16].
//
// A node with rows V sends x to the right if w·x̃ > 0 for x̃ = (x, 1), else to the left. The sides
// δ_i = ±1 of the rows are learned first, without w. Let r±
// be the ranking of the labels by Σ_{δ_i=±1} I(y_i)·y_i, with I(y) = 1/Σ_{r≤|y|} D(r) and
// D(r) = 1/log₂(1+r). Every row moves to the side where its
//
//	nDCG(r, y) = I(y)·Σ_l y_l·D(place of l in r)
//
// is larger, until the mean hardly increases. The sum over the rows never decreases, because r± are
// the best rankings for δ and δ are the best sides for r±. Then w is trained to separate the sides,
//
//	min_w ‖w‖₁ + C·Σ_{i∈V} log(1+exp(−δ_i·w·x̃_i))
//
// by Newton steps whose quadratic models are minimized by coordinate descent ([YHL12]). Where w has all rows on one
// side, because the norm outweighs the losses of few rows (or one ranking suits all, so that sides are drawn), it is trained again with 4C, 16C … 1024C (the program of the
// authors makes a leaf of such a node, which may hold a hundred rows). Nodes with few
// rows, and nodes that no w divides, are leaves. A leaf stores its most frequent labels with their
// shares. The score of a label is the mean over the trees.
//
// The objective of [PV14] combines both terms. With Rounds above 1 they are minimized in turn: for the w
// of a round, every row moves to the side where its nDCG minus its logistic loss is larger, and w is
// trained again, until no row moves. The program of the authors makes one round, as does the default.
//
// A tree costs O(nnz(X)·log(n/leaf)) times the passes of coordinate descent. To predict a row costs the
// nonzeros of the w on its paths, O(trees·depth·nnz(w)).
//
// References: [PV14] Y. Prabhu, M. Varma, FastXML: a fast, accurate and stable
// tree-classifier for extreme multi-label learning, KDD 2014. [YHL12] G.-X. Yuan,
// C.-H. Ho, C.-J. Lin, An improved GLMNET for L1-regularized logistic regression,
// JMLR 13, 2012. [S16] S. Si, Large-scale non-linear prediction with
// applications, PhD thesis, The University of Texas at Austin, 2016.
package fastxml
