//go:build race

package dcpred

const race = true // sync.Pool drops at random
