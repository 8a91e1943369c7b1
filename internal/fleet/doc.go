// Package fleet does the same work on many captures: in worker processes, on a part of the captures, again after an end
// that nobody wanted, with rows as the result.
//
// A Pool starts workers, which are this program again (see Serve), and gives each a capture after the other over pipes.
// What a capture does to its worker, such as a fault, more memory than there may be, or no end, is the Outcome of that
// capture and ends no other. A Store keeps outcomes on the disk as they come, and hands them out in the order of the
// captures; a journal is a Store that a later run goes on with. Writers make tables of them.
//
// It knows no Starlark and no flags: internal/cli has the command map and what its workers do.
package fleet
