package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/builtins"
	"astrolabe/capture/progress"
	"astrolabe/internal/kernel"
	"astrolabe/internal/script"
	"astrolabe/internal/version"
	"astrolabe/repl"
	"astrolabe/scripts"
)

// kernelFlags are those of the command kernel.
type kernelFlags struct {
	connection              string
	install, remove         bool
	user, environmentPrefix bool
	prefix                  string
}

func (a *app) kernelCommand() *cobra.Command {
	f := &kernelFlags{}
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "Serve notebooks as a Jupyter kernel",
		Long: "With --install, lets Jupyter start this program for notebooks, where it is offered as astrolabe from then " +
			"on; --remove undoes that.\nA cell runs as in a session: the value of each expression is shown, charts and " +
			"pages of reports as pictures, tables as HTML.",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error { return a.kernel(f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.install, "install", false, "let Jupyter start this program")
	flags.BoolVar(&f.remove, "remove", false, "undo --install")
	flags.BoolVar(&f.user, "user", false, "install for this user, which is what happens where nothing is named")
	flags.StringVar(&f.prefix, "prefix", "", "install below the prefix `DIR` of a Python, such as /usr/local")
	flags.BoolVar(&f.environmentPrefix, "sys-prefix", false, "install into the environment of Python that is active")
	flags.StringVar(&f.connection, "connection-file", "",
		"serve the connection that `FILE` describes; Jupyter starts the kernel so")
	cmd.MarkFlagsMutuallyExclusive("install", "remove", "connection-file")
	cmd.MarkFlagsMutuallyExclusive("user", "prefix", "sys-prefix", "connection-file")
	return cmd
}

func (a *app) kernel(f *kernelFlags) error {
	switch {
	case f.connection != "":
		return a.serveKernel(f.connection)
	case f.install, f.remove:
		return a.placeKernel(f)
	}
	return usagef("kernel takes --install, so that Jupyter offers it; Jupyter itself starts it with --connection-file FILE")
}

// placeKernel installs or removes what Jupyter reads.
func (a *app) placeKernel(f *kernelFlags) error {
	folder, err := kernelFolder(f)
	if err != nil {
		return err
	}
	if f.remove {
		dir, err := kernel.Remove(folder)
		if err == nil {
			a.say("removed " + dir)
		}
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("install the kernel: %w", err)
	}
	file, err := kernel.Install(folder, []string{exe, "kernel"})
	if err != nil {
		return err
	}
	a.wrote(file)
	return nil
}

func kernelFolder(f *kernelFlags) (string, error) {
	switch {
	case f.prefix != "":
		return kernel.PrefixFolder(f.prefix), nil
	case f.environmentPrefix:
		prefix, err := kernel.EnvironmentPrefix()
		return kernel.PrefixFolder(prefix), err
	}
	return kernel.UserFolder()
}

// notebookWidth is how many cells a line of text has in a notebook, where windows are as wide as they are.
const notebookWidth = 100

// inNotebook is what people stop work with who have no terminal.
var inNotebook = strings.NewReplacer("Ctrl-C", "an interrupt")

// serveKernel serves a session to the clients of a connection.
func (a *app) serveKernel(file string) error {
	connection, err := kernel.ReadConnection(file)
	if err != nil {
		return err
	}
	k, err := kernel.Listen(connection, kernel.Options{Version: version.String(), Log: a.talk, Parent: kernel.Parent(),
		Busy: func(what string, s progress.State, begun, now time.Time) string {
			return inNotebook.Replace(busyText(what, s, begun, now, 0))
		}})
	if err != nil {
		return err
	}
	if err := a.hearCommands(k); err != nil {
		return err
	}
	a.told = func(text string) { fmt.Fprintln(k.Stderr(), inNotebook.Replace(text)) }
	env := a.environment(nil)
	env.Command = "" // nobody typed one
	env.Busy, env.Show = k.Busy, k.Show
	env.Wrote = func(path string) { fmt.Fprintln(k.Stdout(), path) }
	host, err := a.hostIn(env, script.Policy{AnyRead: true, AnyWrite: true, Out: a.limits.out, Exec: true,
		Clock: a.limits.clock()}, func(text string) { fmt.Fprintln(k.Stdout(), text) })
	if err != nil {
		return err
	}
	session := repl.NewSession(repl.Config{
		Predeclared: builtins.Predeclared(env), Env: env, Load: host.runner.Loader(), Library: scripts.Library,
		Out: k.Stdout(), Talk: k.Stderr(), Version: version.String(), Limit: host.runner.Protect,
		MaxSteps: a.limits.maxSteps, Screen: func() (int, int) { return notebookWidth, 0 }, Quiet: a.quiet,
		Display: k.Display, Page: k.Page, Clear: k.Clear, Settings: k.Settings(),
	})
	// An interrupt stops the running cell, and what ends other programs the kernel: in order.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	go func() {
		for range signals {
			k.Interrupt()
		}
	}()
	ctx, stop := endingContext(context.WithoutCancel(a.ctx))
	defer stop()
	return k.Serve(ctx, session, env)
}

// hearCommands lets cells show what the commands write that they run.
func (a *app) hearCommands(k *kernel.Kernel) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	a.heard = w
	go func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := r.Read(buffer)
			if err != nil {
				return
			}
			k.Stderr().Write(buffer[:n])
		}
	}()
	return nil
}
