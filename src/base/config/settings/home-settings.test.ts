import { expect, test } from "vitest";
import { settings } from "../settings.ts";
import { toEditorAddress } from "./home-settings.ts";

const isEditor = (value: string) => settings["ui.editor"].schema.safeParse(value).success;

test.each(["none", "vscode", "idea", "txmt://open?url=file://{path}&line={line}", "myide:{path}"])(
  "%s is an editor",
  (value) => {
    expect(isEditor(value)).toBe(true);
  },
);

test.each([
  "",
  "emacs",
  "vscode://file",
  "javascript:alert('{path}')",
  "JavaScript:{path}",
  "data:text/html,{path}",
  "https://x.example/{path}",
  "{path}",
  "x: {path}",
])("%j is no editor", (value) => {
  expect(isEditor(value)).toBe(false);
});

test("an editor has an address, with one slash before the path", () => {
  expect(toEditorAddress("none")).toBeNull();
  expect(toEditorAddress("vscode")).toBe("vscode://file{path}:{line}");
  expect(toEditorAddress("vscode://file/{path}:{line}")).toBe("vscode://file{path}:{line}");
});
