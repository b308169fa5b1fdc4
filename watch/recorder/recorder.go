package recorder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"rewatch/model"
	"rewatch/model/query"
	"rewatch/watch/tape"
)

// Options of a recording. Path or Out is required; other zeroes are the defaults.
type Options struct {
	// Path is the file of the tape. If MaxSize or MaxAge is set, it stands for
	// numbered ones (Numbered), which go on after the highest number that
	// exists.
	Path string
	// Force overwrites an existing file.
	Force bool
	// Out is written to instead of a file.
	Out io.Writer

	MaxSize int64         // bytes after which the next tape begins
	MaxAge  time.Duration // after which the next tape begins
	// KeepSize is how many bytes the tapes of this recording may have together;
	// the oldest are deleted.
	KeepSize int64

	// Held has the tape begin with the rows that the log holds; otherwise it
	// begins with the objects that exist.
	Held bool

	// Filter says which changes of objects reach the tape; nil is all. What is
	// about the watches themselves always does. It is not for Held.
	Filter *query.Query

	Tool      string // program and version, for the header
	Redaction string // what is replaced beside the values of Secrets; "" is nothing

	Queue  int           // most bytes between the log and the disk: 16 MiB
	Memory int64         // of the tape's writer: see tape.Options
	Flush  time.Duration // how often what was taken is put on the disk: 800 ms
	// Say is told, by another goroutine, what a user should know: the tape that
	// was begun, those that were deleted.
	Say func(text string)

	// For tests.
	slow     func(output) output
	patience time.Duration // pacePatience
}

// Status is how a recording stands.
type Status struct {
	Path    string // of the running tape
	Since   time.Time
	Tapes   int    // begun
	Events  int64  // records written
	OnDisk  int64  // of them, on the disk
	Unsafe  int64  // records that are not on the disk: yet or, when Done, ever
	Wire    int64  // bytes that their frames had
	Bytes   int64  // written, in all tapes
	Kept    int64  // bytes of the tapes that were not deleted
	Deleted int    // tapes
	Gaps    int64  // in the watches, while this recorded
	Lost    int64  // frames that did not reach the tape; after a failure until Stop
	LeftOut int64  // changes that Filter left out
	Blind   int64  // changes on the tape since Filter could not judge them any more
	Problem string // the first that Filter could not judge for a mistake in its expression, ""
	Losing  bool   // frames are being lost now
	Objects int    // that exist
	Queued  int    // bytes that wait for the disk
	// Behind is how long the oldest record has waited that is not written yet.
	Behind time.Duration
	// Safe is up to when everything is on the disk.
	Safe time.Time
	// Failed says why the recording ended by itself; nil if it did not.
	Failed *Failure
	Done   bool // the recording has ended
}

// Failure is why a recording ended by itself.
type Failure struct {
	Path  string
	Cause error     // of the file, such as syscall.ENOSPC
	Safe  time.Time // up to here everything is on the tape; zero is nothing
}

func (f *Failure) Error() string {
	if errors.Is(f.Cause, ErrVanished) {
		return fmt.Sprintf("%s: recording stopped: %s; unless it has another name now, what was recorded is gone with it", f.Path, reason(f.Cause))
	}
	if f.Safe.IsZero() {
		return fmt.Sprintf("%s: recording stopped: %s; nothing was recorded", f.Path, reason(f.Cause))
	}
	return fmt.Sprintf("%s: recording stopped: %s; the tape is whole up to %s", f.Path, reason(f.Cause), f.Safe.UTC().Format("15:04:05.000Z"))
}

func (f *Failure) Unwrap() error { return f.Cause }

// Reason is why in a few words, for a status line.
func (f *Failure) Reason() string { return reason(f.Cause) }

// Recorder is one recording under way.
type Recorder struct {
	o     Options
	log   *model.Log
	q     *queue
	stop  chan struct{}
	once  sync.Once
	done  chan struct{}
	hangs atomic.Bool  // the disk, as far as Pace could see
	moved atomic.Int64 // grows with every record and write

	// Of the writing goroutine alone.
	held    *model.Held // nil if the rows held are written first
	untap   func()
	w       *tape.Writer
	file    *target
	opened  time.Time
	start   int64 // size of the running tape with its first checkpoint
	number  int   // of the running tape
	streams int   // declared
	closed  []closedTape
	dirty   bool
	newest  time.Time // of the records written
	events  int64     // in this tape
	active  time.Time // when records came last
	rotated bool      // the running tape is not the first
	buf     []byte
	filter  *filter // nil keeps all

	mu       sync.Mutex
	counting func() // ends the counting of what is lost after a failure; nil where nothing counts
	status   Status
	batch    time.Time // of the oldest record that is being written; zero if none
}

type closedTape struct {
	path string
	size int64
}

