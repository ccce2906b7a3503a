// Package gram holds the types that every package of the module shares: row
// views of data, class labels, the settings of a run, the interfaces of models
// and the errors that data and settings can cause.
//
// gram is a module for kernel methods at scale. A program links the package that it needs:
//
//	to do                                             link
//	fast Hadamard, Haar transforms                    github.com/gramworks/gram/fwht, …/haar
//	products with structured random matrices          github.com/gramworks/gram/structured
//	exp, log, sine, distances of vectors              github.com/gramworks/gram/vec
//	changes of Cholesky factors                       github.com/gramworks/gram/cholupdate
//	eigenvalues of some kinds, projections            github.com/gramworks/gram/eig
//	BLAS and LAPACK behind gonum's interfaces         github.com/gramworks/gram/blas
//	kernel functions, blocks of kernel matrices       github.com/gramworks/gram/kernel
//	random rotations, projections, sketches           github.com/gramworks/gram/sketch
//	a method: support vector machines, ridge          github.com/gramworks/gram/algos/svm, …/algos/krr,
//	regression, Nyström, boosted trees, …             …/algos/lowrank/nystrom, …/algos/trees/gbdt
//	predictions by compiled models                    github.com/gramworks/gram/predict
//	files of data and of models                       github.com/gramworks/gram/dataset, …/modelfile
//	the command, the server, C and Python             github.com/gramworks/gram/app, a module of its own
//
// The module needs gonum, netlib, cpuid and x/sys. A program that links fwht alone has 3.5 MB.
// docs/architecture.md shows the layers of the packages. api/root.txt lists what the module
// exports; what is below internal, and the folders below asm but for asm/cpu, are not promised.
package gram
