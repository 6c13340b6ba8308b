import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Machine, sharedRemote } from "../../test/support/machine-fixture.ts";
import { namedProject } from "../../test/support/named-project.ts";
import { temporaryHome } from "../../test/support/temporary-home.ts";
import { locateHome } from "../base/home.ts";
import type { Project } from "../base/paths.ts";
import { giveContext } from "../features/context/operation.ts";
import { listDecisions } from "../features/decisions/operation.ts";
import { operations } from "../features/index.ts";
import { agentChannels, type Channel } from "../protocol/channel.ts";
import { addNote } from "../sessions/notes/add-note.ts";
import { SessionSearch } from "../sessions/search/engine.ts";
import { listStoredNotes } from "../store/memory/chunks/notes.ts";
import { saveCheckpoint } from "../store/memory/commits/checkpoints.ts";
import { saveCommit } from "../store/memory/commits/commits.ts";
import { readEvents, saveEvent, saveLink } from "../store/memory/events.ts";
import { listInjections } from "../store/memory/injections.ts";
import { listSignersHere } from "../store/memory/signers.ts";
import { Trust, trustFileIn } from "../sync/origin/trust.ts";
import { answerThroughChannel } from "./channel.ts";
import { shareOpenMemory } from "./open.ts";
import type { Operation } from "./operation.ts";
import { needsDaemon, run } from "./run.ts";

/** What a colleague said, in every field that they can fill. */
const canary = "quokka";
const hash = "7".repeat(40);

let home: ReturnType<typeof temporaryHome>;
let shared: ReturnType<typeof sharedRemote>;
let ann: Machine;
let project: Project;
let release: () => void;

beforeEach(async () => {
  home = temporaryHome();
  shared = sharedRemote();
  const eve = shared.machine("eve", { person: "eve" });
  ann = shared.machine("ann");
  await eve.read(talk(eve, "of-eve", canary));
  await addNote(eve.work, { by: "person", note: `the wombat is a ${canary}` });
  saveEvent(eve.memory, {
    uid: "e1",
    title: `wombat ${canary}`,
    description: canary,
    type: "task",
    status: "active",
    branch: "main",
    startsAt: null,
    endsAt: null,
    createdAt: 1,
    updatedAt: 1,
  });
  saveLink(eve.memory, { eventUid: "e1", kind: "session", targetUid: "of-eve", addedAt: 1, removedAt: null });
  const commit = saveCommit(
    eve.memory,
    {
      hash,
      tree: hash,
      parents: [],
      branch: "main",
      author: canary,
      authoredAt: 1,
      committedAt: 1,
      subject: canary,
      patchId: null,
      rewrittenFrom: [],
      insertions: 1,
      deletions: 0,
      seen: "hook",
      attributed: 1,
    },
    [],
  );
  saveCheckpoint(eve.memory, {
    uid: "c1",
    commitId: commit.id,
    parentUid: null,
    createdAt: 1,
    agentState: { "of-eve": { prompt: canary } },
    sessions: [{ sessionUid: "of-eve", turns: [1], lines: 2, how: "lines", confidence: 0.9 }],
  });
  await eve.sync({}, { author: "eve@x.dev" });
  await ann.read(talk(ann, "of-ann", "kangaroo"));
  await addNote(ann.work, { by: "person", note: "the kangaroo is fed" });
  await ann.sync({}, { author: "ann@x.dev" });
  project = namedProject(ann.dir);
  trust("trusted");
  release = shareOpenMemory(project.memoryDb, {
    memoryIfAny: ann.memory,
    suspect: () => {},
    pending: () => 0,
    readNow: async () => {},
    analyse: async () => {},
    roots: [ann.dir],
    search: new SessionSearch({ root: ann.dir, memory: ann.memory, embedder: null }),
  } as unknown as Parameters<typeof shareOpenMemory>[1]);
});
afterEach(() => {
  release();
  shared.remove();
  home.remove();
});

function talk(machine: Machine, id: string, word: string) {
  const builder = machine.session(id);
  builder.prompt(`Why does the wombat ${word} fail?`);
  builder.bash("npm test", `Error: the wombat ${word} is hungry`, { isError: true });
  builder.bash(`npm run feed-${word}`, "ok");
  builder.edit(`${machine.dir}/src/wombat.ts`, "hungry", `fed with ${word}`);
  builder.reply(`Done. We decided to feed the wombat ${word} because two of them were hungry at once.`);
  builder.prompt(`Note to Pommel: wombats eat ${word}`);
  builder.reply("Noted.");
  return builder;
}

/** Ann's file, with what she thinks of Eve. */
function trust(standing: "trusted" | "not_trusted"): void {
  const file = trustFileIn(locateHome());
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(shared.base, "ann-trust.json"), file);
  const { signer } = listSignersHere(ann.memory).find(
    (one) => one.signer !== ann.signing().key?.fingerprint,
  )!;
  new Trust(file).set(signer!, standing);
}

