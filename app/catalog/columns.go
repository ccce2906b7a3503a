package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/settings"
)

// NumberColumns puts the numbers of columns, from 1 on, in place of their names in settings of the kind columns, COLUMN:SIGN with
// commas between them. names lists the columns that the method gets; the error names a column that is not among them.
func NumberColumns(b *settings.Bound, names []string) error {
	for _, s := range b.Settings {
		if s.Kind != "columns" || !s.Given() {
			continue
		}
		items := strings.Split(s.String(), ",")
		for i, item := range items {
			at := strings.LastIndexByte(item, ':')
			if j := slices.Index(names, item[:at]); j >= 0 {
				items[i] = fmt.Sprint(j+1, item[at:])
			} else if _, err := strconv.Atoi(item[:at]); err != nil {
				return settings.Refuse(s.Name, item[:at], "the name or the number of a column%s", settings.Hint(item[:at], names))
			}
		}
		if err := s.Set(strings.Join(items, ",")); err != nil {
			return err
		}
	}
	return nil
}
