package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
)

// SourceLine returns a line of a source file, false if it is not known.
type SourceLine func(name string, line int) (string, bool)

// FormatError is the text of an error for people: each frame with its source line and a caret, then the message, each line
// ended. Positions that no source line is known for stand alone.
func FormatError(err error, source SourceLine) string {
	var out strings.Builder
	var eval *starlark.EvalError
	var list resolve.ErrorList
	var syn syntax.Error
	var res resolve.Error
	switch {
	case errors.As(err, &eval):
		writeFrames(&out, eval.CallStack, source)
		out.WriteString("error: " + systemText(eval.Msg, eval) + "\n")
		// A failed load carries the frames of the other file.
		var inner *starlark.EvalError
		if cause := eval.Unwrap(); cause != nil && errors.As(cause, &inner) && inner != eval {
			out.WriteString(FormatError(inner, source))
		}
	case errors.As(err, &list):
		for _, e := range list[:min(maxMistakes, len(list))] {
			writePosition(&out, e.Pos, e.Msg, source)
		}
		if more := len(list) - maxMistakes; more > 0 {
			fmt.Fprintf(&out, "… and %d more mistakes of this kind\n", more)
		}
	case errors.As(err, &res):
		writePosition(&out, res.Pos, res.Msg, source)
	case errors.As(err, &syn):
		writePosition(&out, syn.Pos, syn.Msg, source)
	default:
		out.WriteString("error: " + strings.TrimRight(ErrorText(err), "\n") + "\n")
	}
	return out.String()
}

// maxMistakes is how many names that do not exist are shown of one text.
const maxMistakes = 5

// maxFrames is how many frames a traceback shows; the middle of a deeper one is counted.
const maxFrames = 20

func writeFrames(out *strings.Builder, stack starlark.CallStack, source SourceLine) {
	for i, fr := range stack {
		if len(stack) > maxFrames && i >= maxFrames/2 && i < len(stack)-maxFrames/2 {
			if i == maxFrames/2 {
				fmt.Fprintf(out, "  … %d more frames\n", len(stack)-maxFrames)
			}
			continue
		}
		if fr.Pos.Filename() == "<builtin>" || !fr.Pos.IsValid() {
			continue // the frame above it shows the call
		}
		name := fr.Name
		if name == "<expr>" || name == "<toplevel>" {
			fmt.Fprintf(out, "%s\n", fr.Pos)
		} else {
			fmt.Fprintf(out, "%s in %s\n", fr.Pos, name)
		}
		writeSource(out, fr.Pos, source)
	}
}

func writePosition(out *strings.Builder, pos syntax.Position, msg string, source SourceLine) {
	fmt.Fprintf(out, "%s\n", pos)
	writeSource(out, pos, source)
	out.WriteString("error: " + msg + "\n")
}

// widestSource is how many cells of a source line an error shows, with the error in sight.
const widestSource = 160

func writeSource(out *strings.Builder, pos syntax.Position, source SourceLine) {
	if source == nil {
		return
	}
	text, ok := source(pos.Filename(), int(pos.Line))
	if !ok || isBlank(text) {
		return
	}
	runes := []rune(strings.ReplaceAll(text, "\t", " "))
	at := min(max(int(pos.Col)-1, 0), len(runes))
	if from := at - widestSource/2; len(runes) > widestSource && from > 0 {
		runes, at = runes[from:], at-from
	}
	runes = runes[:min(len(runes), widestSource)]
	indent := 0
	for indent < len(runes) && indent < at && runes[indent] == ' ' {
		indent++
	}
	fmt.Fprintf(out, "    %s\n    %s^\n", string(runes[indent:]), strings.Repeat(" ", builtins.TextCells(string(runes[indent:at]))))
}

// visible lists every name that a statement can use, sorted.
func (s *Session) visible() []string {
	names := make([]string, 0, len(s.names)+len(starlark.Universe))
	for n := range s.names {
		if builtins.Nameable(n) {
			names = append(names, n)
		}
	}
	for n := range starlark.Universe {
		if !s.names.Has(n) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}
