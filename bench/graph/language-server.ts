import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod/mini";

/** Where a name is defined, as a language server says: lines from 1. */
export interface Place {
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
export class LanguageServer {
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
