import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseSteps } from "./steps.ts";

const seen = (line: string) => parseSteps(line).map(({ name, text, directory }) => [name, text, directory]);

describe("the programs of a command line", () => {
  it.each<[string, string[][]]>([
    ["npm test", [["npm test", "npm test", ""]]],
    ["npm run test -- --watch", [["npm test", "npm run test -- --watch", ""]]],
    ["cd pkg && CI=1 npm run build 2>&1 | tail -5", [["npm run build", "CI=1 npm run build", "pkg"]]],
    ["cd a && cd b; make check > /tmp/log", [["make check", "make check", "a/b"]]],
    [
      "(cd sub && go test ./...) && go vet ./...",
      [
        ["go test", "go test ./...", "sub"],
        ["go vet", "go vet ./...", ""],
      ],
    ],
    [
      "timeout 60 sudo -u me ./gradlew check",
      [["gradlew check", "timeout 60 sudo -u me ./gradlew check", ""]],
    ],
    ["npx vitest run src", [["vitest run", "npx vitest run src", ""]]],
    ["bash -lc 'cd x && cargo test'", [["cargo test", "cargo test", "x"]]],
    ["python3 -m pytest -k one", [["pytest", "python3 -m pytest -k one", ""]]],
    ["node scripts/build.mjs --fast", [["node scripts/build.mjs", "node scripts/build.mjs --fast", ""]]],
    ["git -C ../x push origin main", [["git push", "git -C ../x push origin main", "../x"]]],
    ["./node_modules/.bin/tsc -p .", [["tsc", "./node_modules/.bin/tsc -p .", ""]]],
    ["docker compose up -d", [["docker compose up", "docker compose up -d", ""]]],
    ['git commit -m "one\ntwo"', [["git commit", 'git commit -m "…"', ""]]],
  ])("%s", (line, steps) => {
    expect(seen(line)).toEqual(steps);
  });

  it.each([
    "ls -la && cat a.ts | grep x",
    "git status; git diff",
    "python3 -c 'print(1)'",
    "node - <<'EOF'\nrun()\nEOF",
    "for f in *; do make $f; done",
    "$TOOL run",
    "echo 'unclosed",
    'probe() { curl "$1"; }; probe a; probe b',
    "",
  ])("none of %j", (line) => {
    expect(seen(line)).toEqual([]);
  });

  it("never fails, whatever it is given", () => {
    const parts = fc.constantFrom(
      "cd x",
      "&&",
      "||",
      "|",
      ";",
      "(",
      ")",
      "make",
      '"',
      "'",
      "$(",
      "`",
      "<<EOF",
      "\n",
      "-c",
      "bash",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts, { maxLength: 12 }).map((all) => all.join(" ")),
        ),
        (line) => {
          for (const { name, text } of parseSteps(line)) expect([name, text]).not.toContain("");
        },
      ),
    );
  });
});

test("a form has nothing that differs from run to run", () => {
  const form = (line: string) => parseSteps(line)[0]?.form;
  expect(form("go test -v -run TestA ./pkg/a -count=1")).toBe(form("go test ./pkg/b -run TestB"));
  expect(form("go test ./...")).not.toBe(form("go test ./pkg"));
  expect(form("go test -tags=integration ./pkg")).not.toBe(form("go test ./pkg"));
  expect(form("TOKEN=a npm test")).toBe(form("TOKEN=b npm test"));
});

test("a step decides the exit status where nothing behind it does", () => {
  const decides = (line: string) => parseSteps(line).map((step) => step.decides);
  expect(decides("make a && make b")).toEqual([true, true]);
  expect(decides("make a; make b")).toEqual([false, true]);
  expect(decides("make a | tail")).toEqual([false]);
  expect(decides("make a || true")).toEqual([false]);
});
