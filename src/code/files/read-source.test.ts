import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeHooks } from "../../agents/claude/setup.ts";
import { makeTomlServerEditor } from "../../agents/codex/setup.ts";
import { makeHooksEditor } from "../../agents/setup/hook-entries.ts";
import { makeInstructionsPart, sharedSkill } from "../../agents/setup/section.ts";
import type { AgentPartSpec, SetupTarget } from "../../agents/setup.ts";
import { readSource } from "./read-source.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "read-source-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const maxFileSize = 1_048_576;
const read = (path: string) => readSource(join(dir, path), { path, size: -1, mtimeMs: -1 }, { maxFileSize });

/** Writes the file, reads it and returns its text, or the reason why there is none. */
function textOrReason(path: string, content: string | Uint8Array): string {
  writeFileSync(join(dir, path), content);
  const source = read(path);
  if (source.kind === "text") return source.text;
  return source.kind === "skip" ? `skip: ${source.reason}` : "gone";
}

describe("what Pommel wrote itself", () => {
  const place: SetupTarget = { scope: "project", dir: "/p", recordFile: "/p/setup.json", env: {} };
  const written = (part: AgentPartSpec) => part.chooseEditor(place, "").add("", "").text;
  const section = written(makeInstructionsPart(() => "AGENTS.md"));
  it("is no part of a file of instructions, whose other lines stay where they are", () => {
    const text = `# Rules\n\n${section}\n## More\n`;
    const read = textOrReason("AGENTS.md", text);
    expect(read.split("\n")).toHaveLength(text.split("\n").length);
    expect(read.replaceAll(/\n+/g, "\n")).toBe("# Rules\n## More\n");
    expect(textOrReason("AGENTS.md", "# Rules\n")).toBe("# Rules\n");
    const open = "<!-- pommel:begin v1 01234567 -->\nNo end.\n";
    expect(textOrReason("AGENTS.md", open)).toBe(open);
  });

  it("is left out where it is the whole file", () => {
    expect(textOrReason("CLAUDE.local.md", section)).toBe("skip: generated");
    expect(textOrReason("SKILL.md", written(sharedSkill))).toBe("skip: generated");
  });

  it("takes the settings of agents with it, which are left alone where it is not in them", () => {
    mkdirSync(join(dir, ".claude"));
    mkdirSync(join(dir, "packages/a/.codex"), { recursive: true });
    const hooks = makeHooksEditor(claudeHooks).add("", "settings.json").text;
    expect(textOrReason(".claude/settings.json", hooks)).toBe("skip: generated");
    expect(textOrReason(".claude/settings.local.json", hooks)).toBe("skip: generated");
    const server = makeTomlServerEditor("pommel", ["mcp"]).add("", "config.toml").text;
    expect(textOrReason("packages/a/.codex/config.toml", server)).toBe("skip: generated");
    expect(textOrReason(".claude/settings.json", '{"hooks": {}}')).toBe('{"hooks": {}}');
    expect(textOrReason("settings.json", hooks)).toBe(hooks);
  });
});

describe("what is returned", () => {
  it("the text with the hash of the bytes and the stamp of the file", () => {
    const path = join(dir, "a.ts");
    writeFileSync(path, "\ufeffconst a = 1;\r\n");
    utimesSync(path, 1_700_000_000, 1_700_000_000.9876);
    expect(read("a.ts")).toEqual({
      kind: "text",
      isBuilt: false,
      text: "const a = 1;\r\n",
      hash: createHash("sha256").update("\ufeffconst a = 1;\r\n").digest("hex").slice(0, 32),
      size: statSync(path).size,
      mtimeMs: 1_700_000_000_987,
    });
  });

  it("an empty file is text", () => {
    expect(textOrReason("empty.py", "")).toBe("");
  });

  it("names of any kind", () => {
    const name = "päth with 'quotes\"\nnewline 🦊.ts";
    expect(textOrReason(name, "x")).toBe("x");
  });
});

describe("what is not a regular file is gone", () => {
  it("missing, or below something that became a file", () => {
    writeFileSync(join(dir, "file"), "");
    expect(read("missing.ts")).toEqual({ kind: "gone" });
    expect(read("file/below.ts")).toEqual({ kind: "gone" });
  });

  it("links, directories", () => {
    writeFileSync(join(dir, "target.ts"), "x");
    symlinkSync("target.ts", join(dir, "link.ts"));
    mkdirSync(join(dir, "dir.ts"));
    expect(read("link.ts")).toEqual({ kind: "gone" });
    expect(read("dir.ts")).toEqual({ kind: "gone" });
  });

  it.skipIf(process.platform === "win32")("a pipe, without waiting for its writer", () => {
    execFileSync("mkfifo", [join(dir, "pipe.ts")]);
    expect(read("pipe.ts")).toEqual({ kind: "gone" });
  });
});

