// Package rfm implements recursive feature machines: kernel ridge regression that learns
// a metric of its rows ([RBPB24]). The function is
//
//	f(x) = b + Σ_j α_j·k(x,x_j),   k(x,z) = exp(−D(x,z)/L),
//
// with D(x,z)² = (x−z)ᵀM(x−z) for Full and Diagonal metrics, and D(x,z) = Σ_k √M_kk·|x_k−z_k|
// for Manhattan. The coefficients are α = (K+λI)⁻¹(y−b), where b is the mean of the
// targets. From M = I a round replaces M by the average outer product of the function's own
// gradients at the training rows,
//
//	M ← G / max G_kk,   G = Σ_l Σ_j w_j·∇f_l(x_j)·∇f_l(x_j)ᵀ,
//
// over all outputs l. Pairs of rows that are closer than 1e−10 are left out of a gradient,
// because the kernel has a kink there. Directions in which the function does not change
// disappear from the metric, and directions that matter get longer.
//
// # What is chosen
//
// A part of the rows is held out. The round of least squared error on these rows is
// kept, and a run of rounds ends when a round is worse than 1.1 times the best. The metric, the
// width L and λ are chosen by the same rows if they are not given. Of more than 2500 training
// rows this choice sees 2500. On two fifths of these, but on at least 500 rows, each metric has two
// rounds, and in each round a walk looks for the width and λ of least error; where the width is
// large, only λ·L matters, so that the walk goes along L and λ·L. The widths and λ found, and
// those found for ridge regression without rounds, are then compared on all 2500 rows in two rounds, and the two
// best have all rounds. With the metric of the best the walk is made once more, on these rows, because more rows want
// another width and λ than two fifths of them. With the chosen metric, width and λ the function is then fitted to all rows.
//
// # Many rows
//
// More rows than Leaf are divided by a tree whose leaves are ridge regressions of at most so many rows. Metric, width and λ
// are chosen on a sample of 2500 rows, judged by at most 1000 held-out rows, and are those of all leaves. A node is divided along the
// direction in which the function changes most: the first eigenvector of the average outer product of the gradients of a fit to at
// most 1000 of its rows. The threshold is near the median, so that leaves are about full, and a side has a quarter of the rows
// or more; where equal values leave no such threshold, the next direction is taken. A row of which there are more copies than a leaf
// holds is learned from some of them. With Soft above 0 a row is predicted by up to 12 leaves: by those that a small shift
// of the row could reach. The held-out rows choose it, and they are in no leaf.
//
// # When to use it
//
// The cost is that of some twenty ridge regressions on at most 2500 rows and Rounds+2 on all of
// them, n³/3 operations and n² numbers each, for up to some ten thousand rows; that of a tree is n·Leaf²/3 and Leaf².
// Boosted trees (package gbdt) are better where the function has steps along columns, and where
// there are many columns without influence and few rows: a Full metric has d² numbers to learn.
// If no round beats the first one, the function is ridge regression with the Laplace kernel.
//
// Columns should have the same scale, such as variance 1. With a width in units of the median
// distance and a Full metric, predictions do not depend on a rotation of the columns; with
// an absolute width they do, because the largest entry of M does.
//
// # Categories
//
// Given.Groups names the columns that encode one category. The entries of M between
// different groups, and between a group and the other columns, are 0, so that M holds the
// distances between the levels of each category:
//
//	D(x,z)² = D₀(x,z)² + Σ_g T_g[level of x, level of z],   T_g[k,l] = M_kk + M_ll − 2·M_kl,
//
// with D₀ of the other columns, and the same sum without squares for Manhattan. The distances, and the sums over rows in the gradients,
// take one addition for each category and pair of rows, whatever the number of levels. A Full metric
// of a category of k levels takes 2nk² + 4k³ operations and k² numbers in each round beside that; Auto does not
// compare it for more than 256 numbers, or levels of one category. The values are those of products of the columns
// up to rounding, but not their bits.
//
// Any columns in which few rows differ are a category, also a standardized code. A row that has other numbers there, such
// as zeros for an unknown level, has a level of its own with the distances that its numbers have. Where more than about
// a quarter of the rows do, and where Given.Metric has entries between a group and other columns, the group is computed by products.
//
// # Differences from the authors' program
//
// The program divides by the same largest entry, keeps a constant width by default and has no
// constant b. Here the width is measured again in each round in units of the median distance,
// and the rows that chose the round are fitted, too, in the end.
//
// # References
//
// [RBPB24] A. Radhakrishnan, D. Beaglehole, P. Pandit and M. Belkin. Mechanism for feature
// learning in neural networks and backpropagation-free machine learning models. Science 383
// (2024).
package rfm
