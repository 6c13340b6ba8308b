import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type SymbolInformation, SymbolKind } from "vscode-languageserver/node";
import { call } from "../client/call.ts";
import type { Project } from "../project/paths.ts";
import { wholeLines } from "./lines.ts";

const kindOf: Readonly<Record<string, SymbolKind>> = {
  function: SymbolKind.Function,
  method: SymbolKind.Method,
  class: SymbolKind.Class,
  interface: SymbolKind.Interface,
  enum: SymbolKind.Enum,
  struct: SymbolKind.Struct,
  module: SymbolKind.Module,
  constant: SymbolKind.Constant,
  variable: SymbolKind.Variable,
};

/** Code that does what a query says, best first. */
export async function symbolsIn(project: Project, q: string): Promise<SymbolInformation[]> {
  const { results } = await call("search", { q, by: "chunk", limit: 20 }, project);
  return results.map(({ file, name, kind, parent_name, start_line, end_line }) => ({
    name: name || basename(file),
    kind: kindOf[kind] ?? SymbolKind.File,
    containerName: parent_name ?? file,
    location: {
      uri: pathToFileURL(join(project.root, file)).href,
      range: wholeLines(start_line - 1, end_line - 1),
    },
  }));
}
