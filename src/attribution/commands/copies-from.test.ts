import { expect, it } from "vitest";
import { copiesFrom } from "./command-means.ts";

const file = (path: string, revision: string | null = null) => ({ path, revision });

it.each([
  ["cp src/a.ts src/b.ts", [file("src/a.ts")]],
  ["mkdir -p src && cp ./src/a.ts src/b.ts && git status", [file("src/a.ts")]],
  ["cp -r lib/ src/", null],
  ["cp lib/b.ts src/", [file("lib/b.ts")]],
  ["git checkout HEAD~2 -- src/b.ts", [file("src/b.ts", "HEAD~2")]],
  ["git checkout -- src/b.ts", [file("src/b.ts")]],
  ["git restore --source=main src/b.ts", [file("src/b.ts", "main")]],
  ["git show v1:src/old.ts > src/b.ts", [file("src/old.ts", "v1")]],
  ["cat src/a.ts src/c.ts > src/b.ts", [file("src/a.ts"), file("src/c.ts")]],
  ["pbpaste > src/b.ts", []],
  ["cp src/a.ts src/bb.ts", null],
  ["node make.mjs src/b.ts", null],
  ["cat > src/b.ts <<'EOF'\ncp src/a.ts src/b.ts\nEOF", null],
])("%s", (command, from) => {
  expect(copiesFrom(command, "src/b.ts")).toEqual(from);
});
