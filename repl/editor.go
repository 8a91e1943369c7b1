package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/chzyer/readline"
)

// errInterrupt is what ReadLine returns where the user typed Ctrl-C.
var errInterrupt = errors.New("interrupted")

// lineEditor reads what a person types. ReadLine returns io.EOF at the end of the input and errInterrupt for Ctrl-C.
// Its result has no line end of its own, but holds those of a paste or of a recalled entry.
type lineEditor interface {
	ReadLine(prompt string) (string, error)
	Remember(entry string)
	Close() error
}

// completeFunc returns what may stand for the end of line[:pos].
type completeFunc func(line string, pos int) candidates

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool { return readline.IsTerminal(int(f.Fd())) }

// newEditor returns the readline editor where the terminal can take it, else (a width of 0, say) plain reading with
// prompts on talk.
func newEditor(in, out, talk *os.File, entries func() ([]string, error), complete completeFunc,
	look *looks) (lineEditor, error) {
	usable := isTerminal(in) && isTerminal(out) && os.Getenv("TERM") != "dumb" && in.Fd() == os.Stdin.Fd()
	if usable && readline.GetScreenWidth() >= narrowest {
		return newReadlineEditor(entries, complete, look)
	}
	return newPlainEditor(in, talk), nil
}

// readlineEditor is the editor of a real terminal.
type readlineEditor struct {
	rl       *readline.Instance
	stdin    *readline.CancelableStdin
	empty    atomic.Bool
	pastes   pastes
	cells    cells
	rows     rows
	chosen   *chosen // by Tab, not yet in the line
	complete completeFunc
	entries  func() ([]string, error)
	known    map[string]bool // nil until the history is loaded
	look     *looks
	suggest  suggestions
	further  atomic.Bool // the line goes on with an entry
	searches atomic.Bool // the line is one of Ctrl-R or Ctrl-S
}

func newReadlineEditor(entries func() ([]string, error), complete completeFunc, look *looks) (*readlineEditor, error) {
	e := &readlineEditor{complete: complete, entries: entries, look: look}
	e.stdin = readline.NewCancelableStdin(readline.Stdin)
	e.empty.Store(true)
	rl, err := readline.NewEx(&readline.Config{
		Stdin: filteredStdin{&inputFilter{r: e.stdin, empty: &e.empty, pastes: &e.pastes,
			cells: &e.cells}, e.stdin},
		HistoryLimit:           historyLimit,
		DisableAutoSaveHistory: true,
		AutoComplete:           e,
		Painter:                painter{&e.cells, screenWidth, e},
		Stdout:                 paintedOutput{os.Stdout, &e.cells},
		FuncFilterInputRune:    e.key,
		Listener:               readline.FuncListener(e.changed),
		FuncGetWidth:           screenWidth,
		EOFPrompt:              "\n",
	})
	if err != nil {
		return nil, err
	}
	e.rl = rl
	return e, nil
}

// narrowest is the width of a terminal that readline can edit lines on: it divides by what the prompt leaves over.
const narrowest = 10

// screenHeight is how many rows the terminal has, 24 where that is not known.
func screenHeight() int {
	if _, h, err := readline.GetSize(int(os.Stdout.Fd())); err == nil && h > 0 {
		return h
	}
	return 24
}

// screenWidth is the width of the terminal, never less than the narrowest.
func screenWidth() int { return max(readline.GetScreenWidth(), narrowest) }

type filteredStdin struct {
	*inputFilter
	stdin io.Closer
}

func (s filteredStdin) Close() error { return s.stdin.Close() }

// changed follows the line being edited, puts pastes in and keeps characters whole.
func (e *readlineEditor) changed(line []rune, pos int, key rune) ([]rune, int, bool) {
	e.empty.Store(len(line) == 0)
	now, at := e.rows.plain(line, pos, key)
	now, at, _ = e.pastes.expand(now, at)
	if e.chosen != nil && key == keyTab {
		now = slices.Replace(now, max(0, at-e.chosen.over), at, e.chosen.text...)
		at += len(e.chosen.text) - e.chosen.over
	}
	e.chosen = nil
	now, at = e.accept(now, at, key)
	now, at, _ = e.cells.mend(now, at, key)
	e.searches.Store(e.rl != nil && e.rl.Operation.IsSearchMode())
	e.suggest.atEnd = at == len(now)
	if e.rl != nil && !e.rl.Operation.IsSearchMode() {
		now, at = e.rows.lay(now, at, screenWidth(), screenHeight())
	}
	return now, at, at != pos || !slices.Equal(now, line)
}

// Sequences that switch bracketed paste of the terminal on and off.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

