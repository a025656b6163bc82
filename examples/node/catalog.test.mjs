// node --test: the server in one line.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";

const server = spawn("lakepact", ["serve", "--port", "0", "--warehouse", "memory:"]);
const url = String((await once(server.stdout, "data"))[0]).trim();
test.after(() => server.kill());

test("a namespace is listed after its creation", async () => {
  const body = JSON.stringify({ namespace: ["sales"] });
  const created = await fetch(`${url}/v1/namespaces`, { method: "POST", body, headers: { "Content-Type": "application/json" } });
  assert.equal(created.status, 200);
  const listed = await (await fetch(`${url}/v1/namespaces`)).json();
  assert.deepEqual(listed.namespaces, [["sales"]]);
});
