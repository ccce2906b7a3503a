package dataset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// formattedNumber returns a number that is written with thousands separators, a percent sign or a sign
// of currency as a plain number, "" if the text is none or is plain already. Thousands are separated
// by a comma, an apostrophe or a space, and by a point if comma says that numbers have decimal commas.
// A percentage is a number of hundredths, as spreadsheets store it, and parentheses are a minus sign.
func formattedNumber(text string, comma bool) string {
	s := strings.TrimSpace(text)
	plain := s
	sign, exponent := "", ""
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		sign, s = "-", s[1:len(s)-1]
	}
	minus := func() {
		if rest, is := strings.CutPrefix(s, "-"); is && sign == "" {
			sign, s = "-", rest
		}
	}
	minus()
	if rest, is := strings.CutSuffix(s, "%"); is {
		exponent, s = "e-2", strings.TrimSpace(rest)
	} else if r, n := utf8.DecodeRuneInString(s); unicode.Is(unicode.Sc, r) {
		s = strings.TrimSpace(s[n:])
		minus()
	} else if r, n := utf8.DecodeLastRuneInString(s); unicode.Is(unicode.Sc, r) {
		s = strings.TrimSpace(s[:len(s)-n])
	}
	point, separator := ".", ','
	if comma {
		point, separator = ",", '.'
	}
	whole, fraction, found := strings.Cut(s, point)
	if found && (fraction == "" || !digits(fraction)) {
		return ""
	}
	groups := []string{whole}
	for _, mark := range []rune{separator, '\'', '’', ' ', '\u00a0', '\u202f'} {
		if strings.ContainsRune(whole, mark) {
			groups = strings.Split(whole, string(mark))
			break
		}
	}
	for k, g := range groups {
		if !digits(g) || len(groups) > 1 && (len(g) > 3 || k > 0 && len(g) != 3) {
			return ""
		}
	}
	out := sign + strings.Join(groups, "")
	if found {
		out += "." + fraction
	}
	if out += exponent; out == plain {
		return ""
	}
	return out
}

// digits reports whether a text is nothing but decimal digits, one at least.
func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
