//go:build !unix

package cli

import (
	"context"
	"os"
)

// saveSignal is none: this system has no signal for users, a mark does the same.
var saveSignal os.Signal

func onSaveSignal(context.Context, func()) {}
