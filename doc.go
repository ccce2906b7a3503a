// Package gram holds the types that every package of the module shares: row
// views of data, class labels, the settings of a run, the interfaces of models
// and the errors that data and settings can cause.
//
// gram is a module for kernel methods at scale. Its packages stand in layers, one line
// each in the list below. A package imports only packages of lower lines, never of its
// own line or one above it; a test compares this list with every import of the module.
//
//	app/cmd/gram app/examples/classify app/examples/serve examples/blas examples/transform examples/update: the command, example programs
//	app/capi: the C interface, a shared library
//	reference: every method beside its definition, as tests
//	app/onnx app/serve: models in the format of ONNX, predictions over HTTP
//	app/papers bench: tables of the papers, benchmarks
//	app/papers/protocol: who sees the rows that models are judged by
//	app/job: fits from files in pieces, in one process or by many
//	app/search: the choice of methods and settings
//	app/training app/catalog/catalogtest: whole models of methods and data sets, what the tests of methods share
//	app/catalog: the list of methods
//	app/pipeline: fitted models as one value
//	predict/approx: approximations of kernel machines
//	app/explain: which columns a model uses
//	algos/divide/aesvm algos/divide/bka algos/divide/dckrr algos/divide/dcpred algos/divide/dcsvm algos/divide/routed algos/learned/alacarte algos/learned/goal algos/falkon algos/lowrank/meka algos/labels/gbml algos/labels/gimc algos/cluster/pairwise algos/kernels/bregman: methods built on other methods
//	algos/lowrank/fastnys algos/labels/fastxml algos/trees/gbdt algos/trees/ldkl algos/learned/completion algos/kernels/itml algos/gp algos/krr algos/labels/leml algos/lowrank/nystrom algos/lowrank/pseudo algos/lowrank/rff algos/kernels/sideinfo algos/labels/sleec algos/svm: methods
//	algos/cluster/kernelkmeans algos/lowrank/landmark: clusters in the space of a kernel, selection of landmarks
//	algos/cluster/kmeans algos/linear: clusters and linear machines
//	algos/kernels/dual: spectral functions under linear constraints
//	algos/kernels/constraint: constraints on learned kernels, pairs of rows
//	predict: models compiled for prediction
//	algos/solve: solvers of symmetric systems
//	algos/basis: feature maps, evaluated, stored and learned
//	internal/program: what programs of several models are made of
//	cholupdate eig kernel sketch: updates, spectra, kernel functions and blocks, random rotations and sketches
//	blas/blastest blas/openblas: the suite of the backends, OpenBLAS
//	blas: the native backend and the choice of one
//	internal/secular: the eigenproblem of diagonal plus rank one
//	fwht haar structured: transforms and structured products
//	asm/chol asm/codes asm/panel asm/gemm asm/haar asm/hadamard asm/level2 asm/peak asm/secular asm/structured asm/smo: kernels in assembly and in Go
//	asm/vec: elementwise functions in assembly and in Go
//	asm/gen asm/hadamard/asmgen: generators of the dispatch and of the Hadamard kernels
//	algos/algotest: the contract of estimators
//	internal/asmtest internal/tuning: tests of kernels, tuned parameters
//	asm asm/hadamard/paley: the folder of the kernels, orders of Hadamard matrices
//	asm/cpu: the only place that looks at the CPU
//	app/encode: columns of tables as numbers
//	app/columnar: readers of Parquet and Arrow for dataset
//	dataset: files of data
//	internal/gen: generated problems
//	internal/clusters: what the ways of clustering have in common
//	algos/conformal: intervals and sets that hold the truth with a given probability
//	algos/calibration: probabilities from scores
//	algos/crossval: held-out data and the choice of settings
//	internal/rows: the algebra of samples, and those that have a weight
//	internal/bins internal/check metric modelfile: histograms, checks, metrics, stored models
//	settings: described settings
//	internal/topk: ranks
//	gram: this package
//	sparse: compressed sparse rows
//	internal/neon/gen: generator of the NEON header
//	app/internal/repo app/page app/internal/par internal/enum internal/machine internal/neon internal/par internal/pun internal/safefile num/rng: files of the repository, pages, parallel loops, names of values, memory, encodings, puns, files, streams of random numbers
//	internal/race: what assembly touches, for the race detector
//	num: number types and row views
//
// Two package variables change what is computed: the level of package cpu and the backend
// of package blas. The others are pools of work memory, in cholupdate, blas, fwht, haar,
// internal/program and internal/rows, whose functions have no receiver that could keep it,
// and in kernel, whose blocks are often too small to have their own. In internal/par
// goroutines wait some microseconds for work. They change no result, and the garbage
// collector empties pools.
package gram
