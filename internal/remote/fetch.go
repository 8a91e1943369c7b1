package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio"
	"astrolabe/internal/remote/wire"
)

// Recording is a run on a device, and its files here.
type Recording struct {
	Device    *Device
	Reconnect time.Duration // how long a broken link is tried again
	Again     string        // the command that fetches what is left there

	// Name makes the path of the recording from what is recorded; it is asked where there is no Output.
	Name     func(what string) string
	Output   string
	Say      func(text string)
	Progress func(hwio.Progress)
	Wrote    func(path string) // is told each file, or the folder, that is whole
	Talk     io.Writer         // what the run says, such as what the command prints

	// Stop has the recording end orderly; Save has --last written.
	Stop <-chan struct{}
	Save <-chan struct{}

	id       string
	request  *wire.Request // nil where the run is there already
	last     bool
	compare  bool // what is here is of another process, and may be something else
	told     int64
	files    map[string]*arrow.Mirror // by their names on the device
	begun    bool
	again    bool // a file was fetched anew
	stopping bool
	over     *wire.Ended // all is here, and the run is being removed there
}

// fileNames are those of files of a run, beside which none is taken.
var fileNames = regexp.MustCompile(`^r(-[0-9]{4,9})?\.arrow$|^r/part-[0-9]{4,9}\.arrow$`)

// Record has the device record, and returns what became of it.
func (r *Recording) Record(ctx context.Context, req *wire.Request) (*wire.Ended, error) {
	r.id, r.request = strings.ToLower(rand.Text()), req
	r.last = req.Last > 0
	return r.run(ctx)
}

// Resume goes on with a run that is there.
func (r *Recording) Resume(ctx context.Context, id string) (*wire.Ended, error) {
	r.id, r.compare = id, true
	return r.run(ctx)
}

