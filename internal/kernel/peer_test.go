package kernel

import "testing"

// What is published by another goroutine as soon as there is a subscription comes behind the welcome.
func TestAWelcomeIsQueuedWithTheSubscription(t *testing.T) {
	p := &peer{work: make(chan struct{}, 1)}
	subscribed := true
	p.subscribe([][]byte{{1}}, func(topic string) [][]byte {
		subscribed = p.mu.TryLock() // else nobody can publish to it meanwhile
		return [][]byte{[]byte("welcome " + topic)}
	})
	if subscribed || !p.subscribed("status") || len(p.queue) != 1 || string(p.queue[0].frames[0]) != "welcome " {
		t.Errorf("open to others %v, queue %v", subscribed, p.queue)
	}
	p.subscribe([][]byte{{0}}, nil)
	if p.subscribed("status") || len(p.queue) != 1 {
		t.Errorf("after the end of the subscription the queue is %v", p.queue)
	}
}
