//go:build !race

package haar

const poolForgets = false
