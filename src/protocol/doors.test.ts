import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { hostile, hostileTexts } from "../../test/support/hostile-texts.ts";
import { addSession, temporaryMemory } from "../../test/support/memory-fixture.ts";
import type { Agent, TranscriptInfo, TranscriptLine } from "../agents/agent.ts";
import { claude } from "../agents/claude/claude.ts";
import { agentNames, resumeProgram } from "../agents/profiles.ts";
import { wrapWithChecks } from "../agents/reading/checked.ts";
import { readTraces } from "../attribution/foreign/agent-trace.ts";
import { readAuthorshipLog } from "../attribution/foreign/git-ai.ts";
import { readMessage } from "../attribution/foreign/trailers.ts";
import { pickPayload } from "../faces/hooks/stdio.ts";
import { oldNames } from "../faces/mcp/old-names.ts";
import { operations } from "../features/index.ts";
import { tools } from "../features/tools.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { createLedger } from "../redact/scrubber.ts";
import { createRepeatedScrub, scrubLine } from "../sessions/scrub/scrub-lines.ts";
import { findOddValue, outsideColumns } from "../store/memory/outside-columns.ts";
import * as records from "../sync/records/records.ts";
import { payloadKinds } from "./hooks.ts";
import { cleanLabel, isValidAs, type OutsideKind, outsideKinds } from "./outside.ts";
import * as spoolItems from "./spool-items.ts";

/**
 * Every door through which texts come in, found by what declares it, gets the same hostile texts. A text of a new field is
 * either of a kind, or somebody has to say below that it is only read.
 */

interface Leaf {
  path: string;
  schema: z.core.$ZodType;
}

/** All texts in a shape, also those in keys. */
function* textsIn(schema: z.core.$ZodType, path: string): Generator<Leaf> {
  if (schema instanceof z.core.$ZodString || schema instanceof z.core.$ZodPipe) yield { path, schema };
  else if (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodCatch
  )
    yield* textsIn(schema._zod.def.innerType, path);
  else if (schema instanceof z.core.$ZodArray) yield* textsIn(schema._zod.def.element, `${path}[]`);
  else if (schema instanceof z.core.$ZodTuple) {
    for (const item of schema._zod.def.items) yield* textsIn(item, `${path}[]`);
  } else if (schema instanceof z.core.$ZodRecord) {
    yield* textsIn(schema._zod.def.keyType, `${path} key`);
    yield* textsIn(schema._zod.def.valueType, `${path}{}`);
  } else if (schema instanceof z.core.$ZodObject) {
    for (const [name, field] of Object.entries(schema._zod.def.shape))
      yield* textsIn(field, `${path}.${name}`);
    // Numbers, truth values, listed words, and what is passed on unread.
  } else
    expect(["number", "boolean", "enum", "literal", "unknown", "any", "null"]).toContain(
      schema._zod.def.type,
    );
}

const formatOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.format as OutsideKind | undefined;
const isOfKind = (schema: z.core.$ZodType) => outsideKinds.includes(formatOf(schema)!);

const shapes: Readonly<Record<string, z.core.$ZodType>> = {
  ...Object.fromEntries([...operations].map(([name, { request }]) => [`request ${name}`, request()])),
  ...Object.fromEntries(
    Object.entries({ ...tools, ...oldNames }).map(([name, { input }]) => [`tool ${name}`, input]),
  ),
  ...Object.fromEntries(
    Object.entries({ ...records, ...spoolItems }).map(([name, shape]) => [`record ${name}`, shape]),
  ),
};
const leaves = Object.entries(shapes).flatMap(([name, schema]) => [...textsIn(schema, name)]);

describe("shapes", () => {
  it("have a kind for every text that is not only read", () => {
    expect(leaves.filter(({ schema }) => isOfKind(schema)).length).toBeGreaterThan(150);
    const read = new Set(
      leaves.flatMap(({ path, schema }) =>
        isOfKind(schema) || schema._zod.def.type === "pipe"
          ? []
          : /[^. ]*$/.exec(path.replace(/\[\]$/, ""))![0],
      ),
    );
    expect([...read].sort()).toMatchSnapshot();
  });

  it("refuse what is none of their kind, and clean labels", () => {
    for (const { path, schema } of leaves) {
      for (const text of hostileTexts) {
        const { success, data } = z.safeParse(schema, text);
        if (isOfKind(schema))
          expect(`${path} ${success}`).toBe(`${path} ${isValidAs(formatOf(schema)!, text)}`);
        else if (schema._zod.def.type === "pipe") expect(data).toBe(cleanLabel("title", data as string));
      }
    }
  });
});

