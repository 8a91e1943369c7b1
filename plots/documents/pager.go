package documents

import (
	"fmt"

	"astrolabe/capture/progress"
	"astrolabe/plots/canvas"
)

// chunk is a piece of a report that is never cut: a line of text, a row of a table, a panel.
type chunk struct {
	h     float64
	space float64 // kept free before it, except at the top of a page
	keep  bool    // stands on the same page as the next chunk, if a page can hold them
	alone bool    // has a page of its own where pages are as high as what is on them
	group *group
	draw  func(sc *canvas.Scene, x, y, w float64) // nil draws nothing
}

// group is a run of chunks with a head that is repeated where a page begins within the run (the header of a table), and
// a foot that is repeated where one ends (a shared time axis).
type group struct{ head, foot *chunk }

// pager puts chunks onto pages.
type pager struct {
	t     *canvas.Theme
	w, h  float64 // of a page; h is the greatest height
	scale float64
	fixed bool // every page has the full height
	// endless is a page that is as high as all that is on it.
	endless bool
	title   string
	meter   *progress.Meter
}

type placed struct {
	*chunk
	y float64
}

// sheet is one page being filled. y runs from 0 at the upper margin.
type sheet struct {
	placed []placed
	n      int // chunks on it
	y      float64
	open   *group
	dry    bool // only measured
}

// put places a chunk, opening and closing groups as needed.
func (s *sheet) put(c *chunk) {
	if s.open != c.group {
		s.close()
	}
	if s.n > 0 {
		s.y += c.space
	}
	if s.open != c.group {
		s.open = c.group
		if c.group.head != nil {
			s.add(c.group.head)
		}
	}
	s.add(c)
}

func (s *sheet) add(c *chunk) {
	if !s.dry {
		s.placed = append(s.placed, placed{c, s.y})
	}
	s.n++
	s.y += c.h
}

// close ends the open group with its foot.
func (s *sheet) close() {
	if s.open != nil && s.open.foot != nil {
		s.add(s.open.foot)
	}
	s.open = nil
}

// after is where the sheet would end with more chunks on it.
func (s *sheet) after(more []*chunk) float64 {
	trial := sheet{n: s.n, y: s.y, open: s.open, dry: true}
	for _, c := range more {
		trial.put(c)
	}
	trial.close()
	return trial.y
}

// maxRun bounds how many chunks are kept together.
const maxRun = 200

// split puts chunks on sheets. Chunks that belong together move to the next page together, unless no page holds them.
func (p *pager) split(chunks []*chunk) []*sheet {
	room := p.h - 2*p.t.Margin
	sheets := []*sheet{{}}
	cur := sheets[0]
	next := func() {
		cur.close()
		cur = &sheet{}
		sheets = append(sheets, cur)
	}
	for i := 0; i < len(chunks); {
		j := i + 1
		for j < len(chunks) && chunks[j-1].keep && j-i < maxRun {
			j++
		}
		run := chunks[i:j]
		if cur.after(run) > room && cur.n > 0 {
			if (&sheet{}).after(run) <= room {
				next()
			} else { // too tall for any page: cut where it overflows
				run = run[:1]
				if cur.after(run) > room {
					next()
				}
			}
		} else if cur.after(run) > room {
			run = run[:1]
		}
		for _, c := range run {
			cur.put(c)
		}
		i += len(run)
		if run[len(run)-1].alone && !p.fixed && !p.endless && i < len(chunks) {
			next()
		}
	}
	cur.close()
	return sheets
}

// layOut draws chunks onto the scenes of pages. Chunks stand beside each other, so they are drawn on all processors.
func (p *pager) layOut(chunks []*chunk) []*canvas.Scene {
	sheets := p.split(chunks)
	p.meter.Begin(int64(len(chunks)), progress.Blocks)
	pages, parts := make([]*canvas.Scene, len(sheets)), make([][]*canvas.Scene, len(sheets))
	var all []func()
	for n, s := range sheets {
		h := p.h
		if !p.fixed {
			h = s.y + 2*p.t.Margin
		}
		pages[n] = canvas.NewScene(p.w, h, p.scale, p.t.Page)
		parts[n] = make([]*canvas.Scene, len(s.placed))
		for i, c := range s.placed {
			all = append(all, func() {
				part := pages[n].Part()
				if c.draw != nil {
					c.draw(part, p.t.Margin, p.t.Margin+c.y, p.w-2*p.t.Margin)
				}
				parts[n][i] = part
				p.meter.Add(1)
			})
		}
	}
	canvas.Share(len(all), func(i int) { all[i]() })
	for n, sc := range pages {
		sc.Join(parts[n]...)
		if len(sheets) > 1 {
			p.number(sc, n+1, len(sheets))
		}
	}
	return pages
}

// number writes the number of a page and the title of the report at its foot.
func (p *pager) number(sc *canvas.Scene, n, pages int) {
	fs := canvas.Regular.Of(p.t.Small)
	y := sc.H - p.t.Margin*0.45
	box := sc.TextAt(p.w-p.t.Margin, y, canvas.Right, fs, p.t.Muted, fmt.Sprintf("page %d of %d", n, pages))
	sc.TextAt(p.t.Margin, y, canvas.Left, fs, p.t.Muted, fs.Fit(p.title, box.X-p.t.Margin*2))
}
