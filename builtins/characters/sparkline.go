package characters

import "math"

// levels are heights of a cell in eighths.
var levels = []rune("▁▂▃▄▅▆▇█")

// plainLevels are eight heights in ASCII, from the foot of a line to a full cell.
var plainLevels = []rune("_.,-=+*#")

// Sparkline draws values as a row of blocks, the largest of each stretch; a stretch without values is a space.
func Sparkline(v []float64, width int, ascii bool) string {
	width = min(width, len(v))
	peaks := make([]float64, width)
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range peaks {
		peaks[i] = math.NaN()
		for _, x := range v[i*len(v)/width : (i+1)*len(v)/width] {
			if x == x && !math.IsInf(x, 0) && !(peaks[i] >= x) {
				peaks[i] = x
			}
		}
		if peaks[i] == peaks[i] {
			lo, hi = min(lo, peaks[i]), max(hi, peaks[i])
		}
	}
	return string(Blocks(peaks, min(lo, 0), hi, ascii))
}

// Blocks draws a value in each cell as a block whose height is its place between lo and hi; a missing one is a space.
// What lies beyond an end is drawn at that end.
func Blocks(v []float64, lo, hi float64, ascii bool) []rune {
	glyphs := levels
	if ascii {
		glyphs = plainLevels
	}
	out := make([]rune, len(v))
	for i, p := range v {
		switch {
		case p != p:
			out[i] = ' '
		case !(hi > lo):
			out[i] = glyphs[0]
		default:
			frac := min(max(p/(hi-lo)-lo/(hi-lo), 0), 1)
			out[i] = glyphs[int(frac*float64(len(glyphs)-1)+0.5)]
		}
	}
	return out
}
