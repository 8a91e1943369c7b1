package session

import (
	"context"
	"errors"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/vendorproc"
)

// Refused gives an error of hwio.Select the guide's status: that of loading where a vendor's library is missing or of
// another version, and else HardwareNotSupported. An error of another kind, such as a name that no source has, stays as
// it is.
func Refused(ctx context.Context, all []hwio.Source, err error) error {
	var unusable *hwio.UnusableError
	if !errors.As(err, &unusable) {
		return err
	}
	status := HardwareNotSupported
	for _, s := range all {
		if s.Name() != unusable.Source {
			continue
		}
		_, cause := s.Counters(ctx)
		var e *vendorproc.Error
		switch {
		case !errors.As(cause, &e):
		case e.Kind == vendorproc.ProgramMissing:
			status = LoadFailed
		case e.Kind == vendorproc.LibraryMissing:
			status = LibLoadFailed
		case e.Kind == vendorproc.LibraryVersion:
			status = LibLoadVersionMismatch
		case e.Kind == vendorproc.NotPermitted:
			status = Failed
		}
	}
	return &Error{Status: status, Cause: err}
}
