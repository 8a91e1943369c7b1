package cli

import (
	"testing"

	"astrolabe/plots"
)

func TestTerminalsAreKnownByTheirEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want plots.Inline
	}{
		{map[string]string{"TERM": "xterm-kitty"}, plots.Kitty},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, plots.ITerm2},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, plots.ITerm2},
		{map[string]string{"TERM": "foot"}, plots.Sixel},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/t", "KITTY_WINDOW_ID": "1"}, plots.NoInline},
		{map[string]string{"TERM": "xterm-256color"}, plots.NoInline},
		{map[string]string{"TERM": "xterm-256color", graphicsVariable: "sixel"}, plots.Sixel},
		{map[string]string{"TERM": "xterm-kitty", graphicsVariable: "none"}, plots.NoInline},
	} {
		if got, err := terminalGraphics(func(k string) string { return c.env[k] }); got != c.want || err != nil {
			t.Errorf("%v: %v, %v; want %v", c.env, got, err, c.want)
		}
	}
	if _, err := terminalGraphics(func(k string) string { return map[string]string{graphicsVariable: "ascii"}[k] }); err == nil {
		t.Error("an unknown way of drawing is accepted")
	}
}
