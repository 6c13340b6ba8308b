import type { GraphNode } from "../../src/code/graph/definitions.ts";

/** What a SCIP symbol says of a definition, as far as a source file says the same. */
export interface ScipName {
  /** The module, package or file that it is in, as its language's indexer writes it. */
  module: string;
  /** Of types and modules within the file, from the outside. */
  owners: readonly string[];
  name: string;
  /** Its number among those of the same name in the same type, from 0. */
  overload: number;
  isType: boolean;
}

/** A language's indexer: how its symbols name what files name. */
export interface Indexer {
  /** null: a local variable, a parameter of a type, a file. */
  parse: (id: string) => ScipName | null;
  /** The module that a symbol is itself; null: it is something in one. */
  parseModule: (id: string) => string | null;
  /** Whether a file may be the module that a symbol names. */
  isIn: (file: string, module: string) => boolean;
}

const unquote = (text: string) => text.replaceAll("`", "");

/** `Type#method(+1).` -> its descriptors; null for parameters and what is local. */
function parseDescriptors(text: string): Omit<ScipName, "module"> | null {
  if (/[[(][^\])]*[\])]?$/.test(text.replace(/\(\+?\d*\)\.$/, "")) && !text.endsWith("#")) {
    if (/\[[^\]]*\]$|\([^)]*\)$/.test(text)) return null;
  }
  const found = [...text.matchAll(/(`[^`]+`|[\w$@?*<>~-]+)(#|\(\+?(\d*)\)\.|\.|\/|!)/g)];
  const last = found.at(-1);
  if (last === undefined || last.index + last[0].length !== text.length) return null;
  return {
    owners: found.slice(0, -1).map((one) => unquote(one[1]!)),
    name: unquote(last[1]!),
    overload: Number(last[3] || 0),
    isType: last[2] === "#",
  };
}

const withoutExtension = (file: string) => file.replace(/\.\w+$/, "");

/** `pkg `pkg.module`/Type#method().` */
const python: Indexer = {
  parseModule: (id) => /^\w+ `([\w.]+)`\/(?:__init__:)?$/.exec(id)?.[1] ?? null,
  parse: (id) => {
    const [, module, rest] = /^\w+ `([\w.]+)`\/(.+)$/.exec(id) ?? [];
    const parsed = rest === undefined ? null : parseDescriptors(rest);
    return parsed && { module: module!, ...parsed };
  },
  isIn: (file, module) =>
    withoutExtension(file)
      .replace(/\/__init__$/, "")
      .replaceAll("/", ".") === module,
};

/** `scip-go gomod MODULE VERSION `package`/Type#method().` */
const go: Indexer = {
  parseModule: (id) => {
    const [, root, module] = /^scip-go gomod (\S+) \S+ `([^`]+?)(?:\.test)?`\/$/.exec(id) ?? [];
    return module === undefined ? null : module.slice(root!.length + 1);
  },
  parse: (id) => {
    const [, root, module, rest] = /^scip-go gomod (\S+) \S+ `([^`]+)`\/(.+)$/.exec(id) ?? [];
    const parsed = rest === undefined ? null : parseDescriptors(rest);
    return parsed && { module: module!.slice(root!.length + 1), ...parsed };
  },
  isIn: (file, module) => file.slice(0, Math.max(file.lastIndexOf("/"), 0)) === module,
};

/** `scip-typescript npm PACKAGE VERSION dir/`file.js`/name().` */
const typescript: Indexer = {
  parseModule: (id) => {
    const module = /^scip-typescript npm \S+ \S+ ((?:[\w-]+\/)*`[^`]+`)\/$/.exec(id)?.[1];
    return module === undefined ? null : unquote(module);
  },
  parse: (id) => {
    const [, module, rest] = /^scip-typescript npm \S+ \S+ ((?:[\w-]+\/)*`[^`]+`)\/(.+)$/.exec(id) ?? [];
    const parsed = rest === undefined ? null : parseDescriptors(rest);
    return parsed && { module: unquote(module!), ...parsed };
  },
  isIn: (file, module) => file === module,
};

/** `semanticdb maven . . org/package/Type#method(+1).`: the file is named as the outermost type. */
const java: Indexer = {
  parseModule: () => null,
  parse: (id) => {
    const [, directory, rest] = /^semanticdb maven \S+ \S+ ((?:\w+\/)+)(\w+#.*)$/.exec(id) ?? [];
    const parsed = rest === undefined ? null : parseDescriptors(rest);
    if (parsed === null) return null;
    const name = parsed.name === "<init>" ? parsed.owners.at(-1)! : parsed.name;
    return { module: `${directory}${parsed.owners[0] ?? name}`, ...parsed, name };
  },
  isIn: (file, module) => withoutExtension(file).endsWith(`/${module}`),
};

/** `rust-analyzer cargo CRATE VERSION module/impl#[Type][Trait]name().` */
const rust: Indexer = {
  parseModule: (id) => {
    const [, crate, path] = /^rust-analyzer cargo (\S+) \S+ ((?:\w+\/)+)$/.exec(id) ?? [];
    return path === undefined ? null : `${crate} ${path.replace(/^crate\//, "").replace(/\/$/, "")}`;
  },
  parse: (id) => {
    const [, crate, path] = /^rust-analyzer cargo (\S+) \S+ (.+)$/.exec(id) ?? [];
    if (path === undefined) return null;
    const plain = path.replace(
      /impl#\[`?([^\]`<]+)[^\]]*\](?:\[[^\]]*\])?/g,
      (_, type: string) => `${type.replace(/^&(?:mut )?/, "")}#`,
    );
    const [, modules = "", rest = ""] = /^((?:[\w]+\/)*)(.*)$/.exec(plain) ?? [];
    const parsed = parseDescriptors(rest);
    const own = modules
      .split("/")
      .filter((part) => !["", "crate", "test", "tests"].includes(part))
      .join("/");
    return parsed && { module: `${crate} ${own}`, ...parsed };
  },
  isIn: (file, module) => {
    const [crate = "", own = ""] = module.split(" ");
    const [, dir = "", rest = ""] = /^(?:([\w-]+)\/)?(?:src|tests|examples|benches)\/(.*)$/.exec(file) ?? [];
    if ((dir || "clap") !== crate) return false;
    const path = withoutExtension(rest).replace(/(?:^|\/)(?:mod|lib|main)$/, "");
    return (
      own === "" || path === own || path.endsWith(`/${own}`) || own.startsWith(`${path}/`) || path === ""
    );
  },
};

export const indexers = { python, go, typescript, java, rust } satisfies Record<string, Indexer>;

/** Whether a definition is what a symbol names, but for its number among those of the same name. */
export function fits(indexer: Indexer, scip: ScipName, node: GraphNode): boolean {
  if (node.name !== scip.name || !indexer.isIn(node.file, scip.module)) return false;
  const owner = scip.owners.at(-1) ?? null;
  if (owner === null) return node.parent === null || /^(?:test|tests)$/.test(node.parent);
  return node.parent === owner || (node.parent === null && indexer === rust);
}
