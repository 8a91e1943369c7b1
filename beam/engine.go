package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // notices
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"astrolabe/internal/cli"
)

// engine runs jobs on a runner of Beam.
type engine struct {
	runner, endpoint    string
	environment, config string
	temp, log           string
	chunk, parallelism  int
	startWithin         time.Duration
	options             map[string]string
}

var _ cli.Engine = (*engine)(nil)

func (e *engine) Name() string { return "astrolabe-beam" }

func (e *engine) About() string {
	return "Run the scripts of astrolabe over many captures on the runners of Apache Beam.\n\n" +
		"Without further flags everything happens on this machine (prism, Beam's own runner, in this program). With " +
		"--endpoint the captures are worked on by\nwhatever is behind a job server of Beam: prism on another machine " +
		"(astrolabe-beam server), Flink, Spark. The rows are those of astrolabe map.\ndocs/fleet.md has examples and " +
		"what has been measured."
}

// notices are those of all modules that are linked into this program, compressed: Beam and the clients of object stores
// bring a hundred more than astrolabe has. go generate in this folder writes them.
//
//go:embed notices.txt.gz
var notices []byte

func (e *engine) Notices() (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(notices))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

func (e *engine) Commands() []*cobra.Command { return []*cobra.Command{serverCommand()} }

// Runners that this program knows.
const (
	runnerPrism    = "prism"
	runnerPortable = "portable"
	runnerDataflow = "dataflow"
)

func (e *engine) Flags(f *pflag.FlagSet) {
	f.StringVar(&e.runner, "runner", "", "`NAME` of the runner: prism (default without --endpoint), portable (default with "+
		"it: Flink, Spark or prism behind a job server), dataflow")
	f.StringVar(&e.endpoint, "endpoint", "", "`HOST:PORT` of a job server of Beam")
	f.StringVar(&e.environment, "environment", "loopback", "where the work is done: `loopback` in this program, process in "+
		"programs that the runner starts, docker in containers")
	f.StringVar(&e.config, "environment-config", "",
		"`PROGRAM` or image for --environment (default for process: the path of this program)")
	f.StringVar(&e.temp, "temp", "", "`FOLDER` or URL (s3://, gs://, azblob://) that all machines share, for what is done (default "+
		"a folder of this machine)")
	f.IntVar(&e.chunk, "chunk", 0, "hand out `N` captures at a time (default by their number, 64 at most)")
	f.IntVar(&e.parallelism, "parallelism", 0, "chunks at a time, as the runner understands it (default its own choice)")
	f.DurationVar(&e.startWithin, "start-within", 2*time.Minute, "give up where nothing has begun to work within the `TIME`")
	f.StringVar(&e.log, "log", "", "write what Beam says to `FILE`")
	f.StringToStringVar(&e.options, "beam", nil, "further `OPTIONS` of the runner as NAME=VALUE, such as project=P,region=R")
}

// check finds contradictions in the flags, and completes them.
func (e *engine) check() error {
	if e.runner == "" {
		e.runner = runnerPrism
		if e.endpoint != "" {
			e.runner = runnerPortable
		}
	}
	switch e.runner {
	case runnerPrism, runnerPortable, runnerDataflow:
	case "flink", "spark", "universal":
		e.runner = runnerPortable
	default:
		return cli.Usagef("--runner=%s: use prism, portable or dataflow", e.runner)
	}
	e.environment = strings.ToLower(e.environment)
	switch e.environment {
	case "loopback":
		if e.config != "" {
			return cli.Usagef("--environment-config goes with --environment=process or docker")
		}
	case "process":
		if e.config == "" {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program, for --environment=process: %w", err)
			}
			e.config = self
		}
	case "docker":
		if e.config == "" {
			return cli.Usagef("--environment=docker: --environment-config names the image")
		}
	default:
		return cli.Usagef("--environment=%s: use loopback, process or docker", e.environment)
	}
	switch {
	case e.runner == runnerPortable && e.endpoint == "":
		return cli.Usagef("--runner=portable: --endpoint=HOST:PORT names the job server")
	case e.runner == runnerDataflow && !isURL(e.temp):
		return cli.Usagef("--runner=dataflow: --temp=gs://BUCKET/FOLDER is needed, which its machines share with this one")
	case e.chunk < 0:
		return cli.Usagef("--chunk=%d: there must be at least one capture in a chunk", e.chunk)
	case e.startWithin <= 0:
		return cli.Usagef("--start-within=%v: give a time of waiting", e.startWithin)
	}
	for name, value := range e.options {
		if flag.Lookup(name) == nil {
			return cli.Usagef("--beam: the runners have no option %q", name)
		}
		if err := flag.Set(name, value); err != nil {
			return cli.Usagef("--beam: %s=%s: %v", name, value, err)
		}
	}
	if e.environment == "process" && e.endpoint == "" {
		if _, err := exec.LookPath(e.config); err != nil { // it is this machine that starts it
			return cli.Usagef("--environment-config: %v", err)
		}
	}
	return nil
}

