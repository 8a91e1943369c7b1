package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/internal/fleet"
	"astrolabe/internal/script"
)

// Engine does the work of map somewhere else than in processes that map itself starts. A program with an engine is
// another than astrolabe: it has the commands of Fleet.
type Engine interface {
	// Name is that of the program, and About what it is.
	Name() string
	About() string
	// Notices are the licences of what others made and the program contains.
	Notices() (string, error)
	// Flags adds the engine's own flags.
	Flags(f *pflag.FlagSet)
	// Commands are further commands of the program.
	Commands() []*cobra.Command
	// Run does tasks as fleet.Pool.Run does.
	Run(ctx context.Context, job *Job) error
	// Elsewhere lists the captures that an argument names; theirs is false where that is a path of this machine.
	Elsewhere(ctx context.Context, arg string, endings []string) (captures []string, theirs bool, err error)
	// Identity is something that differs where the content of a capture does, without reading all of it.
	Identity(ctx context.Context, capture string) (id string, theirs bool, err error)
	// Put writes a file of this machine where a URL says; theirs is false where it is none of the engine's.
	Put(ctx context.Context, file, url string) (theirs bool, err error)
	// Distant is a capture that is a file elsewhere, read in parts; it is nil where it is no single file.
	Distant(ctx context.Context, capture string) (d *formats.Distant, theirs bool, err error)
	// Fetch is a copy of a capture on this machine, which done removes.
	Fetch(ctx context.Context, capture string) (path string, theirs bool, done func(), err error)
}

// Job is what an engine does: Tasks tasks.
type Job struct {
	Work   *Work
	Groups *Groups // what the rows are put together in; nil where they are not
	Tasks  int
	Task   func(i int) fleet.Task
	Done   func(i int, o fleet.Outcome) error // is called by one goroutine at a time
	Talk   func(capture, line string)         // what a worker says
}

// Work is what a process on any machine needs to work on captures. It travels as JSON.
type Work struct {
	Setup   json.RawMessage `json:"setup"` // of the workers
	Jobs    int             `json:"jobs"`  // how many captures at a time
	Memory  uint64          `json:"memory"`
	Timeout time.Duration   `json:"timeout"`
}

// Pool is worker processes for the work, each of them this program again.
func (w *Work) Pool(talk func(capture, line string)) (*fleet.Pool, error) {
	program, err := mapWorkerProgram(w.Memory)
	if err != nil {
		return nil, err
	}
	return &fleet.Pool{Command: program, Setup: w.Setup, Jobs: w.Jobs, Timeout: w.Timeout,
		Late:  script.TimeLimit(w.Timeout).Error(),
		Ended: func(status int, words string) (fleet.Outcome, bool) { return workerEnded(w.Memory, status, words) },
		Talk:  talk}, nil
}

// localEngine is worker processes of this program.
func localEngine(ctx context.Context, job *Job) error {
	pool, err := job.Work.Pool(job.Talk)
	if err != nil {
		return err
	}
	return pool.Run(ctx, job.Tasks, job.Task, job.Done)
}

// Fleet runs a program with an engine, and returns its exit status.
func Fleet(args []string, e Engine) int {
	ctx, stop := interruptContext()
	defer stop()
	a := &app{ctx: ctx, in: os.Stdin, out: newOutput(os.Stdout), talk: newTalk(os.Stderr), memoryStatus: statusFailed,
		engine: e}
	defer a.finish()
	root := a.fleetRoot()
	root.SetArgs(args)
	root.SetContext(ctx)
	err := execute(ctx, root)
	if err == nil || isReported(err) && !errors.Is(err, errNoReader) {
		if lost := written(a.out.failed); lost != nil {
			err = lost
		}
	}
	if err != nil && !isReported(err) {
		io.WriteString(a.talk, errorText(err))
	}
	return exitStatus(ctx, err)
}

