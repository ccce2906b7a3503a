//go:build !race

package pseudo

const race = false
