import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession } from "../../test/support/memory-fixture.ts";
import { namedProject } from "../../test/support/named-project.ts";
import { temporaryHome } from "../../test/support/temporary-home.ts";
import { locateHome, locateOwnConfig } from "../base/home.ts";
import type { Project } from "../base/paths.ts";
import { forget } from "../features/forget/operation.ts";
import { searchHistory } from "../features/search/operation.ts";
import { listSessions, showSession } from "../features/sessions/operation.ts";
import { readPublicKey, seal } from "../protocol/sealed-text.ts";
import { decryptHome, encryptHome } from "../store/encryption/convert.ts";
import { forgetKeys } from "../store/encryption/keys.ts";
import { Memory } from "../store/memory/memory.ts";
import { answerAndAudit, appendRecord, forgetQuestions, readAuditRecords, verifyAudit } from "./audit.ts";
import { answerThroughChannel } from "./channel.ts";
import { run } from "./run.ts";

let home: ReturnType<typeof temporaryHome>;
let project: Project;
let file: string;

beforeEach(() => {
  home = temporaryHome();
  project = namedProject(join(home.dir, "app"));
  file = join(project.auditDir, "audit.jsonl");
  mkdirSync(locateHome().configDir, { recursive: true });
  writeFileSync(locateOwnConfig(), "[audit]\nenabled = true\n");
});
afterEach(() => home.remove());

const records = () => [...readAuditRecords(project)];
const given: Parameters<typeof appendRecord>[1] = {
  at: "2026-03-02T09:00:00.000Z",
  channel: "cli",
  operation: "search",
  question: "{}",
  results: 1,
  bytes: 10,
  sessions: 0,
  error: null,
};
const append = (count: number, fileSize?: number) => {
  for (let i = 0; i < count; i++) appendRecord(project, { ...given, question: `q${i}` }, fileSize);
};

describe("a question", () => {
  it("is recorded once, scrubbed, with what was given, for its owner only", async () => {
    const memory = Memory.open(project.memoryDb, { readonly: false });
    for (const uid of ["one", "two"]) addSession(memory, uid, { lastAt: 1, startedAt: 1 });
    memory.close();
    const token = `ghp_${"Ab1".repeat(12)}`;
    process.env.POMMEL_TEST_SECRET = "of the environment";
    const answer = await answerThroughChannel("mcp", () =>
      run(listSessions, project, { branch: `with ${token}` }),
    );
    await run(listSessions, project, {});
    delete process.env.POMMEL_TEST_SECRET;
    const [first, second] = records();
    expect(records()).toHaveLength(2);
    expect(first).toMatchObject({ n: 1, channel: "mcp", operation: "sessions", error: null, previous: "" });
    expect(first!.bytes).toBe(Buffer.byteLength(JSON.stringify(answer)));
    expect(second).toMatchObject({ n: 2, channel: "cli" });
    expect(readFileSync(file, "utf8")).not.toContain(token);
    expect(readFileSync(file, "utf8")).not.toContain("of the environment");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(project.auditDir).mode & 0o777).toBe(0o700);
  });

  it("that asks others is recorded as one, and one that fails with its error", async () => {
    await answerAndAudit(project, "searchAll", {}, async () => {
      await answerAndAudit(project, "search", {}, async () => ({}));
      return { results: [{ session_id: "a" }, { session_id: "a" }, { session_id: "b" }] };
    });
    await expect(run(showSession, project, { id: "none" })).rejects.toThrow();
    expect(records()).toMatchObject([
      { operation: "searchAll", results: 3, sessions: 2 },
      { operation: "session", error: "no_memory" },
    ]);
  });

  it("is not answered when it cannot be recorded", async () => {
    writeFileSync(project.auditDir, "a file");
    await expect(answerAndAudit(project, "search", {}, async () => ({}))).rejects.toMatchObject({
      code: "unreadable",
    });
  });

  it("is not recorded when that is off, whatever the repository says", async () => {
    writeFileSync(locateOwnConfig(), "[audit]\nenabled = false\n");
    mkdirSync(dirname(project.teamConfigFile), { recursive: true });
    writeFileSync(project.teamConfigFile, "[audit]\nenabled = true\n");
    await answerAndAudit(project, "search", {}, async () => ({}));
    expect(readdirSync(project.dataDir)).not.toContain("audit");
  });
});

