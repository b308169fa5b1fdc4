package cli

import (
	"os"
	"runtime"
)

// leastProcs is how many goroutines may run at once beside a screen, on however
// few processors. Who reads the terminal hands a key on and waits in a system
// call for the next one, and the key stays with it until another of the runtime's
// processors takes it. Of two a storm keeps the other busy: then that takes 10 ms,
// and more for each further hand. Threads the operating system divides more finely.
const leastProcs = 4

// enoughProcs sees to that for the rest of the process.
func enoughProcs() {
	if n := procs(runtime.GOMAXPROCS(0), runtime.NumCPU(), os.Getenv("GOMAXPROCS")); n != runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(n)
	}
}

// procs is how many goroutines may run at once, where now may. What the user has
// set is left alone, and so is what is not the number of processors: in a group
// whose time is limited (cgroups) more at once would use it up sooner.
func procs(now, processors int, set string) int {
	if set != "" || now != processors {
		return now
	}
	return max(now, leastProcs)
}
