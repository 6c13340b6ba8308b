import { describe, expect, it } from "vitest";
import {
  bySession,
  evidenceOfChange,
  lineIn,
  memoryOfFile,
  minute,
  parentAt,
  ran,
  rememberTurn,
  runAt,
  running,
  write,
  wrote,
} from "../../../test/support/attribution-fixture.ts";
import { saveObservation } from "../../store/memory/observations.ts";
import { computeLineKey } from "../lines/line-keys.ts";
import {
  type ChangeToAttribute,
  makeAgentVerdict,
  makeHumanVerdict,
  makeUnknownVerdict,
} from "../lines/verdict.ts";
import { Judge } from "./judge.ts";
import type { Write } from "./writes.ts";

const memory = memoryOfFile();

const judge = (more?: Partial<ChangeToAttribute>) => new Judge(evidenceOfChange(memory, more));
const at = runAt;
const runs = (command: string, from?: number) => running(memory, command, from);

describe("a line that showed up", () => {
  const seen = (path: string, ...times: number[]) => judge().judgeByFirstSeen(lineIn(path), times, []);

  it("while nothing ran is a human's", () => {
    runs("sed -i s/a/b/ src/a.ts");
    expect(seen("src/a.ts", at - 1)).toEqual(makeHumanVerdict("alone"));
    expect(seen("src/a.ts", at + 11_000)).toEqual(makeHumanVerdict("alone"));
  });

  it("as a piece of a line that was there before is whoever's that line is", () => {
    runs("npx prettier --write .");
    const piece = (before: number) =>
      judge().judgeByFirstSeen({ ...lineIn("src/a.ts"), unbroken: { key: 1, at: before } }, [at + 5000], []);
    expect(piece(at - 1000)).toEqual(makeHumanVerdict("alone"));
    runs("sed -i s/a/b/ src/a.ts", at - 60_000);
    expect(piece(at - 55_000)).toEqual(makeAgentVerdict(bySession(), "shell", "ran"));
  });

  it.each([
    "sed -i s/a/b/ src/a.ts",
    "cd src && sed -i s/a/b/ a.ts",
    "cp -r ../other ./src",
    "cp -r ../other/* src/",
    "python3 gen.py --out src/",
    "python3 gen.py",
    "node build/generate.mjs",
    "./gen.sh",
    "for f in src/*.ts; do sed -i s/a/b/ $f; done",
    "./scripts/generate.sh",
    "make gen",
    "sed -i s/a/b/ src/*.ts",
    "git ls-files | xargs sed -i s/a/b/",
    'for f in $(grep -rl a .); do sed -i "s/a/b/" "$f"; done',
  ])("while an agent ran %j is the agent's", (command) => {
    runs(command);
    expect(seen("src/a.ts", at + 5000)).toEqual(makeAgentVerdict(bySession(), "shell", "ran"));
    expect(seen("src/a.ts", at + 10_400)).toEqual(makeAgentVerdict(bySession(), "shell", "ran"));
  });

  it.each([
    "./tool --port 80",
    "git stash pop",
    "git stash -u && npm test; git checkout main -- src/a.ts",
    "gh pr diff 7 | git apply",
  ])(
    "while an agent ran %j, which has no lines of its own or may be about anything, may be anybody's",
    (command) => {
      runs(command);
      expect(seen("src/a.ts", at + 5000)).toMatchObject({ author: "unknown" });
    },
  );

  it.each(["git apply /tmp/theirs.patch", "patch -p1 < theirs.patch"])(
    "while an agent applied a patch (%s) is a person's, unless a call may have made the patch",
    (command) => {
      runs(command);
      expect(seen("src/a.ts", at + 5000)).toEqual(makeHumanVerdict("patched"));
      rememberTurn(memory, "other", [ran("node make.mjs > /tmp/theirs.patch", at - minute)]);
      rememberTurn(memory, "other", [wrote("/repo/theirs.patch", "something", at - minute)], { number: 2 });
      expect(seen("src/a.ts", at + 5000)).toMatchObject({ author: "unknown" });
    },
  );

  it.each(["npx prettier --write .", "npm run format"])(
    "while an agent formatted (%s) is whose it was before, as far as calls say",
    (command) => {
      runs(command);
      const of = (writes: readonly Write[]) =>
        judge().judgeByFirstSeen(lineIn("src/a.ts", "lettotal=sumOf(cart,prices)"), [at + 5000], writes);
      expect(of([])).toEqual(makeHumanVerdict("alone"));
      const call = write(["const total = sumOf(cart, prices);"], { startedAt: at - minute, at: at - minute });
      expect(of([call])).toMatchObject({ author: "agent", basis: "formatted" });
      rememberTurn(memory, "s", [ran("node gen.mjs src/a.ts", at - minute, at - minute + 1000)], {
        number: 2,
      });
      expect(of([])).toMatchObject({ author: "unknown" });
    },
  );

  it("in a new file while an agent formatted it is the agent's where it had made the file", () => {
    const before = at - 5 * minute;
    rememberTurn(memory, "s", [
      ran("node gen.mjs gen/a.ts", before, before + 1000),
      ran("npx prettier --write gen", at, at + 10_000),
    ]);
    const inNew = (path: string) => judge().judgeByFirstSeen(lineIn(path, "one", true), [at + 5000], []);
    expect(inNew("gen/b.ts")).toMatchObject({ author: "human" });
    expect(inNew("gen/a.ts")).toMatchObject({ author: "agent", basis: "ran" });
  });

  it.each([
    "cat src/a.ts",
    "npm test",
    "git commit -am x",
    "git diff src/a.ts",
    "docker compose up --build",
    "./gradlew test",
    "uv run pytest tests",
    "npm run test:e2e -- --watch=false",
    "sed -i s/a/b/ src/b.ts",
    "cp -r ../other/* lib/",
    "sed -i s/a/b/ docs/*.md",
    "rm -r d/",
    "./server --port 80",
    "./scripts/wait-for-it.sh localhost:5432",
    "bash scripts/run-tests.sh",
    "sed -i s/a/b/ data.ts",
    "npm install left-pad",
    "npx prettier --write src/b.ts",
  ])("while an agent ran %j, which writes nothing or something else, is a human's", (command) => {
    runs(command);
    expect(seen("src/a.ts", at + 5000)).toEqual(makeHumanVerdict("alone"));
  });

  describe("while a command was under way for minutes, as one that waits to be allowed,", () => {
    const long = (command: string) => rememberTurn(memory, "s", [ran(command, at, at + 5 * minute)]);

    it("is the agent's where it was written last, in the file that the command names", () => {
      long("node gen.mjs src/a.ts");
      saveObservation(memory, { path: "src/a.ts", at: at + minute, keys: [1] });
      saveObservation(memory, { path: "src/a.ts", at: at + 4 * minute, keys: [2] });
      expect(seen("src/a.ts", at + 4 * minute)).toMatchObject({ author: "agent" });
      expect(seen("src/a.ts", at + minute)).toMatchObject({ author: "unknown" });
    });

    it("may be anybody's where the command names no file, but in a new file or several at once", () => {
      long("make gen");
      expect(seen("src/a.ts", at + minute)).toMatchObject({ author: "unknown" });
      for (const path of ["src/a.ts", "src/b.ts", "src/c.ts"])
        saveObservation(memory, { path, at: at + minute, keys: [1] });
      expect(seen("src/a.ts", at + minute)).toMatchObject({ author: "agent" });
    });

    it("is a human's where the command wrote the file that it names at another moment", () => {
      long("node gen.mjs gen/b.ts");
      expect(seen("src/a.ts", at + minute)).toMatchObject({ author: "unknown" });
      saveObservation(memory, { path: "gen/b.ts", at: at + 4 * minute, keys: [1] });
      expect(seen("src/a.ts", at + minute)).toMatchObject({ author: "human" });
      expect(seen("src/a.ts", at + 4 * minute)).toMatchObject({ author: "unknown" });
    });

    it("is a human's where all that the command writes is in its text", () => {
      long("cat > src/a.ts <<'EOF'\none();\nEOF\nnpm test");
      expect(seen("src/a.ts", at + minute)).toMatchObject({ author: "human" });
    });
  });

  it("at two times, once by each, has no certain author", () => {
    runs("sed -i s/a/b/ src/a.ts");
    expect(seen("src/a.ts", at - minute, at + 5000)).toMatchObject({ author: "unknown" });
    expect(seen("src/a.ts", at + 4000, at + 5000)).toMatchObject({ author: "agent" });
    expect(seen("src/a.ts", at - minute, at - 5000)).toEqual(makeHumanVerdict("alone"));
  });

  it("before the parent commit counts only where it did not show up since", () => {
    runs("sed -i s/a/b/ src/a.ts");
    expect(seen("src/a.ts", parentAt - minute, at + 5000)).toMatchObject({ author: "agent" });
    rememberTurn(memory, "old", [ran("sed -i s/a/b/ src/a.ts", parentAt - minute, parentAt - minute + 1000)]);
    expect(seen("src/a.ts", parentAt - 2 * minute, parentAt - minute + 500)).toMatchObject({
      sessionUid: "old",
    });
    expect(seen("src/a.ts", parentAt - minute + 500, at - minute)).toEqual(makeHumanVerdict("alone"));
  });

  it("with others that a command had made in another file is that command's", () => {
    const keys = ["one(a)", "two(b)", "three(c)"].map(computeLineKey);
    saveObservation(memory, { path: "gen/old.ts", at: at + 5000, keys });
    saveObservation(memory, { path: "gen/new.ts", at: at + minute, keys });
    const look = () => judge().judgeByFirstSeen(lineIn("gen/new.ts", "two(b)"), [at + minute], []);
    expect(look()).toEqual(makeHumanVerdict("alone"));
    runs("node make.mjs gen/old.ts");
    expect(look()).toEqual(makeAgentVerdict(bySession(), "shell", "moved"));
  });

  it("just after an agent's edit comes from a formatter if it says nearly the same", () => {
    const call = ["const total = sumOf(cart, prices);"];
    const by1 = { at, sessionUid: "s", toolUse: "s:1:1", model: "big-model" };
    const writes = [write(call, { ...by1, startedAt: at - minute })];
    const look = (time: number, bare: string) =>
      judge().judgeByFirstSeen(lineIn("a.ts", bare), [time], writes);
    const formatted = "lettotal=sumOf(cart,prices)";
    for (const time of [at + 2000, at - 400, at - minute + 1])
      expect(look(time, formatted)).toEqual(makeAgentVerdict(bySession(), "edit", "formatted"));
    expect(look(at + 3000, formatted)).toEqual(makeHumanVerdict("alone"));
    expect(look(at - minute - 1000, formatted)).toEqual(makeHumanVerdict("alone"));
    // A command writes its own text at once: what resembles it minutes later is a person's.
    const command = [write(call, { ...by1, startedAt: at - minute, how: "shell" })];
    const beside = (time: number) => judge().judgeByFirstSeen(lineIn("a.ts", formatted), [time], command);
    expect(beside(at - minute + 2000)).toMatchObject({ author: "agent" });
    expect(beside(at - 20_000)).toEqual(makeHumanVerdict("alone"));
    // A person saves something else in the same seconds.
    expect(look(at + 2000, "exportfunctiontax(country){")).toEqual(makeHumanVerdict("alone"));
  });

  it("with much of its file just after an agent's edit was formatted: it is whose it was", () => {
    const by1 = { at, sessionUid: "s", toolUse: "s:1:1", model: "big-model" };
    const writes = [write(["other(line)"], { ...by1, startedAt: at - 2000 })];
    const keys = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => computeLineKey(`line(${from + i})`));
    const look = (isNewFile: boolean) =>
      judge().judgeByFirstSeen(lineIn("gen/a.ts", "line(25)", isNewFile), [at], writes);
    saveObservation(memory, { path: "gen/a.ts", at: at - minute, keys: keys(0, 20) });
    saveObservation(memory, { path: "gen/a.ts", at: at - 1000, keys: keys(20, 21) });
    expect(look(true)).toEqual(makeHumanVerdict("alone"));
    // As many lines as were there have another form.
    saveObservation(memory, { path: "gen/a.ts", at, keys: keys(21, 41) });
    expect(look(true)).toEqual(makeUnknownVerdict("several"));
    rememberTurn(memory, "s", [ran("node make.mjs gen/a.ts", at - minute - 1000, at - minute + 1000)]);
    expect(look(true)).toEqual(makeAgentVerdict(bySession(), "shell", "named"));
    expect(look(false)).toEqual(makeUnknownVerdict("several"));
  });

  it("with much of a file that a command made is nobody's for sure: a person formatted it, or pasted as much", () => {
    const keys = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => computeLineKey(`line(${from + i})`));
    saveObservation(memory, { path: "gen/a.ts", at: at - minute, keys: keys(0, 20) });
    saveObservation(memory, { path: "gen/a.ts", at, keys: keys(20, 40) });
    const look = () => judge().judgeByFirstSeen(lineIn("gen/a.ts", "line(25)", true), [at], []);
    expect(look()).toEqual(makeHumanVerdict("alone"));
    rememberTurn(memory, "s", [ran("node make.mjs gen/a.ts", at - minute - 1000, at - minute + 1000)]);
    expect(look()).toEqual(makeUnknownVerdict("several"));
  });

  it("in a file that somebody writes in the seconds of an agent's edit is a human's", () => {
    const by1 = { at, sessionUid: "s", toolUse: "s:1:1", model: "big-model" };
    const writes = [write(["other(line)"], { ...by1, startedAt: at - 2000 })];
    const keys = Array.from({ length: 30 }, (_, i) => computeLineKey(`line(${i})`));
    saveObservation(memory, { path: "gen/a.ts", at, keys });
    const seen = judge().judgeByFirstSeen(lineIn("gen/a.ts", "line(25)", true), [at], writes);
    expect(seen).toEqual(makeHumanVerdict("alone"));
  });

  it("while an answered command goes on is the agent's only where the command means the file", () => {
    rememberTurn(memory, "s", [
      {
        tool: "Bash",
        input: { command: "node gen.mjs --watch gen/a.ts", run_in_background: true },
        at,
        answeredAt: at + 100,
      },
    ]);
    saveObservation(memory, { path: "gen/a.ts", at: at + minute, keys: [7] });
    expect(seen("gen/a.ts", at + minute)).toEqual(makeAgentVerdict(bySession(), "shell", "ran"));
    expect(seen("gen/a.ts", at + 2 * minute)).toEqual(makeHumanVerdict("alone"));
    expect(seen("src/b.ts", at + minute)).toEqual(makeHumanVerdict("alone"));
  });

  it("with the time of an earlier command is of the one that moved it here", () => {
    rememberTurn(memory, "s", [
      ran("node gen.mjs > /tmp/piece", at, at + 1000),
      ran("mv /tmp/piece src/a.ts", at + minute, at + minute + 1000),
    ]);
    expect(seen("src/a.ts", at + 900)).toEqual(
      makeAgentVerdict(bySession({ toolUse: "s:1:2" }), "shell", "brought"),
    );
  });
});