describe("size", () => {
  it("decides before anything is read", () => {
    const path = join(dir, "huge.ts");
    writeFileSync(path, "");
    truncateSync(path, 200 * 1_048_576);
    const before = process.memoryUsage().arrayBuffers;
    const source = read("huge.ts");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_048_576);
    expect(source).toMatchObject({ kind: "skip", reason: "too_large", size: 200 * 1_048_576 });
  });

  it("exactly the limit is read", () => {
    expect(textOrReason("a.txt", "a".repeat(maxFileSize))).toHaveLength(maxFileSize);
    expect(textOrReason("a.txt", "a".repeat(maxFileSize + 1))).toBe("skip: too_large");
  });
});

describe("encodings", () => {
  const code = "// grüße, 世界 🦊\nlet x = 1;\n";
  const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

  it.each([
    ["UTF-8", Buffer.from(code)],
    ["UTF-8 with mark", Buffer.from(`\ufeff${code}`)],
    ["UTF-16 LE with mark", Buffer.from(`\ufeff${code}`, "utf16le")],
    ["UTF-16 BE with mark", utf16be(`\ufeff${code}`)],
  ])("%s", (_, bytes) => {
    expect(textOrReason("a.ts", bytes)).toBe(code);
  });

  it("UTF-16 without mark", () => {
    const ascii = "let total = 1;\nlet other = 2;\n";
    expect(textOrReason("le.ts", Buffer.from(ascii, "utf16le"))).toBe(ascii);
    expect(textOrReason("be.ts", utf16be(ascii))).toBe(ascii);
  });

  it("Latin-1, where it is not UTF-8", () => {
    expect(textOrReason("a.c", Buffer.from("/* grün */ int größe;", "latin1"))).toBe("/* grün */ int größe;");
  });

  it("UTF-8 with a broken byte stays UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from("// 世界 grün\n"), Buffer.from([0xff]), Buffer.from("\n")]);
    expect(textOrReason("a.c", bytes)).toBe("// 世界 grün\n\ufffd\n");
  });
});

describe("binary", () => {
  it.each([
    ["a NUL byte far down", Buffer.concat([Buffer.alloc(9000, "text\n"), Buffer.from([0])])],
    ["compressed data", gzipSync(Buffer.from("hello"))],
    ["a PDF without NUL", Buffer.from("%PDF-1.4\n1 0 obj\n")],
    ["random bytes without NUL", Buffer.from(Array.from({ length: 512 }, (_, i) => 1 + ((i * 97) % 255)))],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ["a Git LFS pointer", Buffer.from("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")],
  ])("%s", (_, bytes) => {
    expect(textOrReason("a.ts", bytes)).toBe("skip: binary");
  });

  it("terminal escapes and form feeds are text", () => {
    expect(textOrReason("a.txt", "\x1b[1mbold\x1b[0m\f\n")).toBe("\x1b[1mbold\x1b[0m\f\n");
  });
});

