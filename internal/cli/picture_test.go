package cli

import (
	"testing"

	"astrolabe/plots/terminal"
)

func TestTerminalsAreKnownByTheirEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want terminal.Inline
	}{
		{map[string]string{"TERM": "xterm-kitty"}, terminal.Kitty},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, terminal.ITerm2},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, terminal.ITerm2},
		{map[string]string{"TERM": "foot"}, terminal.Sixel},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/t", "KITTY_WINDOW_ID": "1"}, terminal.Characters},
		{map[string]string{"TERM": "xterm-256color"}, terminal.Characters},
		{map[string]string{"TERM": "xterm-256color", graphicsVariable: "sixel"}, terminal.Sixel},
		{map[string]string{"TERM": "xterm-kitty", graphicsVariable: "none"}, terminal.NoInline},
	} {
		if got, err := terminalGraphics(func(k string) string { return c.env[k] }); got != c.want || err != nil {
			t.Errorf("%v: %v, %v; want %v", c.env, got, err, c.want)
		}
	}
	if _, err := terminalGraphics(func(k string) string {
		return map[string]string{graphicsVariable: "ascii"}[k]
	}); err == nil {
		t.Error("an unknown way of drawing is accepted")
	}
}
