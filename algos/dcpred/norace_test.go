//go:build !race

package dcpred

const race = false
