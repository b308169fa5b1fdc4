package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"rewatch/model"
)

// Source sends a GET to a server. *watch.Cluster is one.
type Source interface {
	Read(ctx context.Context, path, accept string) (io.ReadCloser, error)
}

// Options of Poll. The zero value is the default.
type Options struct {
	Every   time.Duration // from the end of a reading to the next; 5 s
	Refused time.Duration // the same after a server that will not tell; 30 s
	Timeout time.Duration // of one reading; 30 s
	Limit   int64         // bytes of a page; 64 MiB
}

const (
	path   = "/metrics"
	accept = "text/plain;version=0.0.4;q=1,*/*;q=0.1"
)

// Poll reads the metrics of a server again and again until ctx ends, which
// closes the channel. Who takes the readings sets the pace: there is no next
// one before.
func Poll(ctx context.Context, cluster string, from Source, o Options) <-chan model.ServerStats {
	if o.Every == 0 {
		o.Every = 5 * time.Second
	}
	if o.Refused == 0 {
		o.Refused = 30 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Limit == 0 {
		o.Limit = 64 << 20
	}
	out := make(chan model.ServerStats)
	p := poller{o: o, from: from, cluster: cluster}
	go func() {
		defer close(out)
		for {
			stats := p.once(ctx)
			select {
			case out <- stats:
			case <-ctx.Done():
				return
			}
			timer := time.NewTimer(stats.Every)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
		}
	}()
	return out
}

type poller struct {
	o       Options
	from    Source
	cluster string
	before  *reading
	at      time.Time // of before
}

// once makes one reading.
func (p *poller) once(ctx context.Context) model.ServerStats {
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	start := time.Now()
	now, n, err := p.page(ctx)
	end := time.Now()
	s := model.ServerStats{Context: p.cluster, At: end, Took: end.Sub(start), Bytes: n, Every: p.o.Every}
	if err != nil {
		s.Err, s.Advice = p.words(err)
		s.Every = p.o.Refused
		if status := apierrors.APIStatus(nil); !errors.As(err, &status) {
			s.Every = p.o.Every // it may come back any moment
		}
		return s
	}
	s.Figures, s.Restarted = figures(p.before, now, end.Sub(p.at))
	p.before, p.at = now, end
	return s
}

// page reads one page; n is its size in bytes.
func (p *poller) page(ctx context.Context) (r *reading, n int64, err error) {
	if p.from == nil {
		return nil, 0, errors.New("the server has not answered yet")
	}
	body, err := p.from.Read(ctx, path, accept)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = body.Close() }()
	in := &limited{r: body, left: p.o.Limit}
	r, err = read(in)
	return r, p.o.Limit - in.left, err
}

// limited is a reader of so many bytes; more is an error.
type limited struct {
	r    io.Reader
	left int64
}

type tooLargeError struct{}

func (tooLargeError) Error() string { return "the page is too large" }

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, tooLargeError{}
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

// refusedUser finds whom a server refuses: User "dev" cannot get path "/metrics".
var refusedUser = regexp.MustCompile(`User "([^"]+)" cannot`)

// quoted is a word as a shell takes it.
func quoted(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// words says what went wrong and what to do about it.
func (p *poller) words(err error) (string, []string) {
	var large tooLargeError
	status := apierrors.APIStatus(nil)
	code := int32(0)
	if errors.As(err, &status) {
		code = status.Status().Code
	}
	switch {
	case errors.As(err, &large):
		return fmt.Sprintf("%s is larger than %d MiB, and was not read to its end", path, p.o.Limit>>20), nil
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s was not answered within %v", path, p.o.Timeout), nil
	case errors.Is(err, errNoMetrics):
		return err.Error(), []string{"Something between here and the API server may answer in its place."}
	case code == http.StatusForbidden:
		at, user := "", "USER"
		if p.cluster != "" {
			at = " --context " + quoted(p.cluster)
		}
		if m := refusedUser.FindStringSubmatch(err.Error()); m != nil {
			user = quoted(m[1])
		}
		return "this user may not read " + path + ": " + err.Error(), []string{
			"Missing is the verb get on the nonResourceURL " + path + ".",
			"An administrator of the cluster may give it:",
			"",
			`  kubectl create clusterrole metrics-reader \`,
			"    --verb=get --non-resource-url=" + path + at + " &&",
			`  kubectl create clusterrolebinding metrics-reader \`,
			"    --clusterrole=metrics-reader --user=" + user + at,
			"",
			"or, as a rule of a ClusterRole:",
			"",
			`  - nonResourceURLs: ["` + path + `"]`,
			`    verbs: ["get"]`,
		}
	case code == http.StatusUnauthorized:
		return "the server does not know this user: " + err.Error(), nil
	case code == http.StatusNotFound:
		return "the server has no " + path + ": " + err.Error(), []string{"Some providers and proxies do not hand it out."}
	}
	return err.Error(), nil
}
