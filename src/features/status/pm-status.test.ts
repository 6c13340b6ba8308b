import { describe, expect, it, test } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { measureWidth } from "../../base/text/display-width.ts";
import type { Screen } from "../../terminal/output.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { renderDashboard } from "./dashboard.ts";
import type { StatusResponse } from "./operation.ts";
import { formatVanishing, listUnfinished, wordSkipped, wordStatus } from "./words.ts";

const screen = screenOf();
const renderStatus = (status: StatusResponse, on: Screen) =>
  renderDocument(wordStatus(status), { screen: on });

const vanishing = {
  agent: "claude",
  title: "Claude Code",
  days: 30,
  setting: "cleanupPeriodDays",
  source: null,
  sessions: 14,
  stored: 12,
  kept: 0,
  within_days: 7,
  first_at: "2026-03-02T09:00:00.000Z",
};

const busy: StatusResponse = {
  version: "1.2.3",
  project: "/home/ada/engine",
  daemon: {
    running: true,
    has_open: true,
    pid: 42,
    port: 17_423,
    uptime_seconds: 192,
    memory_bytes: 85_000_000,
  },
  index: {
    total_files: 847,
    total_chunks: 12_453,
    last_indexed: new Date(Date.now() - 120_000).toISOString(),
    pending_changes: 3,
    languages: { go: { files: 1, chunks: 1 }, typescript: { files: 846, chunks: 12_452 } },
    partly_parsed: 2,
    skipped: { total: 5, by_reason: { too_large: 2, binary: 3 } },
  },
  health: { status: "healthy", embedding_model: "none", database: "connected", query_ms: 2.1 },
  queue: {
    pending: 3,
    done: 844,
    total: 847,
    processing: "src/a.ts",
    rate_chunks_per_sec: 42.3,
    eta_seconds: 8,
    is_idle: false,
    code_is_idle: false,
    last_error: null,
    recent: [
      { path: "src/b.ts", chunks: 8, took_ms: 200, skipped: null, at: new Date().toISOString() },
      { path: "id_rsa", chunks: 0, took_ms: 1, skipped: "secret", at: new Date().toISOString() },
    ],
  },
  storage: {
    index_bytes: 5_000_000,
    fts_bytes: 3_000_000,
    vector_bytes: 900_000,
    log_bytes: 2000,
    total_bytes: 5_002_000,
  },
  models: {
    embedding_code: "ollama/nomic-embed-text",
    code: [
      {
        id: "static-1",
        dimensions: 256,
        state: "ready",
        message: null,
        chunks_total: 12_453,
        chunks_embedded: 12_450,
        chunks_missing: 3,
        chunks_pending: 0,
        eta_seconds: null,
        usage: null,
      },
      {
        id: "ollama/nomic-embed-text",
        dimensions: 768,
        state: "embedding",
        message: null,
        chunks_total: 12_453,
        chunks_embedded: 3000,
        chunks_missing: 0,
        chunks_pending: 9453,
        eta_seconds: 190,
        usage: null,
      },
    ],
    embedding_text: "none",
    text: [],
  },
  memory: {
    captures: true,
    sessions: 12,
    agents: { claude: 10, codex: 2 },
    turns: 340,
    chunks: 1204,
    annotations: 3,
    summaries: 14,
    commits: 12,
    checkpoints: 3,
    commits_waiting: 0,
    last_updated: new Date(Date.now() - 120_000).toISOString(),
    problem: null,
    bytes: 34_000_000,
    growth_30d_bytes: 2_000_000,
    context: {
      mode: "gentle",
      injections: 40,
      tokens: 9000,
      injections_30d: 12,
      tokens_30d: 2900,
      missed_30d: 1,
    },
    vanishing: [vanishing],
    needs_scrubbing: false,
    recut: { sessions: 0, all: 12 },
    llm: {
      model: "ollama/llama3.1:8b",
      tokens_today: 1200,
      daily_tokens: 200_000,
      dollars_today: 0,
      problem: null,
    },
    jobs: {
      pending: 2,
      waiting: [{ kind: "transcript", jobs: 2 }],
      running: [{ kind: "transcript", subject: "/t/a.jsonl", done: 30, total: 100, waits_for: null }],
      dead: [{ id: 1, kind: "transcript", subject: "/t/b.jsonl", attempts: 9, error: "It is not there." }],
      rate_chunks_per_sec: 120.5,
      eta_seconds: 9,
      is_idle: false,
      recent: [],
    },
  },
  notes: ["Watching by polling."],
};

