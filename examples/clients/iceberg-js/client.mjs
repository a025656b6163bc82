// Tasks of `lakepact check-client` for iceberg-js.
//
//     npm install && lakepact check-client -- node client.mjs
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { IcebergRestCatalog } from 'iceberg-js'

const schema = {
  type: 'struct',
  'schema-id': 0,
  fields: [
    { id: 1, name: 'id', type: 'long', required: true },
    { id: 2, name: 'data', type: 'string', required: false },
  ],
}

async function pages(list, member) {
  const found = []
  let pageToken, before
  do {
    before = pageToken
    const page = await list(pageToken ? { pageToken } : {})
    found.push(...page[member])
    pageToken = page.nextPageToken
    if (pageToken && pageToken === before) throw new Error('the server repeats its token')
  } while (pageToken)
  return found
}

const tables = async (catalog, where) => (await pages((o) => catalog.listTables(where, o), 'identifiers')).map((t) => t.name)
const namespaces = async (catalog, more) => (await pages((o) => catalog.listNamespaces({ ...more, ...o }), 'namespaces')).map((n) => n.namespace)

async function described(catalog, id) {
  const metadata = await catalog.loadTable(id)
  return {
    uuid: metadata['table-uuid'],
    location: metadata.location,
    properties: metadata.properties ?? {},
    'snapshot-ids': (metadata.snapshots ?? []).map((s) => s['snapshot-id']),
    'current-snapshot-id': metadata['current-snapshot-id'] ?? null,
  }
}

async function commit(catalog, id, updates) {
  const table = await catalog.loadTable(id)
  await catalog.commitTable(id, { requirements: [{ type: 'assert-table-uuid', uuid: table['table-uuid'] }], updates })
}

async function repeatedly({ times, pause }, once) {
  const found = [await once()]
  for (let n = 1; n < times; n += 1) {
    await sleep(pause * 1000)
    found.push(await once())
  }
  return found
}

const tasks = {
  'list-namespaces': (c) => namespaces(c, {}),
  'list-child-namespaces': (c, _, __, given) => namespaces(c, { parent: { namespace: given.parent } }),
  'namespace-exists': (c, where) => c.namespaceExists(where),
  'create-namespace': async (c, where) => void (await c.createNamespace(where)),
  'load-namespace': async (c, where) => (await c.loadNamespaceMetadata(where)).properties ?? {},
  'set-namespace-properties': async (c, where, _, { updates, removals }) => void (await c.updateNamespaceProperties(where, { updates, removals })),
  'drop-namespace': (c, where) => c.dropNamespace(where),
  'list-tables': (c, where) => tables(c, where),
  'list-tables-repeatedly': (c, where, _, given) => repeatedly(given, () => tables(c, where).catch(() => null)),
  'table-exists': (c, _, id) => c.tableExists(id),
  'create-table': async (c, where, id) => void (await c.createTable(where, { name: id.name, schema })),
  'load-table': (c, _, id) => described(c, id),
  'load-table-repeatedly': (c, _, id, given) => repeatedly(given, () => described(c, id)),
  'set-properties': (c, _, id, { updates }) => commit(c, id, [{ action: 'set-properties', updates }]),
  'rename-table': (c, where, id, { to }) => c.renameTable({ source: id, destination: { ...where, name: to } }),
  'drop-table': (c, _, id) => c.dropTable(id),
  'register-table': async (c, where, id, given) =>
    void (await c.registerTable(where, { name: id.name, 'metadata-location': given['metadata-location'] })),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { task, arguments: given } = JSON.parse(line)
  let answer
  if (!tasks[task]) {
    answer = { not_offered: true }
  } else {
    try {
      const { token, warehouse } = given.properties
      const auth = token ? { type: 'bearer', token } : { type: 'none' }
      const catalog = new IcebergRestCatalog({ baseUrl: given.uri, auth, ...(warehouse && { warehouse }) })
      await catalog.loadConfig()
      const where = { namespace: given.namespace ?? [] }
      answer = { result: (await tasks[task](catalog, where, { ...where, name: given.table }, given)) ?? null }
    } catch (error) {
      answer = { error: { type: error.status ? `${error.name} ${error.status}` : error.name, message: String(error.message) } }
    }
  }
  console.log(JSON.stringify(answer))
}
