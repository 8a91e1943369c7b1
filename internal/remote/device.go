package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"astrolabe/internal/recording"
	"astrolabe/internal/remote/wire"
)

// Device is a device with the program on it.
type Device struct {
	link    Link
	place   *place
	program *program
}

// Options are of a Device.
type Options struct {
	Binary string // the program for the device, "" for the one beside this program
	Dir    string // where it goes on the device, "" for the best place
}

// Connect finds out what the device is, and brings the program there.
func Connect(ctx context.Context, l Link, o Options) (*Device, error) {
	arch, err := kind(ctx, l)
	if err != nil {
		return nil, err
	}
	p, err := findProgram(arch, o.Binary)
	if err != nil {
		return nil, err
	}
	folders := l.Folders()
	if o.Dir != "" {
		folders = []Folder{{Words: quote(strings.TrimSuffix(o.Dir, "/"))}}
	}
	at, err := install(ctx, l, p, folders)
	if err != nil {
		return nil, err
	}
	return &Device{link: l, place: at, program: p}, nil
}

// Name is what people call the device.
func (d *Device) Name() string { return d.link.Name() }

// session is the program on the device at the other end of a stream.
type session struct {
	*wire.Writer
	*wire.Reader
	stream Stream
	end    func() bool
}

// open starts the program. A program whose content is not what was brought is brought once more.
func (d *Device) open(ctx context.Context) (*session, error) {
	s, g, err := d.start(ctx)
	if err != nil || g.SHA256 == d.program.sum {
		return s, err
	}
	s.close()
	if _, err := d.link.Run(ctx, "rm -f "+quote(d.place.program)); err != nil {
		return nil, err
	}
	if err := bring(ctx, d.link, d.program, d.place); err != nil {
		return nil, err
	}
	if s, g, err = d.start(ctx); err == nil && g.SHA256 != d.program.sum {
		s.close()
		err = fmt.Errorf("%s changes programs that are copied there: %s is not what %s is", d.Name(), d.place.program,
			d.program.path)
	}
	return s, err
}

func (d *Device) start(ctx context.Context) (*session, wire.Greeting, error) {
	stream, err := d.link.Open(ctx, "exec "+quote(d.place.program)+" serve "+quote(d.place.folder))
	if err != nil {
		return nil, wire.Greeting{}, err
	}
	s := &session{Writer: wire.NewWriter(stream), Reader: wire.NewReader(stream), stream: stream,
		end: context.AfterFunc(ctx, func() { stream.Close() })}
	g, noise, err := s.Greeting()
	if err == nil {
		return s, g, nil
	}
	s.close()
	said := strings.TrimSpace(noise + "\n" + stream.Why())
	switch {
	case strings.Contains(said, "xec format error") || strings.Contains(said, "not executable"):
		err = fmt.Errorf("%s cannot run a program for %s: %s", d.Name(), d.program.arch, said)
	case strings.Contains(said, "ermission denied") && strings.Contains(said, d.place.program):
		err = fmt.Errorf("%s may not run %s (noexec, or SELinux): name another folder by --remote-dir: %s", d.Name(),
			d.place.program, said)
	case strings.Contains(said, d.place.program):
		err = fmt.Errorf("%s does not run the program: %s", d.Name(), said)
	case said != "":
		err = broken("%s: %s", d.Name(), said)
	default:
		err = broken("%s: the link broke off (%v)", d.Name(), err)
	}
	return nil, g, err
}

func (s *session) close() {
	s.end()
	s.stream.Close()
}

// lost words the end of a session.
func (s *session) lost(err error) error {
	if why := s.stream.Why(); why != "" {
		return broken("%s", why)
	}
	if errors.Is(err, io.EOF) {
		return broken("the link broke off")
	}
	return broken("%v", err)
}

// ask gives an order that one event answers.
func (d *Device) ask(ctx context.Context, o *wire.Order) (*wire.Event, error) {
	s, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.Order(o); err != nil {
		return nil, s.lost(err)
	}
	e, err := s.NextEvent()
	switch {
	case err != nil:
		return nil, s.lost(err)
	case e.Error != "":
		return nil, fmt.Errorf("%s: %s", d.Name(), e.Error)
	}
	return e, nil
}

// Doctor says what the device can measure.
func (d *Device) Doctor(ctx context.Context, deep bool) ([]recording.Finding, error) {
	e, err := d.ask(ctx, &wire.Order{Do: wire.Doctor, Deep: deep})
	if err != nil {
		return nil, err
	}
	return e.Findings, nil
}

// Runs lists the recordings that are left there.
func (d *Device) Runs(ctx context.Context) ([]wire.Run, error) {
	e, err := d.ask(ctx, &wire.Order{Do: wire.List})
	if err != nil {
		return nil, err
	}
	if e.Runs == nil {
		return nil, fmt.Errorf("%s does not list its recordings", d.Name())
	}
	return *e.Runs, nil
}
