import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canWriteFiles,
  isReadOnlyCommand,
  listReplacementTexts,
  parsePatches,
  parsePrintedCommits,
  parseShellWrites,
  parseSubstitutions,
  unwrapCommand,
} from "./shell.ts";

describe("here-documents", () => {
  it.each<[string, string, string, string[]]>([
    ["into a file", "cat > a.txt <<EOF\none\ntwo\nEOF", "a.txt", ["one", "two"]],
    ["with the file behind", "cat <<EOF > a.txt\none\nEOF\n", "a.txt", ["one"]],
    ["without spaces", "cat >a.txt<<EOF\none\nEOF", "a.txt", ["one"]],
    ["appended", "cat >> a.txt << EOF\none\nEOF", "a.txt", ["one"]],
    ["in single quotes", "cat > src/a.ts <<'EOF'\nconst a = `$b`;\nEOF", "src/a.ts", ["const a = `$b`;"]],
    ["in double quotes", 'cat > a.txt << "END_1"\none\nEND_1', "a.txt", ["one"]],
    ["with a dash", "cat <<-EOF >> a.sh\n\t\tone\n\t\t\ttwo\n\tEOF", "a.sh", ["one", "two"]],
    ["through tee", "cat <<EOF | tee a.txt\none\nEOF", "a.txt", ["one"]],
    ["through tee at once", "tee -a a.txt <<'EOF'\none\nEOF", "a.txt", ["one"]],
    ["of a name with spaces", "cat > 'a b.txt' <<EOF\none\nEOF", "a b.txt", ["one"]],
    ["with commands around", "mkdir -p d && cat > d/a <<EOF && ls d\none\nEOF\nls", "d/a", ["one"]],
    [
      "with blank lines and ends that are none",
      "cat > a <<EOF\n\none EOF\nEOF1\n\nEOF",
      "a",
      ["", "one EOF", "EOF1", ""],
    ],
    ["beside its errors", "cat > a 2>&1 <<EOF\none\nEOF", "a", ["one"]],
  ])("%s", (_, command, path, lines) => {
    expect(parseShellWrites(command)).toEqual([{ path, lines }]);
  });

  it.each<[string, string, { path: string; lines: string[] }[]]>([
    [
      "after another command on the same line",
      "echo x > a && cat > b <<EOF\none\nEOF",
      [{ path: "b", lines: ["one"] }],
    ],
    ["through tee that is silent", "tee f > /dev/null <<'EOF'\none\nEOF", [{ path: "f", lines: ["one"] }]],
    [
      "with nothing in it",
      "cat > a <<EOF\nEOF\ncat > b <<EOF\none\nEOF",
      [
        { path: "a", lines: [""] },
        { path: "b", lines: ["one"] },
      ],
    ],
    ["whose end is escaped", "cat <<\\EOF > b\none\nEOF", [{ path: "b", lines: ["one"] }]],
    ["whose end has a dash", "cat <<'END-IT' > b\none\nEND-IT", [{ path: "b", lines: ["one"] }]],
  ])("%s", (_, command, writes) => {
    expect(parseShellWrites(command)).toEqual(writes);
  });

  it("hold any content", () => {
    const line = fc.string({ unit: "grapheme", maxLength: 20 });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
        fc.pre(lines.every((each) => !/[\n\r]/.test(each) && !/\b(?:echo|printf)\b/.test(each)));
        fc.pre(lines.every((each) => each.trim() !== "THE_END"));
        const command = `cat > out.txt <<'THE_END'\n${lines.join("\n")}\nTHE_END\necho done`;
        expect(parseShellWrites(command)).toEqual([{ path: "out.txt", lines }]);
      }),
    );
  });

  it("several in one command, each to its own file", () => {
    const command = "cat > a <<'EOF'\none\nEOF\ncat >> b <<EOF\ntwo\nEOF\ncat <<END | tee c\nthree\nEND";
    expect(parseShellWrites(command)).toEqual([
      { path: "a", lines: ["one"] },
      { path: "b", lines: ["two"] },
      { path: "c", lines: ["three"] },
    ]);
  });

  it.each([
    ["to a program", "python3 - <<'EOF'\nopen('x')\nEOF"],
    ["as a commit's message", "git commit -m \"$(cat <<'EOF'\nFix it\nEOF\n)\""],
    ["that never end", "cat > a <<EOF\none\n"],
    ["none at all", "ls -la"],
    ["but a text", "cat <<< one > "],
    ["but numbers", "echo $((1 << 2)) > a\n2\n"],
  ])("write nothing: %s", (_, command) => {
    expect(parseShellWrites(command)).toEqual([]);
  });
});

