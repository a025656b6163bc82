// Drives iceberg-go against the REST catalog at the address that is its argument, and tells each step as it goes:
// "ok", or "FAIL" with the reason, and the name of the step, with tabs between them.
//
// The table files are written by the client, so it has to see the catalog's warehouse.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
)

type step struct {
	name string
	do   func() error
}

// visit is one run of the client: a namespace of its own, and what earlier steps found.
type visit struct {
	ctx     context.Context
	cat     *rest.Catalog
	ns      table.Identifier
	missing table.Identifier
	first   *table.Table // as it was created
	view    *view.View
}

var columns = iceberg.NewSchemaWithIdentifiers(0, []int{1},
	iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64, Required: true},
	iceberg.NestedField{ID: 2, Name: "name", Type: iceberg.PrimitiveTypes.String},
)

func main() {
	v := &visit{ctx: context.Background(), ns: table.Identifier{fmt.Sprintf("go_%x", time.Now().UnixNano())}}
	v.missing = table.Identifier{v.ns[0] + "_missing"}
	steps := slices.Concat(
		[]step{{"load catalog", func() (err error) { v.cat, err = rest.NewCatalog(v.ctx, "rest", os.Args[1]); return }}},
		v.namespaces(), v.tables(), v.data(), v.changes(), v.moves(), v.views(), v.end(),
	)
	for _, s := range steps {
		if err := s.do(); err != nil {
			fmt.Printf("FAIL\t%s\t%s\n", s.name, strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Printf("ok\t%s\n", s.name)
		}
	}
}

func (v *visit) in(name string) table.Identifier { return table.Identifier{v.ns[0], name} }

func (v *visit) load(name string) (*table.Table, error) { return v.cat.LoadTable(v.ctx, v.in(name)) }

// is complains unless both are spelled alike.
func is(wanted, got any) error {
	if a, b := fmt.Sprint(wanted), fmt.Sprint(got); a != b {
		return fmt.Errorf("expected %s, got %s", a, b)
	}
	return nil
}

// fails complains unless a call failed in this way.
func fails(wanted, got error) error {
	if errors.Is(got, wanted) {
		return nil
	}
	return fmt.Errorf("expected the error %q, got %v", wanted, got)
}

// then goes on with what was got, if it was got.
func then[T any](got T, err error) func(func(T) error) error {
	return func(next func(T) error) error {
		if err != nil {
			return err
		}
		return next(got)
	}
}

func rows(t *table.Table, from, to int) (arrow.Table, error) {
	shape, err := table.SchemaToArrowSchema(t.Schema(), nil, false, false)
	if err != nil {
		return nil, err
	}
	lines := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		lines = append(lines, fmt.Sprintf(`{"id": %d, "name": "row %d"}`, i, i))
	}
	return array.TableFromJSON(memory.DefaultAllocator, shape, []string{"[" + strings.Join(lines, ",") + "]"})
}

func (v *visit) count(t *table.Table, options ...table.ScanOption) (int64, error) {
	found, err := t.Scan(options...).ToArrowTable(v.ctx)
	if err != nil {
		return 0, err
	}
	defer found.Release()
	return found.NumRows(), nil
}

func (v *visit) append(t *table.Table, from, to int) (*table.Table, error) {
	data, err := rows(t, from, to)
	if err != nil {
		return nil, err
	}
	return t.AppendTable(v.ctx, data, 100, nil)
}

