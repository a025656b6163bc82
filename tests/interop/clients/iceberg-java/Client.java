import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableCommit;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NamespaceNotEmptyException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NoSuchViewException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.view.View;

/**
 * Drives Iceberg's own REST client against the catalog at the address that is its argument, and tells each step as it goes: "ok", or
 * "FAIL" with the reason, and the name of the step, with tabs between them. It writes manifests, so it has to see the warehouse.
 */
public class Client {
  interface Action {
    void run() throws Exception;
  }

  private static final Schema COLUMNS =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "name", Types.StringType.get()),
          Types.NestedField.optional(3, "day", Types.IntegerType.get()));
  private static final PartitionSpec BY_DAY = PartitionSpec.builderFor(COLUMNS).identity("day").build();

  private final String url;
  private final String run = Long.toHexString(System.nanoTime());
  private final RESTCatalog catalog;
  private final Namespace ns = Namespace.of("java_" + run);
  private final Namespace missing = Namespace.of("missing_" + run);
  private final TableIdentifier events = TableIdentifier.of(ns, "events");
  private final TableIdentifier staged = TableIdentifier.of(ns, "staged");

  Client(String url) {
    this.url = url;
    this.catalog = open();
  }

  public static void main(String[] args) throws Exception {
    Client client = new Client(args[0]);
    client.namespaces();
    client.tables();
    client.loads();
    client.changes();
    client.transactions();
    client.scans();
    client.moves();
    client.views();
    client.end();
    client.catalog.close();
  }

  private RESTCatalog open(String... more) {
    // Sets and maps that allow null to be asked for: this client does so.
    Map<String, String> properties = new HashMap<>(Map.of("uri", url, "io-impl", "org.apache.iceberg.hadoop.HadoopFileIO"));
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    RESTCatalog opened = new RESTCatalog();
    opened.setConf(new Configuration());
    opened.initialize("lake", properties);
    return opened;
  }

  private static void step(String name, Action action) {
    try {
      action.run();
      System.out.println("ok\t" + name);
    } catch (Throwable wrong) {
      System.out.println("FAIL\t" + name + "\t" + wrong.toString().replace('\n', ' '));
    }
  }

  private static void is(Object wanted, Object got) {
    if (!Objects.equals(wanted, got)) {
      throw new AssertionError("expected " + wanted + ", got " + got);
    }
  }

  private static void refused(Class<? extends Exception> wanted, Action action) throws Exception {
    try {
      action.run();
    } catch (Exception got) {
      is(wanted, got.getClass());
      return;
    }
    throw new AssertionError("was not refused");
  }

  private static DataFile file(Table table, int day, int number) {
    String path = String.format("%s/data/day=%d/%d.parquet", table.location(), day, number);
    return DataFiles.builder(table.spec()).withPath(path).withFileSizeInBytes(1000).withRecordCount(5).withPartitionPath("day=" + day).build();
  }

  private static List<String> planned(TableScan scan) throws Exception {
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      return StreamSupport.stream(tasks.spliterator(), false).map(task -> task.file().location()).sorted().toList();
    }
  }

  private static TableMetadata metadata(Table table) {
    return ((BaseTable) table).operations().current();
  }

  private static TableCommit with(TableIdentifier name, TableMetadata base, String property) {
    Map<String, String> one = new HashMap<>(Map.of(property, "yes"));
    return TableCommit.create(name, base, TableMetadata.buildFrom(base).setProperties(one).build());
  }

  private void namespaces() {
    step("create namespace", () -> catalog.createNamespace(ns, new HashMap<>(Map.of("made-by", "java", "old", "1"))));
    step("create existing namespace is refused", () -> refused(AlreadyExistsException.class, () -> catalog.createNamespace(ns)));
    step("namespace exists", () -> is(List.of(true, false), List.of(catalog.namespaceExists(ns), catalog.namespaceExists(missing))));
    step("load namespace", () -> is("java", catalog.loadNamespaceMetadata(ns).get("made-by")));
    step("load absent namespace is refused", () -> refused(NoSuchNamespaceException.class, () -> catalog.loadNamespaceMetadata(missing)));
    step("set and remove properties", () -> {
      catalog.setProperties(ns, new HashMap<>(Map.of("team", "a")));
      catalog.removeProperties(ns, new HashSet<>(List.of("old")));
      Map<String, String> now = catalog.loadNamespaceMetadata(ns);
      is(Arrays.asList("a", "java", null), Arrays.asList(now.get("team"), now.get("made-by"), now.get("old")));
    });
    step("list namespaces", () -> is(true, catalog.listNamespaces().contains(ns)));
    step("nested namespace", () -> {
      Namespace outer = Namespace.of("java_" + run + "_outer");
      Namespace inner = Namespace.of(outer.level(0), "inner");
      TableIdentifier deep = TableIdentifier.of(inner, "deep");
      catalog.createNamespace(outer);
      catalog.createNamespace(inner);
      is(List.of(inner), catalog.listNamespaces(outer));
      catalog.createTable(deep, COLUMNS);
      is(List.of(deep), catalog.listTables(inner));
      is(List.of(true, true, true), List.of(catalog.dropTable(deep, false), catalog.dropNamespace(inner), catalog.dropNamespace(outer)));
    });
    step("pages of one", () -> {
      try (RESTCatalog paged = open("rest-page-size", "1")) {
        is(1L, paged.listNamespaces().stream().filter(ns::equals).count());
      }
    });
  }

  private void tables() {
    step("create table", () -> {
      Table table = catalog.createTable(events, COLUMNS, BY_DAY, Map.of("made-by", "java"));
      is(List.of("java", 1), List.of(table.properties().get("made-by"), table.spec().fields().size()));
    });
    step("create existing table is refused", () -> refused(AlreadyExistsException.class, () -> catalog.createTable(events, COLUMNS)));
    step("create table in absent namespace is refused",
        () -> refused(NoSuchNamespaceException.class, () -> catalog.createTable(TableIdentifier.of(missing, "t"), COLUMNS)));
    step("load absent table is refused",
        () -> refused(NoSuchTableException.class, () -> catalog.loadTable(TableIdentifier.of(ns, "missing"))));
    step("table exists",
        () -> is(List.of(true, false), List.of(catalog.tableExists(events), catalog.tableExists(TableIdentifier.of(ns, "missing")))));
    step("load metadata table", () -> is(false, catalog.loadTable(TableIdentifier.of(ns.level(0), "events", "files")).schema().columns().isEmpty()));
  }

  private void loads() {
    step("append", () -> {
      Table table = catalog.loadTable(events);
      table.newAppend().appendFile(file(table, 1, 1)).appendFile(file(table, 2, 2)).commit();
      is(2, planned(table.newScan()).size());
    });
    step("append on a stale table (conflict, retry)", () -> {
      try (RESTCatalog other = open()) {
        Table one = catalog.loadTable(events);
        Table two = other.loadTable(events);
        one.newFastAppend().appendFile(file(one, 1, 3)).commit();
        two.newFastAppend().appendFile(file(two, 2, 4)).commit();
        is(4, planned(two.newScan()).size());
      }
    });
    step("load again with the ETag of before", () -> {
      // The client keeps what it loaded, and sends its ETag; whoever counts answers sees them as 304.
      Table one = catalog.loadTable(events);
      Table two = catalog.loadTable(events);
      is(one.currentSnapshot(), two.currentSnapshot());
      two.updateProperties().set("touched", "yes").commit();
      is("yes", catalog.loadTable(events).properties().get("touched"));
    });
    step("snapshots=refs, then all", () -> {
      try (RESTCatalog lazy = open("snapshot-loading-mode", "refs")) {
        is(3L, StreamSupport.stream(lazy.loadTable(events).snapshots().spliterator(), false).count());
      }
    });
  }

  private void changes() {
    step("schema evolution", () -> {
      catalog.loadTable(events).updateSchema().addColumn("extra", Types.StringType.get()).renameColumn("name", "title").commit();
      is(2, catalog.loadTable(events).schema().findField("title").fieldId());
    });
    step("spec, sort order and properties at once", () -> {
      Transaction tx = catalog.loadTable(events).newTransaction();
      tx.updateSpec().addField(Expressions.bucket("id", 4)).commit();
      tx.replaceSortOrder().asc("id").commit();
      tx.updateProperties().set("color", "blue").commit();
      tx.commitTransaction();
      Table table = catalog.loadTable(events);
      is(List.of(2, true, "blue"), List.of(table.specs().size(), table.sortOrder().isSorted(), table.properties().get("color")));
    });
    step("branch, tag, expire snapshots", () -> {
      Table table = catalog.loadTable(events);
      long current = table.currentSnapshot().snapshotId();
      table.manageSnapshots().createBranch("audit", current).createTag("v1", current).commit();
      table.expireSnapshots().expireOlderThan(System.currentTimeMillis()).retainLast(1).cleanExpiredFiles(false).commit();
      is(new HashSet<>(List.of("main", "audit", "v1")), catalog.loadTable(events).refs().keySet());
    });
  }

  private void transactions() {
    step("create transaction (stage-create, assert-create)", () -> {
      Transaction tx = catalog.newCreateTableTransaction(staged, COLUMNS, BY_DAY);
      is(false, catalog.tableExists(staged));
      tx.newAppend().appendFile(file(tx.table(), 1, 1)).commit();
      tx.commitTransaction();
      is(1, planned(catalog.loadTable(staged).newScan()).size());
    });
    step("create or replace transaction", () -> {
      Schema other = new Schema(Types.NestedField.required(1, "x", Types.IntegerType.get()));
      catalog.buildTable(staged, other).createOrReplaceTransaction().commitTransaction();
      is(List.of("x"), catalog.loadTable(staged).schema().columns().stream().map(Types.NestedField::name).toList());
    });
    step("two tables in one transaction", () -> {
      catalog.commitTransaction(with(events, metadata(catalog.loadTable(events)), "both"), with(staged, metadata(catalog.loadTable(staged)), "both"));
      for (TableIdentifier name : List.of(events, staged)) {
        is("yes", catalog.loadTable(name).properties().get("both"));
      }
    });
    step("a transaction that conflicts changes nothing", () -> {
      TableMetadata one = metadata(catalog.loadTable(events));
      Table table = catalog.loadTable(staged);
      TableMetadata two = metadata(table);
      table.updateSchema().addColumn("theirs", Types.IntegerType.get()).commit();
      Schema mine = new Schema(
          Types.NestedField.required(1, "x", Types.IntegerType.get()), Types.NestedField.optional(2, "mine", Types.IntegerType.get()));
      refused(CommitFailedException.class,
          () -> catalog.commitTransaction(with(events, one, "half"), TableCommit.create(staged, two, two.updateSchema(mine))));
      is(null, catalog.loadTable(events).properties().get("half"));
    });
  }

  private void scans() {
    step("scan planned by the server", () -> {
      try (RESTCatalog planning = open("scan-planning-mode", "server")) {
        Table there = planning.loadTable(events);
        is("RESTTable", there.getClass().getSimpleName());
        is(planned(catalog.loadTable(events).newScan()), planned(there.newScan()));
        is(2, planned(there.newScan().filter(Expressions.equal("day", 1))).size());
      }
    });
    step("scan with a filter, with its metrics reported",
        () -> is(2, planned(catalog.loadTable(events).newScan().filter(Expressions.equal("day", 2))).size()));
  }

  private void moves() {
    TableIdentifier renamed = TableIdentifier.of(ns, "renamed");
    step("rename table", () -> {
      catalog.renameTable(events, renamed);
      is(List.of(true, false), List.of(catalog.tableExists(renamed), catalog.tableExists(events)));
    });
    step("register table", () -> {
      Table table = catalog.loadTable(renamed);
      String location = metadata(table).metadataFileLocation();
      is(true, catalog.dropTable(renamed, false));
      is(table.uuid(), catalog.registerTable(TableIdentifier.of(ns, "back"), location).uuid());
    });
  }

  private void views() {
    TableIdentifier name = TableIdentifier.of(ns, "view");
    TableIdentifier other = TableIdentifier.of(ns, "view2");
    step("create view", () -> {
      View view = catalog.buildView(name).withSchema(COLUMNS).withDefaultNamespace(ns).withQuery("spark", "SELECT * FROM back")
          .withProperty("made-by", "java").create();
      is("java", view.properties().get("made-by"));
    });
    step("replace view, set properties", () -> {
      View view = catalog.loadView(name);
      view.replaceVersion().withSchema(COLUMNS).withDefaultNamespace(ns).withQuery("spark", "SELECT * FROM back WHERE id > 1").commit();
      view.updateProperties().set("color", "blue").commit();
      View now = catalog.loadView(name);
      is(List.of(2, "blue"), List.of(now.currentVersion().versionId(), now.properties().get("color")));
    });
    step("list views", () -> is(List.of(name), catalog.listViews(ns)));
    step("rename view", () -> {
      catalog.renameView(name, other);
      refused(NoSuchViewException.class, () -> catalog.loadView(name));
    });
    step("drop view", () -> is(List.of(true, false), List.of(catalog.dropView(other), catalog.viewExists(other))));
  }

  private void end() {
    step("drop namespace with tables is refused", () -> refused(NamespaceNotEmptyException.class, () -> catalog.dropNamespace(ns)));
    step("drop tables, one with purge",
        () -> is(List.of(true, true), List.of(catalog.dropTable(staged, false), catalog.dropTable(TableIdentifier.of(ns, "back"), true))));
    step("drop namespace", () -> is(List.of(true, false), List.of(catalog.dropNamespace(ns), catalog.dropNamespace(ns))));
  }
}
