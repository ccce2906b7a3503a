package dataset

import (
	"math"
	"time"
)

// microseconds of a day, the unit in which dates and times are read.
const dayMicros = 24 * 60 * 60 * 1e6

// ParseDate reads a date such as 2024-01-31 or 2024/01/31, or a date with a time such as
// 2024-01-31T18:30, 2024-01-31 18:30:05.25 or 2024-01-31T18:30:05+02:00, and returns the days since
// 1970-01-01 in UTC, to the microsecond. A time without a zone is one of UTC. Other orders, such as
// 31.01.2024 and 01/31/2024, are not read, because some of them mean several days.
func ParseDate(text []byte) (days float64, is bool) {
	if len(text) < len("2024-01-31") || len(text) > 40 {
		return 0, false
	}
	s := []byte(string(text))
	if s[4] == '/' && s[7] == '/' {
		s[4], s[7] = '-', '-'
	}
	layout := time.DateOnly
	if rest := s[len(layout):]; len(rest) > 0 {
		if rest[0] != ' ' && rest[0] != 'T' {
			return 0, false
		}
		rest[0] = 'T'
		layout += "T15:04"
		at := len(layout)
		if len(s) > at && s[at] == ':' {
			layout += ":05" // a fraction behind the seconds is read without a layout
		}
		for at < len(s) && s[at] != 'Z' && s[at] != '+' && s[at] != '-' {
			if s[at] == ',' {
				return 0, false
			}
			at++
		}
		switch {
		case at == len(s):
		case len(s)-at == len("+0200"):
			layout += "Z0700"
		default:
			layout += "Z07:00"
		}
	}
	t, err := time.Parse(layout, string(s))
	if err != nil {
		return 0, false
	}
	return float64(t.UnixMicro()) / dayMicros, true
}

// dateText writes what ParseDate reads: a date, with a time if the days are not whole.
func dateText(days float64) string {
	t := time.UnixMicro(int64(math.Round(days * dayMicros))).UTC()
	if days == math.Trunc(days) {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999")
}

// Calendar returns the year, the month from 1 and the day of the week, from 1 for Monday to 7 for
// Sunday as in ISO 8601, of days since 1970-01-01.
func Calendar(days float64) (year, month, weekday int) {
	t := time.UnixMicro(int64(math.Round(days * dayMicros))).UTC()
	return t.Year(), int(t.Month()), (int(t.Weekday())+6)%7 + 1
}
