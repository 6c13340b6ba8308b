import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { claude } from "../../src/agents/claude/claude.ts";
import { changeMemory } from "../../src/answers/changing.ts";
import type { Project } from "../../src/base/paths.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { sumUpSession } from "../../src/sessions/summaries/sum-up.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { inflateContent } from "../../src/store/memory/sessions/content.ts";
import { findSessionByUid } from "../../src/store/memory/sessions/sessions.ts";
import { findTurnContent, listTurns } from "../../src/store/memory/sessions/turns.ts";
import type { SecretCase } from "../support/secrets/make.ts";
import { corpora, leaks } from "../support/secrets/measure.ts";
import { transcript } from "../support/transcript-fixture.ts";
import { cleanUp, createProject, pmJson, start, status, until } from "./daemon-fixture.ts";
import { callPm, pmFile, runPm, temporaryDir } from "./run-pm.ts";
import { importHere } from "./sessions-fixture.ts";

const temporary: string[] = [];
const folder = (name: string) => {
  temporary.push(temporaryDir(name));
  return temporary.at(-1)!;
};
afterEach(async () => {
  await cleanUp();
  for (const dir of temporary.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** So many of each class in each part of the corpus. */
const maxOfClass = 1;

/** What the patterns find at all (`secrets.test.ts` measures that); shorter secrets occur by chance. */
const canaries: SecretCase[] = corpora().flatMap(({ secrets }) => {
  const ofClass = new Map<string, number>();
  return secrets
    .filter((item) => !leaks(item))
    .map((item) => ({ ...item, secrets: item.secrets.filter((secret) => secret.length >= 12) }))
    .filter(({ kind, secrets: long }) => {
      const count = (ofClass.get(kind) ?? 0) + (long.length > 0 ? 1 : 0);
      ofClass.set(kind, count);
      return long.length > 0 && count <= maxOfClass;
    });
});

function git(dir: string, ...args: string[]): Buffer {
  const who = ["-c", "user.name=Ann", "-c", "user.email=a@b.test"];
  return execFileSync("git", ["-C", dir, ...who, ...args], { stdio: "pipe", maxBuffer: 1e9 });
}

const place = (kind: string, index: number) => `canary-${kind}-${index}`;

/** Sessions with every canary in a prompt, a tool's input and output, an edit, and, on one line, in names. */
async function remember(project: Project, transcripts: string): Promise<string[]> {
  const sessions: string[] = [];
  await changeMemory(
    project,
    async (work) => {
      for (let from = 0; from < canaries.length; from += 50) {
        const fixture = transcript({ session: place("session", from), cwd: project.root });
        for (const { text } of canaries.slice(from, from + 50)) {
          if (text.startsWith("json:")) {
            fixture.prompt("Call it.");
            fixture.tool("mcp__any__call", JSON.parse(text.slice(5)), "done");
            continue;
          }
          fixture.prompt(text);
          fixture.bash(text, "done");
          fixture.bash("make", text);
          fixture.edit(`${project.root}/src/a.ts`, "before", text);
          fixture.reply(text);
        }
        await ingestTranscript({ ...work, agent: claude }, fixture.writeTo(transcripts));
        await sumUpSession({ ...work, llm: null }, fixture.session);
        sessions.push(fixture.session);
      }
      for (const [index, { text }] of canaries.entries()) {
        if (index % 3 !== 0 || /\s|^json:/.test(text)) continue;
        const fixture = transcript({
          session: place("names", index),
          cwd: project.root,
          branch: `fix/${text}`,
        });
        fixture.prompt("What is in this file?");
        fixture.read(`${project.root}/keys/${text}`, "nothing");
        fixture.title(`About ${text}`);
        await ingestTranscript({ ...work, agent: claude }, fixture.writeTo(transcripts));
        sessions.push(fixture.session);
      }
    },
    { create: true },
  );
  return sessions;
}

/** Every byte below a folder, by file. */
function bytesIn(dir: string): [name: string, bytes: Buffer][] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name))]);
}

