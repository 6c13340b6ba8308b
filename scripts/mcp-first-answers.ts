/**
 * Writes dist/mcp-first-answers.json: what the protocol's library answers to the first questions of every client, for `pm mcp` to
 * answer before it loads the library (src/faces/mcp/server/greet.ts).
 */
import { writeFileSync } from "node:fs";
import {
  CLIENT_CAPABILITIES_META_KEY,
  InMemoryTransport,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "../src/faces/mcp/server/server.ts";

type Answers = Record<string, object>;

/** Requests of one client, answered in turn. */
async function ask(requests: readonly { method: string; params: object }[]): Promise<Answers> {
  const [client, server] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => createServer({ cwd: "/", isAcross: false }), { transport: server });
  const answers: Answers = {};
  for (const [id, { method, params }] of requests.entries()) {
    const answer = new Promise<JSONRPCMessage>((resolve) => {
      client.onmessage = resolve;
    });
    await client.send({ jsonrpc: "2.0", id, method, params } as JSONRPCMessage);
    const message = await answer;
    if (!("result" in message)) throw new Error(`${method}: ${JSON.stringify(message)}`);
    answers[method] = message.result;
  }
  await handle.close();
  return answers;
}

/** What depends on neither the project nor the memory. */
const fixed = ["tools/list", "prompts/list", "resources/templates/list"];
const clientInfo = { name: "build", version: "1" };
const withSession = (protocolVersion: string) =>
  ask([
    { method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } },
    ...fixed.map((method) => ({ method, params: {} })),
  ]);
const modern = "2026-07-28";
const _meta = { [PROTOCOL_VERSION_META_KEY]: modern, [CLIENT_CAPABILITIES_META_KEY]: {} };
const answers = {
  ...Object.fromEntries(
    await Promise.all(
      SUPPORTED_PROTOCOL_VERSIONS.map(async (version) => [version, await withSession(version)] as const),
    ),
  ),
  [modern]: await ask(["server/discover", ...fixed].map((method) => ({ method, params: { _meta } }))),
};
writeFileSync(new URL("../dist/mcp-first-answers.json", import.meta.url), JSON.stringify(answers));
