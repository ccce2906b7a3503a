//go:build race

package haar

// Under the race detector sync.Pool drops values at random.
const poolForgets = true