describe("echo and printf", () => {
  it.each<[string, string, string[]]>([
    ["echo 'a b' > f.txt", "f.txt", ["a b"]],
    ['echo "a" >> f.txt', "f.txt", ["a"]],
    ["echo -e 'a\\nb' > f.txt", "f.txt", ["a", "b"]],
    ["echo -n -e 'a' > f.txt", "f.txt", ["a"]],
    ["printf 'a\\nb\\n' > f.txt", "f.txt", ["a", "b"]],
    ['echo "say \\"hi\\" for \\$1" > f.txt', "f.txt", ['say "hi" for $1']],
    ["echo 'a\nb' > f.txt", "f.txt", ["a", "b"]],
    ["cd d && echo 'a' > 'f g.txt' && ls", "f g.txt", ["a"]],
    ["echo 'a > b' > f.txt", "f.txt", ["a > b"]],
  ])("%s", (command, path, lines) => {
    expect(parseShellWrites(command)).toEqual([{ path, lines }]);
  });

  it("several", () => {
    expect(parseShellWrites("echo 'a' > f; echo 'b' >> f\nprintf 'c' > g")).toEqual([
      { path: "f", lines: ["a"] },
      { path: "f", lines: ["b"] },
      { path: "g", lines: ["c"] },
    ]);
  });

  it.each([
    "echo 'a'",
    "echo 'a' 2>&1",
    "echo 'a' | cat > f",
    "echo $text > f",
    "printf '%s\\n' a > f",
    "myecho > f",
  ])("nothing that is known: %s", (command) => {
    expect(parseShellWrites(command)).toEqual([]);
  });
});

describe("a command may have changed files:", () => {
  it.each([
    "ls -la src",
    "cat a.ts",
    "head -5 a | tail -2",
    "grep -rn 'a > b' src",
    "rg foo && wc -l a",
    "sed -n 1,20p a.ts",
    "awk '{print $1}' a",
    "find . -name '*.ts'",
    "cd src && pwd",
    "echo done",
    "ls 2>/dev/null",
    "ls > /dev/null 2>&1",
    "ls &> /dev/null",
    "/usr/bin/grep x a",
    "LANG=C sort a",
    "curl -s http://127.0.0.1:1/x",
    "tree -L 2",
    "jq .a b.json",
    "diff a b",
    "# only said",
    "",
    "git status",
    "git diff HEAD~1",
    "git log --oneline -5 -- a.ts",
    "git show HEAD:a.ts",
    "git -C sub status",
    "git add -A && git commit -m 'x > y' && git push",
    "git -c core.pager=cat log",
    "git stash list",
    "git --no-pager diff",
    "git branch -D x",
    "git worktree list",
    "git rev-parse HEAD",
    "git blame a.ts",
    "npm test",
    "npm run build",
    "npm run test:unit -- a",
    "npx tsc --noEmit",
    "npx vitest run a.test.ts",
    "CI=1 npm test 2>&1 | tail -20",
    "timeout 60 npm test",
    "time cargo build",
    "cargo clippy",
    "go vet ./...",
    "pytest -q",
    "python3 -m pytest a",
    "make test",
    "mypy src",
    "ruff check .",
    "npx eslint src",
    "biome check",
  ])("not %j", (command) => {
    expect(canWriteFiles(command)).toBe(false);
  });

  it.each([
    "rm a",
    "mv a b",
    "cp a b",
    "touch a",
    "mkdir d",
    "sed -i s/a/b/ a.ts",
    "sed -Ei s/a/b/ a.ts",
    "perl -pi -e 1 a",
    "ls > files.txt",
    "cat a >> b",
    "jq . a.json >b.json",
    'ls > "a b"',
    "ls | tee a",
    "find . -delete",
    "find . -name a -exec rm {} +",
    "ls | xargs rm",
    "curl -sO http://127.0.0.1/x",
    "curl --output a http://127.0.0.1",
    "git checkout a.ts",
    "git checkout -b x",
    "git restore .",
    "git stash",
    "git stash pop",
    "git merge x",
    "git pull",
    "git rebase main",
    "git reset --hard",
    "git apply a.patch",
    "git mv a b",
    "git rm a",
    "git clean -fd",
    "git -C sub checkout x",
    "git cherry-pick x",
    "git revert HEAD",
    "git worktree add ../x",
    "git submodule update",
    "npm install",
    "npm run format",
    "npx prettier --write .",
    "npx eslint --fix src",
    "biome check --write .",
    "cargo fmt",
    "cargo clippy --fix",
    "go generate ./...",
    "gofmt -w .",
    "make",
    "make gen",
    "ruff check --fix .",
    "python3 gen.py",
    "node -e 1",
    "./scripts/generate.sh",
    "bash -c 'rm a'",
    "sh x.sh",
    "sudo rm a",
    "X=1 rm a",
    "ls && rm a",
    "ls; rm a",
    "ls || rm a",
    "ls\nrm a",
    "cat <<'EOF' > a.ts\nx\nEOF",
    "echo 'x' > a.ts",
    "npm test && sed -i s/a/b/ a",
    "timeout 5 ./x",
    "time prettier --write a",
  ])("%j", (command) => {
    expect(canWriteFiles(command)).toBe(true);
  });

  it.each([
    "for f in src/*.ts; do sed -i s/a/b/ $f; done",
    "if true; then rm x; fi",
    "if a; then ls; else rm x; fi",
    "while read f; do mv $f $f.bak; done < list",
    "ls & rm x",
    "env X=1 rm a",
    "time sudo rm a",
    "! rm a",
    "jq . a.json > /repo/b.json",
    "ls &> out.log",
    "cat $(make gen)",
    "echo `touch a`",
    "(ls; rm a)",
    "diff <(ls) <(ls; make gen)",
    "ls $(cat $(rm a))",
    "$(x)",
  ])("hidden in %j", (command) => {
    expect(canWriteFiles(command)).toBe(true);
  });

  it.each([
    "cat <<EOF\nrm it all\nEOF",
    "git commit -F - <<'EOF'\nFix \"it\"\nEOF",
    "ls > /tmp/list",
    "env X=1 npm test",
    'git commit -m "$(cat <<\'EOF\'\nSay "rm x"\nEOF\n)"',
    "for f in *; do cat $f; done",
    "ls &",
    "(cd x && ls)",
    "git log --since=$(date) --stat",
    "grep x $(git ls-files) -n",
    "echo $((1 + 2))",
    "find . \\( -name a -o -name b \\) -print",
  ])("not said by %j", (command) => {
    expect(canWriteFiles(command)).toBe(false);
  });

  it("even with harmless commands beside it", () => {
    const reading = fc.constantFrom(
      "ls",
      "git status",
      "npm test",
      "cat 'a b'",
      'echo "x > y"',
      "grep -c a b 2>&1",
    );
    const writing = fc.constantFrom("rm a", "sed -i s/a/b/ c", "ls > files", "git stash", "npm install");
    const glue = fc.constantFrom(" && ", "; ", " || ", "\n", " | ");
    fc.assert(
      fc.property(
        fc.array(reading, { maxLength: 4 }),
        writing,
        fc.array(reading, { maxLength: 4 }),
        glue,
        (a, b, c, by) => {
          expect(canWriteFiles([...a, b, ...c].join(by))).toBe(true);
          expect(canWriteFiles([...a, ...c].join(by))).toBe(false);
        },
      ),
    );
  });
});

