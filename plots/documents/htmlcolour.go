package documents

import (
	"fmt"
	"image/color"
	"regexp"
	"strings"

	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// Colours of an HTML page are variables of its style, so that one page can be light and dark. Charts in it are drawn in
// the light theme, and those of its colours that the dark one has otherwise are variables too.

func css(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// colours are those of a theme that charts use. Of two that are alike in the light theme the first decides.
func colours(t *canvas.Theme) []color.NRGBA {
	out := []color.NRGBA{t.Page, t.Panel, t.Stripe, t.Ink, t.Muted, t.Rule, t.Grid, t.GapFill, t.LateFill, t.LateEdge,
		t.MarkLine}
	out = append(out, t.Series...)
	return append(out, t.Critical, t.Warning, t.Info, t.Good)
}

// variables are the colours of a theme: by what they are for, and by what they are in the light theme.
func variables(t *canvas.Theme) string {
	var out strings.Builder
	set := func(name string, c color.NRGBA) { fmt.Fprintf(&out, "--%s:%s;", name, css(c)) }
	set("page", t.Page)
	set("panel", t.Panel)
	set("stripe", t.Stripe)
	set("ink", t.Ink)
	set("muted", t.Muted)
	set("rule", t.Rule)
	set("grid", t.Grid)
	set("link", t.Info)
	set("critical", t.Critical)
	set("warning", t.Warning)
	set("info", t.Info)
	set("good", t.Good)
	set("on", t.OnAccent)
	for i, c := range t.Series {
		set(fmt.Sprintf("s%d", i), c)
	}
	light, seen := colours(canvas.Light()), map[color.NRGBA]bool{}
	for i, c := range colours(t) {
		if !seen[light[i]] {
			seen[light[i]] = true
			set("x"+css(light[i])[1:], c)
		}
	}
	return out.String()
}

// severityVariable is the variable with the colour of a severity.
func severityVariable(s canvas.Severity) string {
	if s == canvas.None {
		return "muted"
	}
	return s.String()
}

var (
	svgRoot  = regexp.MustCompile(`(?s)^.*?<svg width="[^"]*" height="[^"]*"`)
	svgTag   = regexp.MustCompile(`<[^>]*>`)
	svgStyle = regexp.MustCompile(`\s+style="([^"]*)"`)
	svgHex   = regexp.MustCompile(`(fill|stroke)="(#[0-9a-fA-F]{6})"`)
)

// attributes turns the styles of an SVG's elements into attributes, which the policy of the page allows.
func attributes(svg string) string {
	return svgTag.ReplaceAllStringFunc(svg, func(tag string) string {
		return svgStyle.ReplaceAllStringFunc(tag, func(style string) string {
			var out strings.Builder
			for _, part := range strings.Split(svgStyle.FindStringSubmatch(style)[1], ";") {
				if name, value, ok := strings.Cut(part, ":"); ok {
					fmt.Fprintf(&out, ` %s="%s"`, strings.TrimSpace(name), strings.TrimSpace(value))
				}
			}
			return out.String()
		})
	})
}

// inlineSVG writes a chart as SVG, in the colours of the page.
func (h *htmlWriter) inlineSVG(p *charts.Plot, doc []byte, caption string) error {
	ready := func(doc []byte) string {
		return attributes(svgRoot.ReplaceAllLiteralString(strings.TrimSpace(string(doc)),
			`<svg role="img" aria-label="`+caption+`"`))
	}
	if h.r.Static {
		h.f("<figure>%s</figure>\n", ready(doc))
		return nil
	}
	if p.Kind == "account" || p.Kind == "bar" {
		// Text on their bars is chosen by how bright a bar is, so that both themes are drawn.
		dark, err := p.Figure(canvas.Dark(), 1).Svg()
		if err != nil {
			return fmt.Errorf("report %q: %w", h.r.Title, err)
		}
		h.f("<figure><div class=\"lightly\">%s</div><div class=\"darkly\">%s</div></figure>\n", ready(doc), ready(dark))
		return nil
	}
	known := map[string]bool{}
	for _, c := range colours(canvas.Light()) {
		known[css(c)] = true
	}
	h.f("<figure>%s</figure>\n", svgTag.ReplaceAllStringFunc(ready(doc), func(tag string) string {
		return svgHex.ReplaceAllStringFunc(tag, func(attr string) string {
			m := svgHex.FindStringSubmatch(attr)
			hex := strings.ToLower(m[2])
			if !known[hex] {
				return attr
			}
			return m[1] + `="var(--x` + hex[1:] + `)"`
		})
	}))
	return nil
}