describe("a transcript", () => {
  const scrubber = createScrubber({ globalFile: "", projectFile: null, pii: false });
  const info = (session: string, more: Partial<TranscriptInfo> = {}): TranscriptInfo => ({
    session,
    parent: null,
    cwd: "/p",
    startedAt: null,
    ...more,
  });
  const lineOf = (text: string): TranscriptLine => ({
    uid: text,
    parentUid: text,
    at: 1,
    cwd: text,
    branch: text,
    model: text,
    usage: { messageId: text, model: text, input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    entries: [
      { kind: "title", text },
      { kind: "tool_use", id: text, tool: text, input: {}, files: [{ path: text, how: "edit" }] },
      {
        kind: "tool_result",
        id: text,
        text: "",
        isError: false,
        subagent: text,
        edits: [{ path: text, hunks: [], content: null }],
      },
    ],
  });
  const reader = (described: TranscriptInfo, lines: TranscriptLine[] = []): Agent =>
    wrapWithChecks({
      ...claude,
      describe: async () => described,
      async *read() {
        yield { lines, cursor: { offset: 0, lineHash: "" }, skipped: {} };
      },
    });

  it.each(hostile)("with %s as a session is refused by name, or it is one", async (_, text) => {
    const parent = { session: text, toolUse: text, agentType: text, task: text };
    for (const described of [info(text), info("s/a", { parent })]) {
      const told = await reader(described)
        .describe("/t.jsonl")
        .catch((error: unknown) => error);
      if (isValidAs("session", text)) expect(told).toMatchObject({ cwd: "/p" });
      else
        expect(told).toMatchObject({
          code: "transcript_refused",
          message: expect.stringContaining("/t.jsonl"),
        });
    }
    const forked = await reader(info("s", { cwd: text, forkedFrom: text })).describe("/t.jsonl");
    expect(forked?.forkedFrom).toBe(isValidAs("session", text) ? text : undefined);
    expect(isValidAs("place", forked!.cwd)).toBe(true);
  });

  it.each(hostile)("with %s in its lines has names and ids", async (_, text) => {
    for await (const batch of reader(info("s"), [lineOf(text), lineOf(text)]).read("/t.jsonl", null)) {
      expect(batch.lines).toHaveLength(2);
      const ledger = createLedger(Buffer.alloc(16));
      const lines = batch.lines.map((line) =>
        scrubLine(line, scrubber, ledger, new Map(), createRepeatedScrub(scrubber, ledger)),
      );
      const [{ uid, parentUid, cwd, branch, entries, usage, model }, again] = lines as [
        TranscriptLine,
        TranscriptLine,
      ];
      const ids = [uid, parentUid, usage!.messageId];
      const labels = [model!, usage!.model];
      for (const entry of entries) {
        if (entry.kind === "title") labels.push(entry.text);
        if (entry.kind === "tool_use") labels.push(entry.tool);
        if (entry.kind === "tool_use" || entry.kind === "tool_result") ids.push(entry.id);
        const paths =
          entry.kind === "tool_use" ? entry.files : entry.kind === "tool_result" ? entry.edits! : [];
        for (const { path } of paths) expect(isValidAs("place", path)).toBe(true);
      }
      for (const id of ids) expect(isValidAs("id", id!)).toBe(true);
      for (const label of labels) expect(cleanLabel("title", label)).toBe(label);
      expect(branch === null || isValidAs("branch", branch)).toBe(true);
      expect(cwd === null || isValidAs("place", cwd)).toBe(true);
      // So that a result still finds its call, and a line is stored once.
      expect(again.uid).toBe(uid);
    }
  });
});

it.each(hostile)("a hook's payload with %s everywhere keeps what fits", (_, text) => {
  const fields = Object.keys(payloadKinds) as (keyof typeof payloadKinds)[];
  const payload = pickPayload(Object.fromEntries(fields.map((field) => [field, text])));
  for (const field of fields)
    expect(payload[field]).toBe(isValidAs(payloadKinds[field], text) ? text : undefined);
});

describe("what other tools wrote about commits", () => {
  it("is read by these files alone", () => {
    const folder = new URL("../attribution/foreign/", import.meta.url);
    const readers = readdirSync(folder).filter(
      (name) => /\.ts$/.test(name) && !/test|types|foreign-notes/.test(name),
    );
    expect(readers.sort()).toEqual(["agent-trace.ts", "entire.ts", "git-ai.ts", "trailers.ts"]);
  });

  it.each(hostile)("with %s everywhere has names and ids", (_, text) => {
    const agent_id = { tool: text, id: text, model: text };
    const log = `${text}\n  s_1 1\n"${text}"\n  h_1 2\na.ts\n  s_1 1\n---\n${JSON.stringify({ schema_version: "authorship/3.0.0", sessions: { s_1: { agent_id } }, humans: { h_1: { author: text } } })}`;
    const conversation = {
      url: text,
      ranges: [{ start_line: 1, end_line: 1 }],
      contributor: { type: "ai", model_id: text },
    };
    const trace = {
      version: "0.1.0",
      vcs: { type: "git", revision: text },
      files: [text, "a.ts"].map((path) => ({ path, conversations: [conversation] })),
    };
    const { traces } = readTraces(JSON.stringify(trace));
    const lines = [...readAuthorshipLog(log), ...traces.flatMap(({ lines }) => lines)];
    for (const { path, session, tool, model, person } of lines) {
      expect(isValidAs("file", path)).toBe(true);
      expect(session === null || isValidAs("reference", session)).toBe(true);
      for (const label of [tool, model, person]) expect(label && cleanLabel("person", label)).toBe(label);
    }
    for (const { commit } of traces) expect(commit === null || isValidAs("commit", commit)).toBe(true);
    const said = readMessage(
      `author ${text} <aider@aider.chat>\n\nx\n\nEntire-Session: ${text}\nEntire-Checkpoint: ${text}\n`,
    );
    for (const session of said.entireSessions) expect(isValidAs("uid", session)).toBe(true);
    for (const { name } of said.coAuthors) expect(cleanLabel("person", name)).toBe(name);
  });
});

describe("a memory that somebody else may have written", () => {
  let kept: ReturnType<typeof temporaryMemory>;
  beforeEach(() => {
    kept = temporaryMemory();
  });
  afterEach(() => kept.remove());

  it("has a kind for every text that is not only read", () => {
    const { memory } = kept;
    const texts = memory.all<{ place: string }>(
      `SELECT t.name || '.' || c.name AS place FROM sqlite_master AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.type = 'TEXT' ORDER BY 1`,
    );
    const known = outsideColumns.map(({ table, column }) => `${table}.${column}`);
    const all = texts.map(({ place }) => place);
    expect(known.filter((place) => !all.includes(place))).toEqual([]);
    expect(all.filter((place) => !known.includes(place))).toMatchSnapshot();
  });

  it("is refused with an odd value in any of these columns", () => {
    const { memory } = kept;
    addSession(memory, "s", { branch: "main" });
    expect(findOddValue(memory)).toBeNull();
    const odd = `--\u001b${"x".repeat(5000)}`;
    memory.prepare("PRAGMA foreign_keys = OFF").run();
    for (const { table, column, isList } of outsideColumns) {
      memory.prepare("SAVEPOINT clean").run();
      const all = memory.all<{ name: string; type: string; pk: number }>(
        "SELECT name, type, pk FROM pragma_table_info(?) WHERE name <> 'id'",
        table,
      );
      const values = all.map(({ name, type }) => {
        if (name === column) return isList ? JSON.stringify([odd]) : odd;
        if (type !== "TEXT") return type === "BLOB" ? Buffer.alloc(0) : 1;
        const of = outsideColumns.find((one) => one.table === table && one.column === name);
        if (of === undefined || of.isList) return "[]";
        return of.kind === "commit" ? "a".repeat(40) : "a";
      });
      memory
        .prepare(
          `INSERT INTO ${table} (${all.map(({ name }) => name).join()}) VALUES (${all.map(() => "?").join()})`,
        )
        .run(...values);
      expect(findOddValue(memory)).toContain(`${table}.${column} holds`);
      memory.prepare("ROLLBACK TO clean").run();
    }
  });
});

it("no id of a session becomes an option of the program that goes on with it", () => {
  for (const agent of agentNames) {
    const usual = resumeProgram(agent, "a");
    expect(resumeProgram("nobody", "a")).toBeNull();
    for (const text of [...hostileTexts, "b.c@d:e+f"]) {
      const program = resumeProgram(agent, text);
      if (!isValidAs("session", text) || text.includes("/")) expect(program).toBeNull();
      else if (usual !== null) {
        // The same options, and the id behind a `--` or in one of them.
        const at = usual.findIndex((word, i) => word !== program![i]);
        expect(program!.filter((_, i) => i !== at)).toEqual(usual.filter((_, i) => i !== at));
        if (program![at] === text) expect(program![at - 1]).toBe("--");
        else expect(program![at]).toBe(`${usual[at]!.slice(0, -1)}${text}`);
        // Nothing in it that a shell would read otherwise: people paste it.
        expect(program!.join(" ")).toMatch(/^[\w ./=:@+-]+$/);
      }
    }
  }
});
