//go:build !race

package seeds

const poolForgets = false
