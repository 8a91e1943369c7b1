package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"astrolabe/plots/terminal"
)

// graphicsVariable chooses how pictures are shown, where the terminal is not recognised or lies: kitty, iterm2, sixel
// or none.
const graphicsVariable = "ASTROLABE_GRAPHICS"

// terminalGraphics says what the terminal can draw, by what it puts into the environment of its programs. None of this
// asks the terminal itself: its answer would land in the input of the session. Within tmux and screen pictures do not
// arrive.
func terminalGraphics(getenv func(string) string) (terminal.Inline, error) {
	if v := getenv(graphicsVariable); v != "" {
		return terminal.ParseInline(v)
	}
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case getenv("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return terminal.NoInline, nil
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty" ||
		getenv("KONSOLE_VERSION") != "":
		return terminal.Kitty, nil
	case program == "iTerm.app" || program == "WezTerm" || program == "mintty" || getenv("LC_TERMINAL") == "iTerm2":
		return terminal.ITerm2, nil
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "mlterm") || strings.HasPrefix(term, "contour") ||
		strings.Contains(term, "sixel") || getenv("WT_SESSION") != "":
		return terminal.Sixel, nil
	}
	return terminal.NoInline, nil
}

// showPicture draws a picture in the terminal, or puts it into a temporary file and returns its path.
func (a *app) showPicture(draw func(io.Writer) error) (string, error) {
	if isTerminal(a.out.file) {
		how, err := terminalGraphics(os.Getenv)
		if err != nil {
			return "", usagef("%s: %v", graphicsVariable, err)
		}
		if how != terminal.NoInline {
			var data bytes.Buffer
			if err := draw(&data); err != nil {
				return "", err
			}
			return "", terminal.WriteInline(a.out.file, how, data.Bytes(), a.width(), cellPixels(a.out.file))
		}
	}
	return temporaryPicture(draw)
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
