import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claude } from "../../src/agents/claude/claude.ts";
import { changeMemory } from "../../src/answers/changing.ts";
import { reindexProject } from "../../src/answers/reindex.ts";
import { needsDaemon, run } from "../../src/answers/run.ts";
import { PommelError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { PageAccess } from "../../src/daemon/http/page.ts";
import { checkRequests, createServer } from "../../src/daemon/http/server.ts";
import { makeDaemonRecord } from "../../src/daemon/lifecycle/port.ts";
import { commandsRunByDaemon } from "../../src/faces/cli/forward.ts";
import { runCommandLine } from "../../src/faces/cli/run-command-line.ts";
import { type OperationName, operations } from "../../src/features/index.ts";
import type { DaemonRecord } from "../../src/protocol/daemon-record.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { NotRunByDaemon } from "../../src/terminal/frame.ts";
import { nameProject } from "../support/named-project.ts";
import { temporaryGit } from "../support/repository-fixture.ts";
import { transcript } from "../support/transcript-fixture.ts";
import { Mutator } from "./mutate.ts";
import type { Tally } from "./tally.ts";

interface FuzzOptions {
  seed: number;
  deadline: number;
}

/** A small project with code, history and a session. */
export async function projectToAsk(): Promise<{ project: Project; remove(): void }> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-fuzz-")));
  const git = temporaryGit(dir);
  const cart = "export function total(cart) {\n  return cart.length;\n}\n";
  git.commit("By hand", { ".gitignore": ".pommel/\n", "src/cart.ts": cart });
  git.commit("Count", { "src/cart.ts": `${cart}export const cents = 100;\n`, "docs/a b.md": "# Cart\n" });
  const project = makeNewProject(dir);
  nameProject(project);
  await reindexProject(project, [], {});
  const session = transcript({ session: "fuzz", cwd: dir });
  session.prompt("Add a total to the cart\nnote to pommel: totals are in cents");
  session.edit(join(dir, "src/cart.ts"), "[]", "export const cents = 100;");
  session.bash("npm test", "1 passed");
  session.reply("We chose cents, because floats round.");
  const file = session.writeTo(join(dir, ".pommel"));
  await changeMemory(project, (work) => ingestTranscript({ ...work, agent: claude }, file), {
    create: true,
  });
  return { project, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

const examples: Partial<Record<OperationName, object>> = {
  search: { q: "where is the total", limit: 3, path: "src", language: "ts" },
  searchTranscripts: { q: "cents", limit: 3, since: "yesterday", file: "src/*.ts" },
  searchHistory: { q: "count", limit: 3 },
  searchAll: { q: "cart" },
  sessions: { limit: 3, since: "2020-01-01", branch: "main" },
  session: { id: "fuzz", turn: 1 },
  turns: { id: "fuzz", from: 1, limit: 2 },
  annotations: { q: "cents", limit: 3 },
  decisions: { q: "cents", file: ["src/cart.ts"], since: "last week" },
  related: { q: "total", file: ["src/cart.ts"] },
  why: { file: "src/cart.ts", first_line: 1, last_line: 4, rev: "HEAD" },
  blame: { file: "src/cart.ts", first_line: 1, last_line: 2, rev: "HEAD~1" },
  stats: { path: ["src"], since: "2020-01-01" },
  checkpoints: { limit: 3, file: "src/cart.ts" },
  checkpoint: { id: "HEAD" },
  compare: { from: "HEAD~1", to: "HEAD" },
  rewindPreview: { target: "HEAD~1", patch: true },
  events: { limit: 3 },
  event: { event: "1" },
  injections: { session: "fuzz", limit: 1 },
};

/** Sends mutated requests to the daemon's HTTP server, whose operations are the real ones. */
export async function fuzzRequests(
  tally: Tally,
  cases: number,
  project: Project,
  { seed, deadline }: FuzzOptions,
): Promise<void> {
  let record: DaemonRecord | null = null;
  let logged = "";
  const server = createServer({
    record: () => record,
    answer: checkRequests(async (_place, operation, request, signal) => {
      if (needsDaemon(operation)) throw new PommelError("not_found", "Not here.");
      return run(operation, operation.of === "machine" ? null : project, request, { signal });
    }),
    isSocket: false,
    pages: new PageAccess(),
    pageDir: join(project.root, "ui"),
    onRequest: () => {},
    log: {
      ...silentLog,
      error: (text) => {
        logged = text;
      },
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  record = makeDaemonRecord(port, { mode: "gentle", deadline_ms: 300, places: {} });
  const { token } = record;
  try {
    for (let at = seed; tally.cases < cases && performance.now() < deadline; at++) {
      const mutator = new Mutator(at);
      const { url, init } = request(mutator, token);
      logged = "";
      tally.cases++;
      await tally.attempt(
        at,
        async () => {
          const response = await fetch(`http://127.0.0.1:${port}${url}`, init);
          const text = await response.text();
          tally.shown(at, text, false);
          if (response.status >= 500 && !/"code":"(?:no_memory|not_indexed|unreadable)"/.test(text))
            throw new Error(`${init.method} ${url} ${init.body ?? ""}: ${text} ${logged}`);
          if (response.headers.get("content-type")?.includes("json")) JSON.parse(text);
        },
        // What no client can send.
        (error) => error instanceof TypeError && /URL|header|fetch failed|method/i.test(error.message),
      );
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function request(mutator: Mutator, token: string): { url: string; init: RequestInit } {
  const name = mutator.pick(Object.keys(examples)) as OperationName;
  const { methods, path } = operations.get(name)!;
  const [method] = methods as ["GET" | "POST"];
  let given: unknown = examples[name];
  for (let left = mutator.below(3); left >= 0; left--) given = mutator.json(given);
  const fields: [string, unknown][] =
    typeof given === "object" && given !== null ? Object.entries(given) : [["q", given]];
  // Bytes that a URL can hold.
  const asText = (value: unknown) =>
    Buffer.from(typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toString();
  const url = path.replace(/:(\w+)/, (_, field: string) =>
    encodeURIComponent(asText(new Map(fields).get(field) ?? "x")),
  );
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (mutator.chance(0.02)) headers[mutator.pick(["origin", "cookie", "authorization"])] = "http://evil.test";
  if (method === "POST" && mutator.chance(0.7)) {
    const body = JSON.stringify(given) ?? "";
    return { url, init: { method, headers, body: mutator.chance(0.1) ? mutator.text(body) : body } };
  }
  const query = fields.map(([key, value]): [string, string] => [key, asText(value).slice(0, 4000)]);
  const text = new URLSearchParams(query).toString();
  return {
    url: `${url}?${mutator.chance(0.05) ? mutator.text(text).replace(/[^\x21-\x7e]/g, "x") : text}`,
    init: { method: "GET", headers },
  };
}

const wordOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const commandLines = [
  "search code where is the total --limit 3 --path src --language ts",
  "search sessions cents --since yesterday --file src/*.ts",
  "search all cart",
  "search history count",
  "sessions --limit 3 --since 2020-01-01 --branch main",
  "session fuzz --turn 1",
  "notes cents --limit 2",
  "decisions cents --since lastweek",
  "related total --file src/cart.ts",
  "why src/cart.ts:1-4",
  "blame src/cart.ts --rev HEAD~1",
  "stats --since 2020-01-01",
  "checkpoint list --limit 2",
  "checkpoint show HEAD",
  "checkpoint diff HEAD~1 HEAD --patch",
  "event list",
  "event show 1",
  "context --session fuzz",
  "queue",
  "help search",
  "rewind HEAD~1",
  "forget --session fuzz",
  "config get search.limit",
  "--version",
];

/** Runs mutated command lines as the daemon does for `pm`. */
export async function fuzzCommandLines(
  tally: Tally,
  cases: number,
  project: Project,
  { seed, deadline }: FuzzOptions,
): Promise<void> {
  const words = [
    ...[...commandsRunByDaemon].flatMap((name) => name.split(" ")),
    "--json",
    "-n",
    "--limit",
    "--no-color",
    "--",
    "-C",
  ];
  for (let at = seed; tally.cases < cases && performance.now() < deadline; at++) {
    const mutator = new Mutator(at);
    const args = mutator.pick(commandLines).split(" ");
    for (let left = mutator.below(3); left >= 0; left--) {
      const place = mutator.below(args.length + 1);
      const word = mutator.chance(0.2) ? mutator.pick(words) : wordOf(mutator.value(args[place] ?? "x"));
      args.splice(place, mutator.below(2), word);
    }
    tally.cases++;
    await tally.attempt(
      at,
      async () => {
        const output: string[] = [];
        const code = await runCommandLine(args, {
          cwd: project.root,
          isRemote: true,
          streams: {
            write: (_, text) => void output.push(text),
            show: (text) => void output.push(text),
            hasColor: () => false,
            hasLinks: false,
            columns: mutator.pick([undefined, 20, 80]),
          },
        });
        tally.shown(at, output.join(""), !args.includes("--json"));
        const text = output.join("");
        if (!(code >= 0 && code <= 5) || /"code":\s*"internal"|^error: internal/m.test(text))
          throw new Error(`${JSON.stringify(args)} ended with ${code}: ${text}`);
      },
      (error) => error instanceof NotRunByDaemon,
    );
  }
}