// maxChunk is how many captures are handed out at a time at most: what is lost where a machine goes.
const maxChunk = 64

// chunkSize divides the captures so that there are some chunks for each that works, and their overhead is small.
func (e *engine) chunkSize(tasks, jobs int) int {
	if e.chunk > 0 {
		return e.chunk
	}
	return min(maxChunk, max(1, tasks/(8*max(jobs, 1))))
}

// Run does a job.
func (e *engine) Run(ctx context.Context, todo *cli.Job) (err error) {
	if err := e.check(); err != nil || todo.Tasks == 0 {
		return err
	}
	hush, err := quiet(e.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hush.close()) }()
	at, err := e.place()
	if err != nil {
		return err
	}
	j, err := openJob(ctx, at)
	if err != nil {
		return fmt.Errorf("--temp=%s: %w", e.temp, err)
	}
	defer func() {
		// It is removed also where the run was interrupted.
		err = errors.Join(err, leave(at), j.remove(context.WithoutCancel(ctx)), j.Close())
	}()
	chunks, err := j.write(ctx, todo, e.chunkSize(todo.Tasks, todo.Work.Jobs))
	if err != nil {
		return err
	}
	c := &collector{job: j, todo: todo, chunks: chunks, seen: map[int]bool{}, started: e.startWithin}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() { ended <- e.submitAgain(ctx, hush, at, chunks, todo.Groups != nil) }()
	if err := c.watch(ctx, cancel, ended, hush); err != nil || todo.Groups == nil {
		return err
	}
	todo.Groups.Rows, err = j.result(ctx, todo.Groups)
	return err
}

// place makes the place of the job.
func (e *engine) place() (at string, err error) {
	name := fmt.Sprintf("job-%d-%d", time.Now().UnixNano(), os.Getpid())
	switch {
	case isURL(e.temp):
		return below(e.temp, name), nil
	case e.temp == "":
		at, err = os.MkdirTemp("", "astrolabe-beam-")
	default:
		if at, err = filepath.Abs(filepath.Join(e.temp, name)); err == nil {
			err = os.MkdirAll(at, 0o777)
		}
	}
	return at, err
}

// collector hands on what comes of the chunks.
type collector struct {
	job     *job
	todo    *cli.Job
	chunks  int
	seen    map[int]bool
	started time.Duration // how long the beginning may take
}

// watch looks for chunks that are done until the runner has ended.
func (c *collector) watch(ctx context.Context, cancel context.CancelCauseFunc, ended chan error, said *hush) error {
	pause := 100 * time.Millisecond
	begun, late := false, time.NewTimer(c.started)
	defer late.Stop()
	for {
		select {
		case err := <-ended:
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			if more := c.collect(ctx); more != nil {
				return more
			}
			switch missing := c.chunks - len(c.seen); {
			case err != nil:
				return said.explain(err)
			case missing > 0:
				return fmt.Errorf("the runner says that it is done, but nothing came of %d of %d chunks", missing, c.chunks)
			}
			return nil
		case <-late.C:
			if begun {
				continue
			}
			cancel(fmt.Errorf("nothing has begun to work within %v (--start-within): %s", c.started,
				"see that the program or image of --environment-config is there where the runner starts it, and that --temp is shared"))
		case <-time.After(pause):
			if ctx.Err() != nil {
				continue // until the runner has ended
			}
			if !begun {
				there, err := c.job.Exists(ctx, startedKey)
				if err != nil {
					cancel(err)
				}
				begun = there
			}
			begin := time.Now()
			if err := c.collect(ctx); err != nil {
				cancel(err)
			}
			pause = min(max(pause, 10*time.Since(begin)), 5*time.Second) // most of the time is for the work
		}
	}
}

// collect hands on the chunks that have come.
func (c *collector) collect(ctx context.Context) error {
	chunks, err := c.job.done(ctx)
	if err != nil {
		return err
	}
	for _, n := range chunks {
		if c.seen[n] {
			continue
		}
		there, err := c.job.parts(ctx, n, func(p *part) error {
			if p.Outcome == nil {
				c.todo.Talk(p.Capture, p.Line)
				return nil
			}
			if c.todo.Groups != nil {
				p.Outcome.Rows = nil // they are in the groups
			}
			return c.todo.Done(p.Number, *p.Outcome)
		})
		if err != nil {
			return err
		}
		c.seen[n] = there
	}
	return nil
}

// environmentText is the environment as the job server takes it.
func (e *engine) environmentText() (string, error) {
	if e.environment != "process" {
		return e.config, nil
	}
	text, err := json.Marshal(map[string]string{"command": e.config})
	return string(text), err
}
