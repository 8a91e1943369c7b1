package kernel

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/canvas"
	"astrolabe/repl"
)

// bundle is one thing in the forms that a client may choose from, text/plain among them.
type bundle struct{ data, metadata map[string]any }

// pictureSize is that of a chart that says nothing of its size: twice as many pixels as it takes on the page.
var pictureSize = canvas.Size{Width: 1920, Height: 1080, DPI: 2 * canvas.DefaultDPI}

// maxPages is how many pages of a report a cell shows.
const maxPages = 20

// Display shows the value of an expression: as the result of the cell, where it is the last.
func (k *Kernel) Display(v starlark.Value, text string, last bool) error {
	kind := "display_data"
	if last {
		kind, k.result = "execute_result", text
	}
	switch v := v.(type) {
	case *values.Plot:
		k.kind = kind
		_, err := k.env.Show(v.Picture()) // by way of the session, which keeps it
		k.kind = ""
		return err
	case *values.Report:
		return k.showReport(v, text, kind)
	}
	b, err := k.bundle(v, text)
	if err == nil {
		k.show(kind, b)
	}
	return err
}

// show publishes a bundle.
func (k *Kernel) show(kind string, b bundle) {
	content := map[string]any{"data": b.data, "metadata": b.metadata}
	if kind == "execute_result" {
		content["execution_count"] = max(1, k.count)
	} else {
		content["transient"] = struct{}{}
	}
	k.out.send(kind, content)
}

// bundle is a value in the forms that it has.
func (k *Kernel) bundle(v starlark.Value, text string) (bundle, error) {
	b := bundle{map[string]any{"text/plain": text}, map[string]any{}}
	switch v := v.(type) {
	case *values.Table:
		b.data["text/html"] = v.HTML()
	case *values.Plot:
		return k.picture(v.Picture())
	}
	return b, nil
}

// picture draws a chart.
func (k *Kernel) picture(p binding.Picture) (bundle, error) {
	size := p.Size
	if size == (canvas.Size{}) {
		size = pictureSize
	}
	var data bytes.Buffer
	if err := p.Draw(&data, k.format, size); err != nil {
		return bundle{}, err
	}
	dpi := size.DPI
	if dpi == 0 {
		dpi = canvas.DefaultDPI
	}
	return pictureBundle(p.Name, k.format, data.Bytes(), dpi)
}

// pictureBundle is a picture with how large it is to be shown, in pixels of a screen of the usual density.
func pictureBundle(text, format string, data []byte, dpi int) (bundle, error) {
	b := bundle{map[string]any{"text/plain": text}, map[string]any{}}
	if format == "svg" {
		b.data["image/svg+xml"] = string(data)
		return b, nil
	}
	is, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return b, fmt.Errorf("the picture: %w", err)
	}
	b.data["image/png"] = base64.StdEncoding.EncodeToString(data)
	b.metadata["image/png"] = map[string]any{"width": is.Width * canvas.DefaultDPI / dpi,
		"height": is.Height * canvas.DefaultDPI / dpi}
	return b, nil
}

// Show shows a picture in the running cell.
func (k *Kernel) Show(p binding.Picture) (string, error) {
	kind := k.kind
	if kind == "" {
		kind = "display_data"
	}
	b, err := k.picture(p)
	if err == nil {
		k.show(kind, b)
	}
	return "", err
}

// showReport shows the pages of a report, one below the other.
func (k *Kernel) showReport(r *values.Report, text, kind string) error {
	pages, err := r.Pages(k.format, canvas.Size{Width: pictureSize.Width, DPI: pictureSize.DPI})
	if err != nil {
		return err
	}
	if verdict := r.Verdict(); verdict != "" {
		text += "\n" + verdict
	}
	for i, page := range pages[:min(len(pages), maxPages)] {
		name := text
		if i > 0 {
			kind, name = "display_data", fmt.Sprintf("page %d of %d", i+1, len(pages))
		}
		b, err := pictureBundle(name, k.format, page, pictureSize.DPI)
		if err != nil {
			return err
		}
		k.show(kind, b)
	}
	if rest := len(pages) - maxPages; rest > 0 {
		fmt.Fprintf(k.Stderr(), "%d more pages are not shown: .save(\"report.html\") writes all of them\n", rest)
	}
	return nil
}

// Settings are what :set changes of a notebook.
func (k *Kernel) Settings() []repl.Setting {
	formats := []string{"png", "svg"}
	return []repl.Setting{{Name: "pictures", Doc: "how a notebook gets pictures", Values: formats,
		Get: func() string { return k.format },
		Set: func(v string) error {
			if !slices.Contains(formats, v) {
				return fmt.Errorf("%q is none of %s", v, strings.Join(formats, ", "))
			}
			k.format = v
			return nil
		}}}
}
