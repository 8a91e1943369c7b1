//go:build !unix

package recording

import (
	"context"
	"os"
)

// SaveSignal is none: this system has no signal for users, a mark does the same.
var SaveSignal os.Signal

// OnSaveSignal waits for none.
func OnSaveSignal(context.Context, func()) {}
