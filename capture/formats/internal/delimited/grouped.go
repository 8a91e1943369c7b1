package delimited

import (
	"bytes"
	"strings"
)

// groupMarks are what stands between groups of three digits: the mark that is not the decimal one, blanks of three
// kinds, an apostrophe.
var groupMarks = [][]byte{{'.'}, {','}, {' '}, []byte("\u00a0"), []byte("\u202f"), {'\''}, []byte("\u2019")}

// ungroup takes the marks between thousands out of a number such as 1.234.567,5; ok is false where the text is no such
// number. The decimal mark must be known, for 1.234 may be either.
func ungroup(text []byte, decimal byte) (plain []byte, ok bool) {
	if decimal == 0 || len(text) > 64 {
		return nil, false
	}
	whole, fraction, pointed := bytes.Cut(text, []byte{decimal})
	sign := 0
	if len(whole) > 0 && (whole[0] == '-' || whole[0] == '+') {
		sign = 1
	}
	for _, mark := range groupMarks {
		if mark[0] == decimal || !bytes.Contains(whole, mark) {
			continue
		}
		groups := bytes.Split(whole[sign:], mark)
		for i, g := range groups {
			if !allDigits(g) || i > 0 && len(g) != 3 || i == 0 && (len(g) > 3 || g[0] == '0') {
				return nil, false
			}
		}
		plain = append(append(plain, whole[:sign]...), bytes.Join(groups, nil)...)
		if pointed {
			if len(fraction) > 0 && !allDigits(fraction) {
				return nil, false
			}
			plain = append(append(plain, decimal), fraction...)
		}
		return plain, true
	}
	return nil, false
}

func allDigits(b []byte) bool { return len(b) > 0 && strings.Trim(string(b), "0123456789") == "" }
