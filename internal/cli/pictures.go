package cli

import (
	"bytes"
	"os"
	"time"

	"astrolabe/builtins/binding"
	"astrolabe/plots/terminal"
	"astrolabe/repl"
)

// pictures shows the plots of a session in its terminal. Where the environment does not name a terminal that is known
// it asks the terminal, whose input belongs to the session.
type pictures struct {
	a     *app
	auto  bool // how is to be found out
	known bool // how has been found out
	how   terminal.Inline
}

// answerTime is how long a terminal may take to answer; one far away takes a while, and tests take as long as they
// like.
var answerTime = 700 * time.Millisecond

// show draws a picture in the terminal, or puts it into a temporary file and returns its path.
func (p *pictures) show(pic binding.Picture) (string, error) {
	how, err := p.protocol()
	if err != nil {
		return "", err
	}
	if !isTerminal(p.a.out.file) {
		return temporaryPicture(pic.PNG)
	}
	return p.a.drawPicture(how, pic)
}

// protocol is how the terminal takes pictures.
func (p *pictures) protocol() (terminal.Inline, error) {
	if !p.auto || p.known || !isTerminal(p.a.out.file) {
		return p.how, nil
	}
	how, err := terminalGraphics(os.Getenv)
	if err != nil {
		return terminal.NoInline, usagef("%s: %v", graphicsVariable, err)
	}
	p.known = true
	if term := os.Getenv("TERM"); how == terminal.Characters && os.Getenv(graphicsVariable) == "" && term != "dumb" &&
		term != "linux" && askTerminal != nil {
		answer, asked := askTerminal()
		if how, _ = graphicsIn(answer); how == terminal.NoInline { // it did not say all
			how = terminal.Characters
		}
		p.known = asked
	}
	p.how = how
	return how, nil
}

// setting is :set pictures.
func (p *pictures) setting() repl.Setting {
	const auto = "auto"
	return repl.Setting{
		Name: "pictures", Doc: "how this terminal shows pictures",
		Values: []string{auto, "kitty", "iterm2", "sixel", "text", "none"},
		Get: func() string {
			if p.auto {
				return auto
			}
			return p.how.String()
		},
		Set: func(v string) error {
			if v == auto {
				p.auto, p.known, p.how = true, false, terminal.NoInline
				return nil
			}
			how, err := terminal.ParseInline(v)
			if err == nil {
				p.auto, p.how = false, how
			}
			return err
		},
	}
}

// themeSetting is :set theme.
func themeSetting(env *binding.Env) repl.Setting {
	return repl.Setting{Name: "theme", Doc: "the look of pictures that are shown in the terminal",
		Values: []string{"light", "dark"},
		Get:    func() string { return orText(env.Theme, "light") },
		Set:    func(v string) error { env.Theme = v; return nil }}
}

// terminalQuestion asks for kitty's graphics and then for the device attributes, which every terminal answers.
const terminalQuestion = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"

// graphicsIn reads the answer to terminalQuestion. done is false while its end has not come.
func graphicsIn(answer []byte) (how terminal.Inline, done bool) {
	at := bytes.Index(answer, []byte("\x1b[?"))
	if at < 0 {
		return terminal.NoInline, false
	}
	attributes, _, found := bytes.Cut(answer[at+3:], []byte("c"))
	if !found {
		return terminal.NoInline, false
	}
	if bytes.Contains(answer[:at], []byte("\x1b_Gi=31;OK")) {
		return terminal.Kitty, true
	}
	for _, a := range bytes.Split(attributes, []byte(";"))[1:] { // the first is the kind of terminal
		if string(a) == "4" {
			return terminal.Sixel, true
		}
	}
	return terminal.Characters, true
}
