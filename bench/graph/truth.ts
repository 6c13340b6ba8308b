import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod/mini";
import type { GraphNode } from "../../src/code/graph/definitions.ts";

/** Where a name is defined, as a language server says: lines from 1. */
interface Place {
  /** From the root of the file system. */
  file: string;
  line: number;
}

const position = z.object({ line: z.number() });
const location = z.object({ uri: z.string(), range: z.object({ start: position }) });
const link = z.object({ targetUri: z.string(), targetSelectionRange: z.object({ start: position }) });
const locations = z.nullable(z.union([location, z.array(z.union([location, link]))]));
const message = z.object({
  id: z.optional(z.union([z.number(), z.string()])),
  method: z.optional(z.string()),
  result: z.optional(z.unknown()),
  params: z.optional(z.unknown()),
});

/** A server of the Language Server Protocol, asked over stdio for nothing but definitions. */
class LanguageServer {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (result: unknown) => void>();
  private readonly opened = new Set<string>();
  private buffer = Buffer.alloc(0);
  private nextId = 1;

  private constructor(command: readonly string[], cwd: string) {
    this.child = spawn(command[0]!, command.slice(1), { cwd, stdio: ["pipe", "pipe", "ignore"] });
    this.child.stdout!.on("data", (part: Buffer) => this.read(part));
  }

  static async start(command: readonly string[], root: string): Promise<LanguageServer> {
    const server = new LanguageServer(command, root);
    const rootUri = pathToFileURL(root).href;
    await server.request("initialize", {
      processId: process.pid,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: "root" }],
      capabilities: {
        textDocument: { definition: { linkSupport: false } },
        workspace: { configuration: true },
      },
    });
    server.send({ method: "initialized", params: {} });
    return server;
  }

  /** @param column from 0, in UTF-16 units */
  async definitions(
    file: string,
    text: string,
    languageId: string,
    line: number,
    column: number,
  ): Promise<Place[]> {
    const uri = pathToFileURL(file).href;
    if (!this.opened.has(uri)) {
      this.opened.add(uri);
      this.send({
        method: "textDocument/didOpen",
        params: { textDocument: { uri, languageId, version: 1, text } },
      });
    }
    const result = await this.request("textDocument/definition", {
      textDocument: { uri },
      position: { line: line - 1, character: column },
    });
    const parsed = locations.safeParse(result ?? null);
    const found = parsed.success ? parsed.data : null;
    return (found === null ? [] : Array.isArray(found) ? found : [found]).flatMap((one) => {
      const [at, start] =
        "uri" in one ? [one.uri, one.range.start] : [one.targetUri, one.targetSelectionRange.start];
      return at.startsWith("file:") ? [{ file: fileURLToPath(at), line: start.line + 1 }] : [];
    });
  }

  stop(): void {
    this.child.kill();
  }

  private request(method: string, params: object): Promise<unknown> {
    const id = this.nextId++;
    this.send({ id, method, params });
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  private send(body: object): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...body });
    this.child.stdin!.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  private read(part: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, part]);
    for (;;) {
      const head = this.buffer.indexOf("\r\n\r\n");
      const length = Number(
        /Content-Length: (\d+)/i.exec(this.buffer.subarray(0, Math.max(head, 0)).toString())?.[1],
      );
      if (head < 0 || this.buffer.length < head + 4 + length) return;
      const body = this.buffer.subarray(head + 4, head + 4 + length).toString();
      this.buffer = this.buffer.subarray(head + 4 + length);
      this.handle(message.parse(JSON.parse(body)));
    }
  }

  private handle({ id, method, result, params }: z.infer<typeof message>): void {
    if (method === undefined) {
      if (typeof id !== "number") return;
      this.waiting.get(id)?.(result);
      this.waiting.delete(id);
    } else if (id !== undefined) {
      // What the server asks of an editor: settings, of which there are none.
      const items = (params as { items?: unknown[] } | undefined)?.items ?? [];
      this.send({ id, result: method === "workspace/configuration" ? items.map(() => null) : null });
    }
  }
}

/** What a name in the text runs: a place, or what a compiler calls it. */
export interface Called {
  /** From the root of the checkout; null: it is in the checkout, but the compiler does not say where. */
  file: string | null;
  line: number;
  /** The types that it may be a member of, or its module. */
  of: readonly string[];
}

export interface Spot {
  file: string;
  language: string;
  /** From 1. */
  line: number;
  /** From 0, in UTF-16 units. */
  column: number;
  name: string;
}

/** Somebody who knows what calls run. */
export interface Judge {
  /** Empty: not known. A file outside of the checkout begins with `../` or is "-". */
  called(spot: Spot, text: string): Promise<Called[]>;
  stop(): void;
}

const editorIds: Readonly<Record<string, string>> = { tsx: "typescriptreact" };

export async function serverJudge(command: string, root: string): Promise<Judge> {
  const server = await LanguageServer.start(command.split(" "), root);
  return {
    async called({ file, language, line, column }, text) {
      const id = editorIds[language] ?? language;
      const places = await server.definitions(join(root, file), text, id, line, column);
      return places.map((place) => ({
        file: relative(root, place.file).split(sep).join("/"),
        line: place.line,
        of: [],
      }));
    },
    stop: () => server.stop(),
  };
}

/** @param command prints a line for each call, as in JavaCalls.java and rust-calls.ts; the checkout is its last argument */
export function compilerJudge(command: string, root: string): Judge {
  const [program = "", ...args] = command.split(" ");
  const printed = execFileSync(program, [...args, root], { encoding: "utf8", maxBuffer: 1 << 30 });
  const known = new Map<string, Called[]>();
  for (const row of printed.split("\n")) {
    const [file, line, column, name, calledFile, calledLine, of = ""] = row.split("\t");
    if (calledLine === undefined) continue;
    const key = `${file}:${line}:${column}:${name}`;
    const one = {
      file: calledFile || null,
      line: Number(calledLine),
      of: of.split(",").filter((part) => part !== ""),
    };
    known.set(key, [...(known.get(key) ?? []), one]);
  }
  return {
    called: async ({ file, line, column, name }) => known.get(`${file}:${line}:${column}:${name}`) ?? [],
    stop() {},
  };
}

/** A declaration of a called name that is in no other function is at least this far off. Lines. */
const maxHead = 12;

export function isSame(called: Called, node: GraphNode, name: string): boolean {
  // Of a trait of others: for a type of the crate, it is the crate's own.
  if (called.file === "-" && called.of.length > 0)
    return node.name === name && called.of.includes(node.parent ?? "");
  if (called.file === null) {
    const module = node.file
      .replace(/(?:\/(?:mod|lib|main))?\.rs$/, "")
      .split("/")
      .at(-1)!;
    const isRoot = /(?:^|\/)(?:lib|main)\.rs$/.test(node.file);
    const own = node.parent ?? (isRoot ? "crate" : module);
    return node.name === name && called.of.some((one) => one === own || one === module);
  }
  if (called.file !== node.file || called.line < node.line) return false;
  // A class stands for what makes it.
  return (
    called.line <= Math.min(node.endLine, node.line + maxHead) ||
    (node.name === name && called.line <= node.endLine)
  );
}