func (v *visit) namespaces() []step {
	return []step{
		{"create namespace", func() error {
			return v.cat.CreateNamespace(v.ctx, v.ns, iceberg.Properties{"made-by": "go", "old": "1"})
		}},
		{"create existing namespace is refused", func() error {
			return fails(catalog.ErrNamespaceAlreadyExists, v.cat.CreateNamespace(v.ctx, v.ns, nil))
		}},
		{"namespace exists", func() error {
			there, err := v.cat.CheckNamespaceExists(v.ctx, v.ns)
			not, err2 := v.cat.CheckNamespaceExists(v.ctx, v.missing)
			return errors.Join(err, err2, is([]bool{true, false}, []bool{there, not}))
		}},
		{"load namespace", func() error {
			return then(v.cat.LoadNamespaceProperties(v.ctx, v.ns))(func(p iceberg.Properties) error { return is("go", p["made-by"]) })
		}},
		{"load absent namespace is refused", func() error {
			_, err := v.cat.LoadNamespaceProperties(v.ctx, v.missing)
			return fails(catalog.ErrNoSuchNamespace, err)
		}},
		{"update namespace properties", func() error {
			did, err := v.cat.UpdateNamespaceProperties(v.ctx, v.ns, []string{"old", "none"}, iceberg.Properties{"team": "a"})
			return errors.Join(err, is("[old] [team] [none]", fmt.Sprint(did.Removed, did.Updated, did.Missing)))
		}},
		{"nested namespace", func() error {
			outer := table.Identifier{v.ns[0] + "_outer"}
			inner := table.Identifier{outer[0], "inner"}
			if err := errors.Join(v.cat.CreateNamespace(v.ctx, outer, nil), v.cat.CreateNamespace(v.ctx, inner, nil)); err != nil {
				return err
			}
			found, err := v.cat.ListNamespaces(v.ctx, outer)
			return errors.Join(err, is([]table.Identifier{inner}, found), v.cat.DropNamespace(v.ctx, inner), v.cat.DropNamespace(v.ctx, outer))
		}},
		{"list namespaces, one per page", func() error {
			found, err := v.cat.ListNamespaces(v.cat.SetPageSize(v.ctx, 1), nil)
			mine := slices.DeleteFunc(found, func(n table.Identifier) bool { return n[0] != v.ns[0] })
			return errors.Join(err, is(1, len(mine)))
		}},
	}
}

func (v *visit) tables() []step {
	return []step{
		{"create table", func() (err error) {
			// Without the second property this client never tries a commit again.
			properties := iceberg.Properties{"made-by": "go", "commit.retry.num-retries": "3"}
			v.first, err = v.cat.CreateTable(v.ctx, v.in("events"), columns, catalog.WithProperties(properties))
			if err != nil {
				return err
			}
			return is("go", v.first.Properties()["made-by"])
		}},
		{"create existing table is refused", func() error {
			_, err := v.cat.CreateTable(v.ctx, v.in("events"), columns)
			return fails(catalog.ErrTableAlreadyExists, err)
		}},
		{"create table in absent namespace is refused", func() error {
			_, err := v.cat.CreateTable(v.ctx, table.Identifier{v.missing[0], "t"}, columns)
			return fails(catalog.ErrNoSuchNamespace, err)
		}},
		{"create partitioned table", func() error {
			field := iceberg.PartitionField{SourceIDs: []int{1}, FieldID: 1000, Name: "id_bucket", Transform: iceberg.BucketTransform{NumBuckets: 4}}
			spec := iceberg.NewPartitionSpec(field)
			return then(v.cat.CreateTable(v.ctx, v.in("parts"), columns, catalog.WithPartitionSpec(&spec)))(func(t *table.Table) error {
				s := t.Spec()
				return is(1, s.NumFields())
			})
		}},
		{"staged create with updates", func() error {
			update := table.NewSetPropertiesUpdate(iceberg.Properties{"staged": "yes"})
			return then(v.cat.CreateTable(v.ctx, v.in("staged"), columns, catalog.WithStagedUpdates(update)))(func(t *table.Table) error {
				return is("yes", t.Properties()["staged"])
			})
		}},
		{"table exists", func() error {
			there, err := v.cat.CheckTableExists(v.ctx, v.in("events"))
			not, err2 := v.cat.CheckTableExists(v.ctx, v.in("missing"))
			return errors.Join(err, err2, is([]bool{true, false}, []bool{there, not}))
		}},
		{"load absent table is refused", func() error {
			_, err := v.load("missing")
			return fails(catalog.ErrNoSuchTable, err)
		}},
		{"list tables, one per page", func() error {
			names := []string{}
			for found, err := range v.cat.ListTables(v.cat.SetPageSize(v.ctx, 1), v.ns) {
				if err != nil {
					return err
				}
				names = append(names, found[len(found)-1])
			}
			slices.Sort(names)
			return is([]string{"events", "parts", "staged"}, names)
		}},
	}
}

