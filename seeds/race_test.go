//go:build race

package seeds

// The race detector makes sync.Pool forget at random.
const poolForgets = true
