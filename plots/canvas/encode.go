package canvas

import "time"

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
