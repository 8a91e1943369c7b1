package kbase

import "testing"

// lookedAt remembers what was asked about.
type lookedAt struct {
	*fakeKernel
	paths []string
}

func (k *lookedAt) Character(path string) (exists, character bool) {
	k.paths = append(k.paths, path)
	return true, true
}

func TestOnlyNodesOfTheDriverAreLookedAt(t *testing.T) {
	for _, node := range []string{"/etc/passwd", "/dev/mali", "/dev/mali-1", "/dev/mali0/../../etc/passwd", "/dev/mali01", "/dev/mali+1", "mali0", "/dev/mali1 ", "/dev/mali99999999999999999999"} {
		k := &lookedAt{fakeKernel: newFake(t)}
		s := k.source()
		s.kernel = k
		if _, _, err := s.open(map[string]string{"device": node}); err == nil || len(k.paths) > 0 {
			t.Errorf("device=%s: %v, looked at %q", node, err, k.paths)
		}
	}
	k := &lookedAt{fakeKernel: newFake(t)}
	s := k.source()
	s.kernel = k
	ses, node, err := s.open(map[string]string{"device": "/dev/mali3"})
	if err != nil || node != "/dev/mali3" {
		t.Fatalf("a node of the driver: %q, %v", node, err)
	}
	ses.dev.Close()
}
