package cli

import (
	"context"
	"errors"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture/formats"
	"astrolabe/internal/script"
	"astrolabe/scripts"
)

// host runs Starlark under the flags of the command line.
type host struct {
	env    *binding.Env
	runner *script.Runner
}

// personHost is for what a person types: it may read and write what the person can.
func (a *app) personHost(args []string) (*host, error) {
	return a.host(args, script.Policy{AnyRead: true, AnyWrite: true, Out: a.limits.out, Exec: true,
		Clock: a.limits.clock()})
}

// scriptHost contains a script: repo is the folder that it may read, "" none; read are further files and folders,
// outFile one more file that it may write.
func (a *app) scriptHost(args []string, repo string, read []string, outFile string) (*host, error) {
	return a.host(args, script.Policy{
		Repo: repo, Read: append(read, a.limits.allowRead...), Out: a.limits.out, OutFile: outFile,
		Exec: a.limits.allowExec, Clock: a.limits.clock(),
	})
}

func (a *app) host(args []string, policy script.Policy) (*host, error) {
	env := a.environment(args)
	env.Busy = a.busy
	return a.hostIn(env, policy, func(text string) { a.printAsIs(text + "\n") })
}

// hostIn is a host whose values and prints are the caller's.
func (a *app) hostIn(env *binding.Env, policy script.Policy, print func(text string)) (*host, error) {
	if policy.Out != "" {
		if err := formats.CheckOutputFolder(policy.Out); err != nil {
			return nil, err
		}
	}
	if err := policy.Apply(env); err != nil {
		return nil, usageError{err}
	}
	return &host{env: env, runner: script.NewRunner(script.Options{
		Env: env, Library: scripts.Library, Typed: policy.AnyRead, Talk: a.talk,
		Limits: a.scriptLimits(), Print: print,
	})}, nil
}

// scriptLimits are those of the flags; what was not given is left to the runner.
func (a *app) scriptLimits() script.Limits {
	return script.Limits{MaxSteps: a.limits.maxSteps, Timeout: a.limits.timeout, MaxMemory: uint64(a.limits.maxMemory)}
}

// load runs a script, of the library where its name says so, and returns its global names.
func (h *host) load(ctx context.Context, name string) (starlark.StringDict, error) {
	if strings.HasPrefix(name, libraryPrefix) {
		return h.runner.LoadLibrary(ctx, name)
	}
	return h.runner.LoadFile(ctx, name)
}

// usageOf turns a script's complaint about its command line into ours; where the user asked for help it prints that.
func (a *app) usageOf(err error) error {
	var byFlags *binding.UsageError
	var byRunner *script.UsageError
	switch {
	case errors.As(err, &byFlags) && byFlags.Help:
		return a.print(byFlags.Msg + "\n")
	case errors.As(err, &byFlags):
		return usageError{byFlags}
	case errors.As(err, &byRunner):
		return usageError{byRunner}
	}
	return err
}