function archivedTurns(project: Project, sessions: readonly string[]): [string, Buffer][] {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  try {
    return sessions.flatMap((uid) => {
      const { id } = findSessionByUid(memory, uid)!;
      return listTurns(memory, id).map(({ number }): [string, Buffer] => [
        `${uid}, turn ${number}`,
        Buffer.from(inflateContent(findTurnContent(memory, id, number)!)),
      ]);
    });
  } finally {
    memory.close();
  }
}

/** Everything that is stored here: in the home directory and in `copies`. */
const storedBytes = (copies: string) => [...bytesIn(process.env.HOME!), ...bytesIn(copies)];

/** A secret as it may be written: as it is, in JSON, and in base64. */
function writings(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ];
}

it("no secret is in any byte that is stored or shared", async () => {
  const remote = folder("pommel-canary-remote-");
  const project = createProject({ "README.md": "# a project\n" });
  git(remote, "init", "--quiet", "--bare");
  git(project.root, "init", "--quiet");
  git(project.root, "remote", "add", "origin", remote);
  git(project.root, "add", "README.md");
  git(project.root, "commit", "--quiet", "--message", "begin");
  const sessions = await remember(project, folder("pommel-canary-transcripts-"));
  expect(sessions.length).toBeGreaterThan(20);
  await pmJson(project, "config", "set", "--global", "audit.enabled", "true");
  await pmJson(project, "reindex");
  await pmJson(project, "sync");
  const { text } = canaries.find(({ kind }) => kind === "github-token")!;
  await runPm(["hook", "user-prompt"], {
    cwd: project.root,
    env: { POMMEL_DAEMON_AUTOSTART: "false" },
    input: JSON.stringify({
      hook_event_name: "UserPromptSubmit",
      session_id: "canary",
      cwd: project.root,
      prompt: `note to pommel: ${text.replace(/\s+/g, " ")}`,
    }),
  });
  // What is asked is kept in the audit log and the daemon's.
  await callPm(["search", "sessions", text], { cwd: project.root });
  await callPm(["note", text], { cwd: project.root });
  await callPm(["context", text], { cwd: project.root });
  const copies = folder("pommel-canary-copies-");
  await pmJson(project, "backup", "--to", copies);
  await pmJson(project, "memory", "export", "--all", "--to", join(copies, "all.jsonl"));
  await pmJson(project, "memory", "export", "--full", "--format", "html", "--to", join(copies, "pages"));

  const stored: [string, Buffer][] = [
    ...storedBytes(copies),
    ...archivedTurns(project, sessions),
    ["shared", git(remote, "cat-file", "--batch-all-objects", "--batch")],
    ["shared, here", git(project.root, "cat-file", "--batch-all-objects", "--batch")],
  ];
  const names = stored.map(([name]) => name);
  for (const kept of ["memory.db", "index.db", "audit.jsonl", "all.jsonl", ".html"])
    expect(
      names.filter((name) => name.endsWith(kept)),
      kept,
    ).not.toEqual([]);
  expect(names.filter((name) => name.includes("/spool/"))).not.toEqual([]);
  expect(names.filter((name) => name.startsWith(copies) && name.endsWith(".db"))).not.toEqual([]);
  expect(stored.some(([name, bytes]) => name === "shared" && bytes.length > 10_000)).toBe(true);
  const everything = stored.map(([name, bytes]) => [name, bytes.toString("latin1")] as const);
  const found = canaries.flatMap(({ kind, secrets }) =>
    secrets.flatMap(writings).flatMap((written) => {
      const bytes = Buffer.from(written).toString("latin1");
      return everything
        .filter(([, all]) => all.includes(bytes))
        .map(([name]) => `${kind}: ${written} in ${name}`);
    }),
  );
  expect(found).toEqual([]);
}, 300_000);

/** Ordinary words, of which each is in one place only, so that what is found says where it came from. */
const ordinary = {
  prompt: "marmalade",
  reply: "trombone",
  command: "hedgehog",
  output: "gooseberry",
  edit: "pelican",
  title: "saxophone",
  branch: "rhubarb",
  path: "chimney",
  code: "wheelbarrow",
  commit: "porcupine",
  hook: "blackcurrant",
  question: "dragonfly",
  note: "lighthouse",
  context: "tambourine",
  later: "nightingale",
};

