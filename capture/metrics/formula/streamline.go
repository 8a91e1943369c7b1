package formula

import "strings"

// streamlineFunctions are what Arm's guides call, and ours where they have none.
var streamlineFunctions = []function{
	{"max", OpMax, 2, -1}, {"min", OpMin, 2, -1}, {"abs", OpAbs, 1, 1},
	{"if", OpIf, 3, 3}, {"conditional", OpIf, 3, 3},
	{"clamp", OpClamp, 3, 3}, {"fill", OpFill, 2, 2},
}

// looksLikeStreamline reports whether a formula has a function or an operator that only Streamline's have.
func looksLikeStreamline(src string) bool {
	for _, word := range []string{"max(", "min(", "abs(", "if(", "conditional(", "clamp(", "fill(", "&&", "||",
		"!(", "!$"} {
		if strings.Contains(src, word) {
			return true
		}
	}
	return false
}
