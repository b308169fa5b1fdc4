package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// First and last port tried. The range lies below the ephemeral ports of Linux (from 32768) and macOS (from
// 49152) on purpose: a port that the kernel hands out with ":0" can be taken as the source port of somebody's
// outgoing connection while the API server that owned it is down, and then it cannot come back on it.
const (
	firstPort = 20000
	lastPort  = 32000
)

// freePorts finds n loopback ports that nothing listens on. All are held until all are found, so that they
// differ; they are released before they are used, so another process can still win the race: Start tries again.
func freePorts(n int) ([]int, error) {
	var ports []int
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	for range 1000 {
		if len(ports) == n {
			return ports, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort)
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
		if err != nil {
			continue
		}
		held = append(held, l)
		ports = append(ports, port)
	}
	return nil, fmt.Errorf("no %d free ports between %d and %d on %s", n, firstPort, lastPort, loopback)
}
