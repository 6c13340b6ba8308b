import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { importTranscript } from "../../src/features/import/operation.ts";
import { startFakeOpenai } from "../support/fake-openai-llm.ts";
import { cleanUp, createProject, pmJson, start, status, until } from "./daemon-fixture.ts";
import { ask, sessionIn, transcriptDir } from "./sessions-fixture.ts";

/** Summaries by a configured model, which a server on this machine plays. */

afterEach(async () => {
  await cleanUp();
  vi.unstubAllEnvs();
  rmSync(join(process.env.HOME!, ".claude"), { recursive: true, force: true });
});

const session = "11111111-1111-4111-8111-111111111111";
const key = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
const ofSession =
  "Title: Heron timeout\nTopics: heron timeout\n\nThe heron failed at night because its timeout was too short.";
const ofChunk = "The heron failed at night: its timeout was too short for the nightly load, and was raised.";

test("imported sessions are summed up once the model answers, without their secrets", async () => {
  const project = createProject({ "src/retry.ts": "export const attempts = 3;\n" });
  const server = await startFakeOpenai({
    key: null,
    answering: ({ prompt }) => (prompt.startsWith("Summarize this part") ? ofChunk : ofSession),
  });
  try {
    const made = sessionIn(project, session);
    made.prompt(`Why does the heron fail at night? The token is ${key}.`);
    made.reply(
      `The heron failed because the timeout was too short. ${"The nightly load needs more. ".repeat(20)}`,
    );
    const dir = transcriptDir(project);
    mkdirSync(dir, { recursive: true });
    const file = made.writeTo(dir);
    vi.stubEnv("POMMEL_LLM_MODEL", "openai/local");
    vi.stubEnv("POMMEL_OPENAI_URL", server.url);
    vi.stubEnv("POMMEL_LLM_CHUNK_SUMMARIES", "true");
    const away = { status: 401, body: { error: { message: "not yet" } } };
    server.faults.push(...Array.from({ length: 50 }, () => away));
    await start(project);
    await callDaemon(project.root, importTranscript, { transcript_paths: [file], trigger: "import" });
    await until(async () => (await status(project)).memory.llm.problem);
    type Shown = { session: { title: string; topics: string[] }; summary: { source: string } };
    const shown = () => pmJson<Shown>(project, "session", session);
    expect((await shown()).summary.source).toBe("extractive");
    expect(server.requests.length).toBeGreaterThan(0);

    // It is back.
    server.faults.length = 0;
    await pmJson(project, "stop");
    await start(project);
    await until(async () => (await shown()).summary.source === "llm");
    expect((await shown()).session).toMatchObject({ title: "Heron timeout", topics: ["heron timeout"] });
    await until(async () =>
      (await ask(project, "heron fails at night")).results.some(({ summary }) => summary),
    );
    expect((await ask(project, "heron fails at night")).results[0]).toMatchObject({ summary: ofChunk });
    expect(JSON.stringify(server.requests)).not.toContain(key);
    const asked = server.requests.length;
    await callDaemon(project.root, importTranscript, { transcript_paths: [file], trigger: "import" });
    expect((await status(project)).memory.llm).toMatchObject({
      problem: null,
      tokens_today: expect.any(Number),
    });
    expect(server.requests).toHaveLength(asked);
  } finally {
    await server.close();
  }
});