func (v *visit) data() []step {
	return []step{
		{"commit: set properties", func() error {
			tx := v.first.NewTransaction()
			if err := tx.SetProperties(iceberg.Properties{"color": "blue"}); err != nil {
				return err
			}
			return then(tx.Commit(v.ctx))(func(t *table.Table) error { return is("blue", t.Properties()["color"]) })
		}},
		{"append 10 rows, then 5", func() error {
			for _, span := range [][2]int{{0, 10}, {10, 15}} {
				err := then(v.load("events"))(func(t *table.Table) error { _, err := v.append(t, span[0], span[1]); return err })
				if err != nil {
					return err
				}
			}
			return nil
		}},
		{"scan", func() error {
			return then(v.load("events"))(func(t *table.Table) error {
				v.first = t
				return then(v.count(t))(func(n int64) error { return is(15, n) })
			})
		}},
		{"scan with a filter", func() error {
			filter := table.WithRowFilter(iceberg.GreaterThanEqual(iceberg.Reference("id"), int64(12)))
			return then(v.count(v.first, filter))(func(n int64) error { return is(3, n) })
		}},
		{"delete rows", func() error {
			return then(v.first.Delete(v.ctx, iceberg.EqualTo(iceberg.Reference("id"), int64(3)), nil))(func(t *table.Table) error {
				return then(v.count(t))(func(n int64) error { return is(14, n) })
			})
		}},
		{"append on a stale table (conflict, retry)", func() error {
			if _, err := v.append(v.first, 100, 101); err != nil {
				return err
			}
			return then(v.load("events"))(func(t *table.Table) error {
				return then(v.count(t))(func(n int64) error { return is(15, n) })
			})
		}},
	}
}

func (v *visit) changes() []step {
	both := []string{"parts", "staged"}
	return []step{
		{"commit: add column", func() error {
			return then(v.load("events"))(func(t *table.Table) error {
				tx := t.NewTransaction()
				if err := tx.UpdateSchema(true, false).AddColumn([]string{"extra"}, iceberg.PrimitiveTypes.Int32, "", false, nil).Commit(); err != nil {
					return err
				}
				return then(tx.Commit(v.ctx))(func(t *table.Table) error {
					_, found := t.Schema().FindFieldByName("extra")
					return is(true, found)
				})
			})
		}},
		{"commit: add partition field", func() error {
			return then(v.load("events"))(func(t *table.Table) error {
				tx := t.NewTransaction()
				if err := tx.UpdateSpec(true).AddField("id", iceberg.TruncateTransform{Width: 10}, "id_trunc").Commit(); err != nil {
					return err
				}
				return then(tx.Commit(v.ctx))(func(t *table.Table) error { return is(2, len(t.Metadata().PartitionSpecs())) })
			})
		}},
		{"two tables in one transaction", func() error {
			together, err := catalog.NewMultiTableTransaction(v.cat)
			if err != nil {
				return err
			}
			for _, name := range both {
				if err := then(v.load(name))(func(t *table.Table) error {
					tx := t.NewTransaction()
					return errors.Join(tx.SetProperties(iceberg.Properties{"both": "yes"}), together.AddTransaction(tx))
				}); err != nil {
					return err
				}
			}
			if err := together.Commit(v.ctx); err != nil {
				return err
			}
			for _, name := range both {
				if err := then(v.load(name))(func(t *table.Table) error { return is("yes", t.Properties()["both"]) }); err != nil {
					return err
				}
			}
			return nil
		}},
		{"a transaction that conflicts changes nothing", func() error {
			one, err := v.load(both[0])
			if err != nil {
				return err
			}
			commits := []table.TableCommit{}
			for _, name := range both { // the uuid is that of the first, so that the second one conflicts
				commits = append(commits, table.TableCommit{
					Identifier:   v.in(name),
					Requirements: []table.Requirement{table.AssertTableUUID(one.Metadata().TableUUID())},
					Updates:      []table.Update{table.NewSetPropertiesUpdate(iceberg.Properties{"half": "yes"})},
				})
			}
			if err := fails(rest.ErrCommitFailed, v.cat.CommitTransaction(v.ctx, commits)); err != nil {
				return err
			}
			return then(v.load(both[0]))(func(t *table.Table) error { return is("", t.Properties()["half"]) })
		}},
	}
}

