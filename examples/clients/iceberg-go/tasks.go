package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
)

var schema = iceberg.NewSchema(0,
	iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
	iceberg.NestedField{ID: 2, Name: "data", Type: iceberg.PrimitiveTypes.String},
)

var tasks = map[string]func(work) (any, error){
	"list-namespaces":       func(w work) (any, error) { return identifiers(w.ListNamespaces(w, nil)) },
	"list-child-namespaces": func(w work) (any, error) { return identifiers(w.ListNamespaces(w, w.Parent)) },
	"namespace-exists":      func(w work) (any, error) { return w.CheckNamespaceExists(w, w.Namespace) },
	"create-namespace":      func(w work) (any, error) { return nil, w.CreateNamespace(w, w.Namespace, nil) },
	"load-namespace":        loadNamespace,
	"set-namespace-properties": func(w work) (any, error) {
		_, err := w.UpdateNamespaceProperties(w, w.Namespace, w.Removals, w.Updates)
		return nil, err
	},
	"drop-namespace":             func(w work) (any, error) { return nil, w.DropNamespace(w, w.Namespace) },
	"list-tables":                listTables,
	"list-tables-repeatedly":     func(w work) (any, error) { return w.repeatedly(func() any { return orNil(listTables(w)) }), nil },
	"table-exists":               func(w work) (any, error) { return w.CheckTableExists(w, w.name(w.Table)) },
	"create-table":               func(w work) (any, error) { return discard(w.CreateTable(w, w.name(w.Table), schema)) },
	"load-table":                 loadTable,
	"load-table-repeatedly":      func(w work) (any, error) { return w.repeatedly(func() any { return orNil(loadTable(w)) }), nil },
	"set-properties":             func(w work) (any, error) { return set(w, w.Updates) },
	"set-properties-twice":       func(w work) (any, error) { return set(w, w.First, w.Second) },
	"add-column":                 addColumn,
	"append-rows":                appendRows,
	"read-rows":                  func(w work) (any, error) { return readRows(w) },
	"read-rows-at-snapshot":      func(w work) (any, error) { return readRows(w, table.WithSnapshotID(w.SnapshotID)) },
	"read-rows-at-timestamp":     func(w work) (any, error) { return readRows(w, table.WithSnapshotAsOf(w.Timestamp)) },
	"read-rows-at-ref":           readRef,
	"append-rows-to-branch":      appendToBranch,
	"create-branch":              func(w work) (any, error) { return createReference(w, w.Branch, table.BranchRef) },
	"create-tag":                 func(w work) (any, error) { return createReference(w, w.Tag, table.TagRef) },
	"drop-branch":                func(w work) (any, error) { return commit(w, table.NewRemoveSnapshotRefUpdate(w.Branch)) },
	"drop-tag":                   func(w work) (any, error) { return commit(w, table.NewRemoveSnapshotRefUpdate(w.Tag)) },
	"rename-table":               func(w work) (any, error) { return discard(w.RenameTable(w, w.name(w.Table), w.name(w.To))) },
	"drop-table":                 func(w work) (any, error) { return nil, w.DropTable(w, w.name(w.Table)) },
	"purge-table":                func(w work) (any, error) { return nil, w.PurgeTable(w, w.name(w.Table)) },
	"register-table":             func(w work) (any, error) { return discard(w.RegisterTable(w, w.name(w.Table), w.MetadataLocation)) },
	"commit-transaction":         commitTransaction,
	"report-metrics":             func(w work) (any, error) { return scan(w, table.ScanPlanningLocal) },
	"plan-scan":                  func(w work) (any, error) { return scan(w, table.ScanPlanningRemote) },
	"file-properties":            fileProperties,
	"file-properties-repeatedly": filePropertiesRepeatedly,
	"list-views":                 func(w work) (any, error) { return names(w.ListViews(w, w.Namespace)) },
	"create-view":                createView,
	"load-view":                  loadView,
	"replace-view":               replaceView,
	"rename-view":                func(w work) (any, error) { return discard(w.RenameView(w, w.name(w.View), w.name(w.To))) },
	"drop-view":                  func(w work) (any, error) { return nil, w.DropView(w, w.name(w.View)) },
}

func discard(_ any, err error) (any, error) { return nil, err }

func orNil(result any, err error) any {
	if err != nil {
		return nil
	}
	return result
}

// identifiers returns an empty array rather than null.
func identifiers(found []table.Identifier, err error) (any, error) {
	return append([]table.Identifier{}, found...), err
}