// Start begins to record what log receives. The file exists when it returns;
// what exists in the log by then is on the tape, from then on nothing is left
// out. Errors are those of making the file; errors.Is tells ErrExists.
func Start(log *model.Log, o Options) (*Recorder, error) {
	if o.Queue == 0 {
		o.Queue = 16 << 20
	}
	if o.Flush == 0 {
		o.Flush = 800 * time.Millisecond
	}
	if o.patience == 0 {
		o.patience = pacePatience
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	r := &Recorder{o: o, log: log, q: newQueue(o.Queue), stop: make(chan struct{}), done: make(chan struct{}), untap: func() {}}
	if o.rotates() {
		n, err := highest(o.Path)
		if err != nil {
			return nil, err
		}
		r.number = n
	}
	file, err := r.open()
	if err != nil {
		return nil, err
	}
	r.file, r.opened = file, time.Now()
	r.status = Status{Path: file.path, Since: r.opened, Tapes: 1}
	redaction := tape.Redacted
	if o.Redaction != "" {
		redaction += "; " + o.Redaction
	}
	header := tape.Header{Tool: o.Tool, Created: r.opened, Redaction: redaction}
	if o.Filter != nil && !o.Filter.Empty() {
		r.filter, header.Filter = newFilter(log, o.Filter, r.opened), o.Filter.String()
	}
	r.w = tape.NewWriter(file, header,
		tape.Options{Redactor: log.Redactor(), Memory: o.Memory})
	if !o.Held {
		r.held, r.untap = log.Tap(r.q.tap())
	}
	go r.run()
	return r, nil
}

func (o *Options) rotates() bool { return o.Out == nil && (o.MaxSize > 0 || o.MaxAge > 0) }

// open makes the file of the next tape.
func (r *Recorder) open() (*target, error) {
	if r.o.Out != nil {
		if f, ok := r.o.Out.(*os.File); ok {
			Lock(f)
		}
		return &target{path: r.o.Path, out: stream{r.o.Out}}, nil
	}
	path := r.o.Path
	if r.o.rotates() {
		path = Numbered(r.o.Path, r.number+1)
	}
	t, err := create(path, r.o.Force && !r.o.rotates(), r.file != nil)
	if err != nil {
		return nil, err
	}
	r.number++
	t.moved = &r.moved
	if r.o.slow != nil {
		t.out = r.o.slow(t.out)
	}
	return t, nil
}

// Stop ends the recording in order: what was appended to the log before is
// still written. It returns at once; Done tells when that has happened.
func (r *Recorder) Stop() {
	r.once.Do(func() { close(r.stop) })
	r.stopCounting()
}

// Done is closed when the recording has ended, for whatever reason.
func (r *Recorder) Done() <-chan struct{} { return r.done }

// Close is Stop, and waits for the end while there is progress: a disk that
// takes nothing for as long as patience hangs, and is not waited for. It reports
// whether the recording has ended by then.
func (r *Recorder) Close(patience time.Duration) bool {
	r.Stop()
	tick := time.NewTicker(patience / 8)
	defer tick.Stop()
	seen, since := r.moved.Load(), time.Now()
	for {
		select {
		case <-r.done:
			return true
		case <-tick.C:
		}
		if n := r.moved.Load(); n != seen {
			seen, since = n, time.Now()
		}
		if time.Since(since) >= patience {
			return false
		}
	}
}

// Discard is Close, and removes the file if nothing was recorded.
func (r *Recorder) Discard(patience time.Duration) {
	if r.Close(patience) && r.file.regular && r.Status().Events == 0 {
		_ = os.Remove(r.file.path)
	}
}

// pacePatience bounds the waiting of Pace for a disk that hangs.
const pacePatience = 2 * time.Second

// Pace waits while much is queued, so that what comes faster than it can be
// written, as a whole state does, is rather left with the server for a moment
// than lost. It gives up on a disk that hangs, until that goes on. It may be
// called from any goroutine that holds no lock of the log.
func (r *Recorder) Pace() {
	for !r.q.roomy() && !r.hangs.Load() {
		began := r.q.written.Load()
		for waited := time.Now(); !r.q.roomy(); time.Sleep(time.Millisecond) {
			select {
			case <-r.done:
				return
			default:
			}
			if r.q.written.Load() != began {
				break
			}
			if time.Since(waited) > r.o.patience {
				r.hangs.Store(true)
				return
			}
		}
	}
	if r.hangs.Load() && r.q.roomy() {
		r.hangs.Store(false)
	}
}

// Status is how the recording stands.
func (r *Recorder) Status() Status {
	queued, oldest, lost, losing := r.q.standing()
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.Queued, s.Losing = queued, losing
	s.Unsafe = s.Events - s.OnDisk + r.q.records.Load()
	s.Lost += lost
	if !r.batch.IsZero() {
		oldest = r.batch
	}
	if !oldest.IsZero() {
		s.Behind = time.Since(oldest)
	}
	return s
}
