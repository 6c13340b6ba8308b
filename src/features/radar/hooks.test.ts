import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { readChangeStamp } from "../../base/files/file-id.ts";
import { noteGiven } from "../../protocol/ready-context.ts";
import { markCode, stripToCode } from "./bare-code.ts";
import { type ReadyNotice, radarInHooks } from "./hooks.ts";

const text = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";
const lines = (from: number) =>
  text
    .split("\n")
    .slice(from, from + 3)
    .join("\n");

let home: ReturnType<typeof temporaryHome>;
let file: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  home = temporaryHome();
  file = join(home.dir, "a.ts");
  writeFileSync(file, text);
});
afterEach(() => {
  vi.useRealTimers();
  home.remove();
});

const notice = (more: Partial<ReadyNotice> = {}): ReadyNotice => ({
  session: "theirs",
  path: "a.ts",
  name: "one",
  mark: markCode(stripToCode(lines(0), "a.ts", { keepsIndent: true })),
  changedBy: [],
  at: Date.now() - 240_000,
  from: {},
  text: ["Another session changed `one()` ", " (uncommitted)."],
  ...more,
});
const ready = (...notices: ReadyNotice[]) => ({ root: home.dir, notices });
const call = (old_string: string, new_string: string, session = "mine") => ({
  session,
  tool: "Edit",
  cwd: home.dir,
  input: { file_path: file, old_string, new_string },
});
/** What is said before a call, which is written down as hooks do. No two calls are at the same time. */
function before(notices: ReadyNotice[], old = "return 1", now = "return 3", session = "mine") {
  vi.advanceTimersByTime(1);
  const said = radarInHooks.beforeCall(ready(...notices), call(old, now, session));
  if (said !== null)
    noteGiven(
      session,
      said.items.map(({ ref }) => ref),
    );
  return said?.text ?? null;
}

it("tells a session that is about to change what another one changed, with when that was", () => {
  expect(before([notice()])).toBe("- Another session changed `one()` 4 minutes ago (uncommitted).");
});

it("says nothing of its own changes, of other functions, of comments, and of other tools", () => {
  expect(before([notice({ session: "mine" })])).toBeNull();
  expect(before([notice()], "return 2")).toBeNull();
  expect(before([notice()], "return 1;", "return 1; // One.")).toBeNull();
  expect(before([notice()], "return 7")).toBeNull();
  const search = { ...call("", ""), tool: "Bash", input: { command: "grep one a.ts" } };
  expect(radarInHooks.beforeCall(ready(notice({ changedBy: ["mine"] })), search)).toBeNull();
});

it("says nothing of what has changed again since", () => {
  expect(before([notice({ from: { [file]: "earlier" } })])).toBeNull();
  expect(before([notice({ from: { [file]: readChangeStamp(file) } })])).not.toBeNull();
});

it("tells after an edit what came up meanwhile, and what both have changed", () => {
  writeFileSync(file, text.replace("return 1", "return 3"));
  const edited = call("return 1", "return 3");
  expect(radarInHooks.afterCall!(ready(notice()), edited)).not.toBeNull();
  expect(radarInHooks.afterCall!(ready(notice()), call("2", "2"))).toBeNull();
  const elsewhere = {
    ...edited,
    input: { file_path: join(home.dir, "b.ts"), old_string: "a", new_string: "b" },
  };
  expect(radarInHooks.afterCall!(ready(notice()), elsewhere)).toBeNull();
  expect(radarInHooks.afterCall!(ready(notice({ changedBy: ["mine"] })), elsewhere)).not.toBeNull();
});

it("tells a session of a function once, and two sessions of each other twice in an hour", () => {
  const two = notice({ name: "two", mark: markCode(stripToCode(lines(4), "a.ts", { keepsIndent: true })) });
  const three = { ...two, name: "three" };
  expect(before([notice()])).not.toBeNull();
  expect(before([notice()])).toBeNull();
  expect(before([notice(), two, three], "return 2", "return 4")).not.toBeNull();
  expect(before([{ ...two, name: "four" }], "return 2", "return 4")).toBeNull();
  expect(before([notice({ session: "mine" })], "return 1", "return 3", "theirs")).toBeNull();
  expect(before([{ ...two, session: "others" }], "return 2", "return 4")).not.toBeNull();
  noteGiven("later", [`radar:a.ts#one@${Date.now() - 3_700_000}:theirs`]);
  expect(before([notice()], "return 1", "return 3", "later")).not.toBeNull();
});

it("counts for a status line where two are at the same", () => {
  const both = notice({ changedBy: ["mine", "theirs"] });
  const count = (session: string, ...notices: ReadyNotice[]) =>
    radarInHooks.countOverlaps!(ready(...notices), session);
  expect(count("", both, notice({ name: "two" }))).toBe(1);
  expect([count("mine", both), count("theirs", both), count("others", both)]).toEqual([1, 0, 0]);
});
