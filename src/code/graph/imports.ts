import type { Node } from "web-tree-sitter";
import type { References } from "../languages/references/references.ts";
import type { Export, Import } from "./record.ts";

/** What a query found in one place, by the names of its captures. */
export type CapturedNodes = Readonly<Record<string, Node>>;

/** What a file takes from other modules and hands on. */
export class ModuleLinks {
  readonly imports: Import[] = [];
  readonly exports: Export[] = [];
  /** What is imported, as the file calls it. */
  readonly names = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly data: References["modules"],
  ) {}

  take(match: CapturedNodes): void {
    const from = match.from ? this.readNodeText(match.from).replaceAll("::", ".") : "";
    const as = match.as ? this.readNodeText(match.as) : undefined;
    const named = (node: Node, name: string) => {
      this.imports.push({ local: as ?? this.readNodeText(node), from, name });
      this.names.add(as ?? this.readNodeText(node));
    };
    if (match.import) named(match.import, this.readNodeText(match.import));
    else if (match.default) named(match.default, "default");
    else if (match.all) named(match.all, "*");
    else if (match.import_all) this.imports.push({ local: "*", from, name: "*" });
    // Other files of the package are seen as if they were imported.
    else if (match.package)
      this.imports.push({ local: "*", from: this.readNodeText(match.package), name: "*" });
    else if (match.path) this.takePath(this.readNodeText(match.path), as);
    else if (match.module) this.takeWhole(this.readNodeText(match.module), as);
    else if (match.export)
      this.exports.push({
        as: as ?? this.readNodeText(match.export),
        from,
        name: this.readNodeText(match.export),
      });
    // The module itself is its default: `export default { read }`.
    else if (match.export_self) this.exports.push({ as: "default", from: "", name: "*" });
    else if (match.export_all_as)
      this.exports.push({ as: this.readNodeText(match.export_all_as), from, name: "*" });
    else if (match.export_all) this.exports.push({ as: "*", from, name: "*" });
    else if (match.export_default)
      this.exports.push({ as: "default", from: "", name: this.readNodeText(match.export_default) });
  }

  /** Of a module that is imported as a whole a file knows the first part of a dotted name, the last of a path. */
  private takeWhole(module: string, as: string | undefined): void {
    const isPath = this.data.style === "directory";
    const own = isPath ? getLastSegment(module.replace(/\/v\d+$/, ""), "/") : module.split(".")[0]!;
    const local = as ?? own;
    this.imports.push({ local, from: isPath || as !== undefined ? module : own, name: "*" });
    this.names.add(local);
  }

  /** `a.b.C` is C of a.b; with braces it is several, with a star all that a.b has. */
  private takePath(path: string, as: string | undefined): void {
    for (const written of expandBraces(path)) {
      const [plain = "", alias = as] = written.split(/\s+as\s+/);
      const parts = plain.replace(/\s/g, "").split(/::|\./);
      if (parts.at(-1) === "self") parts.pop();
      const name = parts.pop()!;
      const local = alias ?? name;
      this.imports.push({ local, from: parts.join("."), name });
      this.names.add(local);
    }
  }

  private readNodeText(node: Node): string {
    return this.text.slice(node.startIndex, node.endIndex);
  }
}

const getLastSegment = (text: string, separator: string) => text.slice(text.lastIndexOf(separator) + 1);

/** `a::{b, c::{d, e}}` -> a::b, a::c::d, a::c::e. */
function expandBraces(path: string): string[] {
  const open = path.indexOf("{");
  if (open < 0) return [path.trim()];
  const before = path.slice(0, open).trim();
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let i = open; i < path.length; i++) {
    if (path[i] === "{") depth++;
    if (path[i] === "}") depth--;
    if (depth === 0 || (path[i] === "," && depth === 1)) {
      parts.push(path.slice(start, i).trim());
      start = i + 1;
      if (depth === 0) break;
    }
  }
  return parts.filter((part) => part !== "").flatMap((part) => expandBraces(before + part));
}
