package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const secret = "a-secret-that-nobody-may-see"

// bucket serves S3 on this machine, with the files of a folder in the bucket b. Each answer that troubled says is cut
// off is so.
func bucket(t *testing.T, dir string, troubled func(r *http.Request) bool) (env []string) {
	t.Helper()
	return bucketBehind(t, dir, func(s3 http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if troubled != nil && troubled(r) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			s3.ServeHTTP(w, r)
		})
	})
}

// bucketBehind is such a bucket behind a handler of the test's.
func bucketBehind(t *testing.T, dir string, behind func(s3 http.Handler) http.Handler) (env []string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("b"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(behind(gofakes3.New(backend).Server()))
	t.Cleanup(server.Close)
	env = []string{"AWS_ENDPOINT_URL=" + server.URL, "AWS_ACCESS_KEY_ID=someone", "AWS_SECRET_ACCESS_KEY=" + secret,
		"AWS_REGION=us-east-1", "AWS_EC2_METADATA_DISABLED=true"}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	b, err := openFolder(t.Context(), "s3://b")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return put(context.WithoutCancel(t.Context()), b, filepath.ToSlash(rel), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Captures in a bucket have the rows of those on the disk, also where the server fails now and then, and the place of
// the job and of the rows may be in it. The credentials are in nothing that is written.
func TestRowsOfABucketAreThoseOfTheDisk(t *testing.T) {
	dir := few(t)
	var asked atomic.Int64
	bucket(t, dir, func(r *http.Request) bool { return r.Method == http.MethodGet && asked.Add(1)%5 == 0 })
	finished(t, 1, program(t, dir, "astrolabe", "map", "sum.star", "build=1", "build=2", "-o", "disk.jsonl"))
	cmd := program(t, dir, "astrolabe-beam", "map", "sum.star", "s3://b/build=1/", "s3://b/build=2/*.csv", "--temp", "s3://b/work",
		"-o", "s3://b/rows.jsonl", "--log", "beam.log")
	out, talk := finished(t, 1, cmd)
	if out != "s3://b/rows.jsonl\n" {
		t.Errorf("it says %s%s", out, talk)
	}
	b, err := openFolder(t.Context(), "s3://b")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	rows, err := b.ReadAll(t.Context(), "rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.ReplaceAll(string(rows), "s3://b/", ""), content(t, dir, "disk.jsonl"); got != want {
		t.Errorf("rows\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(out+talk+string(rows)+content(t, dir, "beam.log"), secret) {
		t.Error("it tells the credentials")
	}
	if err := list(t.Context(), b, "work/", func(key string) error { return fmt.Errorf("%s is left", key) }); err != nil {
		t.Error(err)
	}
	nothingLeft(t, dir)
}

// A folder in a bucket that is one capture is copied whole, and a capture that is not there is a row.
func TestAFolderInABucketIsACapture(t *testing.T) {
	dir := few(t)
	bucket(t, dir, nil)
	if err := os.WriteFile(filepath.Join(dir, "gpu.star"), []byte("def map(cap):\n    return {\"gpu\": cap.gpu}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, talk := finished(t, 1, program(t, dir, "astrolabe-beam", "map", "gpu.star", "s3://b/vcopy", "s3://b/none.csv",
		"s3://nowhere/a.csv", "--csv"))
	if out != "capture,gpu\ns3://b/vcopy,gfx1151\n" || !strings.Contains(talk, "s3://b/none.csv: no such object") ||
		!strings.Contains(talk, "3 captures failed") {
		t.Errorf("%s%s", out, talk)
	}
	_, talk = finished(t, 2, program(t, dir, "astrolabe-beam", "map", "gpu.star", "s3://b/*.none"))
	if !strings.Contains(talk, "there is no object like s3://b/*.none") {
		t.Error(talk)
	}
	_, talk = finished(t, 1, program(t, dir, "astrolabe-beam", "map", "gpu.star", "s3://me:"+secret+"@b/a.csv"))
	if !strings.Contains(talk, "credentials come from the environment") {
		t.Error(talk)
	}
	nothingLeft(t, dir)
}

// Another client of S3 puts captures into the bucket and reads the rows.
func TestForeignClientOfS3(t *testing.T) {
	python := pythonWith(t, "boto3")
	dir := few(t)
	env := bucket(t, t.TempDir(), nil)
	script := `
import boto3, json, os, sys
from botocore.config import Config
s3 = boto3.client("s3", config=Config(s3={"addressing_style": "path"}))
if sys.argv[1] == "put":
    for root, _, names in os.walk("."):
        for n in names:
            path = os.path.join(root, n)[2:]
            s3.upload_file(path, "b", "in/" + path)
else:
    rows = [json.loads(x) for x in s3.get_object(Bucket="b", Key="rows.jsonl")["Body"].read().splitlines()]
    print(len(rows), round(sum(r.get("total") or 0 for r in rows), 6), sorted({r["status"] for r in rows}))
`
	client := func(what string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), python, "-c", script, what)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	client("put")
	finished(t, 1, program(t, dir, "astrolabe-beam", "map", "sum.star", "s3://b/in/build=*/*.csv", "-q", "-o", "s3://b/rows.jsonl", "--shard=1/1"))
	if got, want := strings.TrimSpace(client("get")), "7 777.3 ['ok', 'unreadable']"; got != want {
		t.Errorf("boto3 reads %s, want %s", got, want)
	}
	t.Log("ENGINE | boto3: objects that it puts, rows that it reads | 4 captures | |")
}
