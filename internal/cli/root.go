package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"astrolabe/builtins/notation"
	"astrolabe/capture/memory"
	"astrolabe/capture/spelling"
	"astrolabe/internal/version"
)

// app is one run of the program: where it reads and writes, and the flags that every command has.
type app struct {
	ctx    context.Context
	in     *os.File
	out    *output
	talk   *talk
	limits limits
	code   string            // of -c
	coded  bool              // -c was given
	json   bool              // values are printed as JSON
	quiet  bool              // nothing is said but results and errors
	named  bool              // --version was given
	atEnd  []func()          // what is done when the program ends
	line   *busyLine         // tells what takes long; nil where nobody looks
	told   func(text string) // takes what is said in place of talk, where it is not nil

	noUnicode    bool     // charts in characters have none beyond ASCII
	heard        *os.File // takes what commands of scripts write; nil is talk
	memoryStatus int      // what the program ends with that takes more memory than it may
	engine       Engine   // what works on many captures; nil is processes of this program
}

// Main runs the program with the given arguments and returns its exit status.
func Main(args []string) int {
	ctx, stop := interruptContext()
	defer stop()
	a := &app{ctx: ctx, in: os.Stdin, out: newOutput(os.Stdout), talk: newTalk(os.Stderr),
		memoryStatus: statusFailed}
	if isTerminal(a.talk.file) {
		a.line = &busyLine{w: a.talk.file, width: a.talkWidth}
	}
	defer a.finish()
	root := a.root()
	root.SetArgs(longUpdate(root, args))
	root.SetContext(ctx)
	readyToComplete(root, args)
	err := execute(ctx, root)
	if err == nil || isReported(err) && !errors.Is(err, errNoReader) {
		if lost := written(a.out.failed); lost != nil {
			err = lost
		}
	}
	switch {
	case err == nil || isReported(err):
	case ctx.Err() != nil && errors.Is(err, context.Canceled): // whatever was being done
		io.WriteString(a.talk, "astrolabe: interrupted\n")
	default:
		io.WriteString(a.talk, errorText(err))
	}
	return exitStatus(ctx, err)
}

// execute runs the command. What finds no room, or meets a file that was cut off, where it can return no error panics.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer memory.FaultsPanic()()
	defer func() {
		if p := recover(); p != nil {
			if err = memory.Caught(p); err == nil {
				panic(p)
			}
		}
	}()
	return root.ExecuteContext(ctx)
}

// interruptContext is done after the first Ctrl-C; from then on a second one ends the program at once.
func interruptContext() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func (a *app) root() *cobra.Command {
	cobra.MousetrapHelpText = "" // a double click opens the session
	root := &cobra.Command{
		Use:   "astrolabe",
		Short: "A workbench for hardware performance counters",
		Long: "astrolabe records hardware performance counters, reads them from files, and answers " +
			"questions about them in Starlark.\nWithout a command it opens a session; from a pipe it runs what it " +
			"reads as if typed.",
		SilenceErrors:    true,
		SilenceUsage:     true,
		Args:             a.rootArgs,
		RunE:             a.withoutCommand,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) { a.watchMemory(cmd) },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetOut(a.out)
	root.SetErr(a.talk)
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND|PAGE|WORDS…]",
		Short: "Explain a command, or search the documentation",
		Long: "Explains a command, shows a page of the documentation such as recording, or a section of one such as " +
			"recording#files, and else lists the\nsections that have all of the words. At a terminal long pages go through $PAGER.",
		RunE: a.help, ValidArgsFunction: one(topicNames)})
	root.Flags().VarP(&codeFlag{a}, "code", "c",
		"run `CODE` as if typed and print the value of each expression; the words behind it are args, and cap opens the first")
	root.Flags().BoolVar(&a.json, "json", false, "print each value as a line of JSON")
	// Not cobra's own flag: its text would be a template, and a program with text/template in it keeps every exported
	// method of everything, a sixth of its size.
	root.Flags().BoolVarP(&a.named, "version", "v", false, "version for astrolabe")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false,
		"print results and errors only: no warnings, no progress, nothing else about the work")
	root.PersistentFlags().BoolVar(&a.noUnicode, "no-unicode", false,
		"draw charts in the terminal in characters of ASCII")
	a.limits.register(root.PersistentFlags())
	root.AddCommand(
		a.replCommand(), a.runCommand(), a.reportCommand(), a.recordCommand(), a.topCommand(), a.liveCommand(), a.statCommand(), a.convertCommand(),
		a.markCommand(), a.repairCommand(),
		a.metricsCommand(), a.sourcesCommand(), a.doctorCommand(), a.testCommand(), a.versionCommand(),
		a.kernelCommand(), a.compareCommand(), a.checkCommand(), a.mapCommand(), a.mapWorkerCommand(), a.lakeCommand(),
		a.fmtCommand(), a.lintCommand(), a.docCommand(), a.initCommand(), a.stubsCommand(), a.lspCommand(),
		a.completionCommand(), a.manCommand(),
	)
	return root
}

