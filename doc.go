// Package gram holds the types that every package of the module shares: row
// views of data, class labels, the settings of a run, the interfaces of models
// and the errors that data and settings can cause.
//
// gram is a module for kernel methods at scale. The layers, imports pointing
// down only:
//
//	cmd/gram             command line
//	catalog bench/tables lists of methods and of the papers' tables
//	algos/...            estimators: Config, Fit, Model
//	kernel               kernel functions and Gram blocks
//	fwht haar cholupdate eig   transforms, updates, spectra
//	blas                 native, gonum and OpenBLAS backends
//	asm/...              hand-written kernels with pure-Go versions
//	asm/cpu              the only place that looks at the CPU
//
// This package, sparse and internal/... import none of these and may be used
// by all.
package gram
