//go:build !race

package structured

const poolForgets = false
