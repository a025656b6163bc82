import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManageSnapshots;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.aws.s3.signer.S3V4RestSignerClient;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableCommit;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.SnapshotUtil;
import org.apache.iceberg.view.SQLViewRepresentation;
import org.apache.iceberg.view.VersionBuilder;
import org.apache.iceberg.view.View;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.signer.AwsSignerExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.regions.Region;

/**
 * Tasks of `lakepact check-client` for Apache Iceberg's own client in Java.
 *
 * <p>mvn dependency:build-classpath -Dmdep.outputFile=classpath &amp;&amp; lakepact check-client -- java -cp "$(cat classpath)" Client.java
 *
 * <p>With -Diceberg.version=1.12.0, Maven takes another version.
 */
public class Client {
  static final ObjectMapper JSON = new ObjectMapper();
  static final Types.NestedField ID = Types.NestedField.required(1, "id", Types.LongType.get());
  static final Schema SCHEMA = new Schema(ID, Types.NestedField.optional(2, "data", Types.StringType.get()));

  interface Task {
    Object run() throws Exception;
  }

  /** Marks a task without a result. */
  interface Action {
    void run() throws Exception;
  }

  final JsonNode given;
  final RESTCatalog catalog = new RESTCatalog();
  final Namespace namespace;
  final TableIdentifier table;
  final TableIdentifier view;
  final Map<String, Task> tasks = new HashMap<>();

  Client(JsonNode given) {
    this.given = given;
    namespace = Namespace.of(texts("namespace"));
    table = TableIdentifier.of(namespace, given.path("table").asText("-"));
    view = TableIdentifier.of(namespace, given.path("view").asText("-"));
    tasks.put("list-namespaces", () -> levels(catalog.listNamespaces()));
    tasks.put("list-child-namespaces", () -> levels(catalog.listNamespaces(Namespace.of(texts("parent")))));
    tasks.put("namespace-exists", () -> catalog.namespaceExists(namespace));
    act("create-namespace", () -> catalog.createNamespace(namespace));
    tasks.put("load-namespace", () -> catalog.loadNamespaceMetadata(namespace));
    act("set-namespace-properties", this::setNamespaceProperties);
    act("drop-namespace", () -> catalog.dropNamespace(namespace));
    tasks.put("list-tables", () -> names(catalog.listTables(namespace)));
    tasks.put("list-tables-repeatedly", () -> repeatedly(() -> orNull(() -> names(catalog.listTables(namespace)))));
    tasks.put("table-exists", () -> catalog.tableExists(table));
    act("create-table", () -> catalog.createTable(table, SCHEMA));
    tasks.put("load-table", () -> loadTable(table));
    tasks.put("load-table-repeatedly", () -> repeatedly(() -> loadTable(table)));
    tasks.put("load-tables", this::loadTables);
    act("set-properties", () -> set(catalog.loadTable(table), "updates"));
    act("set-properties-twice", this::setPropertiesTwice);
    act("add-column", () -> catalog.loadTable(table).updateSchema().addColumn(text("column"), Types.StringType.get()).commit());
    act("append-rows", this::appendRows);
    tasks.put("read-rows", () -> readRows(null));
    tasks.put("read-rows-at-snapshot", () -> readRows(snapshot()));
    tasks.put("read-rows-at-timestamp", () -> readRows(SnapshotUtil.snapshotIdAsOfTime(catalog.loadTable(table), given.get("timestamp").asLong())));
    tasks.put("read-rows-at-ref", () -> readRows(catalog.loadTable(table).snapshot(text("ref")).snapshotId()));
    tasks.put("list-snapshots", this::listSnapshots);
    act("append-rows-to-branch", this::appendRows);
    act("create-branch", () -> references().createBranch(text("branch"), snapshot()).commit());
    act("create-tag", () -> references().createTag(text("tag"), snapshot()).commit());
    act("fast-forward-branch", () -> references().fastForwardBranch(text("branch"), text("to")).commit());
    act("drop-branch", () -> references().removeBranch(text("branch")).commit());
    act("drop-tag", () -> references().removeTag(text("tag")).commit());
    act("rename-table", () -> catalog.renameTable(table, TableIdentifier.of(namespace, text("to"))));
    act("drop-table", () -> catalog.dropTable(table, false));
    act("purge-table", () -> catalog.dropTable(table, true));
    act("register-table", () -> catalog.registerTable(table, text("metadata-location")));
    act("commit-transaction", this::commitTransaction);
    tasks.put("report-metrics", this::planScan); // a scan is reported when its planning ends
    tasks.put("plan-scan", this::planScan);
    tasks.put("file-properties", () -> fileProperties(catalog.loadTable(table)));
    tasks.put("file-properties-repeatedly", this::filePropertiesRepeatedly);
    tasks.put("sign-repeatedly", this::signRepeatedly);
    tasks.put("list-views", () -> names(catalog.listViews(namespace)));
    act("create-view", this::createView);
    tasks.put("load-view", this::loadView);
    act("replace-view", () -> query(catalog.loadView(view).replaceVersion()).commit());
    act("rename-view", () -> catalog.renameView(view, TableIdentifier.of(namespace, text("to"))));
    act("drop-view", () -> catalog.dropView(view));
  }

