// Package mangohud reads the logs of MangoHud, the overlay of games on Linux.
//
// A log is delimited text with the system before it: lines "os,cpu,gpu,ram,kernel,driver,cpuscheduler" and what they are, in
// versions of the log with a line of dashes before each part. The table begins with the columns fps and frametime (ms) and
// ends with elapsed, the nanoseconds since the log began. Package csv reads it. Units are nowhere: loads are in percent, clocks
// in MHz, power in watts, temperatures in °C, memory in GiB; the catalogue of an AMD GPU knows the names.
//
// What MangoHud does not know it writes as 0: a clock, power, temperature or amount of memory that is 0 throughout is missing.
// Where a row is written for each frame (log_interval=0) rows are frames.
package mangohud
