package builtins

import (
	"bytes"
	"fmt"
	"io"

	"go.starlark.net/starlark"

	"astrolabe/plots"
)

// Plot is a chart that can be saved or shown.
type Plot struct {
	env *Env
	p   *plots.Plot
}

var _ starlark.HasAttrs = (*Plot)(nil)

// Plot returns the chart behind the value.
func (p *Plot) Plot() *plots.Plot { return p.p }

func (p *Plot) String() string {
	if p.p.Title == "" {
		return "Plot " + p.p.Kind
	}
	return fmt.Sprintf("Plot %s %q", p.p.Kind, p.p.Title)
}
func (p *Plot) Type() string          { return "Plot" }
func (p *Plot) Freeze()               {}
func (p *Plot) Truth() starlark.Bool  { return true }
func (p *Plot) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Plot") }
func (p *Plot) AttrNames() []string   { return plotTable.attrNames() }

func (p *Plot) Attr(name string) (starlark.Value, error) { return plotTable.attr(p.env, p, name) }

const sizeParams = "width: int=None, height: int=None, dpi: int=None"

// size reads width, height and dpi from arguments i, i+1 and i+2.
func (c *call) size(i int) (sz plots.Size, err error) {
	for k, dst := range []*int{&sz.Width, &sz.Height, &sz.DPI} {
		if *dst, err = c.integer(i+k, 0); err != nil {
			return sz, err
		}
		if c.has(i+k) && *dst <= 0 {
			return sz, fmt.Errorf("parameter %s: %d is not positive", c.sig.Params[i+k].Name, *dst)
		}
	}
	return sz, nil
}

var plotTable = methodTable[*Plot]{
	Name: "Plot",
	Doc:  "A chart. save writes it as PNG, SVG or PDF; show draws it in a terminal that can.",
	Attrs: []attribute[*Plot]{
		{Name: "title", Type: "str", Doc: "Title.", Get: func(p *Plot) (starlark.Value, error) { return starlark.String(p.p.Title), nil }},
		{Name: "kind", Type: "str", Doc: "\"timeline\", \"bar\", \"histogram\" or \"grid\".", Get: func(p *Plot) (starlark.Value, error) { return starlark.String(p.p.Kind), nil }},
	},
	Methods: []method[*Plot]{
		{Sig: "save(path: str, " + sizeParams + ")", Doc: "Writes the picture; the extension says the format: .png, .svg or .pdf. Sizes are in pixels, 1600 x 900 at 96 dpi if not given.", Example: "plot.timeline(clk).save(\"clk.png\", width=800, height=400)",
			Run: func(p *Plot, c *call) (starlark.Value, error) {
				sz, err := c.size(1)
				if err != nil {
					return nil, err
				}
				path, err := c.env.output(c.str(0, ""))
				if err != nil {
					return nil, err
				}
				if _, err := await(c.env.Context(), func() (int, error) { return 0, p.p.Save(path, sz) }); err != nil {
					return nil, err
				}
				c.env.wrote(path)
				return starlark.None, nil
			}},
		{Sig: "show(" + sizeParams + ")", Doc: "Draws the picture in the terminal, or prints the path of a temporary file.", Example: "plot.bar({\"a\": 1, \"b\": 2}).show(width=400, height=300)",
			Run: func(p *Plot, c *call) (starlark.Value, error) {
				sz, err := c.size(0)
				if err != nil {
					return nil, err
				}
				if c.env.Show == nil {
					return nil, fmt.Errorf("this run has nowhere to show a picture: use save(path)")
				}
				data, err := await(c.env.Context(), func() ([]byte, error) {
					var b bytes.Buffer
					err := p.p.WriteTo(&b, "png", sz)
					return b.Bytes(), err
				})
				if err != nil {
					return nil, err
				}
				path, err := c.env.Show(func(w io.Writer) error {
					_, err := w.Write(data)
					return err
				})
				if err != nil {
					return nil, err
				}
				if path != "" {
					c.env.wrote(path)
				}
				return starlark.None, nil
			}},
	},
}
