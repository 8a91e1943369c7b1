package values

import (
	"bytes"
	"fmt"
	"io"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/characters"
	"astrolabe/capture/progress"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// Plot is a chart that can be saved or shown.
type Plot struct {
	env  *binding.Env
	Plot *charts.Plot
}

var _ starlark.HasAttrs = (*Plot)(nil)

// NewPlot makes a chart visible to scripts.
func NewPlot(e *binding.Env, p *charts.Plot) *Plot { return &Plot{env: e, Plot: p} }

func (p *Plot) String() string {
	if p.Plot.Title == "" {
		return "Plot " + p.Plot.Kind
	}
	return fmt.Sprintf("Plot %s %q", p.Plot.Kind, p.Plot.Title)
}
func (p *Plot) Type() string          { return "Plot" }
func (p *Plot) Freeze()               {}
func (p *Plot) Truth() starlark.Bool  { return true }
func (p *Plot) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Plot") }
func (p *Plot) AttrNames() []string   { return plotTable.AttrNames() }

// Picture is the chart to be shown, as it looks by itself.
func (p *Plot) Picture() binding.Picture { return p.picture(p.env, p.Plot, canvas.Size{}) }

// picture is the chart to be shown, which is drawn only if somebody wants it.
func (p *Plot) picture(e *binding.Env, themed *charts.Plot, sz canvas.Size) binding.Picture {
	draw := func(w io.Writer, format string, sz canvas.Size) error {
		ctx, done := e.Begin("drawing")
		data, err := binding.Await(ctx, func() ([]byte, error) {
			var b bytes.Buffer
			err := themed.Telling(progress.From(ctx)).Warning(e.WarnText).WriteTo(&b, format, sz)
			return b.Bytes(), err
		})
		done()
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}
	out := binding.Picture{Name: p.String(), Size: sz, Draw: draw}
	if characters.Drawable(p.Plot) {
		out.Text = func(s characters.Style) (string, error) {
			return binding.Await(e.Context(), func() (string, error) { return characters.Chart(p.Plot, s) })
		}
	}
	return out
}

// themed is the chart in a look; nil keeps its own.
func (p *Plot) themed(t *canvas.Theme) *charts.Plot {
	if t == nil {
		return p.Plot
	}
	return p.Plot.WithTheme(t)
}

func (p *Plot) Attr(name string) (starlark.Value, error) { return plotTable.Attr(p.env, p, name) }

const sizeParams = "width: int=None, height: int=None, dpi: int=None, size: str=None, theme: str=None"

// sizeDoc explains the parameters of sizeParams.
const sizeDoc = "size names one: \"page\", \"ticket\" (960 x 540), \"ticket2x\" (for screens of twice the density), \"slide\" or \"print\" (18 cm at 300 dpi); width, height and dpi override it. theme is \"light\" or \"dark\"."

// theme reads the parameter theme of sizeParams; nil where it was not given.
func theme(c *binding.Call) (*canvas.Theme, error) {
	if !c.Has("theme") {
		return nil, nil
	}
	t, err := canvas.ThemeNamed(c.Str("theme", ""))
	if err != nil {
		return nil, fmt.Errorf("parameter theme: %w", err)
	}
	return t, nil
}

// size reads width, height, dpi and size of sizeParams.
func size(c *binding.Call) (sz canvas.Size, err error) {
	if sz, err = canvas.SizeNamed(c.Str("size", "")); err != nil {
		return sz, fmt.Errorf("parameter size: %w", err)
	}
	for _, p := range []struct {
		name string
		dst  *int
	}{{"width", &sz.Width}, {"height", &sz.Height}, {"dpi", &sz.DPI}} {
		if *p.dst, err = c.Integer(p.name, *p.dst); err != nil {
			return sz, err
		}
		if c.Has(p.name) && *p.dst <= 0 {
			return sz, fmt.Errorf("parameter %s: %d is not positive", p.name, *p.dst)
		}
	}
	return sz, nil
}

var plotTable = binding.MethodTable[*Plot]{
	Name: "Plot",
	Doc:  "A chart. save writes it as PNG, SVG or PDF; show draws it in the terminal; text gives it in characters.",
	Attrs: []binding.Attribute[*Plot]{
		{Name: "title", Type: "str", Doc: "Title.", Get: func(p *Plot) starlark.Value {
			return starlark.String(p.Plot.Title)
		}},
		{Name: "kind", Type: "str", Doc: "The name of the function that made it, such as \"timeline\".",
			Get: func(p *Plot) starlark.Value { return starlark.String(p.Plot.Kind) }},
	},
	Methods: []binding.Method[*Plot]{
		{Sig: "save(path: str, " + sizeParams + ")",
			Doc: "Writes the picture; the extension says the format: .png, .svg or .pdf. Sizes are in pixels, " +
				"1600 x 900 at 96 dpi if not given. " + sizeDoc,
			Example: "plot.timeline(clk).save(\"clk.png\", size=\"ticket\", theme=\"dark\")",
			Run: func(p *Plot, c *binding.Call) (starlark.Value, error) {
				sz, err := size(c)
				if err != nil {
					return nil, err
				}
				theme, err := theme(c)
				if err != nil {
					return nil, err
				}
				path, err := c.Env.Output(c.Str("path", ""))
				if err != nil {
					return nil, err
				}
				ctx, done := c.Env.Begin("drawing " + path)
				_, err = binding.Await(ctx, func() (int, error) {
					return 0, p.themed(theme).Telling(progress.From(ctx)).Warning(c.Env.WarnText).Save(path, sz)
				})
				done()
				if err != nil {
					return nil, err
				}
				c.Env.Written(path)
				return starlark.None, nil
			}},
		{Sig: "text(width: int=None, height: int=None, unicode: bool=None) -> str",
			Doc: "The chart in characters, for logs and terminals without pictures: the same data on the same " +
				"axes, in braille and block characters, or in ASCII with unicode=False. A missing value leaves a " +
				"gap. width is in cells, by default those of the terminal or 80; height is the rows of all frames " +
				"together.",
			Example: "print(plot.timeline(clk).text(width=60))",
			Run: func(p *Plot, c *binding.Call) (starlark.Value, error) {
				s := characters.Style{Width: c.Env.Width, ASCII: !c.Flag("unicode", !c.Env.Plain())}
				for _, size := range []struct {
					name string
					to   *int
				}{{"width", &s.Width}, {"height", &s.Height}} {
					n, err := c.Integer(size.name, *size.to)
					if err != nil {
						return nil, err
					}
					if c.Has(size.name) && (n < 1 || n > characters.MostCells) {
						return nil, fmt.Errorf("parameter %s: %d is not between 1 and %d", size.name, n,
							characters.MostCells)
					}
					*size.to = n
				}
				return binding.Interruptible(c, func() (starlark.Value, error) {
					text, err := characters.Chart(p.Plot, s)
					return starlark.String(text), err
				})
			}},
		{Sig: "show(" + sizeParams + ")",
			Doc: "Draws the picture in the terminal: with kitty's, iTerm2's and sixel graphics, else in characters. " +
				"Where the output is no terminal it prints the path of a temporary file.",
			Example: "plot.bar({\"a\": 1, \"b\": 2}).show(width=400, height=300)",
			Run: func(p *Plot, c *binding.Call) (starlark.Value, error) {
				sz, err := size(c)
				if err != nil {
					return nil, err
				}
				theme, err := theme(c)
				if err != nil {
					return nil, err
				}
				if theme == nil && c.Env.Theme != "" {
					if theme, err = canvas.ThemeNamed(c.Env.Theme); err != nil {
						return nil, err
					}
				}
				if c.Env.Show == nil {
					return nil, fmt.Errorf("this run has nowhere to show a picture: use save(path)")
				}
				path, err := c.Env.Show(p.picture(c.Env, p.themed(theme), sz))
				if err != nil {
					return nil, err
				}
				if path != "" {
					c.Env.Written(path)
				}
				return starlark.None, nil
			}},
	},
}
