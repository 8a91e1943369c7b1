package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"astrolabe/plots/interactive"
)

// judgeEvery is how often the last samples are judged. What takes longer is judged again when it is done, after a rest:
// the recording shares the machine with it.
const (
	judgeEvery = time.Second
	leastRest  = 200 * time.Millisecond
)

// Judgement is what a script says of the last samples.
type Judgement struct {
	Body    []byte // a part of a page
	Bands   []interactive.Band
	Printed string
}

// judged is what is known of the script.
type judged struct {
	mu    sync.Mutex
	begun time.Time     // of the run under way; zero where none is
	took  time.Duration // the last run
	runs  int
	fault string // of the last run, "" where it ended well
	last  Judgement
}

// script is the state of the script in a status.
type script struct {
	Running float64 `json:"running"` // seconds, 0 where it does not run
	Took    float64 `json:"took"`
	Runs    int     `json:"runs"`
	Window  float64 `json:"window"`
	Fault   string  `json:"fault"`
	Printed string  `json:"printed"`
}

func (j *judged) state(window time.Duration) *script {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &script{Took: j.took.Seconds(), Runs: j.runs, Window: window.Seconds(), Fault: j.fault, Printed: j.last.Printed}
	if !j.begun.IsZero() {
		s.Running = time.Since(j.begun).Seconds()
	}
	return s
}

// body is the part of a page that the last run that ended well made.
func (j *judged) body() []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last.Body
}

// bands are those of that run.
func (j *judged) bands() []interactive.Band {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last.Bands
}

// judge runs the script again and again while anybody looks.
func (l *Live) judge(ctx context.Context) {
	select {
	case <-l.begun:
	case <-ctx.Done():
		return
	}
	for {
		l.hub.waitForViewer(ctx.Done())
		if ctx.Err() != nil {
			return
		}
		begun := time.Now()
		l.judgeOnce(ctx, begun)
		rest := time.NewTimer(max(leastRest, judgeEvery-time.Since(begun)))
		select {
		case <-rest.C:
		case <-ctx.Done():
			rest.Stop()
			return
		}
	}
}

func (l *Live) judgeOnce(ctx context.Context, begun time.Time) {
	j := &l.judged
	j.mu.Lock()
	j.begun = begun
	j.mu.Unlock()
	made, err := l.judgeNow(ctx)
	if ctx.Err() != nil {
		return
	}
	j.mu.Lock()
	j.took, j.begun, j.fault = time.Since(begun), time.Time{}, ""
	j.runs++
	if err != nil {
		j.fault = err.Error()
	} else {
		j.last = *made
	}
	version, _ := json.Marshal(j.runs)
	j.mu.Unlock()
	if err == nil {
		l.hub.tell(judgedTopic, version)
		l.tellBands()
	}
	l.tellStatus()
}

// judgeNow judges the last samples. The recording goes on whatever becomes of the script.
func (l *Live) judgeNow(ctx context.Context) (made *Judgement, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the script could not be run to its end: %v", p)
		}
	}()
	c, err := l.saved(l.o.Window).Capture()
	if err != nil {
		return nil, err
	}
	if made, err = l.o.Judge(ctx, c); err == nil && made == nil {
		made = &Judgement{}
	}
	return made, err
}

// tellBands tells viewers what happened, as far as the recording and the script know.
func (l *Live) tellBands() {
	l.hub.mu.Lock()
	own := slices.Clone(l.own.list)
	l.hub.mu.Unlock()
	list := append(l.judged.bands(), own...)
	if list == nil {
		list = []interactive.Band{}
	}
	data, _ := json.Marshal(list) // of texts and numbers
	l.hub.tell(bandsTopic, data)
}

// status is what viewers are told of the recording.
type status struct {
	Elapsed float64  `json:"elapsed"` // s
	Samples uint64   `json:"samples"`
	Missed  uint64   `json:"missed"`  // ticks that passed before the recorder ran
	Dropped uint64   `json:"dropped"` // ticks that the file was too slow for
	Viewers int      `json:"viewers"`
	Unseen  int64    `json:"unseen"` // samples that viewers missed
	Cut     int      `json:"cut"`    // viewers that read nothing
	File    string   `json:"file"`   // why the file of the whole recording ended early
	Notes   []string `json:"notes"`
	Script  *script  `json:"script"`
}

func (l *Live) tellStatus() {
	s := status{Notes: []string{}}
	if l.o.Progress != nil {
		p := l.o.Progress()
		s.Elapsed, s.Samples, s.Missed, s.Dropped = p.Elapsed.Seconds(), p.Samples, p.Missed, p.Dropped
	}
	s.Viewers, s.Unseen, s.Cut = l.hub.watched()
	if err := l.queue.Failed(); err != nil {
		s.File = err.Error()
	}
	l.hub.mu.Lock()
	if text := l.own.note(); text != "" {
		s.Notes = append(s.Notes, text)
	}
	l.hub.mu.Unlock()
	if l.o.Judge != nil {
		s.Script = l.judged.state(l.o.Window)
	}
	data, _ := json.Marshal(s)
	l.hub.tell(statusTopic, data)
}
