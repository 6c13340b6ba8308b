import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { greet } from "./greet.ts";

const answers = {
  "2025-06-18": { initialize: { hello: "old" }, "tools/list": { tools: ["a"] } },
  "2026-07-28": { "server/discover": { hello: "new" }, "tools/list": { tools: ["b"] } },
};
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const clientInfo = { name: "test", version: "1" };
const initialize = line({
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
});
const initialized = line({ method: "notifications/initialized" });
const list = line({ id: "one", method: "tools/list" });
const call = line({ id: 2, method: "tools/call", params: { name: "code" } });

/** What is answered to these pieces of input, the last of which needs the library, and where that goes on. */
async function say(...pieces: string[]) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const greeted = greet(stdin, stdout, answers);
  for (const piece of pieces) {
    stdin.write(piece);
    await new Promise(setImmediate);
  }
  const { unread, answered } = await greeted;
  const said = (stdout.read() as Buffer | null)?.toString().trimEnd().split("\n") ?? [];
  return { said: said.map((one) => JSON.parse(one) as object), unread: unread.toString(), answered };
}

it("answers how a session is opened and what can be called, and leaves the first call to the library", async () => {
  const { said, unread, answered } = await say(initialize, initialized + list, call);
  expect(said).toEqual([
    { jsonrpc: "2.0", id: 0, result: { hello: "old" } },
    { jsonrpc: "2.0", id: "one", result: { tools: ["a"] } },
  ]);
  expect(unread).toBe(initialize + initialized + call);
  expect([...answered]).toEqual([0]);
});

it("reads lines that come in pieces, and passes on what is not whole", async () => {
  const half = initialize.length >> 1;
  const { said, unread } = await say(
    initialize.slice(0, half),
    initialize.slice(half),
    call + list.slice(0, 9),
  );
  expect(said).toHaveLength(1);
  expect(unread).toBe(initialize + call + list.slice(0, 9));
});

it("answers a client that opens no session by the version that each request names", async () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const discover = line({ id: 1, method: "server/discover", params: { _meta } });
  const listed = line({ id: 2, method: "tools/list", params: { _meta } });
  const { said, unread, answered } = await say(discover, listed, call);
  expect(said).toEqual([
    { jsonrpc: "2.0", id: 1, result: { hello: "new" } },
    { jsonrpc: "2.0", id: 2, result: { tools: ["b"] } },
  ]);
  expect([unread, answered.size]).toEqual([call, 0]);
});

it.each([
  ["an unknown version", initialize.replace("2025-06-18", "1999-01-01")],
  ["an opening without the client's name", initialize.replace("clientInfo", "client")],
  ["a list before the session is opened", list],
  ["a later page", line({ id: 1, method: "tools/list", params: { cursor: "x" } })],
  ["no JSON", "{\n"],
  ["another protocol", initialize.replace("2.0", "1.0")],
  ["an endless line", "x".repeat(70_000)],
])("leaves %s to the library", async (_, piece) => {
  const { said, unread, answered } = await say(piece);
  expect([said, answered.size]).toEqual([[], 0]);
  expect(unread).toBe(piece);
});