func (e *readlineEditor) ReadLine(now string) (string, error) {
	e.rl.SetPrompt(now)
	e.further.Store(now != prompt)
	e.suggest.leave(false)
	io.WriteString(os.Stdout, pasteOn)
	line, err := e.rl.Operation.Runes()
	io.WriteString(os.Stdout, pasteOff)
	if errors.Is(err, readline.ErrInterrupt) {
		return "", errInterrupt
	}
	return e.cells.fromEdit(line), err
}

// key sees each key before readline does. The first one loads the history: the first prompt need not wait for that.
func (e *readlineEditor) key(r rune) (rune, bool) {
	if e.known == nil {
		e.load()
	}
	// Enter and Ctrl-C leave the line as it stands on the screen, and what is suggested is no part of it.
	if r == readline.CharBckSearch || r == readline.CharFwdSearch {
		e.searches.Store(true)
	}
	e.suggest.leave(r == keyEnter || r == keyNewline || r == ctrlC)
	return r, true
}

// load hands the history to readline.
func (e *readlineEditor) load() {
	entries, err := e.entries()
	if err != nil {
		fmt.Fprintln(e.rl.Stderr(), err)
	}
	e.known = make(map[string]bool, len(entries))
	e.suggest.reset()
	e.suggest.remember(entries...)
	for _, entry := range entries {
		e.known[entry] = true
		e.rl.SaveHistory(string(e.cells.toEdit(entry)))
	}
}

// Remember puts a whole entry, which the history already has, into what Up and Ctrl-R find.
func (e *readlineEditor) Remember(entry string) {
	entry = strings.TrimRight(entry, "\n")
	if e.known[entry] { // readline cannot move an old entry to the end
		e.rl.ResetHistory()
		e.load()
		return
	}
	e.known[entry] = true
	e.suggest.remember(entry)
	// An empty one first: it makes readline forget which old entry the user was looking at, which it would save
	// instead.
	e.rl.SaveHistory("")
	e.rl.SaveHistory(string(e.cells.toEdit(entry)))
}

// accept puts what is suggested into the line where a key at its end would move the cursor on: all of it, or the next
// word.
func (e *readlineEditor) accept(line []rune, pos int, key rune) ([]rune, int) {
	if !e.suggest.atEnd || pos != len(line) || key != keyForward && key != keyLineEnd && key != readline.MetaForward {
		return line, pos
	}
	rest := e.suggestion(line)
	if key == readline.MetaForward {
		rest = nextWord(rest)
	}
	line = append(slices.Clone(line), e.cells.toEdit(rest)...)
	return line, len(line)
}

// suggestion is what the history would go on with, "" where nothing is suggested.
func (e *readlineEditor) suggestion(line []rune) string {
	if !e.look.suggestions.Load() || e.further.Load() || e.searches.Load() {
		return ""
	}
	return e.suggest.of(e.cells.fromEdit(line))
}

func (e *readlineEditor) Close() error {
	// Readline waits for its reader, which only ends when its input does.
	e.stdin.Close()
	return e.rl.Close()
}

// Do implements readline.AutoCompleter. Readline's own list of candidates fails where one is wider than the terminal
// and cannot be cut short, so the list is printed above the line instead and readline only gets what to insert.
func (e *readlineEditor) Do(line []rune, pos int) ([][]rune, int) {
	before := e.cells.fromEdit(line[:pos])
	found := e.complete(before+e.cells.fromEdit(line[pos:]), len(before))
	if len(found.words) == 0 {
		return nil, 0
	}
	typed := before[len(before)-found.replaced:]
	insert, ok := extension(found.words, typed)
	switch {
	case ok && insert != "":
		return [][]rune{e.cells.toEdit(insert)}, 0
	case len(found.words) == 1 && !ok: // the word does not begin so: it takes the place of what was typed
		e.chosen = &chosen{over: len(e.cells.toEdit(typed)), text: e.cells.toEdit(found.words[0])}
	case len(found.words) > 1:
		io.WriteString(e.rl.Stdout(), columns(found.listed(), screenWidth()))
	}
	return nil, 0
}

// chosen is a word that Tab puts in the place of the last runes before the cursor, which readline cannot do: it only
// inserts.
type chosen struct {
	over int
	text []rune
}

// Keys as readline has them.
const (
	keyTab     = 9
	keyNewline = 10
	keyEnter   = 13
	keyLineEnd = 5
)

// listed are the words as they are shown to a person who chooses.
func (c candidates) listed() []string {
	out := make([]string, len(c.words))
	for i, w := range c.words {
		if note := c.notes[w]; note != "" {
			w = note + " " + w
		}
		out[i] = w
	}
	return out
}