// run follows until the end, over as many links as it takes.
func (r *Recording) run(ctx context.Context) (*wire.Ended, error) {
	r.files = map[string]*arrow.Mirror{}
	defer func() {
		for _, m := range r.files {
			_ = m.Close() // after an error that is told
		}
	}()
	var since time.Time // the link is broken
	for pause := time.Second; ; pause = min(2*pause, 10*time.Second) {
		ended, err := r.follow(ctx, func() {
			if !since.IsZero() {
				r.Say(fmt.Sprintf("the link to %s is back", r.Device.Name()))
			}
			since, pause = time.Time{}, time.Second
		})
		if !isBroken(err) || ctx.Err() != nil {
			return ended, err
		}
		if since.IsZero() {
			since = time.Now()
			r.Say(fmt.Sprintf("the link to %s broke (%v); it records on. Trying again for %v", r.Device.Name(), err, r.Reconnect))
		}
		if time.Since(since) > r.Reconnect {
			return nil, fmt.Errorf("%s cannot be reached (%w); what it recorded is there, and fetched by: %s", r.Device.Name(), err, r.Again)
		}
		stop := r.Stop
		if r.stopping {
			stop = nil
		}
		select {
		case <-time.After(pause):
		case <-stop:
			r.stopping = true
			r.Say(fmt.Sprintf("%s is told to end the recording as soon as it can be reached; a second Ctrl-C leaves it there, for: %s",
				r.Device.Name(), r.Again))
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// follow follows over one link. reached is called when there is one.
func (r *Recording) follow(ctx context.Context, reached func()) (*wire.Ended, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	if _, err := r.Device.link.Run(ctx, ":"); err != nil { // which may ask for a password
		return nil, err
	}
	s, err := r.Device.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	o := wire.Order{Do: wire.Begin, Run: r.id, Request: r.request, Told: r.told}
	if r.request == nil || r.begun {
		o.Do, o.Request = wire.Follow, nil
	}
	if o.Have, err = r.have(); err != nil {
		return nil, err
	}
	if err := s.Order(&o); err != nil {
		return nil, s.lost(err)
	}
	if r.stopping {
		if err := s.Order(&wire.Order{Do: wire.Stop}); err != nil {
			return nil, s.lost(err)
		}
	}
	events, failed := make(chan *wire.Event), make(chan error, 1)
	next := make(chan struct{})
	go func() {
		for {
			e, err := s.NextEvent()
			if err != nil {
				failed <- err
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
			select {
			case <-next: // its bytes were used
			case <-ctx.Done():
				return
			}
		}
	}()
	beat := time.NewTicker(wire.Beat)
	defer beat.Stop()
	for {
		stop := r.Stop
		if r.stopping {
			stop = nil
		}
		var order string
		select {
		case e := <-events:
			reached()
			ended, err := r.take(e, s)
			if ended != nil || err != nil {
				return ended, err
			}
			next <- struct{}{}
			continue
		case err := <-failed:
			if err = s.lost(err); r.over != nil {
				return r.left(err)
			}
			return nil, err
		case <-beat.C:
			order = wire.Here
		case <-stop:
			r.stopping, order = true, wire.Stop
		case <-r.Save:
			order = wire.Save
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := s.Order(&wire.Order{Do: order}); err != nil {
			return nil, s.lost(err)
		}
	}
}

// have is what is here of the run's files.
func (r *Recording) have() ([]wire.Part, error) {
	if r.compare && len(r.files) == 0 && r.Output != "" {
		if err := r.found(); err != nil {
			return nil, err
		}
	}
	var out []wire.Part
	for name, m := range r.files {
		p := wire.Part{File: name, Size: m.Size()}
		if r.compare {
			p.SHA256 = m.SHA256()
		}
		out = append(out, p)
	}
	return out, nil
}

// found goes on with the files that another process left here. Those of --last come whole, and are no beginnings.
func (r *Recording) found() error {
	st, err := os.Stat(r.Output)
	if errors.Is(err, fs.ErrNotExist) || r.last {
		return nil
	}
	if err != nil {
		return err
	}
	names := []string{"r.arrow"}
	if st.IsDir() {
		parts, err := arrow.Parts(r.Output)
		if err != nil {
			return nil // it has none yet
		}
		names = names[:0]
		for _, p := range parts {
			names = append(names, "r/"+filepath.Base(p))
		}
	}
	for _, name := range names {
		m, err := arrow.ContinueMirror(r.path(name))
		if err != nil {
			return err
		}
		r.files[name] = m
	}
	return nil
}

// path is where a file of the run is here.
func (r *Recording) path(name string) string {
	if part, ok := strings.CutPrefix(name, "r/"); ok {
		return filepath.Join(r.Output, part)
	}
	return r.Output
}

// take uses an event. The recording is over where it returns how it ended, or an error.
func (r *Recording) take(e *wire.Event, s *session) (*wire.Ended, error) {
	switch {
	case e.Error != "" && r.over != nil:
		return r.left(errors.New(e.Error))
	case e.Done:
		return r.over, nil
	case e.Error != "":
		return nil, fmt.Errorf("%s: %s", r.Device.Name(), e.Error)
	case e.Begun != nil:
		return nil, r.begin(e.Begun)
	case e.Talk:
		if e.At != r.told {
			return nil, fmt.Errorf("%s says what comes at %d, and not at %d", r.Device.Name(), e.At, r.told)
		}
		r.told += int64(len(e.Data))
		_, err := r.Talk.Write(e.Data)
		return nil, err
	case e.Progress != nil:
		r.Progress(*e.Progress)
		return nil, nil
	case e.Differs:
		return nil, fmt.Errorf("%s is not what %s recorded (or was changed since, as by repair): name another file by -o", r.path(e.File),
			r.Device.Name())
	case e.File != "":
		return nil, r.bytes(e)
	case e.Ended != nil:
		return r.finish(e.Ended, s)
	}
	return nil, nil
}

// begin learns what is recorded, once.
func (r *Recording) begin(b *wire.Begun) error {
	if r.begun {
		return nil
	}
	r.begun = true
	r.Say(b.Line + " on " + r.Device.Name())
	r.last = b.Request.Last > 0
	if r.Output == "" {
		r.Output = r.Name(b.Name)
	}
	if b.Request.Split > 0 {
		return formats.CheckOutputFolder(r.Output)
	}
	return formats.CheckOutput(r.Output)
}

// bytes writes what came of a file.
func (r *Recording) bytes(e *wire.Event) error {
	if !fileNames.MatchString(e.File) || r.Output == "" {
		return fmt.Errorf("%s sends a file that nobody asked for, %q", r.Device.Name(), e.File)
	}
	m := r.files[e.File]
	if m == nil {
		path := r.path(e.File)
		if r.last {
			var err error
			if path, err = nextName(r.Output); err != nil {
				return err
			}
		}
		m = arrow.NewMirror(path)
		r.files[e.File] = m
	}
	if e.Cut {
		return m.Cut(e.At)
	}
	return m.Append(e.Data, e.At, e.All)
}

// finish compares what is here with what is there, and then has it removed there.
func (r *Recording) finish(ended *wire.Ended, s *session) (*wire.Ended, error) {
	for _, want := range ended.Files {
		m := r.files[want.File]
		if m != nil && m.Size() == want.Size && m.SHA256() == want.SHA256 {
			continue
		}
		// A write that failed on the device may have been seen half: such a file is fetched once more.
		if r.again {
			return nil, fmt.Errorf("%s is not what %s has, though it was fetched anew; it stays there, for --resume", r.path(want.File), r.Device.Name())
		}
		r.again = true
		if m != nil {
			if err := m.Cut(0); err != nil {
				return nil, err
			}
		}
		var have []wire.Part
		for name, m := range r.files {
			have = append(have, wire.Part{File: name, Size: m.Size()})
		}
		return nil, lostOrder(s, &wire.Order{Do: wire.Follow, Run: r.id, Have: have, Told: r.told})
	}
	var failed error
	for _, m := range r.files {
		failed = errors.Join(failed, m.Close())
	}
	if failed != nil {
		return nil, failed
	}
	switch {
	case len(r.files) == 0:
	case r.last:
		for _, p := range ended.Files {
			r.Wrote(r.files[p.File].Path())
		}
	default:
		r.Wrote(r.Output)
	}
	r.over = ended
	if err := s.Order(&wire.Order{Do: wire.Remove, Run: r.id}); err != nil {
		return r.left(err)
	}
	return nil, nil
}

// left is the end of a recording that is fetched, and could not be removed there.
func (r *Recording) left(err error) (*wire.Ended, error) {
	r.Say(fmt.Sprintf("what was recorded is fetched, and stays on %s all the same: %v", r.Device.Name(), err))
	return r.over, nil
}

func lostOrder(s *session, o *wire.Order) error {
	if err := s.Order(o); err != nil {
		return s.lost(err)
	}
	return nil
}

// nextName is the first numbered name that no file has, as --last names them.
func nextName(out string) (string, error) {
	ext := filepath.Ext(out)
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s-%04d%s", strings.TrimSuffix(out, ext), n, ext)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", formats.WriteError(path, err)
		}
	}
}
