package watch

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// script is a server that answers lists and watches by functions, for what a
// proper server would not do. A request that nothing answers is held open.
type script struct {
	mu    sync.Mutex
	list  []http.HandlerFunc // answers in order, the last one for ever
	sync  []http.HandlerFunc // watches with sendInitialEvents
	watch []http.HandlerFunc // others
	other http.HandlerFunc
	got   []string // requests: "list", "sync", "watch 5"
	gotAt []time.Time
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	what, queue := "list", &s.list
	switch {
	case q.Get("sendInitialEvents") == "true":
		what, queue = "sync", &s.sync
	case q.Get("watch") == "true":
		what, queue = "watch "+q.Get("resourceVersion"), &s.watch
	case !strings.HasSuffix(r.URL.Path, "s"): // discovery
		what, queue = "discovery", nil
	}
	s.mu.Lock()
	s.got, s.gotAt = append(s.got, what), append(s.gotAt, time.Now())
	h := http.HandlerFunc(hang)
	switch {
	case queue == nil && s.other != nil:
		h = s.other
	case queue == nil:
		h = http.NotFound
	case len(*queue) == 1:
		h = (*queue)[0]
	case len(*queue) > 1:
		h = (*queue)[0]
		*queue = (*queue)[1:]
	}
	s.mu.Unlock()
	h(w, r)
}

// requests returns what was asked so far.
func (s *script) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

func (s *script) count(what string) int {
	n := 0
	for _, g := range s.requests() {
		if strings.HasPrefix(g, what) {
			n++
		}
	}
	return n
}

func hang(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// frames answers with frames and ends in order.
func frames(f ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for _, s := range f {
			_, _ = fmt.Fprintln(w, s)
			w.(http.Flusher).Flush()
		}
	}
}

// open answers with frames and stays open.
func open(f ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		frames(f...)(w, r)
		hang2(w, r)
	}
}

func hang2(w http.ResponseWriter, r *http.Request) {
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// cut answers with text and breaks the connection.
func cut(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, text)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// status answers with a Status.
func status(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, statusJSON(code, reason, message))
	}
}

func statusJSON(code int, reason, message string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
}

// pod is the JSON of a pod; uid is its name unless the name has a "#".
func pod(name string, rv int) string {
	name, uid, _ := strings.Cut(name, "#")
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":"uid-%s%s","resourceVersion":"%d"}}`, name, name, uid, rv)
}

func frame(typ, object string) string { return fmt.Sprintf(`{"type":%q,"object":%s}`, typ, object) }

func added(name string, rv int) string    { return frame("ADDED", pod(name, rv)) }
func modified(name string, rv int) string { return frame("MODIFIED", pod(name, rv)) }

func endMark(rv string) string {
	return frame("BOOKMARK", `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"`+rv+`","annotations":{"k8s.io/initial-events-end":"true"}}}`)
}

// page is a list.
func page(rv, next string, remaining int, items ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":%q,"continue":%q,"remainingItemCount":%d},"items":[%s]}`,
			rv, next, remaining, strings.Join(items, ","))
	}
}
