package formats

import (
	"errors"
	"fmt"
)

// ErrOption is an option that the format of the content does not have, or not with that value. No other format is tried
// then.
var ErrOption = errors.New("an option is wrong")

// optionError is an ErrOption in the words of the format.
type optionError struct{ error }

func (optionError) Is(target error) bool { return target == ErrOption }
func (e optionError) Unwrap() error      { return e.error }

// OptionErrorf words an ErrOption.
func OptionErrorf(format string, args ...any) error { return optionError{fmt.Errorf(format, args...)} }
