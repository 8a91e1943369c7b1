package canvas

import (
	"sync/atomic"
	"time"
)

// Encode turns one page into a file of a format; title is that of the document.
func Encode(format string, sc *Scene, title string, sz Size) ([]byte, error) {
	switch format {
	case "svg":
		return sc.Svg()
	case "pdf":
		return Pdf([]*Scene{sc}, title, time.Time{})
	}
	dpi := sz.DPI
	if dpi == 0 {
		dpi = DefaultDPI
	}
	data, err := sc.PNG(dpi)
	if fonts := FontsOf(sc).Text(); fonts != "" && err == nil {
		data = withText(data, FontsKey, fonts)
	}
	return data, err
}

// pagesAtOnce are the pages that are in memory as pictures at a time: while one is counted or put together, which a
// single processor does, the others paint or compress the next.
const pagesAtOnce = 2

// EncodeAll is Encode of every page of a document.
func EncodeAll(format string, pages []*Scene, title string, sz Size) ([][]byte, error) {
	out, errs := make([][]byte, len(pages)), make([]error, len(pages))
	glyphs := newGlyphCache()
	for _, sc := range pages {
		sc.glyphs = glyphs
	}
	var next atomic.Int64
	Share(pagesAtOnce, func(int) {
		for i := int(next.Add(1)) - 1; i < len(pages); i = int(next.Add(1)) - 1 {
			out[i], errs[i] = Encode(format, pages[i], title, sz)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