// withoutCommand opens a session, or says which version this is.
func (a *app) withoutCommand(_ *cobra.Command, args []string) error {
	if a.named {
		return a.printAsIs("astrolabe " + version.String() + "\n")
	}
	return a.session("", args)
}

// codeFlag is the value of -c. It remembers that it was given: the empty text runs nothing, it opens no session.
type codeFlag struct{ a *app }

func (f *codeFlag) String() string     { return "" }
func (f *codeFlag) Type() string       { return "string" }
func (f *codeFlag) Set(s string) error { f.a.code, f.a.coded = s, true; return nil }

// rootArgs explains a word that is no command. Behind -c words are the arguments of the code.
func (a *app) rootArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || a.coded || a.named {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return usagef("%q is no command; to open a capture: astrolabe repl %s; to run a script: astrolabe run %s",
			args[0], args[0], args[0])
	}
	return unknownCommand(args[0], commandNames(cmd))
}

// commandNames lists the commands that people use.
func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// commandsElsewhere are what other programs call what a command does, and the command.
var commandsElsewhere = map[string]string{
	"open": "astrolabe repl FILE", "view": "astrolabe repl FILE", "shell": "astrolabe repl",
	"console": "astrolabe repl", "session": "astrolabe repl", "python": "astrolabe repl",
	"show": "astrolabe stat FILE", "info": "astrolabe stat FILE", "summary": "astrolabe stat FILE",
	"describe": "astrolabe stat FILE",
	"plot":     "astrolabe -c 'plot.timeline(cap[\"Name\"]).save(\"x.png\")' FILE", "draw": "astrolabe report FILE",
	"analyze": "astrolabe report FILE",
	"analyse": "astrolabe report FILE", "triage": "astrolabe report FILE", "diagnose": "astrolabe report FILE",
	"profile": "astrolabe record", "capture": "astrolabe record",
	"start": "astrolabe record", "list": "astrolabe metrics or astrolabe sources", "counters": "astrolabe metrics",
	"devices": "astrolabe sources", "gpus": "astrolabe metrics",
	"diff": "astrolabe compare BEFORE AFTER", "export": "astrolabe convert IN OUT",
	"import": "astrolabe convert IN OUT", "script": "astrolabe run SCRIPT", "exec": "astrolabe run SCRIPT",
	"eval": "astrolabe -c CODE FILE", "budget": "astrolabe check", "new": "astrolabe init", "format": "astrolabe fmt",
	"perf": "astrolabe record --source cpu",
}

func unknownCommand(name string, names []string) error {
	if instead := commandsElsewhere[name]; instead != "" {
		return usagef("there is no command %s: write %s", name, instead)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return usagef("unknown command %q (did you mean %s?)", name, near)
	}
	return usagef("unknown command %q; astrolabe help lists them", name)
}

func (a *app) help(cmd *cobra.Command, args []string) error {
	target, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 || target == nil {
		return a.helpTopic(args, commandNames(cmd.Root()))
	}
	target.InitDefaultHelpFlag()
	return target.Help()
}

// allFlags lists every flag that a command takes.
func allFlags(cmd *cobra.Command) []*pflag.Flag {
	var out []*pflag.Flag
	add := func(f *pflag.Flag) { out = append(out, f) }
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return out
}

// warn talks to the user about something that did not stop the work.
func (a *app) warn(text string) { a.say("warning: " + text) }

// say talks to the user about the work.
func (a *app) say(text string) {
	if a.quiet {
		return
	}
	if a.told != nil {
		a.told(text)
		return
	}
	a.line.clear()
	fmt.Fprintln(a.talk, notation.Hang(text, a.talkWidth()))
}

// wrote prints the path of a file that was written: the result of the command.
func (a *app) wrote(path string) {
	a.line.clear()
	fmt.Fprintln(a.out, path)
}

// print writes a result for people, in which names and labels of captures can stand.
func (a *app) print(text string) error { return a.printAsIs(notation.Visible(text)) }

// printAsIs writes a result of which files and pipes get every byte, such as what a script prints.
func (a *app) printAsIs(text string) error {
	_, err := io.WriteString(a.out, text)
	return written(err)
}