func names(listed iter.Seq2[table.Identifier, error]) (any, error) {
	found := []string{}
	for identifier, err := range listed {
		if err != nil {
			return nil, err
		}
		found = append(found, identifier[len(identifier)-1])
	}
	return found, nil
}

func listTables(w work) (any, error) { return names(w.ListTables(w, w.Namespace)) }

func loadNamespace(w work) (any, error) {
	properties, err := w.LoadNamespaceProperties(w, w.Namespace)
	return present(properties), err
}

// present returns an empty map for a nil one, which Go treats alike and JSON does not.
func present(properties iceberg.Properties) iceberg.Properties {
	if properties == nil {
		return iceberg.Properties{}
	}
	return properties
}

func loadTable(w work) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	metadata := loaded.Metadata()
	snapshots, current := []int64{}, (*int64)(nil)
	for _, snapshot := range metadata.Snapshots() {
		snapshots = append(snapshots, snapshot.SnapshotID)
	}
	if snapshot := metadata.CurrentSnapshot(); snapshot != nil {
		current = &snapshot.SnapshotID
	}
	return map[string]any{
		"uuid": metadata.TableUUID(), "location": metadata.Location(), "properties": present(metadata.Properties()),
		"snapshot-ids": snapshots, "current-snapshot-id": current,
	}, nil
}

// set commits each of the updates to the same table object.
func set(w work, updates ...iceberg.Properties) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	for _, properties := range updates {
		if err != nil {
			return nil, err
		}
		change := loaded.NewTransaction()
		if err = change.SetProperties(properties); err == nil {
			loaded, err = change.Commit(w)
		}
	}
	return nil, err
}

func addColumn(w work) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	change := loaded.NewTransaction()
	added := change.UpdateSchema(true, false).AddColumn([]string{w.Column}, iceberg.PrimitiveTypes.String, "", false, nil)
	if err := added.Commit(); err != nil {
		return nil, err
	}
	return discard(change.Commit(w))
}

func appendRows(w work) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	data, err := newRows(w, loaded)
	if err != nil {
		return nil, err
	}
	return discard(loaded.AppendTable(w, data, int64(len(w.Rows)), nil))
}

func newRows(w work, loaded *table.Table) (arrow.Table, error) {
	columns, err := table.SchemaToArrowSchema(loaded.Schema(), nil, false, false)
	if err != nil {
		return nil, err
	}
	rows, err := json.Marshal(w.Rows)
	if err != nil {
		return nil, err
	}
	return array.TableFromJSON(memory.DefaultAllocator, columns, []string{string(rows)})
}

func appendToBranch(w work) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	data, err := newRows(w, loaded)
	if err != nil {
		return nil, err
	}
	change := loaded.NewTransactionOnBranch(w.Branch)
	if err := change.AppendTable(w, data, int64(len(w.Rows)), nil); err != nil {
		return nil, err
	}
	return discard(change.Commit(w))
}

// createReference creates a branch or a tag, if there is none of that name.
func createReference(w work, name string, kind table.RefType) (any, error) {
	return commit(w, table.NewSetSnapshotRefUpdate(name, w.SnapshotID, kind, 0, 0, 0), table.AssertRefSnapshotID(name, nil))
}

// commit sends an update that the client has, but no method of a transaction.
func commit(w work, update table.Update, requirements ...table.Requirement) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	requirements = append(requirements, table.AssertTableUUID(loaded.Metadata().TableUUID()))
	_, _, err = w.CommitTable(w, w.name(w.Table), requirements, []table.Update{update})
	return nil, err
}

func readRows(w work, options ...table.ScanOption) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	return rowsOf(w, loaded.Scan(options...))
}

func readRef(w work) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	scan, err := loaded.Scan().UseRef(w.Ref)
	if err != nil {
		return nil, err
	}
	return rowsOf(w, scan)
}

func rowsOf(w work, scan *table.Scan) (any, error) {
	_, batches, err := scan.ToArrowRecords(w)
	if err != nil {
		return nil, err
	}
	rows := []json.RawMessage{}
	for batch, err := range batches {
		if err != nil {
			return nil, err
		}
		text, err := array.RecordToStructArray(batch).MarshalJSON()
		if err != nil {
			return nil, err
		}
		var read []json.RawMessage
		if err := json.Unmarshal(text, &read); err != nil {
			return nil, err
		}
		rows = append(rows, read...)
	}
	return rows, nil
}

