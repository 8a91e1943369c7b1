// Package rdna is a ninth model.
package rdna