describe("commits that git reported", () => {
  it.each<[string, string[]]>([
    ["[main 1a2b3c4] Fix it\n 1 file changed, 1 insertion(+)", ["1a2b3c4"]],
    ["[main (root-commit) 1a2b3c4] First", ["1a2b3c4"]],
    ["[detached HEAD abcdef0] Look", ["abcdef0"]],
    ["[feature/deadbeef1 1a2b3c5] Named like a hash", ["1a2b3c5"]],
    ["checks pass\n[main 1111111] One\nmore\n[main 2222222222] Two\n", ["1111111", "2222222222"]],
    [`[main ${"0f".repeat(32)}] Long`, ["0f".repeat(32)]],
    ["see [main 1a2b3c4] Fix it", []],
    ["[main 12345] too short", []],
    ["[INFO] 1a2b3c4", []],
    ["nothing to commit", []],
    ["", []],
  ])("%j", (output, hashes) => {
    expect(parsePrintedCommits(output).map(({ hash }) => hash)).toEqual(hashes);
  });
});

it.each([
  ["npm test", "npm test"],
  ['bash -lc "npm install left-pad"', "npm install left-pad"],
  ["docker compose run --rm app npm install left-pad", "npm install left-pad"],
  ["cd api && docker exec -it -e CI=1 web sh -c 'make gen'", "cd api &&sh -c 'make gen'"],
  ["docker run --rm -v $PWD:/w -w /w node:20 bash -c 'npm ci && npm test'", "npm ci && npm test"],
  ["docker compose up --build", "docker compose up --build"],
  ["docker run nginx && npm test", "docker run nginx && npm test"],
  ["grep 'docker run a b' notes.md", "grep 'docker run a b' notes.md"],
])("%s runs %s in the end", (command, inner) => {
  expect(unwrapCommand(command)).toBe(inner);
});

