// Package reference holds every method of the module to its definition. There is nothing
// to import: its tests drive the methods through their public functions, on problems of a
// few rows and with ingredients that are given (a partition, landmarks, frequencies,
// samples), and compare what comes out with matrices written down as in the papers, to
// 10⁻⁸ of the largest entry.
//
// The cases are named by the equation or algorithm of the paper. So they are also where a
// reader of a paper finds how one step of a method is called:
//
//	go test ./reference -v -run Nystrom
//
// lists those whose names have that word. docs/papers.md says which paper an
// abbreviation stands for.
package reference
