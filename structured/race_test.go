//go:build race

package structured

// Under the race detector sync.Pool drops values at random.
const poolForgets = true