test("shows a daemon at work", () => {
  expect(renderStatus(busy, screen)).toBe(
    `Pommel 1.2.3 - running (PID 42, port 17423, up 3m 12s, 85.0 MB of memory)
/home/ada/engine

Code index
  Files:          847
  Chunks:         12,453
  Last indexed:   2 minutes ago
  Partly parsed:  2 files that the grammar could not read completely
  Skipped:        5 (2 too large, 3 binary)
  Languages:      typescript: 846 files, 12,452 chunks
                  go: 1 file, 1 chunk

Queue
  Pending:     3 files
  Processing:  src/a.ts
  Done:        844 of 847 files
  Rate:        42.3 chunks/s
  Time left:   about 8 s
  Recent:      src/b.ts (8 chunks, 200 ms) just now
               id_rsa (skipped: secret, 1 ms) just now

Sessions and commits
  Sessions:      12 (340 turns; claude 10, codex 2)
  Chunks:        1,204
  Notes:         3
  Summaries:     14
  Commits:       12 (3 checkpoints)
  Last session:  2 minutes ago
  Expiring:      14 sessions expire in Claude Code within 7 days; 12 are imported. Transcripts are being read now.
  Queue:         2 jobs pending, 120.5 chunks/s, about 9 s left
  Running:       transcript /t/a.jsonl 30 %
  Context:       gentle; injected 12 times in 30 days, about 2,900 tokens; 1 answer came too late (\`pm session context\`)
  Failed:        1 job; the first: It is not there.
                 \`pm daemon queue\` lists them, \`pm daemon queue retry\` retries them
  Storage:       34.0 MB, +2.0 MB in 30 days
  Summaries by:  ollama/llama3.1:8b, 1,200 of 200,000 tokens today, $0.0000

Models
  Code:  static-1: 12,450 of 12,453 chunks embedded, 3 by words only
         ollama/nomic-embed-text: 3,000 of 12,453 chunks embedded, about 3m 10s left
  Text:  none: search uses words

Storage
  Index:  5.0 MB, 3.0 MB of it full text, 900.0 kB vectors
  Logs:   2.0 kB

Health
  ✓ works, a query took 2.1 ms just now

Notes
  ! Watching by polling.`,
  );
});

test("says how much of the memory vectors are: a byte for each dimension", () => {
  const text = [{ ...busy.models.code[0]!, chunks_embedded: 1000, dimensions: 256 }];
  expect(renderStatus({ ...busy, models: { ...busy.models, text } }, screen)).toContain(
    "34.0 MB, 256.0 kB of it vectors, +2.0 MB in 30 days",
  );
});

test("has no queue and says how to start when nothing runs", () => {
  const daemon = {
    running: false,
    has_open: false,
    pid: null,
    port: null,
    uptime_seconds: null,
    memory_bytes: null,
  };
  const shown = renderStatus({ ...busy, daemon, notes: [] }, screen);
  expect(shown).toContain("Pommel 1.2.3 - daemon: not running in /home/ada/engine");
  expect(shown).toContain("pm daemon start");
  expect(shown).not.toContain("Queue");
  expect(shown).toContain("Pending:       2 jobs; no daemon works on them now");
  expect(shown).not.toContain("polling");
  expect(shown).toContain("Searches still work");
  const health = { ...busy.health, status: "failing" as const, database: "unreadable" as const };
  expect(renderStatus({ ...busy, daemon, health }, screen)).not.toContain("Searches still work");
});

test("says what is wrong with the memory, or that nothing is remembered", () => {
  const shown = (memory: Partial<StatusResponse["memory"]>) =>
    renderStatus({ ...busy, memory: { ...busy.memory, ...memory } }, screen);
  expect(shown({ problem: "memory.db is damaged." })).toContain("Problem:  memory.db is damaged.\n\nModels");
  const idle = { ...busy.memory.jobs, pending: 0, waiting: [], running: [], dead: [], is_idle: true };
  expect(shown({ jobs: idle })).toContain("12 are imported. Import the rest: `pm import claude`");
  expect(shown({ sessions: 0, annotations: 0, jobs: idle, vanishing: null })).toContain(
    "Sessions:  none recorded yet\n\nModels",
  );
  const lost = { ...vanishing, sessions: 1, stored: 0 };
  expect(shown({ sessions: 0, annotations: 0, jobs: idle, vanishing: [lost] })).toContain(
    "1 session expires in Claude Code within 7 days; none is imported.",
  );
  expect(shown({ vanishing: [{ ...vanishing, stored: 14 }] })).not.toContain("Expiring:");
  expect(shown({ vanishing: [{ ...vanishing, kept: 2 }] })).not.toContain("Expiring:");
  expect(formatVanishing({ ...vanishing, kept: 1 })).toBe(
    "14 sessions expire in Claude Code within 7 days; 12 are imported, 1 is kept until it is read.",
  );
  expect(shown({ jobs: idle })).toContain("Queue:         nothing to do");
  expect(shown({ needs_scrubbing: true })).toContain("is being scrubbed again");
  expect(shown({ recut: { sessions: 127, all: 272 } })).toContain("cutting 127 of 272 sessions again");
});

test("shows which part has failed", () => {
  const health = { ...busy.health, status: "failing" as const, database: "corrupt" as const, query_ms: null };
  expect(renderStatus({ ...busy, health }, screen)).toContain("✗ the database is corrupt");
});

