// Package symbols reads the names of functions as compilers write them: what a mangled name says, and how a long one is
// written shortly. It imports nothing of ours and knows no profiler.
package symbols

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Limits of what is demangled: a few hundred letters of a made-up symbol can stand for any length.
const (
	longestSymbol = 1 << 16
	longestName   = 16 // as a power of two
)

// descriptors are the endings of symbols that name the descriptor of a kernel (its registers and sizes) instead of its
// code, also as demanglers and old profilers write them.
var descriptors = []string{".kd", " [clone .kd]", " (.kd)"}

// Demangle is the name of a function by its symbol, of C++ or Rust; another name stays what it is. That of a kernel's
// descriptor is the kernel's.
func Demangle(symbol string) string {
	name := symbol
	for _, end := range descriptors {
		if rest, ok := strings.CutSuffix(name, end); ok && rest != "" {
			name = rest
			break
		}
	}
	if !Mangled(name) || len(name) > longestSymbol {
		return name
	}
	// In full, as the C++ libraries demangle that profilers use: std::basic_string<char, ...>, not std::string.
	full, err := demangle.ToString(name, demangle.Verbose, demangle.MaxLength(longestName))
	if err != nil || len(full) >= 1<<longestName {
		return name
	}
	return full
}

// Mangled reports whether a symbol looks like one of C++ or Rust.
func Mangled(symbol string) bool {
	return strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "_R") || strings.HasPrefix(symbol, "___Z")
}