  void act(String task, Action action) {
    tasks.put(task, () -> {
      action.run();
      return null;
    });
  }

  void open(String task) {
    Map<String, String> properties = properties("properties");
    properties.put("uri", text("uri"));
    boolean usesS3 = task.startsWith("file-properties") || task.equals("sign-repeatedly");
    properties.put("io-impl", usesS3 ? "org.apache.iceberg.aws.s3.S3FileIO" : "org.apache.iceberg.hadoop.HadoopFileIO");
    if (task.equals("plan-scan")) {
      properties.put("scan-planning-mode", "server");
    }
    catalog.setConf(new Configuration());
    catalog.initialize("checked", properties);
  }

  String text(String member) {
    return given.get(member).asText();
  }

  String[] texts(String member) {
    return StreamSupport.stream(given.path(member).spliterator(), false).map(JsonNode::asText).toArray(String[]::new);
  }

  Map<String, String> properties(String member) {
    Map<String, String> found = new HashMap<>();
    given.path(member).properties().forEach(entry -> found.put(entry.getKey(), entry.getValue().asText()));
    return found;
  }

  static List<List<String>> levels(List<Namespace> namespaces) {
    return namespaces.stream().map(one -> List.of(one.levels())).collect(Collectors.toList());
  }

  static List<String> names(List<TableIdentifier> identifiers) {
    return identifiers.stream().map(TableIdentifier::name).collect(Collectors.toList());
  }

  List<Object> repeatedly(Task once) throws Exception {
    List<Object> found = new ArrayList<>(Arrays.asList(once.run()));
    while (found.size() < given.get("times").asInt()) {
      Thread.sleep((long) (given.get("pause").asDouble() * 1000));
      found.add(once.run());
    }
    return found;
  }

  static Object orNull(Task task) {
    try {
      return task.run();
    } catch (Exception failed) {
      return null;
    }
  }

  void setNamespaceProperties() {
    if (given.path("updates").size() > 0) {
      catalog.setProperties(namespace, properties("updates"));
    }
    if (given.path("removals").size() > 0) {
      catalog.removeProperties(namespace, new HashSet<>(Arrays.asList(texts("removals"))));
    }
  }

  List<Object> loadTables() {
    List<Object> found = new ArrayList<>();
    for (String name : texts("tables")) {
      found.add(loadTable(TableIdentifier.of(namespace, name)));
    }
    return found;
  }

  Map<String, Object> loadTable(TableIdentifier name) {
    Table loaded = catalog.loadTable(name);
    List<Long> snapshots = new ArrayList<>();
    loaded.snapshots().forEach(snapshot -> snapshots.add(snapshot.snapshotId()));
    Snapshot current = loaded.currentSnapshot();
    Map<String, Object> found = new HashMap<>();
    found.put("uuid", loaded.uuid().toString());
    found.put("location", loaded.location());
    found.put("properties", loaded.properties());
    found.put("snapshot-ids", snapshots);
    found.put("current-snapshot-id", current == null ? null : current.snapshotId());
    return found;
  }

  void set(Table loaded, String member) {
    var change = loaded.updateProperties();
    properties(member).forEach(change::set);
    change.commit();
  }

  void setPropertiesTwice() {
    Table loaded = catalog.loadTable(table);
    set(loaded, "first");
    set(loaded, "second");
  }

  void appendRows() throws Exception {
    Table loaded = catalog.loadTable(table);
    String path = loaded.location() + "/data/" + UUID.randomUUID() + ".parquet";
    DataWriter<Record> writer = Parquet.writeData(loaded.io().newOutputFile(path)).schema(loaded.schema()).withSpec(PartitionSpec.unpartitioned())
        .createWriterFunc(GenericParquetWriter::create).build();
    try (writer) {
      for (JsonNode row : given.get("rows")) {
        Record one = GenericRecord.create(loaded.schema());
        one.setField("id", row.get("id").asLong());
        one.setField("data", row.path("data").asText(null));
        writer.write(one);
      }
    }
    loaded.newAppend().appendFile(writer.toDataFile()).toBranch(given.path("branch").asText(SnapshotRef.MAIN_BRANCH)).commit();
  }

  long snapshot() {
    return given.get("snapshot-id").asLong();
  }

  ManageSnapshots references() {
    return catalog.loadTable(table).manageSnapshots();
  }

