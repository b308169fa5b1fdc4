package model

// memory is what the log holds, in bytes, all parts counted.
func (l *Log) memory() int64 {
	const stream, mark, shared = 1 << 10, 96, 64
	return int64(len(l.rows.chunks))*(chunkMemory+8) + l.details + int64(len(l.streams))*stream +
		l.objects.memory + int64(len(l.objects.names.slots))*8 + int64(len(l.objects.shared))*shared +
		int64(len(l.versions))*mark + int64(l.held)*4/markEvery + l.history.memory()
}

// evict lets the oldest rows go, with the versions that they brought, until
// the log is inside its budget.
func (l *Log) evict() {
	for l.memory() > l.budget && len(l.rows.chunks) > 1 {
		l.evictChunk()
	}
}

func (l *Log) evictChunk() {
	c := l.rows.chunks[0]
	for i := range c.rows {
		if c.rows[i].typ.IsObject() {
			l.evictRow(&c.rows[i], c.brought.refs[i])
		}
	}
	if d := c.details.Load(); d != nil {
		for _, x := range *d {
			l.details -= detailMemory(x)
		}
	}
	l.rows.drop()
	if l.rows.first/rowsPerChunk%64 == 0 {
		l.history.templates.forget()
	}
	if s := &l.history.survivors; s.added > 2*s.live+4*rowsPerChunk {
		l.compactSurvivors()
	}
}

// evictRow lets go what a row of an object holds. The newest version of an
// object that exists stays: the next one is compared with it.
func (l *Log) evictRow(x *row, brought ref) {
	id := x.object
	o := l.objects.get(id)
	o.rows--
	switch {
	case brought == 0:
	case x.version == o.newest && o.exists():
		o.ref = l.history.survive(brought)
		o.bits |= rowless
		l.versions.trim(id, x.version)
	default:
		l.evictVersion(id, brought, false)
		o.oldest = x.version + 1
		if x.version == o.newest {
			o.ref = 0
		}
		l.versions.trim(id, o.oldest)
	}
	l.letGo(id, o)
}

// letGo forgets an object that neither exists nor has rows.
func (l *Log) letGo(id ObjectID, o *object) {
	if o.rows > 0 || o.exists() {
		return
	}
	if o.bits&rowless != 0 {
		l.evictVersion(id, o.ref, true)
	}
	delete(l.versions, id)
	l.objects.remove(id)
}

func (l *Log) evictVersion(id ObjectID, r ref, survivor bool) {
	if r == handRef {
		l.history.hands.drop(l.history.hands.of[id])
	} else {
		l.history.free(r, survivor)
	}
	l.held--
	l.gone++
}

// compactSurvivors writes the survivors anew: they leave in no order, and
// would keep slabs of which little is left.
func (l *Log) compactSurvivors() {
	old := l.history.survivors
	fresh := store{packer: old.packer}
	for _, c := range l.objects.chunks {
		if c == nil {
			continue
		}
		for i := range c.objects {
			if o := &c.objects[i]; o.bits&(occupied|rowless) == occupied|rowless && o.ref.stored() {
				o.ref = fresh.add(old.splice(o.ref), o.ref.template())
			}
		}
	}
	l.history.survivors = fresh
}
