import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeServerFile, type Editor, openEditor, packExtension } from "../support/code-server.ts";
import { idOf } from "../support/transcript-fixture.ts";
import { cleanUp, pmJson, write } from "./daemon-fixture.ts";
import { commitIn, type EditedProject, editedProject } from "./editor-fixture.ts";
import { browserFile } from "./page-fixture.ts";
import { pmFile, temporaryDir } from "./run-pm.ts";
import { sessionIn } from "./sessions-fixture.ts";

const codeServer = codeServerFile();
if (codeServer === null) {
  console.warn(
    "The extension for VS Code is not tried in it: no code-server. Install it from npm, and name it in POMMEL_CODE_SERVER.",
  );
}

describe.skipIf(codeServer === null || browserFile === undefined)("the extension in VS Code", () => {
  let edited: EditedProject;
  let editor: Editor;
  let vsix: string;

  const openWith = (pm: string) =>
    openEditor({ codeServer: codeServer!, browserFile: browserFile!, vsix, folder: edited.project.root, pm });

  beforeAll(async () => {
    vsix = packExtension();
    edited = await editedProject();
    const pm = join(temporaryDir("pommel-bin-"), "pm");
    writeFileSync(pm, `#!/bin/sh\nexec "${process.execPath}" "${pmFile}" "$@"\n`);
    chmodSync(pm, 0o755);
    editor = await openWith(pm);
    await editor.open("auth.ts");
  }, 600_000);
  afterAll(async () => {
    await editor?.close();
    await cleanUp();
    if (edited) rmSync(edited.transcripts, { recursive: true, force: true });
  });

  /** Bars in the gutter, as the pictures that they are. */
  const bars = async () => {
    const all = await editor.page
      .locator(".glyph-margin-widgets .cgmr")
      .evaluateAll((marks) => marks.map((mark) => getComputedStyle(mark).backgroundImage));
    return all.map((image) => /(agent|human|unknown)-light\.svg/.exec(image)?.[1]).sort();
  };
  const row = (text: string) => editor.page.locator(".pane-body .monaco-list-row", { hasText: text }).first();

  it("marks in the gutter what an agent wrote", async () => {
    await expect.poll(bars, { timeout: 120_000 }).toEqual(["agent"]);
  });

  it("says on hover why a line is there, with a link to its session", async () => {
    await editor.page.locator(".view-line", { hasText: "withLock" }).hover({ position: { x: 40, y: 8 } });
    const hover = editor.page.locator(".monaco-hover", { hasText: "claude wrote this" });
    await hover.waitFor();
    expect(await hover.textContent()).toContain("Make token refresh atomic");
    expect(await hover.locator("a", { hasText: "Open the session" }).count()).toBe(1);
    await editor.page.keyboard.press("Escape");
  });

  it("lists the sessions of the file, and their turns", async () => {
    await editor.showPanel();
    await row("Make token refresh").waitFor();
    expect(await row("Make token refresh").textContent()).toContain("1 line");
    await row("Make token refresh").locator(".monaco-tl-twistie").click();
    await row("turn 1").waitFor();
  });

  it("finds code and sessions", async () => {
    await editor.run("Pommel: Search Code and Sessions");
    // The palette's box goes, and the search's comes in its place.
    await editor.page.locator('.quick-input-widget input[placeholder^="What does the code do"]').waitFor();
    await editor.page.keyboard.type("refresh the token");
    const results = editor.page.locator(".quick-input-list .monaco-list-row");
    await results.filter({ hasText: "Make token refresh" }).waitFor();
    await results.filter({ hasText: "src/auth.ts:1" }).waitFor();
    await editor.page.keyboard.press("Escape");
  });

  it("shows an agent at work, and a commit, as they come", async () => {
    const running = idOf("running");
    const fixture = sessionIn(edited.project, running, { start: new Date().toISOString() });
    fixture.prompt("document the lock");
    fixture.reply("I look at it.");
    fixture.writeTo(edited.transcripts);
    await pmJson(edited.project, "import", "claude");
    await row("Document the lock").waitFor();
    const file = "src/auth.ts";
    const text = readFileSync(join(edited.project.root, file), "utf8");
    write(edited.project, file, `${text}// By hand.\n`);
    commitIn(edited.project, "Say who", new Date().toISOString());
    await expect.poll(async () => (await bars()).length, { timeout: 120_000 }).toBe(2);
  });

  it("says how to install `pm` where there is none", async () => {
    await editor.close();
    editor = await openWith("/nowhere/pm");
    await editor.showPanel();
    await editor.page.locator(".welcome-view-content", { hasText: "How to Install It" }).waitFor();
  });
});