func (v *visit) moves() []step {
	same := func(t *table.Table) error { return is(v.first.Metadata().TableUUID(), t.Metadata().TableUUID()) }
	return []step{
		{"rename table", func() error { return then(v.cat.RenameTable(v.ctx, v.in("events"), v.in("renamed")))(same) }},
		{"register table", func() error {
			return then(v.load("renamed"))(func(t *table.Table) error {
				if err := v.cat.DropTable(v.ctx, v.in("renamed")); err != nil {
					return err
				}
				return then(v.cat.RegisterTable(v.ctx, v.in("back"), t.MetadataLocation()))(same)
			})
		}},
	}
}

func (v *visit) views() []step {
	return []step{
		{"create view", func() error {
			version, err := view.NewVersionFromSQL(1, 0, "SELECT id FROM back", v.ns)
			if err != nil {
				return err
			}
			owned := catalog.WithViewProperties(iceberg.Properties{"made-by": "go"})
			return then(v.cat.CreateView(v.ctx, v.in("view"), version, columns, owned))(func(made *view.View) error {
				return is("go", made.Properties()["made-by"])
			})
		}},
		{"view exists", func() error {
			there, err := v.cat.CheckViewExists(v.ctx, v.in("view"))
			not, err2 := v.cat.CheckViewExists(v.ctx, v.in("missing"))
			return errors.Join(err, err2, is([]bool{true, false}, []bool{there, not}))
		}},
		{"load view", func() (err error) { v.view, err = v.cat.LoadView(v.ctx, v.in("view")); return }},
		{"replace view", func() error {
			before := v.view.Metadata()
			builder, err := view.MetadataBuilderFromBase(before)
			if err != nil {
				return err
			}
			version, err := view.NewVersionFromSQL(2, before.CurrentVersion().SchemaID, "SELECT id FROM back WHERE id > 1", v.ns)
			if err != nil {
				return err
			}
			after, err := builder.AddVersion(version).SetCurrentVersionID(view.LastAddedID).Build()
			if err != nil {
				return err
			}
			unchanged := view.Requirements{view.AssertViewUUID(before.ViewUUID())}
			return then(v.cat.UpdateView(v.ctx, v.in("view"), unchanged, after.Changes))(func(now *view.View) error {
				return is(2, now.Metadata().CurrentVersion().VersionID)
			})
		}},
		{"list views", func() error {
			names := []string{}
			for found, err := range v.cat.ListViews(v.ctx, v.ns) {
				if err != nil {
					return err
				}
				names = append(names, found[len(found)-1])
			}
			return is([]string{"view"}, names)
		}},
		{"register view", func() error {
			return then(v.cat.LoadView(v.ctx, v.in("view")))(func(kept *view.View) error {
				_, err := v.cat.RegisterView(v.ctx, v.in("view2"), kept.MetadataLocation())
				return err
			})
		}},
		{"drop views", func() error {
			for found, err := range v.cat.ListViews(v.ctx, v.ns) {
				if err := errors.Join(err, v.cat.DropView(v.ctx, found)); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

func (v *visit) end() []step {
	return []step{
		{"drop namespace with tables is refused", func() error {
			// 0.6.0 has no error of its own for it; what the server called it is in the text.
			err := v.cat.DropNamespace(v.ctx, v.ns)
			return is(true, err != nil && strings.Contains(err.Error(), "NamespaceNotEmpty"))
		}},
		{"drop tables", func() error {
			return errors.Join(v.cat.DropTable(v.ctx, v.in("staged")), v.cat.DropTable(v.ctx, v.in("parts")))
		}},
		{"purge table", func() error { return v.cat.PurgeTable(v.ctx, v.in("back")) }},
		{"drop namespace", func() error { return v.cat.DropNamespace(v.ctx, v.ns) }},
	}
}
