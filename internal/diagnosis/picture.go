package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.starlark.net/starlark"

	"astrolabe/builtins"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/formats"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/internal/script"
	"astrolabe/internal/version"
	"astrolabe/plots"
	"astrolabe/scripts"
)

// Picture draws the confusion matrix of a script.
func (x *Matrix) Picture(scriptName string) (*plots.Plot, plots.Size, error) {
	p, err := plots.Confusion(plots.ConfusionOptions{
		Title: "What was planted (rows) and what " + scriptName + ".star named first (columns)",
		Label: x.Summary(),
	}, x.Classes, x.Counts)
	return p, plots.Size{Width: 1600, Height: 200 + 40*max(6, len(x.Classes))}, err
}

// PictureName is the name of that picture in the documentation.
func PictureName(scriptName string) string { return "confusion-" + scriptName + ".png" }

// Sample is a report of the documentation: what is planted in which model, and the picture's name without its extension.
type Sample struct {
	Name  string
	Model string
	Case  capturetest.Case
}

// WriteReport generates a sample's capture, lets the triage script report on it, and writes the page into dir. The page is that which
// astrolabe report makes of a file of that capture.
func WriteReport(ctx context.Context, dir string, s Sample, m capturetest.Model) (err error) {
	temp, err := os.MkdirTemp("", "astrolabe-report-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	cap, err := m.Generate(s.Case)
	if err != nil {
		return err
	}
	path := filepath.Join(temp, s.Name+".arrow")
	if err := formatsall.Registry().Save(ctx, path, "arrow", cap); err != nil {
		return err
	}
	opened, err := formatsall.Registry().Open(ctx, path, formats.Options{})
	if err != nil {
		return err
	}
	env := &builtins.Env{
		Registry: formatsall.Registry(), Warn: func(string) {}, Wrote: func(string) {},
		Version: version.String(), Command: "astrolabe report " + s.Name + ".arrow -o " + s.Name + ".png",
	}
	if err := (script.Policy{AnyRead: true, AnyWrite: true}).Apply(env); err != nil {
		return err
	}
	runner := script.NewRunner(script.Options{Env: env, Library: scripts.Library, Print: func(string) {}})
	globals, err := runner.LoadLibrary(ctx, "@astrolabe//triage/"+m.Script()+".star")
	if err != nil {
		return err
	}
	analyze := globals["analyze"]
	if analyze == nil {
		return fmt.Errorf("triage/%s.star defines no analyze(cap, r)", m.Script())
	}
	value := builtins.NewCapture(env, opened)
	r, err := callAttr(ctx, runner, env.Predeclared()["report"], "new", starlark.Tuple{starlark.String(s.Name)}, starlark.Tuple{starlark.String("capture"), value})
	if err != nil {
		return err
	}
	if _, err := runner.Call(ctx, analyze, starlark.Tuple{value, r}, nil); err != nil {
		return err
	}
	_, err = callAttr(ctx, runner, r, "save", starlark.Tuple{starlark.String(filepath.Join(dir, "report-"+s.Name+".png"))})
	return err
}

// callAttr calls a method.
func callAttr(ctx context.Context, runner *script.Runner, of starlark.Value, name string, args starlark.Tuple, kwargs ...starlark.Tuple) (starlark.Value, error) {
	has, ok := of.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("%s has no methods", of.Type())
	}
	fn, err := has.Attr(name)
	if err != nil || fn == nil {
		return nil, fmt.Errorf("%s.%s: %w", of.Type(), name, err)
	}
	return runner.Call(ctx, fn, args, kwargs)
}
