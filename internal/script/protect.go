package script

import "context"

// Protect runs f, which calls into Starlark with threads of its own, under the time and memory limits of the run, for a
// session. An error of f itself comes back as it is; one of a run that was stopped is of type *Error.
func (r *Runner) Protect(ctx context.Context, f func(context.Context) error) error {
	var own error
	err := r.protect(ctx, func(ctx context.Context) error {
		own = f(ctx)
		return own
	})
	if own != nil && !Stopped(err) {
		return own
	}
	return err
}
