// Package sleec implements SLEEC, sparse local embeddings for extreme
// classification ([BJKVJ15]): the baseline of GBML (algos/labels/gbml) in Table 6.3 of
// [S16].
//
// A learner divides the rows into clusters by k-means on x. In a cluster each row gets an embedding z_i
// of dimension r that preserves the inner products of label vectors, scaled to length one, for the
// nearest neighbors:
//
//	min Σ_{(i,j)∈Ω} (ŷ_i·ŷ_j − z_i·z_j)²
//
// where Ω contains every row paired with itself and with its Neighbors rows of largest ŷ_i·ŷ_j
// (symmetric: (i,j) if either row has the other). The problem is solved by singular value projection
// M ← P_r(M + η·P_Ω(G − M)) for M = ZZᵀ ([JMD10]), where P_r keeps the r largest positive eigenvalues.
// M is never formed: a step is subspace iteration from the last Z on a matrix of low rank plus a sparse
// one. η increases while the objective decreases, and is reduced otherwise; with η = 1 and an exact
// projection the objective never increases.
//
// Then ridge regression maps x to its embedding:
//
//	min_V ‖Z − XV‖² + λ‖V‖² + μ‖XV‖₁
//
// where μ > 0 makes embeddings sparse: the alternating direction method of multipliers ([BPCPE11])
// solves it by ridge regressions. By default μ is 0. A new row belongs to the
// cluster with the nearest center and has the embedding Vᵀx. Its prediction is the mean of the label
// vectors of the k rows with the nearest embeddings. The score of a label is the mean over the learners.
//
// A step of the embedding costs O((|Ω| + n·r)·r) operations. To predict a row costs nnz(x)·r and n_c·r
// for each learner, where n_c is the number of rows of the cluster. A model takes 4·(n + d·clusters)·r
// bytes for each learner, and the label sets.
//
// References: [BJKVJ15] K. Bhatia, H. Jain, P. Kar, M. Varma, P. Jain, Sparse local
// embeddings for extreme multi-label classification, NIPS 2015. [JMD10] P. Jain,
// R. Meka, I. S. Dhillon, Guaranteed rank minimization via singular value
// projection, NIPS 2010. [BPCPE11] S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein,
// Distributed optimization and statistical learning via the alternating direction
// method of multipliers, Foundations and Trends in Machine Learning 3, 2011. [S16] S. Si, Large-scale non-linear prediction with
// applications, PhD thesis, The University of Texas at Austin, 2016.
package sleec
