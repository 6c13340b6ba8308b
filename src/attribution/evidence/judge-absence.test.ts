import { describe, expect, it } from "vitest";
import {
  bySession,
  edited,
  evidenceOfChange,
  fileOfDiff,
  forgetAll,
  lineIn,
  madeAt,
  memoryOfFile,
  minute,
  parentAt,
  ran,
  rememberTurn,
  runAt,
  running,
  write,
} from "../../../test/support/attribution-fixture.ts";
import { addCommit } from "../../../test/support/checkpoint-rows-fixture.ts";
import {
  type ChangeToAttribute,
  makeAgentVerdict,
  makeHumanVerdict,
  makeUnknownVerdict,
} from "../lines/verdict.ts";
import { Judge } from "./judge.ts";

const memory = memoryOfFile();

const evidenceOf = (more?: Partial<ChangeToAttribute>) => evidenceOfChange(memory, more);
const judge = (more?: Partial<ChangeToAttribute>) => new Judge(evidenceOf(more));
const at = runAt;
const runs = (command: string, from?: number) => running(memory, command, from);

describe("a line without evidence", () => {
  const absent = (more: Partial<ChangeToAttribute> = {}, path = "src/a.ts") =>
    judge(more).judgeByAbsence(lineIn(path));
  /** There was a session, long ago. */
  const wasBefore = () => rememberTurn(memory, "first", [ran("ls", minute)]);

  it("is a human's if no agent was active", () => {
    wasBefore();
    expect(absent()).toEqual(makeHumanVerdict("absence"));
  });

  it("is unknown in a new file beside one that a command made and nobody committed", () => {
    runs("node make.mjs gen/old.ts");
    const of = (path: string, isNew: boolean, more: Partial<ChangeToAttribute> = {}) =>
      judge(more).judgeByAbsence(lineIn(path, "x", isNew));
    expect(of("gen/new.ts", true)).toEqual(makeUnknownVerdict("command"));
    const others = [of("gen/new.ts", false), of("src/new.ts", true), of("gen/new.md", true)];
    const files = [{ ...fileOfDiff(["+x"]).change, path: "gen/old.ts" }];
    for (const verdict of [...others, of("gen/new.ts", true, { files })])
      expect(verdict).toEqual(makeHumanVerdict("absence"));
  });

  it("is unknown in a new file that a command made at another time, by a clock that may be wrong", () => {
    const of = (isNew: boolean) => judge().judgeByAbsence(lineIn("gen/a.ts", "x", isNew));
    runs("node make.mjs gen/a.ts", madeAt + 5 * 60 * minute);
    // Also before all sessions, by that clock.
    expect(of(true)).toEqual(makeUnknownVerdict("command"));
    expect(of(false)).toEqual(makeUnknownVerdict("not_covered"));
    wasBefore();
    expect(of(true)).toEqual(makeUnknownVerdict("command"));
    expect(of(false)).toEqual(makeHumanVerdict("absence"));
    forgetAll(memory);
    wasBefore();
    runs("cat > gen/a.ts <<'EOF'\nsomething(else)\nEOF", madeAt + 5 * 60 * minute);
    expect(of(true)).toEqual(makeHumanVerdict("absence"));
  });

  it("is unknown before the first stored session, and in commits of others", () => {
    expect(absent()).toEqual(makeUnknownVerdict("not_covered"));
    rememberTurn(memory, "first", [ran("ls", madeAt + minute)]);
    expect(absent()).toEqual(makeUnknownVerdict("not_covered"));
    wasBefore();
    expect(absent({ isOwn: false })).toEqual(makeUnknownVerdict("not_here"));
  });

  it("is unknown in a commit without a parent: it was there before, and nothing shows since when", () => {
    wasBefore();
    expect(absent({ parent: null })).toEqual(makeUnknownVerdict("root"));
  });

  it("is a human's if an agent worked on something else", () => {
    wasBefore();
    rememberTurn(memory, "s", [edited("src/b.ts", ["+x"], at), ran("npm test", at), ran("rm lib/c.ts", at)]);
    expect(absent()).toEqual(makeHumanVerdict("absence"));
  });

  it("is unknown where a command may have written it", () => {
    wasBefore();
    runs("npm run generate");
    // Generators leave what people wrote alone.
    expect(absent()).toEqual(makeHumanVerdict("absence"));
    expect(absent({}, "src/generated/a.ts")).toEqual(makeUnknownVerdict("command"));
    runs("./gen.sh");
    expect(absent()).toEqual(makeUnknownVerdict("command"));
    runs("sed -i s/a/b/ src/a.ts");
    expect(absent()).toEqual(makeUnknownVerdict("command"));
  });

  it.each([
    "npx prettier --write .",
    "sed -i s/oldName/newName/g src/a.ts",
    "npm install left-pad",
    "git stash -u && npm test; git stash pop",
    "git pull --rebase && git push",
    "git mv src/b.ts src/a.ts && git status",
    "git apply - <<'PATCH'\n--- a/src/b.ts\n+++ b/src/b.ts\n@@ -1,1 +1,2 @@\n one\n+two\nPATCH",
  ])("is a human's where %j ran, which writes no such line", (command) => {
    wasBefore();
    runs(command);
    expect(absent()).toEqual(makeHumanVerdict("absence"));
  });

  it("of a lock file, and of what a manifest says of it, is from the package manager that ran", () => {
    wasBefore();
    runs("npm install left-pad");
    const of = (path: string, bare: string) => judge().judgeByAbsence(lineIn(path, bare));
    const installed = makeAgentVerdict(bySession(), "shell", "installed");
    expect(of("package-lock.json", '"integrity":"sha512-x"')).toEqual(installed);
    expect(of("package.json", '"left-pad":"^1.3.0"')).toEqual(installed);
    expect(of("package.json", '"test":"vitest"')).toEqual(makeUnknownVerdict("command"));
    expect(of("Cargo.lock", 'name="x"')).toEqual(makeHumanVerdict("absence"));
    // A build may write one as well, if somebody changed the manifest; Go's does not.
    runs("rm -r lib && cargo build && go test ./...");
    expect(of("Cargo.lock", 'name="x"')).toEqual(makeUnknownVerdict("command"));
    expect(of("go.sum", "example.com/x v1.0.0 h1:x=")).toEqual(makeHumanVerdict("absence"));
  });

  it.each(["python3 gen.py", "python3 gen.py --out src/", "./gen.sh"])(
    "is unknown where %s ran",
    (command) => {
      wasBefore();
      runs(command);
      expect(absent()).toEqual(makeUnknownVerdict("command"));
    },
  );

  it("is not from a command before the parent commit", () => {
    wasBefore();
    runs("npm run generate", parentAt - minute);
    // But nothing shows that its clock is right.
    expect(absent()).toEqual(makeHumanVerdict("absence"));
  });

  it("is from the generator that ran, in a new file that such a one makes by its name", () => {
    wasBefore();
    runs("npx graphql-codegen && npx prettier --write .");
    const of = (path: string, isNew = true) => judge().judgeByAbsence(lineIn(path, "x", isNew));
    for (const path of ["src/gql/graphql.ts", "src/__generated__/a.ts", "api/a.gen.ts"])
      expect(of(path)).toEqual(makeAgentVerdict(bySession(), "shell", "generated"));
    // Such a one may be told to write anywhere; one for snapshots is not.
    expect(of("src/a.ts")).toEqual(makeUnknownVerdict("command"));
    forgetAll(memory);
    wasBefore();
    runs("npx vitest run -u");
    expect(of("src/__snapshots__/a.test.ts.snap")).toMatchObject({ author: "agent", basis: "generated" });
    expect(of("src/a.ts")).toEqual(makeHumanVerdict("absence"));
  });

  it("is from the generator that ran, in a new file that says that a program wrote it", () => {
    wasBefore();
    runs("make generate");
    const of = (text: string) =>
      judge({
        files: [fileOfDiff([`+${text}`, "+x"], { path: "src/a.ts", status: "A" }).change],
      }).judgeByAbsence(lineIn("src/a.ts", "x", true));
    expect(of("// Code generated by stringer. DO NOT EDIT.")).toEqual(
      makeAgentVerdict(bySession(), "shell", "generated"),
    );
    expect(of("// Adds what is generated.")).toEqual(makeUnknownVerdict("command"));
  });

  it("is not from a command that ended before the file's last commit", () => {
    wasBefore();
    runs("node gen.mjs src/a.ts", parentAt - 20 * minute);
    const look = () => {
      const evidence = evidenceOf();
      // What its session ran beside its lines belongs to the change as well.
      evidence.recordWritingSpan(
        write(["x"], { sessionUid: "s", startedAt: parentAt + minute, at: parentAt + minute }),
      );
      return new Judge(evidence).judgeByAbsence(lineIn("src/a.ts"));
    };
    expect(look()).toEqual(makeUnknownVerdict("command"));
    addCommit(memory, "parent", { committedAt: parentAt, authoredAt: parentAt }, [
      {
        path: "src/a.ts",
        oldPath: null,
        status: "M",
        insertions: 1,
        deletions: 0,
        added: [{ line: 1, key: 1 }],
      },
    ]);
    expect(look()).toEqual(makeHumanVerdict("absence"));
  });

  it("is from the command that made the file", () => {
    runs("python3 gen.py src/a.ts");
    const made = (path: string, isNew: boolean) =>
      judge({ isOwn: false }).judgeByAbsence(lineIn(path, "x", isNew));
    expect(made("src/a.ts", true)).toEqual(makeAgentVerdict(bySession(), "shell", "named"));
    expect(made("src/a.ts", false)).toEqual(makeUnknownVerdict("not_here"));
    expect(made("a.ts", true)).toEqual(makeUnknownVerdict("not_here"));
    expect(made("src/b.ts", true)).toEqual(makeUnknownVerdict("not_here"));
  });

  it("is from the command that made the file before the commit before, which left the file out", () => {
    wasBefore();
    runs("python3 gen.py src/a.ts", parentAt - 20 * minute);
    const of = (isNew: boolean) => judge().judgeByAbsence(lineIn("src/a.ts", "x", isNew));
    expect(of(true)).toEqual(makeAgentVerdict(bySession(), "shell", "named"));
    expect(of(false)).toEqual(makeHumanVerdict("absence"));
  });

  it("may be that of a command that moved a file from outside the project", () => {
    wasBefore();
    runs("mv ~/made/b.ts src/a.ts");
    expect(absent()).toEqual(makeUnknownVerdict("command"));
  });

  it.each(["cp b.ts src/a.ts", "git checkout x -- src/a.ts", "cat src/a.ts", "mv b.ts src/a.ts && make"])(
    "is not of one that made the file from another: %s",
    (command) => {
      runs(command);
      expect(judge({ isOwn: false }).judgeByAbsence(lineIn("src/a.ts", "x", true))).toEqual(
        makeUnknownVerdict("not_here"),
      );
    },
  );
});
