package script

import "context"

// Protect runs f, which calls into Starlark with threads of its own, under the time and memory limits of the run. A session asks for
// it where its user set limits. Errors are of type *Error.
func (r *Runner) Protect(ctx context.Context, f func(context.Context) error) error {
	return r.protect(ctx, f)
}
