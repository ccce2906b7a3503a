//go:build race

package pseudo

const race = true // sync.Pool drops items at random
