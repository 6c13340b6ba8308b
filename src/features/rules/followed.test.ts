import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { edited, prompt, ran, used } from "../../../test/support/turn-fixture.ts";
import type { TranscriptEntry } from "../../agents/agent.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import { saveInjection } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { advice } from "./before-call.ts";
import { listSpoken } from "./followed.ts";
import { makeCheck } from "./make-check.ts";
import { describeOutcome } from "./words.ts";

let memory: Memory;
let remove: () => void;
let session: number;
beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
  session = addSession(memory, "s1").id;
});
afterEach(() => remove());

const main = {
  id: "aaaa",
  text: "never push to main",
  check: makeCheck({ command: "git push main" })!,
};
const push = "git push origin main";
const denied = { isError: true };
const byRule = (command: string) => ran(command, `The user's rule: … ${advice.deny}`, denied);
const byPerson = (command: string) =>
  ran(command, "The user doesn't want to proceed with this tool use.", denied);

function did(...turns: TranscriptEntry[][]): void {
  for (const [i, entries] of turns.entries()) {
    const lines: StoredLine[] = entries.map((entry, seq) => ({
      uid: `${i} ${seq}`,
      seq,
      at: 1000 * i + seq,
      entries: [entry],
    }));
    saveTurn(memory, session, turn(i + 1, { content: packContent(lines) }));
  }
}

/** The rule speaks at a call. */
function speak(call: TranscriptEntry | undefined, decision: "ask" | "deny" | null, ref = "rule:aaaa"): void {
  saveInjection(memory, {
    sessionUid: "s1",
    event: "pre-tool-use",
    at: 5,
    reason: "",
    tokens: 1,
    tookMs: 1,
    textHash: "",
    callId: call?.kind === "tool_use" ? call.id : null,
    decision,
    items: [{ ref, why: "a rule of the user", score: null }],
  });
}

const list = () => listSpoken(memory, [main], { sessionUid: null, since: 0, limit: 10 });
const came = () => list().map((one) => [one.mode, one.outcome, one.turn, describeOutcome(one)]);
/** As the terminal, the page and scripts are told. */
const followed = () => list().map((one) => one.was_followed);

it("a call that was denied and not made again was not run", () => {
  const call = byRule(push);
  did([prompt("go on"), ...call, ...ran("git status")]);
  speak(call[0], "deny");
  expect(list()).toMatchObject([
    { rule: "aaaa", text: "never push to main", mode: "deny", session_id: "s1", turn: 1, what: push },
  ]);
  expect(came()).toEqual([["deny", "not_run", 1, "not run"]]);
  expect(followed()).toEqual([true]);
});

it("a call that the rule allows, made instead, is another form", () => {
  const call = byRule(push);
  did([prompt("go on"), ...call, ...byRule(push), ...ran("cd x && git push origin fix-42")]);
  speak(call[0], "deny");
  expect(came()).toEqual([["deny", "other_form", 1, "instead: `git push origin fix-42`"]]);
  expect(followed()).toEqual([true]);
});

it("a later call that nobody asked for is disobedience; one that the person asked for is none", () => {
  const call = byRule(push);
  did([prompt("go on"), ...call], [prompt("and the docs"), ...ran(`cd x && ${push}`)]);
  speak(call[0], "deny");
  expect(came()).toEqual([["deny", "run", 1, "run anyway"]]);

  did([prompt("go on"), ...call], [prompt("now push it to main"), ...ran(push)]);
  expect(came()).toEqual([["deny", "not_run", 1, "not run"]]);
});

it("what the person is asked about is theirs", () => {
  const [allowed, refused] = [ran(push), byPerson(push)];
  did([prompt("go on"), ...allowed], [prompt("go on"), ...refused]);
  speak(allowed[0], "ask");
  speak(refused[0], "ask");
  expect(came()).toEqual([
    ["ask", "not_run", 2, "not run"],
    ["ask", "allowed", 1, "you let it run"],
  ]);
  expect(followed()).toEqual([true, null]);
});

it("a reminder comes with the result: what counts is whether the agent does it again", () => {
  const call = ran(push);
  did([prompt("go on"), ...call, ...edited("/repo/a.ts", "a", "b")]);
  speak(call[0], null);
  expect(came()).toEqual([["remind", "once", 1, "run this once, and not again"]]);
  expect(followed()).toEqual([true]);

  did([prompt("go on"), ...call, ...ran(push)]);
  expect(came()).toEqual([["remind", "run", 1, "run anyway"]]);
  expect(followed()).toEqual([false]);
});

it("nothing is said of a call that is not stored, nor of a rule that is gone", () => {
  did([prompt("go on"), ...used("Bash", { command: push }, null)]);
  speak(undefined, "deny");
  speak(ran(push)[0], "deny");
  speak(undefined, "deny", "rule:bbbb");
  expect(came()).toEqual([
    ["deny", "unknown", null, ""],
    ["deny", "unknown", null, ""],
  ]);
  expect(followed()).toEqual([null, null]);
});
