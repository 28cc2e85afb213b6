package method

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// LogsOf returns the logs that a commit of the index in dir depends on, beside the index's own
// files: those of its exact memory, or of its days of groups.
func LogsOf(at bloomlsh.Position, dir string) (logs store.State, err error) {
	kind, err := memoryOf(dir)
	if err != nil || kind == spec.MemoryBloom {
		return logs, err
	}
	if kind != MemoryOfGroups {
		exact, err := ExactOf(at, dir)
		if err != nil || exact == nil || exact.Windows == nil {
			return exact.logs(), err
		}
		if err := exact.Windows.Check(exact.Records, exact.Signatures); err != nil {
			return logs, advised(fmt.Errorf("%s: %w", dir, err))
		}
		return exact.logs(), nil
	}
	var said struct {
		Days []days.Day `json:"days"`
	}
	if len(at.Meta) > 0 {
		if err := json.Unmarshal(at.Meta, &said); err != nil {
			return logs, ErrLastRun(dir, err)
		}
	}
	return days.Logs(said.Days), nil
}

// logs returns the logs that a commit depends on. It has none if x is nil.
func (x *ExactCommit) logs() (logs store.State) {
	switch {
	case x == nil:
	case x.Windows != nil:
		logs = x.Windows.Logs()
	default:
		logs.Files = []store.Listed{{Name: x.logName(), Bytes: x.Bytes}}
	}
	logs.Owns = isExactLog
	return logs
}

// VerifyLogs checks every checksum of logs and, if the last program that wrote to them has ended in
// order, what follows their lengths.
func VerifyLogs(dir *store.Dir, logs store.State, ended bool) error {
	if err := memory.VerifyLogs(dir, logs); err != nil || !ended {
		return advised(err)
	}
	return memory.VerifyEnds(dir, logs)
}

// isExactLog reports whether logName, or a window, can give a log that name.
func isExactLog(name string) bool {
	number, isLater := strings.CutPrefix(name, exactLogName+"-")
	_, err := strconv.ParseUint(number, 10, 64)
	return name == exactLogName || isLater && err == nil || windows.IsLog(name)
}
