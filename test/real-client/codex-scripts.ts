import { type CodexScript, envelope, find, mcp, patch, say, shell } from "./codex-api.ts";
import { cue } from "./mock-api.ts";

/** The scripts. Each session is about another bird, so that a search for it can find no other session. */

export const decision =
  "We decided to let fetchTalon try three times instead of once, because the heronLedger is slow.";

export const summary = "Summary of the puffin kind: the heron importer got a retry.";

/** The prompts by the name of their script. */
export const prompts = {
  untrusted: `Is the dunlin there? ${cue("untrusted")}`,
  trusting: `Is the plover there? ${cue("trusting")}`,
  edit: `The heronLedger import times out in fetchTalon; let it retry. ${decision} ${cue("edit")}`,
  ask: `What did we say about the importer of the ibis? ${cue("ask")}`,
  resume: `And what about the kestrel cache? ${cue("resume")}`,
  fork: `Would a gannet queue be better? ${cue("fork")}`,
  compact: `Count the wrens. ${cue("compact")}`,
  afterwards: `Is the osprey directory the right one? ${cue("afterwards")}`,
  number: `How are the godwits numbered? ${cue("number")}`,
  code: `Raise the bittern limit. ${cue("code")}`,
  again: `fetchTalon times out again when the heronLedger is imported. ${cue("again")}`,
} as const;

/** Code mode: the model writes a script that calls the tools. */
const codePatch = envelope(
  "*** Update File: src/heron.ts",
  "@@",
  "-export const limit = 7;",
  "+export const limit = 9;",
);
const inCode = [
  `text(await tools.mcp__pommel__code({ query: "the bittern limit" }));`,
  `text(await tools.apply_patch(${JSON.stringify(codePatch)}));`,
  `text(await tools.exec_command({ cmd: "git commit -qam 'Raise the limit' && echo committed" }));`,
].join("\n");

export const scripts: Record<keyof typeof prompts, CodexScript> = {
  untrusted: [say("The dunlin is there.")],
  trusting: [say("The plover is there.")],
  edit: [
    shell("cat src/heron.ts"),
    patch(
      "*** Update File: src/heron.ts",
      "@@",
      "-export const attempts = 1;",
      "+export const attempts = 3;",
      " export const limit = 7;",
      "*** Add File: src/pelican.ts",
      '+export const label = "pelican";',
    ),
    shell("git add src && git commit -qm 'Retry the import' && git log --oneline", "call_commit"),
    say("It is tried three times now."),
  ],
  ask: [
    find("search code, recall what was decided, why a line exists, note", "call_find"),
    mcp("code", { query: "how many attempts the heron importer has" }),
    mcp("recall", { about: "heronLedger import fetchTalon" }),
    { said: { name: "list_mcp_resources", id: "call_resources", input: { server: "pommel" } } },
    shell('pm search transcripts "heronLedger" --json', "call_pm"),
    say("We decided to leave the ibis alone, because nothing was said about it."),
  ],
  // Enough later decisions to keep the one above out of the context at the start of a session.
  resume: [say("We decided to keep the kestrel cache, because it is warm.")],
  fork: [say("We decided against a gannet queue, because nobody waits.")],
  // So full a context is compacted before the model goes on.
  compact: [{ ...shell("echo seven wrens"), inputTokens: 300_000 }, say("There are seven wrens.")],
  afterwards: [say("The osprey directory is the right one.")],
  number: [say("We decided to number the godwits from one instead of zero.")],
  again: [say("It is the bittern limit.")],
  code: [{ said: { name: "exec", id: "call_exec", text: inCode } }, say("The bittern limit is nine.")],
};
