package metrics

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

func TestARoleFindsTheMetricThatPlaysItOnEachProduct(t *testing.T) {
	for _, c := range [][3]string{
		{"mali-g615", "queue:fragment", "fragment_queue_utilization"},
		{"mali-g720", "queue:fragment", "main_phase_queue_utilization"},
		{"mali-g615", "queue:binning", "vertex_queue_utilization"},
		{"mali-g720", "queue:binning", "binning_phase_queue_utilization"},
		{"mali-g615", "stall:read", "output_external_read_stall_rate"},
		{"mali-g720", "stall:read", "output_external_read_stall_percentage"},
	} {
		cap, err := capture.New(capture.Config{GPU: c[0]})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := Resolve(cap, c[1]); err != nil || found.Name != c[2] {
			t.Errorf("%s of %s is %v (%v), want %s", c[1], c[0], found, err, c[2])
		}
		if roles, err := Roles(cap, "queue"); err != nil || strings.Join(roles, " ") != "queue:binning queue:fragment queue:compute" {
			t.Errorf("the queues of %s are %v (%v)", c[0], roles, err)
		}
		if all, err := Roles(cap, ""); err != nil || !slices.Contains(all, "unit:texture") || !slices.Contains(all, "queue:binning") {
			t.Errorf("the roles of %s are %v (%v)", c[0], all, err)
		}
		if _, err := Roles(cap, "colour"); err == nil || !strings.Contains(err.Error(), "want queue, phase") {
			t.Errorf("roles of no kind that there is: %v", err)
		}
	}
}

// What vendors call things goes before roles: none may hide one, in any catalogue.
func TestEveryRoleIsFound(t *testing.T) {
	players := 0
	for _, id := range IDs() {
		c, err := Get(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range c.Entries() {
			for _, r := range e.Roles {
				players++
				if found, err := c.Find(r); err != nil || found != e {
					t.Errorf("%s of %s finds %v (%v), want %s", r, id, found, err, e.Name)
				}
				if list := c.Match(r); len(list) != 1 || list[0] != e {
					t.Errorf("%s of %s matches %d entries, want %s", r, id, len(list), e.Name)
				}
			}
		}
	}
	if players == 0 {
		t.Error("no catalogue has roles")
	}
}

func TestARoleIsCompleted(t *testing.T) {
	c, err := Get("mali-g720")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range Suggest(c.Known(), "queue:") {
		texts = append(texts, s.Text)
	}
	if strings.Join(texts, " ") != "queue:binning queue:fragment queue:compute" {
		t.Errorf("queue: is completed with %v", texts)
	}
	if _, err := c.Find("queue:fragmnt"); err == nil || !strings.Contains(err.Error(), "main_phase_queue_utilization") {
		t.Errorf("a misspelt role: %v", err)
	}
}
