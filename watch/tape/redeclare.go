package tape

import (
	"fmt"

	"rewatch/model"
)

// Redeclare corrects what is said of a stream that was added: of one whose
// frames told later what it watches. Errors are those of Append.
func (w *Writer) Redeclare(info model.StreamInfo) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if info.ID < 0 || int(info.ID) >= len(w.streams) {
		return fmt.Errorf("%w: stream %d was not added", ErrRecord, info.ID)
	}
	s := w.streams[info.ID]
	s.StreamInfo = info
	if w.begun && w.begin(w.now) {
		w.streamLine(s)
		return w.endLine()
	}
	return w.err
}
