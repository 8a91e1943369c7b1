package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"astrolabe/internal/cli"
	"astrolabe/internal/fleet"
)

// Objects of a job.
const (
	workKey    = "work.json"
	startedKey = "started"
	groupsKey  = "groups.json" // what rows are put together in
	resultKey  = "result"
	inPrefix   = "in/"
	outPrefix  = "out/"
)

// job is the objects of a job, which its processes share.
type job struct {
	*blob.Bucket
	at string // as processes open it: a folder or a URL
}

// numbered is a task of a chunk.
type numbered struct {
	Number int        `json:"n"`
	Task   fleet.Task `json:"task"`
}

// part is a line of what came of a chunk: what was said, or an outcome.
type part struct {
	Capture string         `json:"capture,omitempty"`
	Line    string         `json:"line,omitempty"`
	Number  int            `json:"n"`
	Outcome *fleet.Outcome `json:"outcome,omitempty"`
}

func openJob(ctx context.Context, at string) (*job, error) {
	b, err := openFolder(ctx, at)
	if err != nil {
		return nil, err
	}
	return &job{b, at}, nil
}

func (j *job) putJSON(ctx context.Context, key string, v any) error {
	return put(ctx, j.Bucket, key, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

func (j *job) getJSON(ctx context.Context, key string, v any) error {
	data, err := j.ReadAll(ctx, key)
	if err != nil {
		return fmt.Errorf("%s of the job: %w", key, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s of the job: %w", key, err)
	}
	return nil
}

func chunkKey(prefix string, chunk int) string { return fmt.Sprintf("%s%06d", prefix, chunk) }

// write puts the work and its tasks, in chunks of size.
func (j *job) write(ctx context.Context, todo *cli.Job, size int) (chunks int, err error) {
	if err := j.putJSON(ctx, workKey, todo.Work); err != nil {
		return 0, err
	}
	if todo.Groups != nil {
		if err := j.putJSON(ctx, groupsKey, todo.Groups); err != nil {
			return 0, err
		}
	}
	for from := 0; from < todo.Tasks; from += size {
		var tasks []numbered
		for i := from; i < min(from+size, todo.Tasks); i++ {
			tasks = append(tasks, numbered{i, todo.Task(i)})
		}
		if err := j.putJSON(ctx, chunkKey(inPrefix, chunks), tasks); err != nil {
			return 0, err
		}
		chunks++
	}
	return chunks, nil
}

// parts reads what came of a chunk. There is nothing where it is not done.
func (j *job) parts(ctx context.Context, chunk int, f func(p *part) error) (done bool, err error) {
	key := chunkKey(outPrefix, chunk)
	r, err := j.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s of the job: %w", key, err)
	}
	defer r.Close()
	for dec := json.NewDecoder(bufio.NewReaderSize(r, 1<<16)); ; {
		p := &part{}
		switch err := dec.Decode(p); {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("%s of the job: %w", key, err)
		}
		if err := f(p); err != nil {
			return false, err
		}
	}
}

// done lists the chunks that are done.
func (j *job) done(ctx context.Context) (chunks []int, err error) {
	add := func(name string) {
		if n, err := strconv.Atoi(name); err == nil { // else it is being written
			chunks = append(chunks, n)
		}
	}
	if isURL(j.at) {
		err = list(ctx, j.Bucket, outPrefix, func(key string) error {
			add(strings.TrimPrefix(key, outPrefix))
			return nil
		})
		return chunks, err
	}
	entries, err := os.ReadDir(filepath.Join(j.at, outPrefix)) // a listing of a bucket would ask for each
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		add(e.Name())
	}
	return chunks, err
}

// remove deletes all objects of the job.
func (j *job) remove(ctx context.Context) error {
	if !isURL(j.at) {
		return os.RemoveAll(j.at)
	}
	var keys []string
	err := list(ctx, j.Bucket, "", func(key string) error {
		keys = append(keys, key)
		return nil
	})
	for _, key := range keys {
		if gone := j.Delete(ctx, key); gone != nil && gcerrors.Code(gone) != gcerrors.NotFound {
			err = errors.Join(err, gone)
		}
	}
	return err
}
