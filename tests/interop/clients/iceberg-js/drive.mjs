// Drives iceberg-js against the REST catalog at the address that is its argument, and tells each step as it goes:
// "ok", or "FAIL" with the reason, and the name of the step, with tabs between them. It touches no table files.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { IcebergError, IcebergRestCatalog } from 'iceberg-js'

const baseUrl = process.argv[2]
const opened = (more) => new IcebergRestCatalog({ baseUrl, auth: { type: 'none' }, ...more })
const catalog = opened()
const mine = `js_${randomUUID().slice(0, 8)}`
const ns = { namespace: [mine] }
const missing = { namespace: [`${mine}_missing`] }
const named = (name) => ({ ...ns, name })
const known = {} // what later steps need of earlier ones

const columns = [
  { id: 1, name: 'id', type: 'long', required: true },
  { id: 2, name: 'name', type: 'string', required: false },
  { id: 3, name: 'day', type: 'date', required: false },
  { id: 4, name: 'tags', type: { type: 'list', 'element-id': 5, element: 'string', 'element-required': false }, required: false },
]
const schema = (id, ...more) => ({ type: 'struct', 'schema-id': id, 'identifier-field-ids': [1], fields: [...columns, ...more] })
const creation = (name) => ({
  name,
  schema: schema(0),
  'partition-spec': { 'spec-id': 0, fields: [{ 'source-id': 3, 'field-id': 1000, name: 'day', transform: 'identity' }] },
  'write-order': { 'order-id': 0, fields: [] },
  properties: { 'made-by': 'js' },
})

// The call fails with this status, and the server calls the failure so.
const refused = (status, kind, call) => async () => {
  const error = await call().then(() => assert.fail('it was not refused'), (thrown) => thrown)
  assert.ok(error instanceof IcebergError, String(error))
  assert.deepEqual({ status: error.status, kind: error.icebergType }, { status, kind })
}
const gives = (wanted, call) => async () => assert.deepEqual(await call(), wanted)
const paged = async (list, part) => {
  const seen = []
  for (let pageToken = ''; pageToken !== undefined && pageToken !== null; ) {
    const page = await list(pageToken)
    seen.push(...page[part])
    assert.ok(seen.length < 1000, 'the pages do not end')
    pageToken = page.nextPageToken || undefined
  }
  return seen
}

const namespaces = {
  'load config': async () => assert.ok((await catalog.loadConfig()).overrides),
  'create namespace': () => catalog.createNamespace(ns, { properties: { 'made-by': 'js' } }),
  'create namespace if not exists': () => catalog.createNamespaceIfNotExists(ns),
  'create existing namespace is 409': refused(409, 'AlreadyExistsException', () => catalog.createNamespace(ns)),
  'namespace exists': gives(true, () => catalog.namespaceExists(ns)),
  'absent namespace does not exist': gives(false, () => catalog.namespaceExists(missing)),
  'load namespace': async () => assert.equal((await catalog.loadNamespaceMetadata(ns)).properties['made-by'], 'js'),
  'load absent namespace is 404': refused(404, 'NoSuchNamespaceException', () => catalog.loadNamespaceMetadata(missing)),
  'update namespace properties': gives({ updated: ['team'], removed: ['made-by'], missing: ['absent'] }, () =>
    catalog.updateNamespaceProperties(ns, { updates: { team: 'a' }, removals: ['made-by', 'absent'] })),
  'update and remove the same property is 422': refused(422, 'UnprocessableEntityException', () =>
    catalog.updateNamespaceProperties(ns, { updates: { a: '1' }, removals: ['a'] })),
  'list namespaces': async () => assert.ok((await catalog.listNamespaces()).namespaces.some((one) => one.namespace[0] === mine)),
  'list namespaces, one per page': async () => {
    const seen = (await paged((pageToken) => catalog.listNamespaces({ pageSize: 1, pageToken }), 'namespaces')).map(String)
    assert.equal(new Set(seen).size, seen.length)
  },
}

