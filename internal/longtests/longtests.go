// Package longtests says whether the long forms of tests were asked for: what proves more of the same by more cases,
// and takes minutes. Only tests import it.
package longtests

import "os"

// variable asks for the long forms where it is set to anything.
const variable = "ASTROLABE_LONG_TESTS"

// Asked reports whether the long forms shall run.
func Asked() bool { return os.Getenv(variable) != "" }

// Of is how many cases a test takes: all of them where the long form was asked for, else the given number.
func Of(long, otherwise int) int {
	if Asked() {
		return long
	}
	return otherwise
}