/** Users install what encrypts beside Pommel; an installation that is tested instead of the checkout has none. */
const canEncrypt = ["@signalapp/sqlcipher", "better-sqlite3-multiple-ciphers"].some((name) => {
  try {
    return createRequire(pmFile).resolve(name) !== "";
  } catch {
    return false;
  }
});
if (!canEncrypt) process.stderr.write(`\nSKIPPED: no package that encrypts is beside ${pmFile}.\n`);

it.skipIf(!canEncrypt)("no ordinary word is in any byte that an encrypted home stores", async () => {
  const w = ordinary;
  const project = createProject({
    [`src/${w.path}.ts`]: `export function ${w.code}() { return "${w.code}"; }\n`,
  });
  git(project.root, "init", "--quiet");
  git(project.root, "add", "src");
  git(project.root, "commit", "--quiet", "--message", `About the ${w.commit}`);
  await pmJson(project, "config", "set", "--global", "audit.enabled", "true");
  // What is plain so far is encrypted; what comes later never is plain.
  await callPm(["search", "sessions", w.question], { cwd: project.root });
  const hook = (prompt: string) =>
    runPm(["hook", "user-prompt"], {
      cwd: project.root,
      env: { POMMEL_DAEMON_AUTOSTART: "false" },
      input: JSON.stringify({
        hook_event_name: "UserPromptSubmit",
        session_id: "ordinary",
        cwd: project.root,
        prompt: `note to pommel: the ${prompt} is here`,
      }),
    });
  await hook(w.hook);
  await pmJson(project, "memory", "encrypt");
  await hook(w.later);
  const session = transcript({ session: "ordinary-words", cwd: project.root, branch: `fix/${w.branch}` });
  session.prompt(`Where is the ${w.prompt}?`);
  session.bash(`grep ${w.command}`, `a ${w.output}`);
  session.edit(`${project.root}/src/${w.path}.ts`, "before", `const ${w.edit} = 1;`);
  session.reply(`It is behind the ${w.reply}.`);
  session.title(`About the ${w.title}`);
  await importHere(project, [session], folder("pommel-canary-transcripts-"));
  await pmJson(project, "reindex");
  await pmJson(project, "note", `a ${w.note}`);
  await callPm(["context", w.context], { cwd: project.root });
  const copies = folder("pommel-canary-copies-");
  await pmJson(project, "backup");
  await pmJson(project, "backup", "--to", copies);
  const [{ results }, code] = [
    await pmJson<{ results: unknown[] }>(project, "search", "sessions", w.prompt),
    await pmJson<{ results: unknown[] }>(project, "search", "code", w.code),
  ];
  for (const found of [results, code.results]) expect(found).not.toEqual([]);
  // With a daemon, which has all of it open, logs, and leaves its logs of the databases behind.
  await start(project);
  await until(async () => (await status(project)).index.total_files > 0);
  await pmJson(project, "search", "sessions", w.prompt);
  const isFound = (bytes: Buffer) => Object.entries(w).filter(([, word]) => bytes.includes(word));
  const expectNothing = () => {
    const stored = storedBytes(copies);
    const names = stored.map(([name]) => name);
    for (const kept of ["memory.db", "memory.db-wal", "index.db", "audit.jsonl", "pommeld.log"])
      expect(
        names.filter((name) => name.endsWith(kept)),
        kept,
      ).not.toEqual([]);
    const found = stored.flatMap(([name, bytes]) => isFound(bytes).map(([kind]) => `${kind} in ${name}`));
    expect(found).toEqual([]);
  };
  expectNothing();
  // It would be found: with the key, all of it is there.
  await pmJson(project, "stop");
  await pmJson(project, "memory", "decrypt");
  const plain = Buffer.concat(bytesIn(process.env.HOME!).map(([, bytes]) => bytes));
  expect(isFound(plain).map(([kind]) => kind)).toEqual(
    expect.arrayContaining(["prompt", "code", "question"]),
  );
});