const tables = {
  'create table': async () => assert.equal((await catalog.createTableResult(ns, creation('events'))).metadata.properties['made-by'], 'js'),
  'create existing table is 409': refused(409, 'AlreadyExistsException', () => catalog.createTable(ns, creation('events'))),
  'create table if not exists': async () => assert.ok((await catalog.createTableIfNotExists(ns, creation('events')))['table-uuid']),
  'create table in absent namespace is 404': refused(404, 'NoSuchNamespaceException', () => catalog.createTable(missing, creation('t'))),
  'table exists': gives(true, () => catalog.tableExists(named('events'))),
  'absent table does not exist': gives(false, () => catalog.tableExists(named('missing'))),
  'load table': async () => {
    const loaded = await catalog.loadTableResult(named('events'))
    Object.assign(known, { table: loaded.metadata, etag: loaded.etag })
    assert.equal(loaded.metadata.schemas[0].fields.length, columns.length)
  },
  'load absent table is 404': refused(404, 'NoSuchTableException', () => catalog.loadTable(named('missing'))),
  'load with ETag gives 304': async () => {
    assert.ok(known.etag, 'the table came without an ETag')
    assert.equal(await catalog.loadTable(named('events'), { ifNoneMatch: known.etag }), null)
  },
  'load with snapshots=refs': async () => assert.ok(await catalog.loadTable(named('events'), { snapshots: 'refs' })),
  'load with vended-credentials asked for': async () =>
    assert.ok((await opened({ accessDelegation: ['vended-credentials'] }).loadTableResult(named('events'))).metadata),
}

const commits = {
  'commit: set-properties': async () => {
    const committed = await catalog.commitTable(named('events'), {
      requirements: [{ type: 'assert-table-uuid', uuid: known.table['table-uuid'] }],
      updates: [{ action: 'set-properties', updates: { color: 'blue' } }],
    })
    assert.equal(committed.metadata.properties.color, 'blue')
  },
  'commit: add-schema and set-current-schema': async () => {
    const added = schema(1, { id: 6, name: 'extra', type: 'int', required: false })
    const committed = await catalog.updateTable(named('events'), {
      requirements: [{ type: 'assert-current-schema-id', 'current-schema-id': 0 }],
      updates: [{ action: 'add-schema', schema: added }, { action: 'set-current-schema', 'schema-id': -1 }],
    })
    assert.equal(committed.metadata['current-schema-id'], 1)
  },
  'commit on a stale requirement is 409': refused(409, 'CommitFailedException', () =>
    catalog.commitTable(named('events'), {
      requirements: [{ type: 'assert-current-schema-id', 'current-schema-id': 0 }],
      updates: [{ action: 'set-properties', updates: { a: 'b' } }],
    })),
  'old ETag no longer gives 304': async () => assert.ok(await catalog.loadTable(named('events'), { ifNoneMatch: known.etag })),
}

const moves = {
  'list tables': gives(['events'], async () => (await catalog.listTables(ns)).identifiers.map((one) => one.name)),
  'rename table': () => catalog.renameTable({ source: named('events'), destination: named('renamed') }),
  'rename absent table is 404': refused(404, 'NoSuchTableException', () =>
    catalog.renameTable({ source: named('missing'), destination: named('x') })),
  'list tables, two per page': async () => {
    const made = ['page1', 'page2', 'page3']
    for (const name of made) await catalog.createTable(ns, creation(name))
    const seen = await paged((pageToken) => catalog.listTables(ns, { pageSize: 2, pageToken }), 'identifiers')
    assert.deepEqual(seen.map((one) => one.name).sort(), [...made, 'renamed'])
    for (const name of made) await catalog.dropTable(named(name))
  },
  'drop namespace with a table is 409': refused(409, 'NamespaceNotEmptyException', () => catalog.dropNamespace(ns)),
  'drop table, then register its metadata': async () => {
    const { 'metadata-location': location } = await catalog.loadTableResult(named('renamed'))
    await catalog.dropTable(named('renamed'))
    const back = await catalog.registerTable(ns, { name: 'back', 'metadata-location': location })
    assert.equal(back['table-uuid'], known.table['table-uuid'])
  },
  'drop table with purge': () => catalog.dropTable(named('back'), { purge: true }),
  'drop absent table is 404': refused(404, 'NoSuchTableException', () => catalog.dropTable(named('back'))),
  'nested namespace': async () => {
    const outer = { namespace: [`${mine}_outer`] }
    const inner = { namespace: [...outer.namespace, 'inner'] }
    await catalog.createNamespace(outer)
    await catalog.createNamespace(inner)
    assert.deepEqual((await catalog.listNamespaces({ parent: outer })).namespaces.map((one) => one.namespace), [inner.namespace])
    await catalog.createTable(inner, creation('deep'))
    assert.ok(await catalog.loadTable({ ...inner, name: 'deep' }))
    await catalog.dropTable({ ...inner, name: 'deep' })
    await catalog.dropNamespace(inner)
    await catalog.dropNamespace(outer)
  },
  'drop namespace': () => catalog.dropNamespace(ns),
  'drop absent namespace is 404': refused(404, 'NoSuchNamespaceException', () => catalog.dropNamespace(ns)),
}

for (const [name, body] of Object.entries({ ...namespaces, ...tables, ...commits, ...moves })) {
  try {
    await body()
    console.log(`ok\t${name}`)
  } catch (error) {
    console.log(`FAIL\t${name}\t${error.message.replaceAll('\n', ' ')}`)
  }
}
