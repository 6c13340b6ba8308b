import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProgram, findUserCommand } from "./find-program.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-programs-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(path: string, text = "", mode = 0o755): string {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  return file;
}

/** As npm 10 writes it (cmd-shim 6). */
const shim = (script: string) =>
  `@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\n` +
  `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${script}" %*\r\n`;

describe("a program", () => {
  it("is not looked for in the current directory, nor in relative directories of the PATH", () => {
    const here = process.cwd();
    put("workspace/pm");
    try {
      process.chdir(join(dir, "workspace"));
      for (const path of [".", "", ":", "./", "bin:.", undefined])
        expect(findProgram("pm", { PATH: path }, "linux")).toBeNull();
      put("workspace/pm.exe");
      for (const path of [".", ";", "", "workspace"])
        expect(findProgram("pm", { PATH: path }, "win32")).toBeNull();
      expect(findProgram("./pm", { PATH: "" }, "linux")).toBeNull();
    } finally {
      process.chdir(here);
    }
  });

  it("is the first file on the PATH that can be run", () => {
    put("a/pm", "", 0o644);
    mkdirSync(join(dir, "b/pm"), { recursive: true });
    const file = put("c/pm");
    const PATH = ["a", "b", "c"].map((name) => join(dir, name)).join(":");
    expect(findProgram("pm", { PATH }, "linux")).toEqual([file]);
    expect(findProgram(file, {}, "linux")).toEqual([file]);
    expect(findProgram("gone", { PATH }, "linux")).toBeNull();
  });

  it("is on Windows what npm's script starts, by the node beside it or on the PATH", () => {
    put("npm/pm.cmd", shim("node_modules\\pommel\\bin\\pm.cjs"));
    const node = put("node/node.exe");
    const PATH = `${dir}/npm;${dir}/node`;
    const script = `${dir}/npm/node_modules\\pommel\\bin\\pm.cjs`;
    expect(findProgram("pm", { PATH }, "win32")).toEqual([node, script]);
    expect(findProgram(`${dir}/npm/pm.cmd`, { PATH }, "win32")).toEqual([node, script]);
    const own = put("npm/node.exe");
    expect(findProgram("pm", { PATH }, "win32")).toEqual([own, script]);
  });

  it("is no other script on Windows, which only a shell could run", () => {
    put("npm/pm.cmd", "@echo off\r\ncall something %*\r\n");
    expect(findProgram("pm", { PATH: `${dir}/npm` }, "win32")).toBeNull();
    const later = put("later/pm.exe");
    expect(findProgram("pm", { PATH: `${dir}/npm;${dir}/later` }, "win32")).toEqual([later]);
  });
});

describe("a command line of the user's", () => {
  it("is read by the user's shell", () => {
    expect(findUserCommand("less -R", ["a b"])).toEqual([
      expect.any(String),
      "-c",
      'less -R "$@"',
      "sh",
      "a b",
    ]);
  });

  it("is a program with arguments on Windows", () => {
    const file = put("my tools/code.exe");
    const line = `"${file}" --wait`;
    expect(findUserCommand(line, ["-g", "a & b"], {}, "win32")).toEqual([file, "--wait", "-g", "a & b"]);
    expect(findUserCommand("gone", [], {}, "win32")).toBeNull();
  });
});
