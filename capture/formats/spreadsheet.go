package formats

import "strings"

// spreadsheetMark is what spreadsheets take as the sign that a cell is text, whatever follows.
const spreadsheetMark = "'"

// formulaBegins reports whether a spreadsheet could take a text for a formula: by its first character, which may have
// full width, or after white space that it drops.
func formulaBegins(s string) bool {
	for _, r := range s {
		return strings.ContainsRune("=+-@\t\r\n＝＋－＠", r)
	}
	return false
}

// MarkText returns a text as it stands in a cell of a table that a spreadsheet may open: with an apostrophe before it
// where it would be a formula, which could send what else is in the table to whoever wrote the text. UnmarkText takes
// the apostrophe off again, and so that it finds those that were there before, they get another one. Numbers are no
// texts, and get none.
func MarkText(s string) string {
	if formulaBegins(strings.TrimLeft(s, spreadsheetMark)) {
		return spreadsheetMark + s
	}
	return s
}

// UnmarkText takes off what MarkText put before a text.
func UnmarkText(s string) string {
	if rest, ok := strings.CutPrefix(s, spreadsheetMark); ok && formulaBegins(strings.TrimLeft(rest, spreadsheetMark)) {
		return rest
	}
	return s
}
