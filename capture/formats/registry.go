package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
)

// Errors that callers branch on; every error of this package that has such a cause wraps it.
var (
	// ErrEmpty is a file of zero bytes.
	ErrEmpty = errors.New("empty file")
	// ErrUnrecognised is content that no format recognises.
	ErrUnrecognised = errors.New("unrecognised content")
	// ErrUnknownFormat is the name of a format that does not exist.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrUnsuitable is a capture that the format to be written cannot hold.
	ErrUnsuitable = errors.New("this capture cannot be written in that format")
	// ErrWriteOnly is a file of a format that is written for other programs and not read.
	ErrWriteOnly = errors.New("this format can be written only")
)

// Registry is an ordered set of formats. It is immutable and safe for concurrent use.
type Registry struct{ formats []Format }

// NewRegistry returns the registry of the given formats. Where two are equally sure of some content the earlier wins.
func NewRegistry(f ...Format) *Registry { return &Registry{formats: slices.Clone(f)} }

// Formats returns every format in order.
func (r *Registry) Formats() []Format { return slices.Clone(r.formats) }

// Extensions returns the endings of all formats' files, each once, without the point.
func (r *Registry) Extensions() []string {
	var out []string
	for _, f := range r.formats {
		if e, ok := f.(Ending); ok {
			for _, ext := range e.Extensions() {
				out = append(out, strings.TrimPrefix(ext, "."))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// counterRoom is what it takes to describe a counter anew, in bytes.
const counterRoom = 1024

// Open reads the capture at path, a file or folder. The format is opt.Format, or else the one that is surest of the
// content; where that one fails the next that recognises the content has its turn, and a warning says so. What the
// catalogues know of the counters is added, and opt.Kinds decides of what kind they are.
func (r *Registry) Open(ctx context.Context, path string, opt Options) (*capture.Capture, error) {
	if err := checkGPU(opt); err != nil {
		return nil, err
	}
	in, err := Inspect(path)
	if err != nil {
		return nil, err
	}
	claims, err := r.claims(in, opt.Format)
	if err != nil {
		return nil, err
	}
	c, err := openBest(ctx, claims, in, opt)
	if err != nil {
		return nil, err
	}
	return settle(c, path, opt)
}

func checkGPU(opt Options) error {
	if opt.GPU == "" {
		return nil
	}
	if _, err := metrics.Get(opt.GPU); err != nil {
		return optionError{err}
	}
	return nil
}

// settle adds what the catalogues know to a capture that a format has opened, and does what opt wants of every one.
func settle(c *capture.Capture, path string, opt Options) (*capture.Capture, error) {
	if err := memory.Room(uint64(len(c.Counters)) * counterRoom); err != nil {
		return nil, fmt.Errorf("describe the %d counters of %s: %w", len(c.Counters), path, err)
	}
	c, err := settleGPU(c, opt)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if c, err = metrics.Describe(c); err != nil {
		return nil, fmt.Errorf("describe the counters of %s: %w", path, err)
	}
	c, warning, err := settleKinds(c, opt.Kinds)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if warning != "" && opt.Warn != nil {
		opt.Warn(warning)
	}
	unread := metrics.UnknownUnits(c)
	if unread == "" {
		return c, nil
	}
	if opt.Warn != nil {
		opt.Warn(unread)
	}
	return c.With(func(cfg *capture.Config) { cfg.Warnings = append(slices.Clone(cfg.Warnings), unread) })
}

// sure is what a format says of content from which on it is its own: what the others lack of it says nothing.
const sure = 90

// openBest opens the content with the first of the formats that can. The error tells those of all, or of the one that is sure.
func openBest(ctx context.Context, claims []Format, in *Input, opt Options) (*capture.Capture, error) {
	var failed []error
	for _, f := range claims {
		c, err := openFormat(ctx, f, in, opt)
		switch {
		case err == nil && len(failed) == 0:
			return c, nil
		case err == nil:
			warning := fmt.Sprintf("read as %s, because what looks like another format cannot be read as such: %v",
				f.Name(), errors.Join(failed...))
			if opt.Warn != nil {
				opt.Warn(warning)
			}
			return c.With(func(cfg *capture.Config) { cfg.Warnings = append(slices.Clone(cfg.Warnings), warning) })
		}
		failed = append(failed, fmt.Errorf("open %s capture: %w", f.Name(), withPath(in.Path, err)))
		if ctx.Err() != nil || errors.Is(err, ErrOption) || errors.Is(err, memory.ErrLimit) {
			break
		}
	}
	if len(failed) == 1 || claims[0].Sniff(in) >= sure && claims[1].Sniff(in) < sure {
		return nil, failed[0]
	}
	return nil, fmt.Errorf("%s: %d formats recognise it and none can read it:\n%w", in.Path, len(failed),
		errors.Join(failed...))
}

// openFormat opens the content with one format. Where there is no room for what is in it the error says so, whoever
// noticed.
func openFormat(ctx context.Context, f Format, in *Input, opt Options) (c *capture.Capture, err error) {
	ctx, done := memory.Reading(ctx, in.Path)
	defer done()
	defer memory.FaultsPanic()()
	defer func() {
		if p := recover(); p != nil {
			if c, err = nil, memory.Caught(p); err == nil {
				panic(p)
			}
		}
		if stopped := memory.Stopped(ctx); err != nil && stopped != nil && !errors.Is(err, memory.ErrLimit) {
			err = stopped
		}
	}()
	if c, err = f.Open(ctx, in, opt); err == nil {
		nameSource(c, in.Path)
	}
	return c, err
}

// nameSource tells the columns that are still to be read which file they are of.
func nameSource(c *capture.Capture, path string) {
	of := func(col *capture.Column) {
		if col != nil {
			col.Of(path)
		}
	}
	for _, ctr := range c.Counters {
		of(ctr.Col)
		for _, in := range ctr.Instances {
			of(in.Col)
		}
	}
	for _, p := range c.Passes {
		of(p.Start)
		of(p.Duration)
	}
}

// Sniff returns the format of the content at path.
func (r *Registry) Sniff(path string) (Format, error) {
	in, err := Inspect(path)
	if err != nil {
		return nil, err
	}
	claims, err := r.claims(in, "")
	if err != nil {
		return nil, err
	}
	return claims[0], nil
}

// claims lists the formats that recognise the content, the surest first, or the named one alone.
func (r *Registry) claims(in *Input, name string) ([]Format, error) {
	if name != "" {
		f, err := r.Find(name)
		return []Format{f}, err
	}
	type claim struct {
		Format
		sure int
	}
	var sure []claim
	for _, f := range r.formats {
		if s := f.Sniff(in); s > 0 {
			sure = append(sure, claim{f, s})
		}
	}
	if len(sure) == 0 {
		return nil, r.unrecognised(in)
	}
	slices.SortStableFunc(sure, func(a, b claim) int { return b.sure - a.sure })
	out := make([]Format, len(sure))
	for i, c := range sure {
		out[i] = c.Format
	}
	return out, nil
}

func (r *Registry) unrecognised(in *Input) error {
	if strings.HasSuffix(in.Path, ".star") && !in.IsDir {
		return fmt.Errorf(
			"%s: %w: this is a script and no capture: astrolabe run runs it, --script and map take it beside a capture",
			in.Path, ErrUnrecognised)
	}
	var b strings.Builder
	for _, f := range r.formats {
		why := f.Doc()
		if e, ok := f.(Explainer); ok {
			why = e.WhyNot(in)
		}
		fmt.Fprintf(&b, "\n  %s: %s", f.Name(), why)
	}
	what := "a file that starts with " + quoteHead(in.Head)
	if in.IsDir {
		what = "a folder with " + firstNames(in.Files)
	}
	return fmt.Errorf("%s: %w: %s is not a capture:%s", in.Path, ErrUnrecognised, what, b.String())
}

// quoteHead shows the first bytes of a file on one line.
func quoteHead(head []byte) string {
	const show = 24
	if len(head) > show {
		return fmt.Sprintf("%q…", head[:show])
	}
	return fmt.Sprintf("%q", head)
}

// firstNames lists a few names.
func firstNames(names []string) string {
	const show = 6
	switch {
	case len(names) == 0:
		return "nothing in it"
	case len(names) > show:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:show], ", "), len(names)-show)
	}
	return strings.Join(names, ", ")
}

// Find returns the format of that name. An unknown name is an error with near names.
func (r *Registry) Find(name string) (Format, error) {
	for _, f := range r.formats {
		if strings.EqualFold(f.Name(), name) {
			return f, nil
		}
	}
	return nil, unknownName(ErrUnknownFormat, quote(name), name, r.Names(false))
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

// Names lists the formats, or only those that can save.
func (r *Registry) Names(writers bool) []string {
	var out []string
	for _, f := range r.formats {
		if _, ok := f.(Writer); ok || !writers {
			out = append(out, f.Name())
		}
	}
	return out
}

func unknownName(sentinel error, what, name string, known []string) error {
	if near := nearest(name, known); near != "" {
		return fmt.Errorf("%w %s: did you mean %q? (known: %s)", sentinel, what, near, strings.Join(known, ", "))
	}
	return fmt.Errorf("%w %s (known: %s)", sentinel, what, strings.Join(known, ", "))
}

// Writer returns the writer of the named format or, with no name, the one that path's extension selects.
func (r *Registry) Writer(path, format string) (Writer, error) {
	if format != "" {
		f, err := r.Find(format)
		if err != nil {
			return nil, err
		}
		w, ok := f.(Writer)
		if !ok {
			return nil, fmt.Errorf("format %s can be read only: save as one of %s", f.Name(),
				strings.Join(r.Names(true), ", "))
		}
		return named(w, path), nil
	}
	name := strings.ToLower(filepath.Base(path))
	var known []string
	for _, f := range r.formats {
		w, ok := f.(Writer)
		if !ok {
			continue
		}
		for _, ext := range w.Extensions() {
			known = append(known, ext)
			if strings.HasSuffix(name, ext) {
				return named(w, path), nil
			}
		}
	}
	ext := filepath.Ext(name)
	if ext == "" {
		return nil, fmt.Errorf(
			"save %s: the name has no extension to choose the format by: use one of %s, or give the format", path,
			strings.Join(known, ", "))
	}
	return nil, fmt.Errorf("save %s: %w", path, unknownName(ErrUnknownFormat, "extension "+quote(ext), ext, known))
}

func named(w Writer, path string) Writer {
	if v, ok := w.(Variable); ok {
		return v.Named(path)
	}
	return w
}

// Save writes c at path, whole or not at all, in the named format or, with no name, in the one of path's extension.
func (r *Registry) Save(ctx context.Context, path, format string, c *capture.Capture) error {
	w, err := r.Writer(path, format)
	if err != nil {
		return err
	}
	if err := WriteFile(path, func(out io.Writer) error { return w.Encode(ctx, out, c) }); err != nil {
		return fmt.Errorf("save %s capture: %w", w.Name(), WriteError(path, err))
	}
	return nil
}

// Encode writes c to out in the format that Save would choose for that path and format name. Nothing is created at
// path.
func (r *Registry) Encode(ctx context.Context, out io.Writer, path, format string, c *capture.Capture) error {
	w, err := r.Writer(path, format)
	if err != nil {
		return err
	}
	return w.Encode(ctx, out, c)
}

// Doubts says what other programs will not read well in the file that Save would write; nothing where Save would fail.
func (r *Registry) Doubts(path, format string, c *capture.Capture) []string {
	w, err := r.Writer(path, format)
	if err != nil {
		return nil
	}
	if d, ok := w.(Doubter); ok {
		return d.Doubts(c)
	}
	return nil
}

// withPath puts path before an error that does not name it yet.
func withPath(path string, err error) error {
	if strings.Contains(err.Error(), path) {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return pathError(path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}
