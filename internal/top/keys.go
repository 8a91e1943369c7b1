package top

import (
	"slices"

	"github.com/gdamore/tcell/v3"
)

// list is what the view shows.
func (v *View) list() []*Row { return v.shown.List(v.listing) }

// place is where the selected row stands in a list: the first one where it is not there, -1 in an empty list.
func (v *View) place(list []*Row) int {
	at := slices.IndexFunc(list, func(r *Row) bool {
		return v.selected != nil && r.Name == v.selected.Name && r.Device == v.selected.Device
	})
	if at < 0 && len(list) > 0 {
		at = 0
	}
	if v.selected = nil; at >= 0 {
		v.selected = list[at]
	}
	return at
}

// move selects the row so many places further.
func (v *View) move(by int) {
	list := v.list()
	if at := v.place(list); at >= 0 {
		v.selected = list[min(max(at+by, 0), len(list)-1)]
	}
}

// Handle obeys an event; false ends the view.
func (v *View) Handle(ev tcell.Event) bool {
	switch ev := ev.(type) {
	case *tcell.EventResize:
		v.screen.Sync()
	case *tcell.EventKey:
		v.message = ""
		switch {
		case ev.Key() == tcell.KeyCtrlC:
			v.quit = true
		case ev.Key() == tcell.KeyCtrlZ && v.Suspend != nil:
			v.suspend()
		case ev.Key() == tcell.KeyCtrlL:
			v.screen.Sync()
		case v.searching:
			v.searchKey(ev)
		case v.help:
			v.help = false
		default:
			v.key(ev)
		}
	}
	v.Draw()
	return !v.quit
}

// suspend leaves the terminal to the shell. Nothing is measured meanwhile, which the recording counts as ticks missed.
func (v *View) suspend() {
	err := v.screen.Suspend()
	if err == nil {
		v.Suspend()
		err = v.screen.Resume()
	}
	if err != nil {
		v.message, v.quit = err.Error(), true
		return
	}
	v.message = "was stopped by Ctrl-Z: nothing was measured meanwhile"
	v.screen.Sync()
}

// longestSearch bounds what is searched for, in runes.
const longestSearch = 100

func (v *View) searchKey(ev *tcell.EventKey) {
	text := []rune(v.listing.Search)
	switch ev.Key() {
	case tcell.KeyEnter:
		v.searching = false
	case tcell.KeyEscape:
		v.searching, text = false, nil
	case tcell.KeyBackspace:
		text = text[:max(len(text)-1, 0)]
	case tcell.KeyRune:
		if text = append(text, []rune(ev.Str())...); len(text) > longestSearch {
			text = text[:longestSearch]
		}
	}
	v.listing.Search = string(text)
}

func (v *View) key(ev *tcell.EventKey) {
	page := max(v.rows-1, 1)
	switch ev.Key() {
	case tcell.KeyUp:
		v.move(-1)
	case tcell.KeyDown:
		v.move(1)
	case tcell.KeyPgUp:
		v.move(-page)
	case tcell.KeyPgDn:
		v.move(page)
	case tcell.KeyHome:
		v.move(-len(v.shown.Rows))
	case tcell.KeyEnd:
		v.move(len(v.shown.Rows))
	case tcell.KeyEnter:
		v.mark()
	case tcell.KeyEscape:
		v.listing.Search, v.listing.Marked = "", false
	case tcell.KeyRune:
		v.letter(ev.Str())
	}
}

func (v *View) letter(s string) {
	switch s {
	case "q":
		v.quit = true
	case "k":
		v.move(-1)
	case "j":
		v.move(1)
	case " ", "p":
		if v.paused() {
			v.shown = v.live
		} else {
			v.shown = v.live.Frozen()
		}
	case "s":
		v.listing.Order = (v.listing.Order + 1) % orders
	case "S":
		v.listing.Order = (v.listing.Order + orders - 1) % orders
	case "/":
		v.searching = true
	case "c":
		v.listing.Marked = !v.listing.Marked
	case "i":
		v.open()
	case "I":
		v.openAll()
	case "r":
		text, err := v.record()
		if v.message = text; err != nil {
			v.message = err.Error()
		}
	case "?", "h":
		v.help = true
	}
}

// mark chooses the selected row, on the live board and on what is shown.
func (v *View) mark() {
	if v.place(v.list()) >= 0 {
		marked := !v.selected.Marked
		v.both(v.selected, func(r *Row) { r.Marked = marked })
	}
}

// both changes a row of the live board, and the same row of what is shown.
func (v *View) both(row *Row, change func(*Row)) {
	name, device := row.Name, row.Device
	for _, b := range []*Board{v.live, v.shown} {
		if r := b.find(name, device); r != nil {
			change(r)
		}
	}
}

// open shows the instances of the selected row, or no longer.
func (v *View) open() {
	if v.place(v.list()) < 0 {
		return
	}
	if v.selected.parts < 2 {
		v.message = v.selected.Name + " has no instances"
		return
	}
	open := !v.selected.Open
	v.both(v.selected, func(r *Row) { r.Open = open })
}

// openAll shows the instances of all rows, or of none where one is open.
func (v *View) openAll() {
	open := !slices.ContainsFunc(v.shown.Rows, func(r *Row) bool { return r.Open })
	for _, b := range []*Board{v.live, v.shown} {
		for _, r := range b.Rows {
			r.Open = open && r.parts > 1
		}
	}
}
