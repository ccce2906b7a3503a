// Package enum names the values of enumerations.
package enum

import (
	"fmt"
	"strings"
)

// Name returns the name of v, names[v]. A value without a name is named by its type and number,
// as Solver(7), so that an error that prints it says what is wrong.
func Name[T ~uint8 | ~int](v T, names ...string) string {
	if v >= 0 && int(v) < len(names) {
		return names[v]
	}
	kind := fmt.Sprintf("%T", v)
	return fmt.Sprintf("%s(%d)", kind[strings.LastIndexByte(kind, '.')+1:], int(v))
}