/** They write, or concern this machine and nothing that anybody said. */
const others: ReadonlySet<string> = new Set([
  "annotate",
  "editNote",
  "createEvent",
  "linkEvent",
  "closeEvent",
  "forget",
  "scrub",
  "retry",
  "index",
  "settings",
  "changeSetting",
  "status",
  "page",
  "queue",
  "state",
]);

/** What an agent may ask for, by the field. */
const asked: Readonly<Record<string, readonly unknown[]>> = {
  q: ["wombat hungry", "npm"],
  query: ["wombat hungry"],
  error: ["Error: the wombat x is hungry"],
  id: ["of-eve", "c1", "7777777"],
  session: ["of-eve"],
  session_id: ["new"],
  event: ["e1", "session-start", "user-prompt", "tool-failure", "post-tool-use"],
  prompt: ["why is the wombat hungry, does src/wombat.ts fail"],
  file: [["src/wombat.ts"], "src/wombat.ts"],
  target: ["7777777"],
  from: ["c1"],
};

/** Requests with each of the values, and without the field. */
function requestsOf({ request }: Operation): Record<string, unknown>[] {
  const fields = Object.keys(request().shape).filter((field) => Object.hasOwn(asked, field));
  return fields
    .reduce<Record<string, unknown>[]>(
      (all, field) =>
        all.flatMap((one) => [one, ...asked[field]!.map((value) => ({ ...one, [field]: value }))]),
      [{}],
    )
    .filter((one) => request().safeParse(one).success);
}

interface Question {
  operation: Operation;
  request: Record<string, unknown>;
}

const listQuestions = (): Question[] =>
  [...operations.values()]
    .filter((one) => !needsDaemon(one) && one.of !== "machine" && !others.has(one.name))
    .flatMap((operation) => requestsOf(operation).map((request) => ({ operation, request })));

/** The questions whose answers give the canary through a channel. */
async function telling(channel: Channel, questions: readonly Question[]): Promise<Question[]> {
  const found: Question[] = [];
  for (const { operation, request } of questions) {
    const answer = await answerThroughChannel(channel, () => run(operation, project, request)).then(
      (given) => JSON.stringify(given),
      (error: unknown) => String(error),
    );
    if (answer.includes(canary)) found.push({ operation, request });
  }
  return found;
}

const namesOf = (questions: readonly Question[]) => [
  ...new Set(questions.map(({ operation }) => operation.name)),
];

describe("what somebody says whom the person does not trust", () => {
  it("reaches no agent through any operation, and people through all", async () => {
    const told = await telling("mcp", listQuestions());
    expect(namesOf(told)).toEqual(
      expect.arrayContaining([
        "searchTranscripts",
        "searchAll",
        "sessions",
        "session",
        "turns",
        "annotations",
        "decisions",
        "related",
        "how",
        "fix",
        "checkpoints",
        "checkpoint",
        "events",
        "event",
        "handoff",
        "context",
      ]),
    );
    // What is not told of somebody who is trusted, is not told of anybody.
    trust("not_trusted");
    expect(await telling("mcp", told)).toEqual([]);
    expect(await telling("hook", told)).toEqual([]);
    // What people are shown of automatic context is what an agent gets.
    const shown = namesOf(told).filter((name) => name !== "context");
    expect(namesOf(await telling("cli", told))).toEqual(shown);
    // Without a daemon the memory is opened otherwise, for whatever is asked: one question of each operation.
    release();
    const { memory } = ann;
    memory.checkpointLog();
    copyFileSync(memory.file, project.memoryDb);
    const oneOfEach = [...new Map(told.map((question) => [question.operation.name, question])).values()];
    expect(await telling("mcp", oneOfEach)).toEqual([]);
    expect(namesOf(await telling("cli", oneOfEach))).toEqual(shown);
  });

  it("is heard again once they are trusted, and nothing of one's own was ever hidden", async () => {
    for (const channel of agentChannels) {
      const decisions = async () => {
        const answer = await answerThroughChannel(channel, () => run(listDecisions, project, {}));
        return JSON.stringify(answer);
      };
      trust("not_trusted");
      expect(await decisions(), channel).toContain("kangaroo");
      expect(await decisions(), channel).not.toContain(canary);
      trust("trusted");
      expect(await decisions(), channel).toContain(canary);
      expect(await decisions(), channel).toContain("kangaroo");
    }
  });

  it("leaves what is injected recorded", async () => {
    trust("not_trusted");
    const context = () =>
      answerThroughChannel("hook", () =>
        run(giveContext, project, { event: "session-start", session_id: "new" }),
      );
    expect((await context()).text).not.toContain(canary);
    expect(listInjections(ann.memory, { limit: 9 })).toHaveLength(1);
    expect((await context()).reason).toBe("the session already has it");
    expect(listStoredNotes(ann.memory).length).toBeGreaterThan(1);
    expect(readEvents(ann.memory)).toMatchObject([{ author: "eve@x.dev" }]);
  });
});
