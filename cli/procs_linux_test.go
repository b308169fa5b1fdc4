package cli

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestHowManyMayRunAtOnce(t *testing.T) {
	for _, c := range []struct {
		now, processors int
		set             string
		want            int
	}{
		{1, 1, "", 4}, {2, 2, "", 4}, {3, 3, "", 4}, {4, 4, "", 4}, {64, 64, "", 64},
		{2, 8, "", 2}, {3, 4, "", 3}, // cgroups let it have less
		{2, 2, "2", 2}, {1, 8, "1", 1}, // the user has set it
		{6, 2, "", 6}, // another one in this process has
	} {
		if got := procs(c.now, c.processors, c.set); got != c.want {
			t.Errorf("%d on %d processors, set to %q: %d, not %d", c.now, c.processors, c.set, got, c.want)
		}
	}
}

// Of a process with a screen the runtime itself tells how many there are.
func TestAScreenHasEnoughProcs(t *testing.T) {
	isolate(t)
	var all, few unix.CPUSet
	runtime.LockOSThread() // processes inherit it of the thread
	defer runtime.UnlockOSThread()
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Skip("which processors there are cannot be told: ", err)
	}
	for i := 0; few.Count() < min(2, all.Count()); i++ {
		if all.IsSet(i) {
			few.Set(i)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tells := regexp.MustCompile(`gomaxprocs=\d+`)
	for environ, want := range map[string]string{"": "gomaxprocs=4", "GOMAXPROCS=2": "gomaxprocs=2"} {
		cmd := exec.Command(exe, "demo")
		cmd.Env = append(os.Environ(), append(strings.Fields(environ), beMain+"=1", "TERM=xterm-256color", "GODEBUG=schedtrace=50")...)
		if err := unix.SchedSetaffinity(0, &few); err != nil {
			t.Skip("processors cannot be taken away: ", err)
		}
		m := cmdInTTY(t, 100, 30, cmd)
		if err := unix.SchedSetaffinity(0, &all); err != nil {
			t.Fatal(err)
		}
		// What the runtime tells is written over the screen.
		last := ""
		out := ""
		m.wait("a screen", func() bool { out += m.take(); return strings.Contains(out, "\x1b[?1049h") })
		out = ""
		m.wait("what the runtime tells", func() bool {
			out += m.take()
			all := tells.FindAllString(out, -1)
			if len(all) > 0 {
				last = all[len(all)-1]
			}
			return len(all) > 4
		})
		if last != want {
			t.Errorf("with %q it is %s, not %s", environ, last, want)
		}
		m.typeKeys("q")
		m.ends()
	}
}
