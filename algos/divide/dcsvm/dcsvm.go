package dcsvm

import "github.com/gramworks/gram/algos/svm"

// Config holds the settings of the divide-and-conquer solver (DC-SVM) of the exact
// problem of svm.Config. Package svm has it, where it is the start of large problems.
type Config = svm.Clusters

// Level describes one level of a fit: its clusters, and what solving their problems took and found.
type Level = svm.Level

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats = svm.ClusterStats
