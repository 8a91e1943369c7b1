package delimited

import "bytes"

// sniffDelim finds the delimiter from the header and the rows below it: the one that cuts the header into most cells
// among those that cut all rows alike; a comma where there is no telling.
func sniffDelim(head []byte) byte {
	best, bestScore := byte(','), 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		if s := delimScore(head, d); s > bestScore {
			best, bestScore = d, s
		}
	}
	// R's write.table puts blanks between cells and the names in quotes. Text that is no table has blanks too.
	if bestScore == 0 && bytes.HasPrefix(head, []byte{'"'}) && delimScore(head, ' ') > 0 {
		return ' '
	}
	return best
}

func delimScore(head []byte, delim byte) int {
	const rows = 20
	f := &File{Delim: delim}
	first, alike, n := 0, 0, 0
	var header []byte
	for n < rows && len(head) > 0 {
		skip, _ := new(File).skipLines(head)
		head = head[skip:]
		cells, next, _, ok := f.row(head)
		if !ok && n > 0 {
			break
		}
		if !ok {
			if cells, next, _, ok = f.row(terminated(head, true)); !ok {
				break
			}
		}
		if n++; n == 1 {
			first, header = len(cells), head[:min(next, len(head))]
		}
		head = head[min(next, len(head)):]
		if len(cells) == first {
			alike++
		}
	}
	if first < 2 || onlyInQuotes(header, delim) {
		return 0
	}
	// Rows that are all cut alike outweigh any number of cells.
	if alike == n {
		return 1<<20 + first
	}
	return first
}

// onlyInQuotes reports whether every delim of a row stands between two quotation marks, so that it is text of a cell
// that another delimiter bounds.
func onlyInQuotes(row []byte, delim byte) bool {
	quoted, inside := false, false
	for _, c := range row {
		switch {
		case c == '"':
			quoted = !quoted
		case c == delim && !quoted:
			return false
		case c == delim:
			inside = true
		}
	}
	return inside && !quoted
}

// GuessDecimal finds the decimal mark from some rows: 0 if they show none.
func (f *File) GuessDecimal(rows [][]string) byte {
	if f.Delim == ',' {
		return '.'
	}
	points, commas := 0, 0
	maybePoints, maybeCommas := 0, 0 // which may as well stand between thousands
	for _, row := range rows {
		for _, c := range row {
			b := []byte(c)
			_, pointed := ParseFloat(b, '.')
			_, comma := ParseFloat(b, ',')
			_, grouped := ungroup(bytes.TrimSpace(b), ',')
			_, groupedUS := ungroup(bytes.TrimSpace(b), '.')
			switch {
			case bytes.IndexByte(b, '.') >= 0 && bytes.IndexByte(b, ',') >= 0:
				if grouped {
					commas++
				} else if groupedUS {
					points++
				}
			case bytes.IndexByte(b, '.') >= 0 && pointed && grouped:
				maybePoints++
			case bytes.IndexByte(b, '.') >= 0 && pointed:
				points++
			case bytes.IndexByte(b, ',') >= 0 && comma && groupedUS:
				maybeCommas++
			case bytes.IndexByte(b, ',') >= 0 && comma:
				commas++
			}
		}
	}
	if points == 0 && commas == 0 {
		points, commas = maybePoints, maybeCommas
	}
	switch {
	case points > commas:
		return '.'
	case commas > 0:
		return ','
	}
	return 0
}
