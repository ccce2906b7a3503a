//go:build race

package structured

// The race detector makes sync.Pool forget at random.
const poolForgets = true
