package infer

import "unicode/utf8"

// Position is a place in a text: a line and a column in characters, both from 1.
type Position struct{ Line, Col int }

// Comment is a comment of a script, with its #.
type Comment struct {
	Position
	Text  string
	Alone bool // nothing else stands on its line
}

// Comments lists the comments of a script. It needs no valid syntax: a string that is not closed ends with its line, or
// with the text where it has three quotes.
func Comments(text []byte) []Comment {
	var out []Comment
	line, begin := 1, 0 // of the current line
	alone := true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			line, begin, alone = line+1, i+1, true
		case ' ', '\t', '\r':
		case '#':
			end := i
			for end < len(text) && text[end] != '\n' && text[end] != '\r' {
				end++
			}
			out = append(out, Comment{Position{line, utf8.RuneCount(text[begin:i]) + 1}, string(text[i:end]), alone})
			i = end - 1
		case '"', '\'':
			alone = false
			triple := i+2 < len(text) && text[i+1] == c && text[i+2] == c
			if triple {
				i += 2
			}
			for i++; i < len(text); i++ {
				switch {
				case text[i] == '\\' && i+1 < len(text) && text[i+1] != '\n':
					i++
					continue
				case text[i] == '\n' && !triple:
				case text[i] == '\n':
					line, begin = line+1, i+1
					continue
				case text[i] == c && !triple:
				case text[i] == c && i+2 < len(text) && text[i+1] == c && text[i+2] == c:
					i += 2
				default:
					continue
				}
				break
			}
			if i < len(text) && text[i] == '\n' {
				line, begin, alone = line+1, i+1, true
			}
		default:
			alone = false
		}
	}
	return out
}