func (a *app) fleetRoot() *cobra.Command {
	name := a.engine.Name()
	root := &cobra.Command{
		Use:              name,
		Short:            a.engine.About(),
		Long:             a.engine.About(),
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) { a.watchMemory(cmd) },
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(args[0], commandNames(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetOut(a.out)
	root.SetErr(a.talk)
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Explain a command", RunE: a.help})
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "print results and errors only")
	a.limits.register(root.PersistentFlags())
	commands := []*cobra.Command{a.mapCommand(), a.triageCommand(), a.fleetLakeCommand(), a.aggregateCommand()}
	for _, c := range commands {
		a.engine.Flags(c.Flags())
	}
	root.AddCommand(commands...)
	root.AddCommand(a.mapWorkerCommand(), a.versionCommand())
	root.AddCommand(a.engine.Commands()...)
	return root
}

// Usagef is an error of a command line that makes no sense.
func Usagef(format string, args ...any) error { return usagef(format, args...) }

// elsewhere is what the engine knows of captures that are not on this machine.
func (a *app) elsewhere(arg string) (captures []string, theirs bool, err error) {
	if a.engine == nil {
		return nil, false, nil
	}
	return a.engine.Elsewhere(a.ctx, arg, all.Registry().Extensions())
}

// identity is the hash of a capture's content, or what the engine knows of one that is not on this machine.
func (a *app) identity(ctx context.Context, capture string) (string, error) {
	if a.engine != nil {
		if id, theirs, err := a.engine.Identity(ctx, capture); theirs {
			return id, err
		}
	}
	return formats.HashFile(ctx, capture)
}

// reached is a capture that a worker can read.
type reached struct {
	path string // of it, or of a copy on this machine
	done func()
	c    *capture.Capture // where it is read from elsewhere, in parts
}

// readable is what a script may read of it by its path.
func (r *reached) readable() []string {
	if r.c != nil {
		return nil // nothing, as it is nowhere on this machine
	}
	return []string{r.path}
}

// open opens the capture. The error says that it cannot be read, or what stopped it.
func (r *reached) open(ctx context.Context, opt formats.Options) (*capture.Capture, error) {
	if r.c != nil {
		return r.c, nil
	}
	c, err := all.Registry().Open(ctx, r.path, opt)
	if err != nil {
		return nil, unreadable(ctx, err)
	}
	return c, nil
}

// reach has a capture that is not on this machine opened where it lies, if parts says so and its format allows it, or
// copied.
func (a *app) reach(ctx context.Context, capture string, parts bool, opt formats.Options) (r *reached, err error) {
	r = &reached{path: capture, done: func() {}}
	if a.engine == nil {
		return r, nil
	}
	if parts {
		d, theirs, err := a.engine.Distant(ctx, capture)
		if theirs && err != nil {
			return r, unreadable(ctx, err)
		}
		if d != nil {
			r.done = func() { d.Close() }
			if r.c, err = all.Registry().OpenDistant(ctx, d, opt); r.c != nil || err != nil {
				if err != nil {
					err = unreadable(ctx, err)
				}
				return r, err
			}
			r.done()
		}
	}
	path, theirs, done, err := a.engine.Fetch(ctx, capture)
	if !theirs {
		return &reached{path: capture, done: func() {}}, nil
	}
	if err != nil {
		err = unreadable(ctx, err)
	}
	return &reached{path: path, done: done}, err
}

// putFile writes a file where a URL says.
func (a *app) putFile(url string, write func(w io.Writer) error) error {
	if a.engine == nil {
		return usagef("-o %s: rows are written to a file of this machine; astrolabe-beam writes to servers", url)
	}
	f, err := os.CreateTemp("", "astrolabe-rows-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	theirs, err := a.engine.Put(a.ctx, f.Name(), url)
	switch {
	case err != nil:
		return err
	case !theirs:
		return usagef("-o %s: no such kind of URL", url)
	}
	a.wrote(url)
	return nil
}
