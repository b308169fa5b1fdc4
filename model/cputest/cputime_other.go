//go:build !linux

package cputest

import "time"

var begun = time.Now()

// Process is the time since the process began, where nothing better is at hand.
func Process() time.Duration { return time.Since(begun) }

// Thread is the same.
func Thread() time.Duration { return time.Since(begun) }
