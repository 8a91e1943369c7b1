package cli

import (
	"testing"

	"astrolabe/plots/terminal"
)

func TestTerminalsAnswerSaysWhichGraphicsItHas(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         terminal.Inline
		done         bool
	}{
		{"kitty's protocol", "\x1b_Gi=31;OK\x1b\\\x1b[?62;4c", terminal.Kitty, true},
		{"sixels", "\x1b[?63;1;2;4;6c", terminal.Sixel, true},
		{"neither", "\x1b[?1;2c", terminal.Characters, true},
		{"a VT420 is no terminal with sixels", "\x1b[?4;6c", terminal.Characters, true},
		{"kitty's protocol refused", "\x1b_Gi=31;ENODATA:\x1b\\\x1b[?62c", terminal.Characters, true},
		{"half an answer", "\x1b_Gi=31;OK\x1b\\\x1b[?62", terminal.NoInline, false},
		{"nothing", "", terminal.NoInline, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if how, done := graphicsIn([]byte(c.answer)); how != c.want || done != c.done {
				t.Errorf("got %v, %v; want %v, %v", how, done, c.want, c.done)
			}
		})
	}
}

func FuzzTerminalAnswer(f *testing.F) {
	f.Add([]byte("\x1b_Gi=31;OK\x1b\\\x1b[?62;4c"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if how, done := graphicsIn(answer); !done && how != terminal.NoInline {
			t.Fatalf("%q: %v before the end", answer, how)
		}
	})
}
