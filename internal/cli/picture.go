package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/characters"
	"astrolabe/plots/terminal"
)

// graphicsVariable chooses how pictures are shown, where the terminal is not recognised or lies: kitty, iterm2, sixel,
// text, or none for files.
const graphicsVariable = "ASTROLABE_GRAPHICS"

// terminalGraphics says what the terminal can draw, by what it puts into the environment of its programs. None of this
// asks the terminal itself: its answer would land in the input of the session. Within tmux and screen pictures do not
// arrive, and
// charts are drawn in characters there as in every other terminal.
func terminalGraphics(getenv func(string) string) (terminal.Inline, error) {
	if v := getenv(graphicsVariable); v != "" {
		return terminal.ParseInline(v)
	}
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case getenv("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return terminal.Characters, nil
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty" ||
		getenv("KONSOLE_VERSION") != "":
		return terminal.Kitty, nil
	case program == "iTerm.app" || program == "WezTerm" || program == "mintty" || getenv("LC_TERMINAL") == "iTerm2":
		return terminal.ITerm2, nil
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "mlterm") || strings.HasPrefix(term, "contour") ||
		strings.Contains(term, "sixel") || getenv("WT_SESSION") != "":
		return terminal.Sixel, nil
	}
	return terminal.Characters, nil
}

// showPicture draws a picture in the terminal, or puts it into a temporary file and returns its path.
func (a *app) showPicture(p binding.Picture) (string, error) {
	if !isTerminal(a.out.file) {
		return temporaryPicture(p.PNG)
	}
	how, err := terminalGraphics(os.Getenv)
	if err != nil {
		return "", usagef("%s: %v", graphicsVariable, err)
	}
	return a.drawPicture(how, p)
}

// drawPicture shows a picture in the terminal in a way that is known.
func (a *app) drawPicture(how terminal.Inline, p binding.Picture) (string, error) {
	switch {
	case how == terminal.NoInline || how == terminal.Characters && p.Text == nil:
		return temporaryPicture(p.PNG)
	case how == terminal.Characters:
		text, err := p.Text(characters.Style{Width: a.width(), ASCII: a.ascii(), Colors: characters.ColorsOf(os.Getenv)})
		if err == nil {
			_, err = io.WriteString(a.out.file, text)
		}
		return "", err
	}
	var data bytes.Buffer
	if err := p.PNG(&data); err != nil {
		return "", err
	}
	return "", terminal.WriteInline(a.out.file, how, data.Bytes(), a.width(), cellPixels(a.out.file))
}

// ascii reports whether charts in characters have none beyond ASCII.
func (a *app) ascii() bool {
	return a.noUnicode || isTerminal(a.out.file) && characters.LacksUnicode(os.Getenv)
}

// temporaryPicture puts a picture into a temporary file.
func temporaryPicture(draw func(io.Writer) error) (string, error) {
	f, err := os.CreateTemp("", "astrolabe-*.png")
	if err != nil {
		return "", err
	}
	err = draw(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
