import { expect, it } from "vitest";
import { toFileId } from "../../../store/index/port.ts";
import { FileFinder } from "./named-files.ts";

const finder = new FileFinder(
  [
    "src/app/views.py",
    "src/app/store/__init__.py",
    "src/app/store/views.py",
    "setup.py",
    "tests/a/x.py",
    "tests/b/x.py",
  ].map((path, i) => ({ id: toFileId(i), path, language: "python" })),
);

it("finds a file by the end of a path from elsewhere", () => {
  expect([...finder.findByPath("/usr/lib/python3/dist-packages/app/views.py")]).toEqual([
    ["src/app/views.py", 1],
  ]);
  expect([...finder.findByPath("store/views.py")]).toEqual([["src/app/store/views.py", 1]]);
  expect([...finder.findByPath("./setup.py")]).toEqual([["setup.py", 1]]);
});

it("takes no file of another project for one of this", () => {
  expect(finder.findByPath("/usr/lib/python3/django/views.py").size).toBe(0);
  expect(finder.findByPath("/usr/lib/nothing.py").size).toBe(0);
});

it("is less sure where several fit", () => {
  expect([...finder.findByPath("x.py")]).toEqual([
    ["tests/a/x.py", 0.5],
    ["tests/b/x.py", 0.5],
  ]);
});

it("finds a module by a dotted name that goes on", () => {
  expect([...finder.findByModule("app.views.login")]).toEqual([["src/app/views.py", 1]]);
  expect([...finder.findByModule("app.store.Rows.put")]).toEqual([["src/app/store/__init__.py", 1]]);
  expect(finder.findByModule("os.path.join").size).toBe(0);
});