describe("the chain", () => {
  it("holds over files", () => {
    append(30, 1000);
    expect(readdirSync(project.auditDir).length).toBeGreaterThan(4);
    expect(records().map(({ n }) => n)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    expect(verifyAudit(project)).toMatchObject({ records: 30, broken: null, head: { n: 30 } });
  });

  it.each([
    ["a changed record", (lines: string[]) => lines.with(2, lines[2]!.replace("q2", "qX")), 3],
    ["the last one changed", (lines: string[]) => lines.with(4, lines[4]!.replace("q4", "qX")), 5],
    ["one removed", (lines: string[]) => lines.toSpliced(1, 1), 2],
    ["one added", (lines: string[]) => lines.toSpliced(1, 0, lines[0]!), 2],
    ["the end removed", (lines: string[]) => lines.slice(0, 3), 4],
    ["all removed", () => [], 5],
    ["no record", (lines: string[]) => lines.with(3, "{"), 4],
  ])("breaks with %s", (_, change, record) => {
    append(5);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(
      file,
      change(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
    expect(verifyAudit(project).broken).toMatchObject({ file: "audit.jsonl", record });
  });

  it("begins with the oldest file that is kept", () => {
    append(30, 1000);
    const [oldest] = readdirSync(project.auditDir).sort();
    rmSync(join(project.auditDir, oldest!));
    expect(verifyAudit(project).broken).toBeNull();
  });
});

describe("what was asked about something that is forgotten", () => {
  const word = "Wolpertinger";
  const files = () =>
    readdirSync(project.auditDir)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(project.auditDir, name), "utf8"))
      .join("");
  beforeEach(() => {
    const memory = Memory.open(project.memoryDb, { readonly: false });
    addSession(memory, "one", { lastAt: 1, startedAt: 1 });
    memory.close();
  });
  const ask = (q: string) => run(searchHistory, project, { q }).catch(() => null);

  it("leaves a keyed hash, with which the chain holds and tampering is found", async () => {
    append(20, 1000);
    await ask(`why "${word}"?`);
    await ask("why not?");
    const before = verifyAudit(project);
    expect(await run(forget, project, { pattern: word, dry_run: true })).toMatchObject({ questions: 1 });
    expect(files()).toContain(word);
    expect(await run(forget, project, { pattern: word })).toMatchObject({ questions: 1, forgotten: true });
    expect(files()).not.toContain(word);
    const after = verifyAudit(project);
    expect(after).toMatchObject({ broken: null, records: before.records });
    expect(
      records()
        .filter(({ question }) => question === null)
        .map(({ operation }) => operation),
    ).toEqual(["searchHistory"]);
    expect(statSync(join(project.auditDir, "key")).mode & 0o777).toBe(0o600);
    const line = records().findIndex(({ question }) => question === null);
    const text = readFileSync(file, "utf8");
    const last = records().at(-1)!;
    for (const change of [
      text.replace("why not?", "why yes?"),
      text.replace(
        records()[line]!.question_hash,
        records()[line]!.question_hash.replace(/./, (digit) => (digit === "0" ? "f" : "0")),
      ),
      text.replace(`"n":${last.n}`, `"n":${last.n + 1}`),
    ]) {
      writeFileSync(file, change);
      expect(verifyAudit(project).broken).not.toBeNull();
    }
    writeFileSync(file, text);
    rmSync(join(project.auditDir, "key"));
    expect(verifyAudit(project).broken).toMatchObject({ reason: "the log's key is gone" });
  });

  it("keeps its words where that can be brought back", async () => {
    await ask("what of session one?");
    await run(forget, project, { session: "one" });
    expect(files()).toContain("what of session one?");
    expect(await run(forget, project, { until: "2100-01-01", for_good: true })).toMatchObject({
      questions: 1,
    });
    expect(records()).toMatchObject([{ question: null }]);
    expect(verifyAudit(project).broken).toBeNull();
  });
});

describe("in an encrypted home", () => {
  const keyFile = () => join(home.dir, "our.key");
  const encrypt = () => encryptHome(`file:${keyFile()}`, { backups: [] });
  const text = () => readFileSync(file, "utf8");
  afterEach(forgetKeys);

  it("is sealed, with the chain that it had, and opened again", () => {
    append(3);
    const plain = verifyAudit(project);
    encrypt();
    expect(text()).not.toContain('"q1"');
    expect(verifyAudit(project)).toEqual(plain);
    append(3);
    expect(text()).not.toContain('"search"');
    expect(records().map(({ question }) => question)).toEqual(["q0", "q1", "q2", "q0", "q1", "q2"]);
    const sealed = verifyAudit(project);
    expect(sealed).toMatchObject({ records: 6, broken: null });
    expect(forgetQuestions(project, (question) => question === "q1")).toBe(2);
    expect(
      text()
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("pommel-sealed")),
    ).toEqual([]);
    expect(verifyAudit(project)).toEqual(sealed);
    decryptHome({ backups: [] });
    expect(text()).toContain("search");
    expect(verifyAudit(project)).toEqual(sealed);
  });

  it("records those who have not the key, and is read with it only", () => {
    encrypt();
    append(2);
    forgetKeys();
    renameSync(keyFile(), `${keyFile()}.away`);
    append(2);
    expect(() => records()).toThrow(expect.objectContaining({ code: "encryption_locked" }));
    expect(() => verifyAudit(project)).toThrow(expect.objectContaining({ code: "encryption_locked" }));
    renameSync(`${keyFile()}.away`, keyFile());
    expect(verifyAudit(project)).toMatchObject({ records: 4, broken: null });
  });

  it("breaks with a line that was changed, and with one that somebody else sealed", () => {
    encrypt();
    append(3);
    const lines = text().trimEnd().split("\n");
    const changed = lines[1]!.slice(0, -12) + (lines[1]!.at(-12) === "A" ? "B" : "A") + lines[1]!.slice(-11);
    const forged = seal(JSON.stringify({ ...records()[1], question: "other" }), readPublicKey()!);
    for (const line of [changed, forged]) {
      writeFileSync(file, `${lines.with(1, line).join("\n")}\n`);
      expect(verifyAudit(project).broken).toMatchObject({ record: 2 });
    }
  });
});
