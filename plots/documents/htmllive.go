package documents

import (
	"astrolabe/plots/canvas"
	"astrolabe/plots/interactive"
)

// LiveStyle is the style of a page that shows parts of reports, light and dark.
func LiveStyle() string { return (&htmlWriter{r: &Report{}}).css() }

// Live is what the report says, as a part of a page with LiveStyle, and what its findings and timelines say happened.
// It has no script, and nothing that it says can be one.
func (r *Report) Live() (body []byte, bands []interactive.Band, err error) {
	h := &htmlWriter{r: r, theme: canvas.Light()}
	_, bands = h.drawn()
	if err := h.body(false); err != nil {
		return nil, nil, err
	}
	return h.out.Bytes(), bands, nil
}
