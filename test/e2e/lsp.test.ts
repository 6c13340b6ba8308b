import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CodeAction,
  type CodeLens,
  createProtocolConnection,
  type DocumentLink,
  type Hover,
  type InlayHint,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type SymbolInformation,
} from "vscode-languageserver/node";
import type { Project } from "../../src/base/paths.ts";
import { cleanUp, createProject, write } from "./daemon-fixture.ts";
import { commitIn, editedProject } from "./editor-fixture.ts";
import { pmFile } from "./run-pm.ts";

let project: Project;
let transcripts: string;
let hash: string;
let session: string;
let uri: string;
let editor: ProtocolConnection;
let server: ChildProcess;
const messages: string[] = [];

beforeAll(async () => {
  ({ project, session, hash, transcripts } = await editedProject());
  uri = pathToFileURL(join(project.root, "src/auth.ts")).href;

  server = spawn(process.execPath, [pmFile, "lsp"], {
    cwd: project.root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  editor = createProtocolConnection(
    new StreamMessageReader(server.stdout!),
    new StreamMessageWriter(server.stdin!),
  );
  editor.onNotification("window/showMessage", ({ message }: { message: string }) => {
    messages.push(message);
  });
  editor.listen();
  await editor.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(project.root).href,
    capabilities: { workspace: { workspaceFolders: true } },
    initializationOptions: { code_lens: true, inlay_hints: true },
  });
  await editor.sendNotification("initialized", {});
});
afterAll(async () => {
  editor?.dispose();
  server?.kill();
  await cleanUp();
  rmSync(transcripts, { recursive: true, force: true });
});

let version = 0;

/** The document with a text that is not saved. */
async function edited(text: string): Promise<{ textDocument: { uri: string } }> {
  const languageId = "typescript";
  if (version > 0) await editor.sendNotification("textDocument/didClose", { textDocument: { uri } });
  version++;
  await editor.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
  return { textDocument: { uri } };
}

const saved = () => readFileSync(join(project.root, "src/auth.ts"), "utf8");

async function hover(document: object, line: number): Promise<string> {
  const answer = await editor.sendRequest<Hover | null>("textDocument/hover", {
    ...document,
    position: { line, character: 3 },
  });
  return (answer?.contents as { value: string } | undefined)?.value ?? "";
}

describe("an editor", () => {
  it("shows why a line is there, with past text, below what is not saved yet", async () => {
    const document = await edited(`// typed\n${saved()}`);
    expect(await hover(document, 0)).toBe("Not saved yet.");
    const said = await hover(document, 2);
    expect(said).toMatch(
      /^\*\*Written by\*\* agent claude\S* in session \w{8}, turn 1: "Make token refresh atomic"/,
    );
    expect(said).toContain("> make token refresh \\*atomic\\*");
    expect(said).toContain(`\`${hash.slice(0, 8)}\` Make token refresh atomic`);
    expect(await hover(document, 1)).toMatch(/Ann/);
  });

  it("shows who wrote a function, above it or at the end of its line", async () => {
    const document = await edited(`// typed\n${saved()}`);
    const lenses = await editor.sendRequest<CodeLens[]>("textDocument/codeLens", document);
    expect(lenses).toMatchObject([
      {
        range: { start: { line: 1 } },
        command: { title: expect.stringMatching(/^claude, .* ago: Make token/) },
      },
    ]);
    const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    const hints = await editor.sendRequest<InlayHint[]>("textDocument/inlayHint", { ...document, range });
    expect(hints).toMatchObject([{ position: { line: 1, character: 27 } }]);
  });

  it("leads to the session, to sessions about it, and to what a change may touch", async () => {
    const document = await edited(saved());
    const actions = await editor.sendRequest<CodeAction[]>("textDocument/codeAction", {
      ...document,
      range: { start: { line: 1, character: 2 }, end: { line: 1, character: 7 } },
      context: { diagnostics: [] },
    });
    expect(actions.map(({ title }) => title)).toEqual([
      "Pommel: open the session",
      "Pommel: search past sessions about this",
      "Pommel: show what a change here may touch",
    ]);
    for (const { command } of actions) await editor.sendRequest("workspace/executeCommand", command);
    expect(messages[0]).toMatch(new RegExp(`^Open within a minute: http://127.*${session}`));
    expect(messages[1]).toContain(encodeURIComponent("/search?q=token&in=sessions"));
    expect(messages[2]).toMatch(/^Nothing is known to use refresh\. /);
    for (const command of ["pommel.openPage", "pommel.review"])
      await editor.sendRequest("workspace/executeCommand", { command, arguments: [uri, 1] });
    expect(messages[3]).toContain(encodeURIComponent("/file/src/auth.ts:2"));
    expect(messages[4]).toContain(encodeURIComponent("/review/"));
  });

  it("links commits and sessions that a text names, and nothing that only looks like one", async () => {
    const document = await edited(`${saved()}// see ${hash.slice(0, 9)}, not 0123abcdef; ${session}\n`);
    const links = await editor.sendRequest<DocumentLink[]>("textDocument/documentLink", document);
    expect(links.map(({ range }) => range.start)).toEqual([
      { line: 3, character: 7 },
      { line: 3, character: 34 },
    ]);
    const { target } = await editor.sendRequest<DocumentLink>("documentLink/resolve", links[0]);
    expect(target).toMatch(new RegExp(`^http://127.*${encodeURIComponent(`/commit/${hash}`)}$`));
  });

  it("finds symbols by what they do, blames by author, and asks what else only reads", async () => {
    const document = await edited(saved());
    const found = await editor.sendRequest<SymbolInformation[]>("workspace/symbol", {
      query: "refresh the token",
    });
    expect(found[0]).toMatchObject({ name: "refresh", location: { uri } });
    const { ranges } = await editor.sendRequest<{ ranges: object[] }>("pommel/blame", document);
    expect(ranges).toMatchObject([
      // Older sessions may have been deleted before they were read.
      { author: "unknown", start: 0, end: 0 },
      { author: "agent", start: 1, end: 1, session_id: session },
      { author: "unknown", start: 2, end: 2 },
    ]);
    const sessions = { operation: "sessions", input: {}, uri };
    expect(await editor.sendRequest("pommel/ask", sessions)).toMatchObject({ sessions: [{ id: session }] });
    await editor.sendRequest("pommel/note", { ...document, first: 1, last: 1, note: "ask only once" });
    const notes = { operation: "annotations", input: { file: "src/auth.ts" }, uri };
    expect(await editor.sendRequest("pommel/ask", notes)).toMatchObject({
      annotations: [{ note: "ask only once", origin: "yours", lines: { first_line: 2, last_line: 2 } }],
    });
    expect(await hover(document, 1)).toContain("ask only once");
    const forget = { operation: "forget", input: { session }, uri };
    await expect(editor.sendRequest("pommel/ask", forget)).rejects.toThrow();
  });

  it("is told when a commit or a session changes what is known, and then asks anew", async () => {
    const document = await edited(saved());
    await editor.sendRequest("pommel/blame", document);
    const changed = new Promise<{ roots: string[] }>((resolve) =>
      editor.onNotification("pommel/changed", resolve),
    );
    const text = `${saved()}// By hand.\n`;
    write(project, "src/auth.ts", text);
    commitIn(project, "Say who", "2026-03-03T08:00:00Z");
    expect((await changed).roots).toEqual([project.root]);
    const { ranges } = await editor.sendRequest<{ ranges: { end: number; subject: string }[] }>(
      "pommel/blame",
      await edited(text),
    );
    expect(ranges.at(-1)).toMatchObject({ end: 3, subject: "Say who" });
  });

  it("follows the folders that an editor has open", async () => {
    const projects = () => editor.sendRequest<{ projects: { root: string }[] }>("pommel/projects", {});
    expect(await projects()).toEqual({ projects: [{ root: project.root }] });
    const other = createProject({ "b.ts": "" });
    const folder = { uri: pathToFileURL(other.root).href, name: "other" };
    await editor.sendNotification("workspace/didChangeWorkspaceFolders", {
      event: { added: [folder], removed: [] },
    });
    expect((await projects()).projects).toEqual([{ root: project.root }, { root: other.root }]);
    const sessions = { operation: "sessions", input: {}, uri: folder.uri };
    expect(await editor.sendRequest("pommel/ask", sessions)).toMatchObject({ total: 0 });
  });

  it("gets nothing for a file of no project, or one that is not there", async () => {
    for (const elsewhere of ["file:///nowhere/a.ts", "untitled:one"]) {
      const textDocument = { uri: elsewhere, languageId: "typescript", version: 1, text: "a\n" };
      await editor.sendNotification("textDocument/didOpen", { textDocument });
      expect(await hover({ textDocument: { uri: elsewhere } }, 0)).toBe("");
    }
  });
});

