import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { pictureData, transcript } from "../../../test/support/transcript-fixture.ts";
import { image } from "../../../test/support/transcript-parts.ts";
import { saveTranscript } from "../../store/memory/sessions/transcripts.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { readPictures } from "./pictures.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

const url = `data:image/png;base64,${pictureData}`;

/** A session with a prompt of two pictures, and then one whose tool answers with one. */
function makeSession() {
  const t = transcript();
  const path = join(store.dir, `${t.session}.jsonl`);
  const starts = [Date.parse(t.time())];
  const asked = t.time();
  t.promptWithImages("What is wrong here?", 2);
  t.reply("The colours.");
  starts.push(Date.parse(t.time()));
  t.prompt("Shoot it again");
  const call = t.toolUse("mcp__browser__screenshot", {});
  t.toolResult(call, [image(pictureData), { type: "text", text: "done" }]);
  t.toolResult(t.toolUse("Read", { file_path: "a.svg" }), [
    { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "PHN2Zz4=" } },
  ]);
  writeFileSync(path, t.text());
  const { id } = addSession(store.memory, t.session);
  for (const [i, startedAt] of starts.entries())
    saveTurn(
      store.memory,
      id,
      turn(i + 1, { startedAt, endedAt: (starts[i + 1] ?? Number.MAX_SAFE_INTEGER) - 1 }),
    );
  saveTranscript(store.memory, {
    path,
    agent: "claude",
    sessionId: id,
    offset: 0,
    lineHash: "",
    size: 0,
    readAt: 0,
    skipped: {},
  });
  const read = (number: number) =>
    readPictures(store.memory, { session: t.session, turn: number }, undefined);
  return { path, asked, call, read };
}

test("pictures of a turn come from the transcript: those of its prompt, and those that tools answered with", async () => {
  const { asked, call, read } = makeSession();
  const ofPrompt = { at: asked, call: null, url };
  expect(await read(1)).toEqual({ pictures: [ofPrompt, ofPrompt] });
  const { pictures } = await read(2);
  expect(pictures).toMatchObject([{ call, url }]);
});

test("a turn that is not stored has none, and neither has one whose transcript is gone", async () => {
  const { path, read } = makeSession();
  expect(await read(9)).toEqual({ pictures: [] });
  rmSync(path);
  expect(await read(1)).toEqual({ pictures: [] });
});
