// Package script runs Starlark files: it finds and loads them, contains what they may touch, limits what they may take,
// and runs their tests.
//
// A command makes a Policy from its flags, puts it into the binding.Env of the run, and asks a Runner to load a script
// and to call its functions:
//
//	policy := script.Policy{Repo: script.Root(path), Read: captures}
//	if err := policy.Apply(env); err != nil { … }
//	r := script.NewRunner(script.Options{Env: env, Library: scripts.Library, Limits: limits, Print: print})
//	globals, err := r.LoadFile(ctx, path)
//	…
//	fmt.Fprint(os.Stderr, repl.FormatError(err, nil))
//
// The values that scripts see live in builtins; nothing here knows what a counter is.
package script
