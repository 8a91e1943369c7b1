package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"astrolabe/builtins"
	"astrolabe/internal/script"
	"astrolabe/internal/version"
	"astrolabe/repl"
	"astrolabe/scripts"
)

func (a *app) replCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "repl [CAPTURE]",
		Short: "Open a session, with a capture bound to cap",
		Long: "Opens an interactive session. Where standard input is no terminal it runs what it reads as if typed, " +
			"prints the value of each expression\nthat is not None, and stops at the first error.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.session("", nil)
			}
			return a.session(args[0], nil)
		},
	}
}

// clearScreen empties a terminal and puts the cursor into its corner.
const clearScreen = "\x1b[H\x1b[2J"

// session runs -c, standard input, or a person's session. args are the arguments that the code of -c sees; the first is
// also the capture that it finds in cap, if it does not bind that name itself.
func (a *app) session(capturePath string, args []string) error {
	host, err := a.personHost(args)
	if err != nil {
		return err
	}
	cfg := repl.Config{
		Predeclared: builtins.Predeclared(host.env), Env: host.env, Load: host.runner.Loader(),
		Library: scripts.Library,
		Out:     a.out, Talk: a.talk, Version: version.String(), Limit: host.runner.Protect,
		MaxSteps: a.limits.maxSteps,
		Screen:   a.screen, JSON: a.json, Quiet: a.quiet, Shell: a.limits.allowExec,
		Help: func(words string) (string, bool) { return topic(words, ":help") },
	}
	if !a.coded {
		host.env.Command = "" // no command line types again what a person or a pipe did
	}
	if a.coded && len(args) > 0 {
		cfg.Capture = args[0]
	}
	interactive := !a.coded && isTerminal(a.in)
	if interactive {
		pics := &pictures{a: a, auto: true}
		host.env.Show, cfg.Settings = pics.show, []repl.Setting{pics.setting(), themeSetting(host.env)}
		cfg.Clear = func() { io.WriteString(a.out.file, clearScreen) }
		if dir, err := os.Getwd(); err == nil {
			cfg.Repo, _ = script.FindRepo(dir)
		}
	}
	s := repl.NewSession(cfg)
	if interactive {
		// The session stops its statements itself, so the program's own context stays out of it.
		return s.Interactive(context.WithoutCancel(a.ctx), a.in, a.out.file, a.talk.file, capturePath)
	}
	if capturePath != "" {
		if err := s.Open(a.ctx, "cap", capturePath); err != nil {
			return err
		}
	}
	if a.coded {
		err = s.RunText(a.ctx, "-c", a.code)
	} else {
		err = s.RunReader(a.ctx, "<stdin>", a.in)
	}
	if err != nil {
		return errors.Join(errReported, err)
	}
	return nil
}
