// Package amd is a third, independent model of Radeon GPUs.
package amd