test("says why nothing may be indexed where there is nothing left to do", () => {
  const health = { ...busy.health, status: "empty" as const };
  expect(renderStatus({ ...busy, health }, screen)).toContain("nothing is indexed yet");
  const queue = { ...busy.queue, code_is_idle: true };
  expect(renderStatus({ ...busy, health, queue }, screen)).toContain("ignores is left out");
});

test("does not say that all is well while a model that is set does not answer, or nothing is recorded", () => {
  const down = "Ollama at http://127.0.0.1:11434 does not answer.";
  const model = { ...busy.models.code[1]!, state: "unavailable" as const, message: down };
  const shown = renderStatus(
    {
      ...busy,
      health: { ...busy.health, status: "degraded" },
      models: { ...busy.models, code: [model], text: [model] },
      memory: { ...busy.memory, captures: false, llm: { ...busy.memory.llm, problem: down } },
    },
    screen,
  );
  expect(shown).toContain(`Health
  ✓ search works, a query took 2.1 ms just now
  ! ollama/nomic-embed-text is not used: ${down}
  ! ollama/llama3.1:8b is not used: ${down}
  ! Sessions are not recorded here: \`pm init\` turns it on, unless sessions.capture is false.`);
});

test("shows why a model is not used, and what one has cost", () => {
  const model = { ...busy.models.code[0]!, id: "openai/text-embedding-3-large" };
  const shown = renderStatus(
    {
      ...busy,
      models: {
        embedding_code: "openai",
        code: [
          {
            ...model,
            state: "unavailable",
            message: "https://api.openai.com/v1 does not answer.",
            usage: { requests: 2, tokens: 1234, dollars: 0.00016 },
          },
        ],
        embedding_text: "none",
        text: [],
      },
    },
    screen,
  );
  expect(shown).toContain(
    `chunks embedded, 3 by words only, unavailable
         https://api.openai.com/v1 does not answer.
         2 requests, 1,234 tokens, $0.0002 since the daemon started
`,
  );
  expect(
    renderStatus(
      { ...busy, models: { embedding_code: "none", code: [], embedding_text: "none", text: [] } },
      screen,
    ),
  ).toContain("none: search uses words and structure");
});

test("lists what is left out by reason, the most common first", () => {
  const files = [
    { path: "a.bin", reason: "binary" },
    { path: "b.sql", reason: "too_large" },
    { path: "c.sql", reason: "too_large" },
  ];
  expect(renderDocument(wordSkipped(files), { screen })).toBe(
    "too large (2)\n  b.sql\n  c.sql\n\nbinary (1)\n  a.bin",
  );
  expect(renderDocument(wordSkipped([]), { screen })).toBe("No files were skipped.");
});

test.each([
  [60, 20],
  [80, 24],
  [200, 60],
])("the dashboard fits on a screen of %d by %d", (columns, rows) => {
  const evil = `/t/\u001b[2J\u202e${"页面".repeat(90)}`;
  const jobs = {
    ...busy.memory.jobs,
    running: [{ kind: "transcript", subject: evil, done: 30, total: 100, waits_for: null }],
    recent: [
      {
        kind: "summary",
        subject: evil,
        outcome: "dead" as const,
        chunks: 1,
        took_ms: 1,
        at: vanishing.first_at,
      },
    ],
  };
  const status = { ...busy, memory: { ...busy.memory, jobs }, notes: [evil] };
  for (const { colors } of [screenOf(80), screenOf(80, { color: true })]) {
    const lines = renderDashboard(status, { columns, rows, colors, now: Date.now() });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) {
      expect(measureWidth(line)).toBeLessThanOrEqual(columns);
      expect(line.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
    const text = lines.join("\n");
    expect(text).toContain("Code index");
    expect(text).toContain("844 of 847 files");
    expect(text).toContain("q ends");
  }
});

describe("what is not finished", () => {
  const rested: StatusResponse = {
    ...busy,
    queue: { ...busy.queue, code_is_idle: true },
    models: { ...busy.models, code: [], text: [] },
    memory: {
      ...busy.memory,
      commits_waiting: 0,
      recut: { sessions: 0, all: 0 },
      jobs: { ...busy.memory.jobs, pending: 0, waiting: [], running: [], is_idle: true },
    },
  };

  it("is nothing where all is done", () => {
    expect(listUnfinished(rested)).toEqual([]);
  });

  it.each([
    [
      { ...rested, daemon: { ...rested.daemon, has_open: false } },
      "nothing watches the code for changes now",
    ],
    [
      { ...rested, queue: { ...rested.queue, code_is_idle: false, done: 3, total: 9 } },
      "indexing: 3 of 9 files",
    ],
    [{ ...rested, memory: { ...rested.memory, commits_waiting: 1281 } }, "1,281 commits not analysed yet"],
    [
      { ...rested, models: { ...rested.models, code: [{ ...busy.models.code[0]!, chunks_pending: 7 }] } },
      "7 chunks found only by their words so far",
    ],
  ])("is named (%#)", (status, said) => {
    expect(listUnfinished(status)).toEqual([said]);
  });
});
