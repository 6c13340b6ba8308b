import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Project, projectAt } from "../../project/paths.ts";
import { hooksState, installHooks, localSettings, removeHooks, sharedSettings } from "./install.ts";

let project: Project;
let file: string;
beforeEach(() => {
  project = projectAt(realpathSync(mkdtempSync(join(tmpdir(), "pommel-install-"))));
  mkdirSync(project.stateDir);
  file = join(project.root, sharedSettings);
});
afterEach(() => rmSync(project.root, { recursive: true, force: true }));

function put(text: string | Buffer): void {
  mkdirSync(join(project.root, ".claude"), { recursive: true });
  writeFileSync(file, text);
}

const filesIn = (dir: string) => readdirSync(join(project.root, dir)).sort();

describe("installing hooks", () => {
  it("makes the file when there is none, and takes it and its directory away again", () => {
    expect(hooksState(project)).toMatchObject({ state: "absent", file: null, disabled: false });
    expect(installHooks(project)).toMatchObject({ file: sharedSettings, outcome: "created" });
    expect(hooksState(project)).toMatchObject({ state: "installed", file: sharedSettings, missing: [] });
    const text = readFileSync(file, "utf8");
    expect(installHooks(project)).toMatchObject({ outcome: "already", added: [] });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(statSync(join(project.stateDir, "hooks.json")).mode & 0o777).toBe(0o600);

    expect(removeHooks(project)).toEqual([sharedSettings]);
    expect(existsSync(join(project.root, ".claude"))).toBe(false);
    expect(removeHooks(project)).toEqual([]);
    expect(hooksState(project)).toMatchObject({ state: "absent", disabled: true });
    expect(installHooks(project)).toMatchObject({ outcome: "created" });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(hooksState(project)).toMatchObject({ state: "installed", disabled: false });
  });

  it("keeps a directory that holds something else by then", () => {
    installHooks(project);
    writeFileSync(join(project.root, ".claude/notes.md"), "");
    removeHooks(project);
    expect(filesIn(".claude")).toEqual(["notes.md"]);
  });

  it.each([
    ["", "empty"],
    ["\n", "blank"],
    ["\ufeff{}\r\n", "with a byte order mark"],
    ['{"hooks": {"Stop": []}, "model": "opus"}', "with empty containers"],
  ])("restores %j, %s, byte for byte", (text) => {
    put(text);
    installHooks(project);
    expect(readFileSync(file, "utf8").startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
    expect(hooksState(project).state).toBe("installed");
    removeHooks(project);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("takes out what is ours when somebody else changed the file, and keeps what was there before", () => {
    put('{"hooks": {"Stop": []}}');
    installHooks(project);
    const settings = JSON.parse(readFileSync(file, "utf8"));
    settings.permissions = { allow: ["Bash(ls:*)"] };
    settings.hooks.SessionEnd.push({ hooks: [{ type: "command", command: "say bye" }] });
    put(JSON.stringify(settings));
    removeHooks(project);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      hooks: { Stop: [], SessionEnd: [{ hooks: [{ type: "command", command: "say bye" }] }] },
      permissions: { allow: ["Bash(ls:*)"] },
    });
  });

  it("removes a file of its own that was only laid out anew", () => {
    installHooks(project);
    put(JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    removeHooks(project);
    expect(existsSync(file)).toBe(false);
  });

  it("removes hooks that came with a checkout", () => {
    installHooks(project);
    rmSync(join(project.stateDir, "hooks.json"));
    removeHooks(project);
    expect(readFileSync(file, "utf8")).toBe("{}\n");
  });

  it("adds what somebody took out, and still knows what was there before the first time", () => {
    put('{\n  "model": "opus"\n}\n');
    installHooks(project);
    const settings = JSON.parse(readFileSync(file, "utf8"));
    delete settings.hooks.Stop;
    put(`${JSON.stringify(settings, null, 2)}\n`);
    expect(hooksState(project)).toMatchObject({ state: "partial", missing: ["Stop"] });
    expect(installHooks(project)).toMatchObject({ outcome: "changed", added: ["Stop"] });
    removeHooks(project);
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  it("keeps one's own and the shared file apart, and counts both", () => {
    installHooks(project, localSettings);
    expect(existsSync(file)).toBe(false);
    expect(hooksState(project)).toMatchObject({ state: "installed", file: localSettings });
    installHooks(project);
    expect(hooksState(project)).toMatchObject({ state: "installed", file: sharedSettings });
    expect(removeHooks(project)).toEqual([sharedSettings, localSettings]);
    expect(hooksState(project).state).toBe("absent");
  });

  it("keeps permissions and links", () => {
    const elsewhere = join(project.root, "dotfiles");
    mkdirSync(elsewhere);
    const target = join(elsewhere, "claude.json");
    writeFileSync(target, "{}\n", { mode: 0o640 });
    chmodSync(target, 0o640);
    mkdirSync(join(project.root, ".claude"));
    symlinkSync("../dotfiles/claude.json", file);
    installHooks(project);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(JSON.parse(readFileSync(target, "utf8")).hooks).toBeDefined();
    expect([filesIn(".claude"), filesIn("dotfiles")]).toEqual([["settings.json"], ["claude.json"]]);
    removeHooks(project);
    expect(readFileSync(target, "utf8")).toBe("{}\n");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it("follows a link that leads to nothing yet", () => {
    mkdirSync(join(project.root, ".claude"));
    symlinkSync("../settings-to-be.json", file);
    installHooks(project);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(existsSync(join(project.root, "settings-to-be.json"))).toBe(true);
    removeHooks(project);
    expect(existsSync(join(project.root, "settings-to-be.json"))).toBe(false);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it.each([
    ["comments", '{\n  "a": 1, // mine\n}', "settings.json:2:11"],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "settings.json:1:1"],
    ["hooks of another type", '{"hooks": {"Stop": {"command": "x"}}}', "settings.json:1:20"],
  ])("leaves a file with %s as it is", (_, content, where) => {
    put(content);
    const refusal = expect.objectContaining({
      code: "settings_invalid",
      message: expect.stringContaining(join(project.root, ".claude", where)),
    });
    expect(() => installHooks(project)).toThrow(refusal);
    expect(() => removeHooks(project)).toThrow(refusal);
    expect(hooksState(project)).toMatchObject({ state: "invalid", error: refusal });
    expect(readFileSync(file)).toEqual(Buffer.from(content));
    expect(filesIn(".claude")).toEqual(["settings.json"]);
  });

  it("says when the file cannot be read or written", () => {
    mkdirSync(file, { recursive: true });
    expect(() => installHooks(project)).toThrow(expect.objectContaining({ code: "unreadable" }));
    rmSync(join(project.root, ".claude"), { recursive: true });
    writeFileSync(join(project.root, ".claude"), "a file");
    expect(() => installHooks(project)).toThrow(expect.objectContaining({ code: "unreadable" }));
  });
});