  List<Long> listSnapshots() throws Exception {
    Table snapshots = MetadataTableUtils.createMetadataTableInstance(catalog.loadTable(table), MetadataTableType.SNAPSHOTS);
    List<Long> found = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned = snapshots.newScan().select("snapshot_id").planFiles()) {
      for (FileScanTask task : planned) {
        try (CloseableIterable<StructLike> rows = task.asDataTask().rows()) {
          rows.forEach(row -> found.add(row.get(0, Long.class)));
        }
      }
    }
    return found;
  }

  List<Map<String, Object>> readRows(Long snapshot) throws Exception {
    Table loaded = catalog.loadTable(table);
    List<Map<String, Object>> rows = new ArrayList<>();
    IcebergGenerics.ScanBuilder scan = IcebergGenerics.read(loaded);
    try (CloseableIterable<Record> records = (snapshot == null ? scan : scan.useSnapshot(snapshot)).build()) {
      for (Record one : records) {
        Map<String, Object> row = new HashMap<>();
        loaded.schema().columns().forEach(column -> row.put(column.name(), one.getField(column.name())));
        rows.add(row);
      }
    }
    return rows;
  }

  void commitTransaction() {
    List<TableCommit> commits = new ArrayList<>();
    for (String name : texts("tables")) {
      TableIdentifier one = TableIdentifier.of(namespace, name);
      TableMetadata base = ((BaseTable) catalog.loadTable(one)).operations().current();
      commits.add(TableCommit.create(one, base, TableMetadata.buildFrom(base).setProperties(properties("updates")).build()));
    }
    catalog.commitTransaction(commits);
  }

  List<Map<String, Object>> planScan() throws Exception {
    try (CloseableIterable<FileScanTask> planned = catalog.loadTable(table).newScan().planFiles()) {
      return StreamSupport.stream(planned.spliterator(), false)
          .map(task -> Map.<String, Object>of(
              "file", task.file().location(),
              "deletes", task.deletes().stream().map(delete -> delete.location()).collect(Collectors.toList())))
          .collect(Collectors.toList());
    }
  }

  /** Returns the properties of the files, and the keys of the S3 client that would open the metadata file. */
  static Map<String, String> fileProperties(Table loaded) {
    FileIO files = loaded.io();
    Map<String, String> found = new HashMap<>(files.properties());
    String location = ((BaseTable) loaded).operations().current().metadataFileLocation();
    if (location != null && location.startsWith("s3:")) {
      var keys = ((S3FileIO) files).client(location).serviceClientConfiguration().credentialsProvider().resolveIdentity().join();
      found.put("s3.access-key-id", keys.accessKeyId());
    }
    return found;
  }

  List<Object> filePropertiesRepeatedly() throws Exception {
    Table loaded = catalog.loadTable(table);
    return repeatedly(() -> fileProperties(loaded));
  }

  /** Returns the signatures that the signer of S3FileIO gets for requests that read the metadata file. */
  List<Object> signRepeatedly() throws Exception {
    Table loaded = catalog.loadTable(table);
    String[] location = ((BaseTable) loaded).operations().current().metadataFileLocation().split("/", 4);
    SdkHttpFullRequest read = SdkHttpFullRequest.builder().method(SdkHttpMethod.GET)
        .uri(URI.create("https://" + location[2] + ".s3." + Region.EU_CENTRAL_1 + ".amazonaws.com/" + location[3])).build();
    ExecutionAttributes how = new ExecutionAttributes()
        .putAttribute(AwsSignerExecutionAttribute.AWS_CREDENTIALS, AnonymousCredentialsProvider.create().resolveCredentials())
        .putAttribute(AwsSignerExecutionAttribute.SERVICE_SIGNING_NAME, "s3")
        .putAttribute(AwsSignerExecutionAttribute.SIGNING_REGION, Region.EU_CENTRAL_1);
    try (S3V4RestSignerClient signer = S3V4RestSignerClient.create(loaded.io().properties())) {
      return repeatedly(() -> signer.sign(read, how).firstMatchingHeader("Authorization").orElse(null));
    }
  }

  <B extends VersionBuilder<B>> B query(VersionBuilder<B> version) {
    return version.withSchema(new Schema(ID)).withDefaultNamespace(namespace).withQuery("spark", text("sql"));
  }

  void createView() {
    query(catalog.buildView(view)).create();
  }

  Map<String, String> loadView() {
    View loaded = catalog.loadView(view);
    String sql = loaded.currentVersion().representations().stream()
        .filter(SQLViewRepresentation.class::isInstance).map(one -> ((SQLViewRepresentation) one).sql()).findFirst().orElseThrow();
    return Map.of("uuid", loaded.uuid().toString(), "sql", sql);
  }

  static Map<String, Object> answer(JsonNode asked) {
    Map<String, Object> answer = new HashMap<>();
    String name = asked.get("task").asText();
    Client client = new Client(asked.get("arguments"));
    Task task = client.tasks.get(name);
    if (task == null) {
      return Map.of("not_offered", true);
    }
    try (client.catalog) {
      client.open(name);
      answer.put("result", task.run());
      return answer;
    } catch (Exception error) {
      return Map.of("error", Map.of("type", error.getClass().getSimpleName(), "message", messages(error)));
    }
  }

  /** Returns the messages of an error and of its causes, as a stack trace has them. */
  static String messages(Throwable error) {
    String cause = error.getCause() == null ? "" : "; caused by " + messages(error.getCause());
    return error.getMessage() + cause;
  }

  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode asked = JSON.readTree(line);
      System.out.println(JSON.writeValueAsString(answer(asked)));
      if (asked.get("task").asText().equals("sign-repeatedly")) {
        break; // the signer keeps its sessions in the process
      }
    }
    System.exit(0); // threads of the client may still wait
  }
}
