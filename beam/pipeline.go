package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"astrolabe/internal/cli"
	"astrolabe/internal/fleet"
)

func init() {
	register.DoFn2x0[[]byte, func(int)](&chunksFn{})
	register.DoFn3x1[context.Context, int, func(int), error](&workFn{})
	register.Function1x0(ignoreChunk)
	register.DoFn3x1[context.Context, int, func(string, []byte), error](&groupFn{})
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&resultFn{})
	register.Function2x2(mergeSummaries)
	register.Function2x2(summaryLine)
	register.Emitter1[int]()
	register.Emitter2[string, []byte]()
	register.Iter1[string]()
}

// pipeline is that of a job of so many chunks.
func pipeline(at string, chunks int, groups bool) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	numbers := beam.Reshuffle(s.Scope("chunks"), beam.ParDo(s.Scope("chunks"), &chunksFn{chunks}, beam.Impulse(s)))
	if !groups {
		// Prism waits for a bundle that has no output without a pause: on one processor, which the captures lack. So the
		// work has one, the numbers again, and what has none is done at once.
		done := beam.ParDo(s.Scope("captures"), &workFn{At: at}, numbers)
		beam.ParDo0(s.Scope("done"), ignoreChunk, beam.Reshuffle(s.Scope("done"), done))
		return p
	}
	summaries := beam.ParDo(s.Scope("captures"), &groupFn{At: at}, numbers)
	merged := beam.CombinePerKey(s.Scope("groups"), mergeSummaries, summaries)
	lines := beam.ParDo(s.Scope("groups"), summaryLine, merged)
	beam.ParDo0(s.Scope("result"), &resultFn{At: at}, beam.GroupByKey(s, beam.AddFixedKey(s, lines)))
	return p
}

// groupFn works on the captures of a chunk, and puts its rows together.
type groupFn struct{ At string }

// ProcessElement emits the summary of each group and column of the chunk.
func (f *groupFn) ProcessElement(ctx context.Context, chunk int, emit func(string, []byte)) error {
	h, err := siteOf(ctx, f.At)
	if err != nil {
		return err
	}
	if err := h.run(ctx, chunk); err != nil {
		return err
	}
	sums := grouping{groups: h.groups, sums: map[string]*summary{}}
	_, err = h.job.parts(ctx, chunk, func(p *part) error {
		if p.Outcome == nil {
			return nil
		}
		return sums.add(p.Outcome)
	})
	if err != nil {
		return err
	}
	for key, s := range sums.sums {
		data, err := s.pack()
		if err != nil {
			return err
		}
		emit(key, data)
	}
	return nil
}

// resultFn leaves the summaries of all groups in the job.
type resultFn struct{ At string }

// ProcessElement writes them, a line each.
func (f *resultFn) ProcessElement(ctx context.Context, _ int, next func(*string) bool) error {
	h, err := siteOf(ctx, f.At)
	if err != nil {
		return err
	}
	return put(ctx, h.job.Bucket, resultKey, func(w io.Writer) error {
		var line string
		for next(&line) {
			if _, err := io.WriteString(w, line+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

// chunksFn gives the numbers of the chunks. They are not in the pipeline, so that it stays small.
type chunksFn struct{ Chunks int }

// ProcessElement emits the numbers.
func (f *chunksFn) ProcessElement(_ []byte, emit func(int)) {
	for i := range f.Chunks {
		emit(i)
	}
}

// workFn works on the captures of a chunk.
type workFn struct{ At string }

// ProcessElement leaves what came of the chunk in the job, and emits its number.
func (f *workFn) ProcessElement(ctx context.Context, chunk int, emit func(int)) error {
	h, err := siteOf(ctx, f.At)
	if err != nil {
		return err
	}
	if err := h.run(ctx, chunk); err != nil {
		return err
	}
	emit(chunk)
	return nil
}

// ignoreChunk ends the pipeline.
func ignoreChunk(int) {}

// site is what this process has of a job: its objects and its workers, which all chunks share.
type site struct {
	once sync.Once
	err  error

	job  *job
	work cli.Work
	pool *fleet.Pool

	groups cli.Groups // of a job that has them

	mu   sync.Mutex
	talk map[string][]string // by capture, of chunks at work
}

var sites sync.Map // by where the job is

// siteOf opens a job in this process.
func siteOf(ctx context.Context, at string) (*site, error) {
	v, _ := sites.LoadOrStore(at, &site{talk: map[string][]string{}})
	h := v.(*site)
	h.once.Do(func() { h.err = h.open(ctx, at) })
	if h.err != nil {
		sites.Delete(at) // a later try may do better
	}
	return h, h.err
}

func (h *site) open(ctx context.Context, at string) (err error) {
	if h.job, err = openJob(ctx, at); err != nil {
		return fmt.Errorf("the folder of the job is not to be had here (--temp names one that all machines share): %w", err)
	}
	if err := h.job.getJSON(ctx, workKey, &h.work); err != nil {
		return fmt.Errorf("the folder of the job is not to be had here (--temp names one that all machines share): %w", err)
	}
	there, err := h.job.Exists(ctx, groupsKey)
	if err == nil && there {
		err = h.job.getJSON(ctx, groupsKey, &h.groups)
	}
	if err != nil {
		return err
	}
	if h.pool, err = h.work.Pool(h.heard); err != nil {
		return err
	}
	h.pool.Keep = true
	return put(ctx, h.job.Bucket, startedKey, func(io.Writer) error { return nil })
}

// leave ends what this process has of a job.
func leave(at string) error {
	v, ok := sites.LoadAndDelete(at)
	if !ok {
		return nil
	}
	h := v.(*site)
	if h.pool != nil {
		h.pool.Close()
	}
	if h.job != nil {
		return h.job.Close()
	}
	return nil
}

// maxLines is how many lines of one capture are kept.
const maxLines = 1000

func (h *site) heard(capture, line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch n := len(h.talk[capture]); {
	case n < maxLines:
		h.talk[capture] = append(h.talk[capture], line)
	case n == maxLines:
		h.talk[capture] = append(h.talk[capture], fmt.Sprintf("more than %d lines: the others are left out", maxLines))
	}
}

// said takes what was heard of a capture.
func (h *site) said(capture string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := h.talk[capture]
	delete(h.talk, capture)
	return lines
}

// run works on a chunk. One that another try has done already is left as it is.
func (h *site) run(ctx context.Context, chunk int) (err error) {
	if there, err := h.job.Exists(ctx, chunkKey(outPrefix, chunk)); err != nil || there {
		return err
	}
	var tasks []numbered
	if err := h.job.getJSON(ctx, chunkKey(inPrefix, chunk), &tasks); err != nil {
		return err
	}
	store, err := fleet.NewStore() // rows of many captures may be many
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	at := make([]int64, len(tasks))
	err = h.pool.Run(ctx, len(tasks), func(i int) fleet.Task { return tasks[i].Task },
		func(i int, o fleet.Outcome) (err error) {
			at[i], err = store.Add(&o)
			return err
		})
	if err != nil {
		return err
	}
	return put(ctx, h.job.Bucket, chunkKey(outPrefix, chunk), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for i, t := range tasks {
			for _, line := range h.said(t.Task.Capture) {
				if err := enc.Encode(part{Capture: t.Task.Capture, Line: line}); err != nil {
					return err
				}
			}
			o, err := store.Read(at[i])
			if err != nil {
				return err
			}
			if err := enc.Encode(part{Number: t.Number, Outcome: o}); err != nil {
				return err
			}
		}
		return nil
	})
}
