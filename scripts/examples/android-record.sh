#!/bin/sh
# Records Mali counters on an Android device and makes the report here: push, run, pull, analyse.
#
#   android-record.sh [-s SERIAL] [-d DURATION] [-p PERIOD] [-o REPORT.png] [-- APP-COMMAND…]
#
# It needs adb, a device with USB debugging, and astrolabe for both sides: $ASTROLABE for this machine (default: astrolabe in PATH) and
# $ASTROLABE_ARM64 for the device, a static binary built with
#
#   CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o astrolabe-arm64 .
#
# Behind -- stands a shell command for the device that is started before recording, such as
#   -- am start -n com.example.game/.MainActivity
set -eu

astrolabe=${ASTROLABE:-astrolabe}
device_binary=${ASTROLABE_ARM64:-./astrolabe-arm64}
duration=10s period=1ms report=report.png serial=
there=/data/local/tmp

usage() { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "android-record: $*" >&2; exit 1; }

while getopts s:d:p:o:h option; do
  case $option in
    s) serial=$OPTARG ;;
    d) duration=$OPTARG ;;
    p) period=$OPTARG ;;
    o) report=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ "${1:-}" = -- ] && shift

adb() { if [ -n "$serial" ]; then command adb -s "$serial" "$@"; else command adb "$@"; fi; }

command -v adb >/dev/null || fail "adb is not in PATH: install the Android platform tools"
[ -f "$device_binary" ] || fail "$device_binary is missing: build it with CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o astrolabe-arm64 . and name it in ASTROLABE_ARM64"
abi=$(adb shell getprop ro.product.cpu.abi | tr -d '\r') || fail "no device answers: adb devices lists those that do"
case $abi in
  arm64-v8a) ;;
  *) fail "the device runs $abi, and the binary is for arm64-v8a" ;;
esac

remote=$there/astrolabe
capture=$there/astrolabe-recording.arrow
local_capture=${report%.*}.arrow
clean() { adb shell rm -f "$remote" "$capture" >/dev/null 2>&1 || true; }
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

adb push "$device_binary" "$remote" >/dev/null
adb shell chmod 755 "$remote"
[ $# -eq 0 ] || adb shell "$@" >/dev/null
# Counters of the CPUs come along where the device lets the shell read them.
adb shell "$remote" record --source kbase,procfs --period "$period" --duration "$duration" -o "$capture" >/dev/null ||
  adb shell "$remote" record --source kbase --period "$period" --duration "$duration" -o "$capture" >/dev/null || {
  echo "android-record: nothing could be recorded; what the device says about its counters:" >&2
  adb shell "$remote" doctor >&2 || true
  exit 1
}
adb pull "$capture" "$local_capture" >/dev/null
"$astrolabe" report "$local_capture" -o "$report"
echo "$local_capture"
echo "$report"
