package values

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/spelling"
	"astrolabe/capture/symbols"
)

var labelledMethod = binding.Method[*Capture]{
	Sig: "labelled(label: str, value: str|list) -> Mask",
	Doc: "The samples whose label, such as the kernel, the dispatch or the node, has that value, or one of several, for cap.where. In a value * stands for any text and ? for any character. " +
		"A value without them that no sample has is an error.",
	Example: "cap.where(cap.labelled(\"kernel\", \"vecCopy*\")).samples",
	Run: func(recv *Capture, c *binding.Call) (starlark.Value, error) {
		l, err := recv.Capture.FindLabel(c.Str("label", ""))
		if err != nil {
			return nil, err
		}
		wanted, err := texts(c.Arg("value"))
		if err != nil {
			return nil, fmt.Errorf("parameter value: %w", err)
		}
		selected := make([]bool, len(l.Dict))
		for _, w := range wanted {
			found := false
			for code, value := range l.Dict {
				if value == w || metrics.Glob(w, value) {
					selected[code], found = true, true
				}
			}
			if !found && !strings.ContainsAny(w, "*?") {
				return nil, fmt.Errorf("no sample has the %s %q%s", l.Name, w, nearValue(w, l))
			}
		}
		return NewMask(recv.env, capture.NewMask(recv.Capture.Axis,
			func(i int) bool { return l.Codes[i] >= 0 && selected[l.Codes[i]] })), nil
	},
}

// texts are those of a text or of a list of texts.
func texts(v starlark.Value) (out []string, err error) {
	if s, ok := starlark.AsString(v); ok {
		return []string{s}, nil
	}
	for e := range starlark.Elements(v.(starlark.Iterable)) {
		s, ok := starlark.AsString(e)
		if !ok {
			return nil, fmt.Errorf("got a list with a %s in it, want text", e.Type())
		}
		out = append(out, s)
	}
	return out, nil
}

// nearValue is what may have been meant.
func nearValue(wanted string, l *capture.Label) string {
	for _, value := range l.Dict {
		if strings.HasPrefix(value, wanted) {
			return fmt.Sprintf(" (did you mean %q, or %q?)", value, wanted+"*")
		}
	}
	if near := spelling.Nearest(wanted, l.Dict); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// ShortNames is table.short_names.
func ShortNames(_ *binding.Env, c *binding.Call) (starlark.Value, error) {
	names, err := texts(c.Arg("names"))
	if err != nil {
		return nil, fmt.Errorf("parameter names: %w", err)
	}
	return binding.StringList(symbols.Short(names)), nil
}