describe("minified", () => {
  const bundle = `/*! licence */\n${"function a(b){return b+1};".repeat(400)}`;

  it("by name, or by the length of its lines", () => {
    expect(textOrReason("jquery.min.js", "a()\n")).toBe("skip: minified");
    expect(textOrReason("app.js", bundle)).toBe("skip: minified");
    expect(textOrReason("data.json", `[${"1,".repeat(3000)}1]`)).toBe("skip: minified");
  });

  it.each([
    [
      "app.js",
      `${"function a(b){return b+1};".repeat(400)}\nexport function afterIt() {}\n`,
      "export function afterIt() {}",
    ],
    ["app.css", `${".a{color:red}".repeat(400)}\n.after-it { color: blue; }\n`, ".after-it { color: blue; }"],
    ["data.json", `{"rows":[${"1,".repeat(3000)}1],\n"afterIt": 1}\n`, '"afterIt": 1}'],
    ["page.html", `<!doctype html>\n${"<p>a</p>".repeat(900)}\n<p>after it</p>\n`, "<p>after it</p>"],
    [
      "icon.svg",
      `<?xml version="1.0"?>\n<path d="${"M 0 1 L 2 3 ".repeat(500)}"/>\n<title>after it</title>\n`,
      "<title>after it</title>",
    ],
    [
      "feed.xml",
      `<?xml version="1.0"?>\n${"<b>c</b>".repeat(900)}\n<title>after it</title>\n`,
      "<title>after it</title>",
    ],
  ])("in part: %s", (name, text, line) => {
    const read = textOrReason(name, text);
    expect(read.split("\n").indexOf(line)).toBe(text.split("\n").indexOf(line));
    expect(read.length).toBeLessThan(100);
  });

  it("in part: data in a line is shortened, the line stays", () => {
    const data = `export const logo = "data:image/png;base64,${"iVBORw0K".repeat(1000)}";\n`;
    expect(textOrReason("logo.js", data)).toMatch(
      /^export const logo = "data:image\/png;base64,\w{1,80}";\n$/,
    );
  });

  it("not: short one-liners, prose, and code with one long line", () => {
    expect(textOrReason("one.js", "a();".repeat(100))).toContain("a();");
    expect(textOrReason("notes.md", bundle)).toBe(bundle);
    const withLongLine = `const data = "${"x".repeat(5000)}";\n${"let a = 1;\n".repeat(300)}`;
    expect(textOrReason("data.js", withLongLine)).toBe(withLongLine);
  });
});

describe("generated", () => {
  it.each([
    "package-lock.json",
    "Cargo.lock",
    "go.sum",
    "app.js.map",
    "user.pb.go",
    "user_pb2.py",
    "a.g.dart",
  ])("by name: %s", (name) => {
    expect(textOrReason(name, "x")).toBe("skip: generated");
  });

  it.each([
    ["a.go", "//go:build linux\n\n// Code generated by mockgen. DO NOT EDIT.\npackage a\n"],
    ["a.js", "/**\n * Copyright\n *\n * @generated SignedSource<<abc>>\n */\n"],
    ["a.php", "<?php\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n"],
    ["a.cs", "// <auto-generated />\n"],
    ["a.c", "/*\n   WARNING: This file was automatically generated from a.xml\n*/\n"],
    ["a.xml", '<?xml version="1.0"?>\r\n<!-- This file is auto-generated -->\r\n<a/>'],
    ["A.java", "// Generated from Expr.g4 by ANTLR 4.13.1\n"],
    ["a.py", '"""\nTHIS FILE IS AUTOGENERATED. DO NOT EDIT\n"""\n'],
  ])("by header: %s", (name, content) => {
    expect(textOrReason(name, content)).toBe("skip: generated");
  });

  it.each([
    ["below the first line of code", "gen.go", "package gen\n\n// Code generated by gen. DO NOT EDIT.\n"],
    ["in a string", "gen.py", 'HEADER = "# Code generated by gen. DO NOT EDIT."\n'],
    [
      "quoted in a comment",
      "gen.go",
      '// Package gen writes "Code generated by gen. DO NOT EDIT." on top.\n',
    ],
    ["as a word in a sentence", "gen.ts", "/** Adds the @generated tag to every generated file. */\nx();\n"],
    ["far down", "a.ts", `${"// a line of a long licence text\n".repeat(80)}// @generated\n`],
    ["in prose", "README.md", "# This file is generated\n\ntext\n"],
    ["a migration people edit", "0001_initial.py", "# Generated by Django 4.2 on 2024-01-01\nimport x\n"],
  ])("not where it is only spoken of: %s", (_, name, content) => {
    expect(textOrReason(name, content)).toBe(content);
  });
});

it.skipIf(process.getuid?.() === 0)(
  "a file that may not be read is skipped (root may read everything)",
  () => {
    writeFileSync(join(dir, "secret.ts"), "x", { mode: 0o000 });
    expect(read("secret.ts")).toEqual({ kind: "skip", reason: "unreadable", size: -1, mtimeMs: -1 });
  },
);

describe("files that exist to hold secrets", () => {
  it.each([".env", ".env.production", "id_rsa", "server.key", "ca.pem", ".npmrc", "secrets.yml"])(
    "%s is not read",
    (name) => {
      expect(textOrReason(name, "TOKEN=abc\n")).toBe("skip: secret");
    },
  );

  it.each([".env.example", "env.ts", "keys.ts", "secret.ts", "public.key.md", "credentials.py"])(
    "%s is",
    (name) => {
      expect(textOrReason(name, "TOKEN=\n")).toBe("TOKEN=\n");
    },
  );
});
