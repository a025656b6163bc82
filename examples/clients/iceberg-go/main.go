// Tasks of `lakepact check-client` for iceberg-go.
//
//	go build -o iceberg-go-client . && lakepact check-client -- ./iceberg-go-client
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	icebergio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// arguments of a task; each task uses some of them.
type arguments struct {
	URI              string             `json:"uri"`
	Properties       iceberg.Properties `json:"properties"`
	Namespace        []string           `json:"namespace"`
	Parent           []string           `json:"parent"`
	Table            string             `json:"table"`
	Tables           []string           `json:"tables"`
	View             string             `json:"view"`
	SQL              string             `json:"sql"`
	To               string             `json:"to"`
	Column           string             `json:"column"`
	Updates          iceberg.Properties `json:"updates"`
	First            iceberg.Properties `json:"first"`
	Second           iceberg.Properties `json:"second"`
	Removals         []string           `json:"removals"`
	Rows             []map[string]any   `json:"rows"`
	MetadataLocation string             `json:"metadata-location"`
	SnapshotID       int64              `json:"snapshot-id"`
	Timestamp        int64              `json:"timestamp"`
	Ref              string             `json:"ref"`
	Branch           string             `json:"branch"`
	Tag              string             `json:"tag"`
	Times            int                `json:"times"`
	Pause            float64            `json:"pause"`
}

// work is one task: a catalog of its own, and the arguments.
type work struct {
	context.Context
	*rest.Catalog
	arguments
}

func (w work) name(last string) table.Identifier {
	return append(append(table.Identifier{}, w.Namespace...), last)
}

func (w work) repeatedly(once func() any) []any {
	found := []any{once()}
	for len(found) < w.Times {
		time.Sleep(time.Duration(w.Pause * float64(time.Second)))
		found = append(found, once())
	}
	return found
}

// open connects to the catalog with the client's properties.
func open(ctx context.Context, task string, given arguments) (*rest.Catalog, error) {
	properties := iceberg.Properties{"type": "rest", "uri": given.URI}
	maps.Copy(properties, given.Properties)
	if task == "report-metrics" {
		properties["rest-metrics-reporting-enabled"] = "true" // off by default
	}
	opened, err := catalog.Load(ctx, "checked", properties)
	if err != nil {
		return nil, err
	}
	return opened.(*rest.Catalog), nil
}

// perform returns the line that answers a task.
func perform(task string, given arguments) map[string]any {
	act, known := tasks[task]
	if !known {
		return map[string]any{"not_offered": true}
	}
	ctx := context.Background()
	cat, err := open(ctx, task, given)
	if err != nil {
		return failure(err)
	}
	result, err := act(work{ctx, cat, given})
	_ = cat.Close() // sends metrics that wait
	if err != nil {
		return failure(err)
	}
	return map[string]any{"result": result}
}

func failure(err error) map[string]any {
	return map[string]any{"error": map[string]any{"type": kind(err), "message": err.Error()}}
}

// keeper stands for the files of an object store: it opens none and keeps the properties that it would open them with.
type keeper struct {
	icebergio.LocalFS
	properties map[string]string
}

func main() {
	icebergio.Register("s3", func(_ context.Context, _ *url.URL, properties map[string]string) (icebergio.IO, error) {
		return keeper{properties: properties}, nil
	})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked struct {
			Task      string
			Arguments arguments
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer, err := json.Marshal(perform(asked.Task, asked.Arguments))
		if err != nil {
			answer, _ = json.Marshal(failure(err))
		}
		fmt.Println(string(answer))
	}
}
