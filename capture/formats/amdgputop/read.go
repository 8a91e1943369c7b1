package amdgputop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"time"

	"astrolabe/capture/progress"
)

// Value is a number with its unit; null where it is not known.
type value struct{ Value *float64 }

// number is the value, NaN where it is not known.
func (v *value) number() float64 {
	if v == nil || v.Value == nil {
		return math.NaN()
	}
	return *v.Value
}

type values map[string]*value

// object is a line of the log, as far as it is read.
type object struct {
	Period struct {
		Duration float64
		Unit     string
	}
	Timestamp string
	Devices   []*device
}

type device struct {
	GRBM, GRBM2, VRAM values
	Activity          values `json:"gpu_activity"`
	Sensors           map[string]json.RawMessage
	Total             values `json:"Total fdinfo"`
	Metrics           struct {
		Throttle []string `json:"Throttle Status"`
	} `json:"gpu_metrics"`
	Info struct {
		DeviceName string
		Path       struct {
			Card string `json:"card"`
			PCI  string `json:"pci"`
		} `json:"DevicePath"`
		GPUClock    span    `json:"GPU Clock"`
		MemoryClock span    `json:"Memory Clock"`
		VRAM        float64 `json:"VRAM Size"`
		GTT         float64 `json:"GTT Size"`
		PowerCap    *struct {
			Current float64 `json:"current"`
		} `json:"Power Cap"`
	}
}

type span struct{ Max float64 }

// id is what the device is called: card1, or where it is.
func (d *device) id() string {
	if d.Info.Path.Card != "" {
		return path.Base(d.Info.Path.Card)
	}
	return d.Info.Path.PCI
}

// log is a whole file.
type log struct {
	name    string
	objects []*object
	warn    []string
}

// read decodes every object of the text. One that breaks off at the end is left out.
func (l *log) read(ctx context.Context, text []byte) error {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	for {
		o := &object{}
		err := d.Decode(o)
		switch {
		case errors.Is(err, io.EOF) && len(l.objects) > 0:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF) && len(l.objects) > 0:
			l.warn = append(l.warn, fmt.Sprintf("truncated: the object behind byte %d breaks off and is left out", d.InputOffset()))
			return nil
		case err != nil:
			return fmt.Errorf("%s: object %d, at byte %d: %w", l.name, len(l.objects)+1, d.InputOffset(), err)
		case !(o.Period.Duration > 0) || o.Period.Duration > maxPeriod:
			return fmt.Errorf("%s: object %d, before byte %d: its period lasts %v ms", l.name, len(l.objects)+1, d.InputOffset(), o.Period.Duration)
		case o.Period.Unit != "ms" && o.Period.Unit != "":
			return fmt.Errorf("%s: object %d, before byte %d: its period is in %q, want ms", l.name, len(l.objects)+1, d.InputOffset(), o.Period.Unit)
		}
		l.objects = append(l.objects, o)
		progress.From(ctx).Set(d.InputOffset())
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

const maxPeriod = 1e11 // ms, three years

// alike is how far lengths of periods differ at most; times since the beginning differ by more. Ours
const alike = 0.5

// times are the starts and ends of the periods in ns.
func (l *log) times() (starts, ends []int64) {
	lengths := len(l.objects) > 1
	first := l.objects[0].Period.Duration
	for _, o := range l.objects {
		lengths = lengths && math.Abs(o.Period.Duration-first) <= alike*first
	}
	at, before := 0.0, 0.0
	for _, o := range l.objects {
		d := o.Period.Duration
		starts = append(starts, int64(at*1e6))
		if lengths || d <= before { // a log that was appended to begins anew
			at += d
		} else {
			at += d - before
		}
		before = d
		ends = append(ends, int64(at*1e6))
	}
	return starts, ends
}

// began is when the first period did; zero where the log does not say.
func (l *log) began() time.Time {
	t, err := time.Parse(time.RFC3339Nano, l.objects[0].Timestamp)
	if err != nil {
		return time.Time{}
	}
	return t
}
