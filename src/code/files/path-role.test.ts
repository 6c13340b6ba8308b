import { describe, expect, it } from "vitest";
import { classifyPath, createOlderVersionCheck, isAskedFor } from "./path-role.ts";

it.each([
  ["src/http/server.ts", "source"],
  ["src/http/server.test.ts", "test"],
  ["tests/test_server.py", "test"],
  ["pkg/server_test.go", "test"],
  ["src/test/java/ServerTest.java", "test"],
  ["app/contest/latest.ts", "source"],
  ["examples/basic.py", "example"],
  ["crates/parse/benchmarks/read.rs", "example"],
  ["src/benchmark/executor.rs", "source"],
  ["benchmarks/src/main/scala/queue/benchmarks/QueueBenchmark.scala", "example"],
  ["docs/guide.md", "docs"],
  ["History.md", "changelog"],
  [".changeset/brave-cats.md", "changelog"],
  ["src/history.ts", "source"],
  ["dist/retry.js", "built"],
  ["priv/static/phoenix.cjs.js", "built"],
  ["lib/jquery.min.js", "built"],
  ["build/release.ts", "source"],
  ["src/legacy/api.ts", "legacy"],
  ["api/service.pb.go", "generated"],
  ["src/index.ts", "barrel"],
  ["pkg/__init__.py", "barrel"],
  ["types/global.d.ts", "types"],
])("%s is %s", (path, role) => {
  expect(classifyPath(path)).toBe(role);
});

it("lets a query ask for tests", () => {
  expect(isAskedFor("test", new Set(["test", "server"]))).toBe(true);
  expect(isAskedFor("test", new Set(["server"]))).toBe(false);
});

describe("versions side by side", () => {
  const isOlder = createOlderVersionCheck([
    "src/v3/types.ts",
    "src/v4/types.ts",
    "api/v1/users.ts",
    "web/v12x/page.ts",
  ]);
  const about = (...words: string[]) => new Set(words);

  it("has older ones only beside newer ones", () => {
    expect(isOlder("src/v3/types.ts", about("union"))).toBe(true);
    expect(isOlder("src/v4/types.ts", about("union"))).toBe(false);
    expect(isOlder("api/v1/users.ts", about("union"))).toBe(false);
    expect(isOlder("src/types.ts", about("union"))).toBe(false);
  });

  it("ranks a version that the question names normally", () => {
    expect(isOlder("src/v3/types.ts", about("union", "v3"))).toBe(false);
  });

  it("counts versions as numbers", () => {
    expect(createOlderVersionCheck(["v9/a.ts", "v10/a.ts"])("v9/a.ts", about())).toBe(true);
  });
});
