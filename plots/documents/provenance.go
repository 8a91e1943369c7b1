package documents

import "astrolabe/plots/canvas"

// provenanceChunks lays out what the report was made from: names and values in one or two columns on a tinted ground.
func (r *Report) provenanceChunks(t *canvas.Theme, width, pageH float64) []*chunk {
	if len(r.Provenance) == 0 {
		return nil
	}
	ks, vs := canvas.Regular.Of(t.Small), canvas.Regular.Of(t.Small)
	pad := t.Text * 0.9
	// A row is never divided, so one entry may take 40 % of a page and no more: a command line can have any length.
	most := max(1, int(pageH*0.4/ks.Leading())) // lines of one entry
	cols := 1
	// Half of the width must still hold a path without breaking it, and three entries need no second column.
	if width > 60*t.Small && len(r.Provenance) > 3 {
		cols = 2
	}
	gap := t.Text * 1.6
	colW := (width - 2*pad - gap*float64(cols-1)) / float64(cols)
	type cell struct {
		key, value []string
	}
	keyW := make([]float64, cols)
	for i, kv := range r.Provenance {
		// Names take what the longest in their column needs, but a third at most: the values are what is looked for.
		keyW[i%cols] = max(keyW[i%cols], min(ks.Width(canvas.Printable(kv.Key)), colW*0.34))
	}
	var out []*chunk
	rows := (len(r.Provenance) + cols - 1) / cols
	for row := range rows {
		cells := make([]cell, 0, cols)
		lines := 1
		for c := range cols {
			if i := row*cols + c; i < len(r.Provenance) {
				kv := r.Provenance[i]
				// The hundredth keeps a name that is exactly as wide as its column from being broken by rounding.
				ce := cell{ks.Lines(kv.Key, keyW[c]+0.01, most), vs.Lines(kv.Value, colW-keyW[c]-t.Text*0.7, most)}
				lines = max(lines, len(ce.key), len(ce.value))
				cells = append(cells, ce)
			}
		}
		top, bottom := 0.0, 0.0
		if row == 0 {
			top = pad * 0.7
		}
		if row == rows-1 {
			bottom = pad * 0.7
		}
		h := top + float64(lines)*ks.Leading() + t.Small*0.1 + bottom
		// Twenty rows stay together; in a longer list a break costs nothing.
		ch := &chunk{h: h, keep: row < min(rows-1, 20), draw: func(sc *canvas.Scene, x, y, w float64) {
			sc.Fill(canvas.Box(x, y, w, h), t.Panel)
			for c, ce := range cells {
				cx := x + pad + float64(c)*(colW+gap)
				sc.TextLines(cx, y+top, canvas.Left, ks, t.Muted, ce.key)
				sc.TextLines(cx+keyW[c]+t.Text*0.7, y+top, canvas.Left, vs, t.Ink, ce.value)
			}
		}}
		if row == 0 {
			ch.space = t.Text * 0.5
		}
		out = append(out, ch)
	}
	return out
}
