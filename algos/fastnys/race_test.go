//go:build race

package fastnys

const race = true // sync.Pool drops items at random
