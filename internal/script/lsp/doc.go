// Package lsp is a language server for scripts: completion, hover, go to definition, and what lint finds as
// diagnostics, over the Language Server Protocol on standard input and output.
//
// Of the libraries for Go, go.lsp.dev/protocol has had no release since 2022 and github.com/tliron/glsp is no longer
// maintained; so the messages that are needed, a dozen, are small types here, on go.lsp.dev/jsonrpc2, whose version 1
// is of 2026 and which brings messages, dispatch and errors.
package lsp