describe("a command", () => {
  it.each([
    "npm test",
    "npm run test:unit",
    "pnpm -r test",
    "yarn build",
    "npx playwright test",
    "bun test",
    "cargo nextest run",
    "./mvnw -q verify",
    "python -m pytest -x",
    "make test-unit",
    "tox -e py312",
    "docker compose up -d",
    "kubectl logs -f deploy/app",
    "terraform plan",
    "sleep 20",
    "node server.js",
  ])("leaves files alone: %s", (command) => {
    expect(isReadOnlyCommand(command)).toBe(true);
  });

  it.each([
    "npx vitest run -u",
    "npx jest --updateSnapshot",
    "npx eslint --fix .",
    "npm run codegen",
    "npm run format",
    "make generate",
    "cargo fmt",
    "npm install",
    "terraform apply",
    "docker compose run app ./gen.sh",
    "node scripts/generate.mjs a.ts",
    "testgen --all",
    "pytest --snapshot-update",
  ])("may write: %s", (command) => {
    expect(isReadOnlyCommand(command)).toBe(false);
  });
});

it("a unified diff names its files, each with its lines", () => {
  const text = [
    "git apply <<'PATCH'",
    "diff --git a/src/a.ts b/src/a.ts",
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -1,2 +1,2 @@",
    " one",
    "-two",
    "+three",
    "--- a/b.ts",
    "+++ b/b.ts\t2026-01-01",
    "@@ -0,0 +1 @@",
    "+four",
    "PATCH",
    "+not a line of it",
  ].join("\n");
  expect(parsePatches(text)).toEqual([
    { path: "src/a.ts", lines: [" one", "-two", "+three"] },
    { path: "b.ts", lines: ["+four"] },
  ]);
});

it("the envelope that agents use is one as well", () => {
  const text =
    "*** Begin Patch\n*** Add File: a.ts\n+one\n*** Update File: b.ts\n@@\n-x\n+two\n*** End Patch";
  expect(parsePatches(text)).toEqual([
    { path: "a.ts", lines: ["+one"] },
    { path: "b.ts", lines: ["-x", "+two"] },
  ]);
});

it("a text without a patch has none, nor has one that only removes", () => {
  expect(parsePatches("a + b\n- c")).toEqual([]);
  expect(parsePatches("--- a/a.ts\n+++ b/a.ts\n@@ -1 +0,0 @@\n-one")).toEqual([]);
});

const made = (command: string, line: string) =>
  parseSubstitutions(command).reduce((text, replace) => replace(text), line);

describe("a replacement in place", () => {
  it.each([
    ["sed -i 's/old/new/g' a.ts", "old(old)", "new(new)"],
    ["sed -i 's/old/new/' a.ts", "old(old)", "new(old)"],
    ["sed -i -e 's|a/b|c/d|' -e 's/x/y/' a.ts", "a/b x", "c/d y"],
    ["sed -i 's/\\bfoo\\b/bar/g' a.ts", "foo food", "bar food"],
    ["sed -i 's/\\(a\\)(\\(b\\))/\\2(\\1)/' a.ts", "a(b)", "b(a)"],
    ["sed -i -E 's/(a)(b)/\\2\\1 & $/' a.ts", "ab", "ba ab $"],
    ["perl -pi -e 's/old/new/g' a.ts", "old", "new"],
  ])("%s", (command, before, after) => {
    expect(made(command, before)).toBe(after);
  });

  it("is none without -i, nor with an expression that is invalid or takes too long elsewhere", () => {
    expect(parseSubstitutions("sed 's/a/b/' a.ts")).toEqual([]);
    expect(parseSubstitutions("sed -i -E 's/(/b/' a.ts")).toEqual([]);
    expect(made("sed -i -E 's/(a+)+$/b/' a.ts", `${"a".repeat(5000)}!`)).toContain("!");
  });
});

it("what a command puts in place is known where it does nothing else", () => {
  expect(listReplacementTexts("cd src && sed -i 's/oldName/newName/g' a.ts")).toEqual(["newName"]);
  expect(listReplacementTexts("sed -i 's/a/newName/' a.ts && make")).toBeNull();
  expect(listReplacementTexts("sed -i 's/a/b/' a.ts")).toBeNull();
  expect(listReplacementTexts("sed -i '/x/d' a.ts && cat a.ts | head")).toEqual([]);
  expect(listReplacementTexts("sed -i 's/, legacy//; s/one/other/' a.ts")).toEqual(["other"]);
  expect(listReplacementTexts("sed -i '2i one more' a.ts")).toBeNull();
});
