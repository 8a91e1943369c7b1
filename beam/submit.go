package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// submits is how often a job is handed in that fails.
const submits = 3

// unreachableError is a job that was not handed in.
type unreachableError struct{ error }

// submitAgain has a runner do the job, and hands it in again where it fails: what is done is not done again. So a
// worker that is killed costs its chunks, also on runners that do not try anything twice.
func (e *engine) submitAgain(ctx context.Context, said *hush, at string, chunks int, groups bool) error {
	for try := 1; ; try++ {
		err := e.submit(ctx, at, chunks, groups)
		var unreachable unreachableError
		if err == nil || ctx.Err() != nil || try == submits || errors.As(err, &unreachable) {
			return err
		}
		fmt.Fprintf(said, "try %d of %d failed: %v\n", try, submits, err)
	}
}

// submit has a runner do the job, and returns when it has ended.
func (e *engine) submit(ctx context.Context, at string, chunks int, groups bool) error {
	p := pipeline(at, chunks, groups)
	if e.runner == runnerDataflow {
		_, err := beam.Run(ctx, e.runner, p)
		return err
	}
	if e.endpoint == "" {
		var err error
		if e.endpoint, err = startPrism(ctx); err != nil {
			return err
		}
	}
	return e.runOn(ctx, e.endpoint, p)
}

// startPrism has prism serve jobs in this process.
func startPrism(ctx context.Context) (endpoint string, err error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return "", err
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close() // prism opens a port by its number
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: port}); err != nil {
		return "", fmt.Errorf("start prism: %w", err)
	}
	return fmt.Sprintf("localhost:%d", port), nil
}

// connectTime is how long the job server may take to answer.
const connectTime = 10 * time.Second

// runOn hands the pipeline to a job server and waits for its end. It does what universal.Execute of Beam does, and
// cancels the job where it is not wanted any more.
func (e *engine) runOn(ctx context.Context, endpoint string, p *beam.Pipeline) error {
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	text, err := e.environmentText()
	if err != nil {
		return err
	}
	urn := map[string]string{"loopback": graphx.URNEnvExternal, "process": graphx.URNEnvProcess,
		"docker": graphx.URNEnvDocker}[e.environment]
	if e.environment == "loopback" {
		srv, err := extworker.StartLoopback(ctx, 0)
		if err != nil {
			return err
		}
		defer srv.Stop(context.WithoutCancel(ctx))
		text = srv.EnvironmentConfig(ctx)
	}
	env, err := graphx.CreateEnvironment(ctx, urn, func(context.Context) string { return text })
	if err != nil {
		return err
	}
	proto, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err != nil {
		return err
	}
	program, done, err := e.staged()
	if err != nil {
		return err
	}
	defer done()
	if err := runnerlib.UpdateGoEnvironmentWorker(program, proto); err != nil {
		return err
	}
	cc, err := grpcx.Dial(ctx, endpoint, connectTime)
	if err != nil {
		return unreachableError{fmt.Errorf("no job server answers at %s: %w", endpoint, err)}
	}
	defer cc.Close()
	return e.runJob(ctx, cc, func(client jobpb.JobServiceClient) (prepared, staging, token string, err error) {
		return runnerlib.Prepare(ctx, client, proto, &runnerlib.JobOptions{Name: "astrolabe", Worker: program,
			Parallelism: e.jobParallelism(), Loopback: e.environment == "loopback"})
	}, program)
}

// jobParallelism is --parallelism as job servers take it.
func (e *engine) jobParallelism() int {
	if e.parallelism == 0 {
		return -1
	}
	return e.parallelism
}

func (e *engine) runJob(ctx context.Context, cc *grpc.ClientConn,
	prepare func(jobpb.JobServiceClient) (prepared, staging, token string, err error), program string) error {
	client := jobpb.NewJobServiceClient(cc)
	prepared, staging, token, err := prepare(client)
	if err != nil {
		return err
	}
	retrieval, err := runnerlib.Stage(ctx, prepared, staging, program, token)
	if err != nil {
		return err
	}
	id, err := runnerlib.Submit(ctx, client, prepared, retrieval)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go func() { ended <- runnerlib.WaitForCompletion(watching, client, id) }()
	select {
	case err := <-ended:
		if err == nil {
			err = notDone(watching, client, id)
		}
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(watching, cancelTime)
	defer cancel()
	_, err = client.Cancel(late, &jobpb.CancelJobRequest{JobId: id})
	if err == nil {
		select { // chunks that are being worked on
		case <-ended:
		case <-late.Done():
		}
	}
	return errors.Join(context.Cause(ctx), err)
}

// cancelTime is how long a job may take to end that is not wanted any more.
const cancelTime = 10 * time.Second

// notDone is an error where a job has ended without being done, such as one that somebody has cancelled.
func notDone(ctx context.Context, client jobpb.JobServiceClient, id string) error {
	state, err := client.GetState(ctx, &jobpb.GetJobStateRequest{JobId: id})
	if err != nil {
		return err
	}
	if bad := []jobpb.JobState_Enum{jobpb.JobState_CANCELLED, jobpb.JobState_FAILED}; slices.Contains(bad, state.State) {
		return fmt.Errorf("the job ended as %s", state.State)
	}
	return nil
}

// staged is the program that the job server is given for its workers: none where they have it.
func (e *engine) staged() (path string, done func(), err error) {
	if e.environment == "docker" {
		path, err = os.Executable()
		return path, func() {}, err
	}
	f, err := os.CreateTemp("", "astrolabe-beam-none-")
	if err != nil {
		return "", nil, err
	}
	return f.Name(), func() { os.Remove(f.Name()) }, f.Close()
}
