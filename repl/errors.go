package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/guards"
	"astrolabe/builtins/notation"
)

// SourceLine returns a line of a source file, false if it is not known.
type SourceLine func(name string, line int) (string, bool)

// FormatError is the text of an error for people: each frame of the traceback with its source line and a caret, then
// the message, each line ended. The frames of modules stand below those of the load that ran them. Positions that no
// source line is known for stand alone; an error that has a method SourceLine, as those of scripts do, brings its own.
func FormatError(err error, source SourceLine) string {
	var own interface {
		SourceLine(name string, line int) (string, bool)
	}
	if given := source; errors.As(err, &own) {
		source = func(name string, line int) (string, bool) {
			if text, ok := own.SourceLine(name, line); ok || given == nil {
				return text, ok
			}
			return given(name, line)
		}
	}
	var out strings.Builder
	stack, innermost, err := Unwind(err)
	var list resolve.ErrorList
	var syn syntax.Error
	var res resolve.Error
	unread := errors.As(err, &list) || errors.As(err, &res) || errors.As(err, &syn)
	if innermost != nil {
		msg := systemText(innermost.Msg, innermost)
		if unread {
			msg, _, _ = strings.Cut(msg, ": ") // of a load; what is wrong with the file follows
		}
		writeFrames(&out, stack, source)
		out.WriteString("error: " + msg + "\n")
	}
	switch {
	case list != nil:
		for _, e := range list[:min(maxMistakes, len(list))] {
			writePosition(&out, e.Pos, e.Msg, source)
		}
		if more := len(list) - maxMistakes; more > 0 {
			fmt.Fprintf(&out, "… and %d more mistakes of this kind\n", more)
		}
	case res.Msg != "":
		writePosition(&out, res.Pos, res.Msg, source)
	case unread:
		writePosition(&out, syn.Pos, syn.Msg, source)
	case innermost == nil:
		out.WriteString("error: " + strings.TrimRight(ErrorText(err), "\n") + "\n")
	}
	return out.String()
}

// Unwind joins the stacks of an error and of the failed loads inside it, innermost last. The innermost error says what
// happened without the loads around it, nil where nothing was running; what made it is the cause, or err itself.
func Unwind(err error) (stack starlark.CallStack, innermost *starlark.EvalError, cause error) {
	var eval *starlark.EvalError
	for errors.As(err, &eval) {
		stack = append(stack, eval.CallStack...)
		innermost, err = eval, eval.Unwrap()
	}
	return stack, innermost, err
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
	fmt.Fprintf(out, "    %s\n    %s^\n", string(runes[indent:]),
		strings.Repeat(" ", notation.TextCells(string(runes[indent:at]))))
}

// visible lists every name that a statement can use, sorted.
func (s *Session) visible() []string {
	names := make([]string, 0, len(s.names)+len(starlark.Universe))
	for n := range s.names {
		if guards.Nameable(n) {
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
