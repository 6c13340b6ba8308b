import { expect, it } from "vitest";
import { isAskedFor, roleOf } from "./path-role.ts";

it.each([
  ["src/http/server.ts", "source"],
  ["src/http/server.test.ts", "test"],
  ["tests/test_server.py", "test"],
  ["pkg/server_test.go", "test"],
  ["src/test/java/ServerTest.java", "test"],
  ["app/contest/latest.ts", "source"],
  ["examples/basic.py", "example"],
  ["docs/guide.md", "docs"],
  ["src/legacy/api.ts", "legacy"],
  ["api/service.pb.go", "generated"],
  ["src/index.ts", "barrel"],
  ["pkg/__init__.py", "barrel"],
  ["types/global.d.ts", "types"],
])("%s is %s", (path, role) => {
  expect(roleOf(path)).toBe(role);
});

it("lets a query ask for tests", () => {
  expect(isAskedFor("test", new Set(["test", "server"]))).toBe(true);
  expect(isAskedFor("test", new Set(["server"]))).toBe(false);
});
