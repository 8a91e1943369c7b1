// Package xe reads the OA units of Intel GPUs through the observation interface of the kernel driver xe: the driver is
// asked which units there are and what of the GPU is present, the registers of a metric set are handed over, and a
// stream of bare reports is read, whose losses the driver tells by a status of its own.
package xe
