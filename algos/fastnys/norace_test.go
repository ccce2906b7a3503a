//go:build !race

package fastnys

const race = false
