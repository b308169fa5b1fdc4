package tape

import (
	"time"

	"rewatch/model"
)

// requestJSON is the request that a transition tells of.
type requestJSON struct {
	Number int64       `json:"n,omitempty"`
	Verb   string      `json:"verb,omitempty"`
	Path   string      `json:"path,omitempty"`
	Query  string      `json:"query,omitempty"`
	Sent   int64       `json:"sent,omitempty"`
	Status int         `json:"status,omitempty"`
	Proto  string      `json:"proto,omitempty"`
	Header []string    `json:"header,omitempty"`
	Wait   int64       `json:"wait,omitempty"`
	Took   int64       `json:"took,omitempty"`
	Bytes  int64       `json:"bytes,omitempty"`
	Frames int64       `json:"frames,omitempty"`
	Ended  bool        `json:"ended,omitempty"`
	Cause  model.Cause `json:"cause,omitempty"`
	Text   string      `json:"text,omitempty"`
}

func requestOf(r *model.Request) *requestJSON {
	if r == nil {
		return nil
	}
	return &requestJSON{r.Number, r.Verb, r.Path, r.Query, nanos(r.Sent), r.Status, r.Proto, r.Header, int64(r.Wait), int64(r.Took),
		r.Bytes, r.Frames, r.Ended, r.Cause, r.Text}
}

func (j *requestJSON) request() *model.Request {
	if j == nil {
		return nil
	}
	return &model.Request{Number: j.Number, Verb: j.Verb, Path: j.Path, Query: j.Query, Sent: instant(j.Sent), Status: j.Status, Proto: j.Proto,
		Header: j.Header, Wait: time.Duration(j.Wait), Took: time.Duration(j.Took), Bytes: j.Bytes, Frames: j.Frames,
		Ended: j.Ended, Cause: j.Cause, Text: j.Text}
}