const isThere = (program: string) => spawnSync(program, ["--version"]).status === 0;
if (!isThere("nvim")) console.warn("Neovim is not installed: `pm lsp` is not tried in it.");
if (!isThere("emacs")) console.warn("Emacs is not installed: `pm lsp` is not tried in it.");

/** Runs an editor on the file, with what its page in the docs says. @returns what it printed */
async function printedBy(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd: project.root });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  await once(child, "close");
  return printed;
}

it.skipIf(!isThere("nvim"))("Neovim shows why a line is there", async () => {
  const script = join(transcripts, "hover.lua");
  writeFileSync(
    script,
    `local id = vim.lsp.start_client({ name = "pommel", cmd = { "${process.execPath}", "${pmFile}", "lsp" }, root_dir = vim.fn.getcwd(),
  on_attach = function(client)
    local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 1, character = 0 } }
    client.request("textDocument/hover", params, function(_, result)
      io.stdout:write(result and result.contents.value or "nothing")
      vim.cmd("qall!")
    end, 0)
  end })
vim.lsp.buf_attach_client(0, id)`,
  );
  const printed = await printedBy("nvim", [
    "--headless",
    "--clean",
    "src/auth.ts",
    "-c",
    `luafile ${script}`,
  ]);
  expect(printed).toContain("claude wrote this");
});

it.skipIf(!isThere("emacs"))("Emacs shows why a line is there", async () => {
  const script = join(transcripts, "hover.el");
  writeFileSync(
    script,
    `(require 'jsonrpc)
(let* ((process (make-process :name "pommel" :command '("${process.execPath}" "${pmFile}" "lsp") :connection-type 'pipe :coding 'utf-8-emacs-unix :noquery t))
       (server (make-instance 'jsonrpc-process-connection :name "pommel" :process process))
       (document '(:uri "${uri}")))
  (jsonrpc-request server :initialize '(:processId nil :rootUri "${pathToFileURL(project?.root ?? "/").href}" :capabilities (:textDocument nil)))
  (jsonrpc-notify server :initialized '(:a nil))
  (jsonrpc-notify server :textDocument/didOpen (list :textDocument (list :uri "${uri}" :languageId "typescript" :version 1 :text (with-temp-buffer (insert-file-contents "src/auth.ts") (buffer-string)))))
  (princ (plist-get (plist-get (jsonrpc-request server :textDocument/hover (list :textDocument document :position '(:line 1 :character 0))) :contents) :value)))`,
  );
  expect(await printedBy("emacs", ["--batch", "-l", script])).toContain("claude wrote this");
});
