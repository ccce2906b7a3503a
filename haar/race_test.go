//go:build race

package haar

// The race detector makes sync.Pool forget at random.
const poolForgets = true
