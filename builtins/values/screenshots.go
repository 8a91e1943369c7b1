package values

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/plots/charts"
	"astrolabe/plots/screenshots"
)

// photoSide is the longest side in pixels with which a picture is kept: what a column of a page shows at twice the
// density of a screen.
const photoSide = 720

// Screenshots is a folder of pictures that belong to the frames of captures.
type Screenshots struct {
	env    *binding.Env
	folder *screenshots.Folder

	mu      sync.Mutex
	matched map[*capture.Capture]*framePictures
}

var _ starlark.HasAttrs = (*Screenshots)(nil)

// OpenScreenshots opens a folder of pictures, and warns of what it leaves out.
func OpenScreenshots(e *binding.Env, path string) (*Screenshots, error) {
	f, err := screenshots.Open(path)
	if err != nil {
		return nil, err
	}
	for _, n := range f.Notes {
		e.Warnf("%s: %s", f.Path, n)
	}
	return &Screenshots{env: e, folder: f, matched: map[*capture.Capture]*framePictures{}}, nil
}

func (s *Screenshots) String() string {
	n := len(s.folder.Shots)
	return notation.VisibleLine(fmt.Sprintf("Screenshots %q %d %s", s.folder.Path, n, notation.Plural(n, "picture")))
}
func (s *Screenshots) Type() string          { return "Screenshots" }
func (s *Screenshots) Freeze()               {}
func (s *Screenshots) Truth() starlark.Bool  { return len(s.folder.Shots) > 0 }
func (s *Screenshots) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Screenshots") }
func (s *Screenshots) AttrNames() []string   { return screenshotsTable.AttrNames() }

func (s *Screenshots) Attr(name string) (starlark.Value, error) {
	return screenshotsTable.Attr(s.env, s, name)
}

// framePictures are the frames of a capture in order of their start, with their pictures.
type framePictures struct {
	frames []screenshots.Frame
	of     [][]int // by frame: places in the shots of the folder
	notes  []string
}

// framesOf lists the frames of a capture, with pictures where shots is not nil. It is nil where there are no frames.
func framesOf(c *capture.Capture, shots *Screenshots) (*framePictures, error) {
	if shots != nil {
		shots.mu.Lock()
		defer shots.mu.Unlock()
		if m := shots.matched[c]; m != nil {
			return m, nil
		}
	}
	list, err := analysis.FramesOf(c)
	if err != nil || list == nil {
		return nil, err
	}
	out := &framePictures{of: make([][]int, len(list.Regions))}
	names := list.Names()
	for i, r := range list.Regions {
		out.frames = append(out.frames, screenshots.Frame{Name: names[i], Start: r.Start, End: r.End})
	}
	if shots != nil {
		m := shots.folder.Match(out.frames)
		out.of, out.notes = m.Of, m.Notes
		for _, n := range m.Notes {
			shots.env.Warnf("%s: %s", shots.folder.Path, n)
		}
		shots.matched[c] = out
	}
	return out, nil
}

// within are the frames that begin in a stretch of time or, if none does, the one that it lies in.
func (f *framePictures) within(from, to int64) (out []int) {
	if f == nil {
		return nil
	}
	around := -1
	for i, fr := range f.frames {
		switch {
		case fr.Start >= from && fr.Start < to:
			out = append(out, i)
		case fr.Start <= from && fr.End >= to:
			around = i
		}
	}
	if out == nil && around >= 0 {
		out = []int{around}
	}
	return out
}

// name is what a stretch of time is called that holds these frames.
func (f *framePictures) name(frames []int) string {
	switch n := len(frames); n {
	case 0:
		return ""
	case 1:
		return "frame " + f.frames[frames[0]].Name
	default:
		return "frames " + f.frames[frames[0]].Name + " to " + f.frames[frames[n-1]].Name
	}
}

// photo is the picture of frames; nil where there is none. One that cannot be read says why, and is warned of.
func (s *Screenshots) photo(f *framePictures, frames []int) *charts.Photo {
	var shots []int
	for _, i := range frames {
		shots = append(shots, f.of[i]...)
	}
	if len(shots) == 0 {
		return nil
	}
	shot := s.folder.Shots[shots[0]]
	out := &charts.Photo{Name: shot.File}
	if len(shots) > 1 {
		out.Name += fmt.Sprintf(", 1 of %d", len(shots))
	}
	img, err := s.folder.Load(shot, photoSide)
	if err != nil {
		s.env.Warnf("%s: %v", s.folder.Path, err)
		out.Why = strings.TrimPrefix(err.Error(), fmt.Sprintf("%q: ", shot.File))
		return out
	}
	out.Image = img
	return out
}

// provenance says how many pictures there are, and of how many frames of a capture.
func (s *Screenshots) provenance(c *capture.Capture) (string, error) {
	n := len(s.folder.Shots)
	text := fmt.Sprintf("%s: %d %s", filepath.Base(s.folder.Path), n, notation.Plural(n, "picture"))
	f, err := framesOf(c, s)
	if err != nil {
		return "", err
	}
	if f == nil {
		return text + "; the capture has no frames", nil
	}
	with := 0
	for _, shots := range f.of {
		if len(shots) > 0 {
			with++
		}
	}
	return text + fmt.Sprintf("; %d of %d %s have one", with, len(f.of), notation.Plural(len(f.of), "frame")), nil
}

var screenshotsTable = binding.MethodTable[*Screenshots]{
	Name: "Screenshots",
	Doc: "A folder of pictures of frames, which plot.small_multiples puts beside them. A picture is of the frame or " +
		"the time that its name has: screenshot_frame_12.png, app_frame12.jpg, 0012.bmp, 1.25s.png, 1250ms.png; times " +
		"are since the start of the capture. A file index.csv in the folder, with the columns file and frame or file " +
		"and time, says it where names do not. What matches no frame, or several, is told.",
	Attrs: []binding.Attribute[*Screenshots]{
		{Name: "path", Type: "str", Doc: "The folder.",
			Get: func(s *Screenshots) starlark.Value { return starlark.String(s.folder.Path) }},
		{Name: "count", Type: "int", Doc: "Pictures of which is known what they are of.",
			Get: func(s *Screenshots) starlark.Value { return starlark.MakeInt(len(s.folder.Shots)) }},
	},
	Methods: []binding.Method[*Screenshots]{
		{Sig: "of(cap: Capture) -> Table",
			Doc: "The pictures of the frames of a capture: file, frame (its name), start and duration of the frame in s.",
			Run: func(s *Screenshots, c *binding.Call) (starlark.Value, error) {
				of := c.Arg("cap").(*Capture)
				return binding.Interruptible(c, func() (starlark.Value, error) {
					t := NewTable(s.env, []string{"file", "frame", "start", "duration"}, []string{"", "", "s", "s"})
					f, err := framesOf(of.Capture, s)
					if err != nil || f == nil {
						return t, err
					}
					for i, shots := range f.of {
						for _, k := range shots {
							fr := f.frames[i]
							t.Append(starlark.String(s.folder.Shots[k].File), starlark.String(fr.Name),
								binding.Seconds(fr.Start), binding.Seconds(fr.End-fr.Start))
						}
					}
					return t, nil
				})
			}},
	},
}