func commitTransaction(w work) (any, error) {
	several, err := catalog.NewMultiTableTransaction(w.Catalog)
	if err != nil {
		return nil, err
	}
	for _, name := range w.Tables {
		loaded, err := w.LoadTable(w, w.name(name))
		if err != nil {
			return nil, err
		}
		change := loaded.NewTransaction()
		if err := errors.Join(change.SetProperties(w.Updates), several.AddTransaction(change)); err != nil {
			return nil, err
		}
	}
	return nil, several.Commit(w)
}

func scan(w work, planned table.ScanPlanningMode) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	files, err := loaded.Scan(table.WithScanPlanningMode(planned)).PlanFiles(w)
	if err != nil {
		return nil, err
	}
	found := []map[string]any{}
	for _, task := range files {
		deletes := []string{}
		for _, kind := range [][]iceberg.DataFile{task.DeleteFiles, task.EqualityDeleteFiles, task.DeletionVectorFiles} {
			for _, file := range kind {
				deletes = append(deletes, file.FilePath())
			}
		}
		found = append(found, map[string]any{"file": task.File.FilePath(), "deletes": deletes})
	}
	return found, nil
}

func propertiesOf(w work, loaded *table.Table) (any, error) {
	files, err := loaded.FS(w)
	if err != nil {
		return nil, err
	}
	if kept, ok := files.(keeper); ok {
		return kept.properties, nil
	}
	return map[string]string{}, nil // local files are opened without properties
}

func fileProperties(w work) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	return propertiesOf(w, loaded)
}

func filePropertiesRepeatedly(w work) (any, error) {
	loaded, err := w.LoadTable(w, w.name(w.Table))
	if err != nil {
		return nil, err
	}
	return w.repeatedly(func() any { return orNil(propertiesOf(w, loaded)) }), nil
}

func createView(w work) (any, error) {
	version, err := view.NewVersionFromSQL(1, 0, w.SQL, w.Namespace)
	if err != nil {
		return nil, err
	}
	columns := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true})
	return discard(w.CreateView(w, w.name(w.View), version, columns))
}

func loadView(w work) (any, error) {
	loaded, err := w.LoadView(w, w.name(w.View))
	if err != nil {
		return nil, err
	}
	metadata := loaded.Metadata()
	return map[string]any{"uuid": metadata.ViewUUID(), "sql": metadata.CurrentVersion().Representations[0].Sql}, nil
}

func replaceView(w work) (any, error) {
	loaded, err := w.LoadView(w, w.name(w.View))
	if err != nil {
		return nil, err
	}
	metadata := loaded.Metadata()
	newest := int64(0)
	for _, version := range metadata.Versions() {
		newest = max(newest, version.VersionID)
	}
	version, err := view.NewVersionFromSQL(newest+1, metadata.CurrentVersion().SchemaID, w.SQL, w.Namespace)
	if err != nil {
		return nil, err
	}
	requirements := []view.Requirement{view.AssertViewUUID(metadata.ViewUUID())}
	updates := []view.Update{view.NewAddViewVersionUpdate(version), view.NewSetCurrentVersionUpdate(view.LastAddedID)}
	return discard(w.UpdateView(w, w.name(w.View), requirements, updates))
}

// errorKinds are the errors that callers tell apart.
var errorKinds = map[string]error{
	"ErrNoSuchTable": catalog.ErrNoSuchTable, "ErrNoSuchNamespace": catalog.ErrNoSuchNamespace, "ErrNoSuchView": catalog.ErrNoSuchView,
	"ErrTableAlreadyExists": catalog.ErrTableAlreadyExists, "ErrNamespaceAlreadyExists": catalog.ErrNamespaceAlreadyExists,
	"ErrNamespaceNotEmpty": catalog.ErrNamespaceNotEmpty, "ErrViewAlreadyExists": catalog.ErrViewAlreadyExists,
	"ErrCommitFailed": rest.ErrCommitFailed, "ErrCommitStateUnknown": rest.ErrCommitStateUnknown, "ErrBadRequest": rest.ErrBadRequest,
	"ErrForbidden": rest.ErrForbidden, "ErrUnauthorized": rest.ErrUnauthorized, "ErrAuthorizationExpired": rest.ErrAuthorizationExpired,
	"ErrServiceUnavailable": rest.ErrServiceUnavailable, "ErrServerError": rest.ErrServerError, "ErrOAuthError": rest.ErrOAuthError,
}

// kind returns the name of an error of the client; the Go type of one that does not come from the catalog.
func kind(err error) string {
	for _, name := range slices.Sorted(maps.Keys(errorKinds)) {
		if errors.Is(err, errorKinds[name]) {
			return name
		}
	}
	if errors.Is(err, rest.ErrRESTError) {
		return "ErrRESTError"
	}
	return fmt.Sprintf("%T", err)
}
