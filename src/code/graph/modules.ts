import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { addTo } from "../../base/multimap.ts";
import type { ModuleStyle } from "../languages/references/references.ts";
import type { PackageMap } from "../packages/packages.ts";

/** What an import names, as far as it lies in the project. */
export interface Module {
  /** The files that it is made of. */
  files: readonly string[];
  /** Where modules lie that are named as its members; null: nowhere. */
  below: string | null;
  /** The type in them whose members are meant; none: what is at their top. */
  inside?: string;
  /** Names that lead on from there: of a module that is written out in a file, or that is handed on under this name. */
  names?: readonly string[];
}

/** An import of something that is not in the project. */
export const external = "external";

/** Finds the files of imports by the names of a project's files, by what each language's data says. */
export class ModuleFinder {
  private readonly paths: ReadonlySet<string>;
  private readonly byStem = new Map<string, string[]>();
  private readonly inDirectory = new Map<string, string[]>();
  private readonly byDirectoryName = new Map<string, string[]>();
  private readonly aliasesIn = new Map<string, Alias[]>();

  constructor(
    paths: readonly string[],
    private readonly packages: PackageMap,
    private readonly root: string,
  ) {
    this.paths = new Set(paths);
    for (const path of paths) {
      const dir = getParentPath(path);
      if (!this.inDirectory.has(dir)) addTo(this.byDirectoryName, posix.basename(dir), dir);
      addTo(this.inDirectory, dir, path);
      const stem = getFileStem(path);
      addTo(this.byStem, stem, path);
      if (/^__init__$|^mod$|^index$/.test(stem)) addTo(this.byStem, posix.basename(dir), path);
    }
  }

  /** @param from as the file at `path` writes it; null: it should be in the project, but is not known */
  find(path: string, from: string, rules: ModuleStyle): Module | typeof external | null {
    if (rules.style === "path") return this.findByPath(path, from, rules);
    if (rules.style === "dotted") return this.findByDots(path, from, rules);
    if (rules.style === "directory") return this.findByDirectory(from, rules);
    return this.findByCrate(path, from.split("."), rules);
  }

  /** A module that is named as the member of another. */
  findModuleWithin({ below }: Module, name: string, rules: ModuleStyle): Module | null {
    return below === null ? null : this.findModuleAt(posix.join(below, name), rules);
  }

  /** Other files of the directory, for languages whose files see each other's names. */
  listFilesBeside(path: string, rules: ModuleStyle): readonly string[] {
    const files = this.inDirectory.get(getParentPath(path)) ?? [];
    return files.filter((file) => file !== path && hasExtension(file, rules));
  }

  /** The module that a file itself is, or belongs to. */
  findModuleOfFile(path: string): Module {
    const stem = getFileStem(path);
    const isDirectory = /^(?:mod|lib|main|__init__|index)$/.test(stem);
    return {
      files: [path],
      below: isDirectory ? getParentPath(path) : posix.join(getParentPath(path), stem),
    };
  }

  /** A file or directory by its path without extension. */
  private findModuleAt(place: string, rules: ModuleStyle): Module | null {
    const tidy = posix.normalize(place).replace(/^\.\/|\/$/g, "");
    if (tidy.startsWith("..")) return null;
    for (const extension of rules.extensions) {
      const file = `${tidy}.${extension}`;
      if (this.paths.has(file)) return { files: [file], below: tidy };
    }
    const indexes = (rules.index ?? []).flatMap((name) => rules.extensions.map((one) => `${name}.${one}`));
    for (const index of indexes) {
      const file = posix.join(tidy, index);
      if (this.paths.has(file)) return { files: [file], below: tidy };
    }
    // Python's packages without a file of their own.
    const isPackage =
      rules.style !== "path" && this.inDirectory.get(tidy)?.some((file) => hasExtension(file, rules));
    return isPackage ? { files: [], below: tidy } : null;
  }

  private findByPath(path: string, from: string, rules: ModuleStyle): Module | typeof external | null {
    if (from.startsWith(".")) return this.findAtWrittenPath(posix.join(getParentPath(path), from), rules);
    for (const place of this.listAliasedPlaces(path, from)) {
      const found = this.findAtWrittenPath(place, rules);
      if (found !== null) return found;
    }
    const parts = from.split("/");
    const named = this.packages.packages.find(
      ({ name, kind }) => kind === "npm" && (from === name || from.startsWith(`${name}/`)),
    );
    if (named === undefined) return external;
    const sub = parts.slice(named.name.split("/").length).join("/");
    const places = sub === "" ? this.listEntryPoints(named.dir) : [sub, `src/${sub}`, `lib/${sub}`];
    for (const place of places) {
      const found = this.findAtWrittenPath(posix.join(named.dir, place), rules);
      if (found !== null) return found;
    }
    return null;
  }

  /** With the extension that it is written with, that of what it is compiled from, or none. */
  private findAtWrittenPath(place: string, rules: ModuleStyle): Module | null {
    const tidy = posix.normalize(place);
    if (this.paths.has(tidy)) return { files: [tidy], below: null };
    const compiled = /^(.*)\.([mc]?)jsx?$/.exec(tidy);
    const found = this.findModuleAt(tidy, rules) ?? (compiled && this.findModuleAt(compiled[1]!, rules));
    return found && { ...found, below: null };
  }

  /** Where a package begins: its source rather than what is built of it. */
  private listEntryPoints(dir: string): string[] {
    const manifest = this.readJsonWithComments(posix.join(dir, "package.json"));
    const named = [manifest?.source, manifest?.module, manifest?.main, manifest?.types].filter(
      (one) => typeof one === "string",
    );
    const sources = named.map((one) =>
      one.replace(/^(?:\.\/)?(?:dist|build|lib|out)\//, "src/").replace(/(?:\.d)?\.[mc]?[jt]s$/, ""),
    );
    return ["src/index", ...sources, ...named, "index", "src/main", "lib/index"];
  }

  /** Places that `paths` and `baseUrl` of the nearest tsconfig.json name. */
  private listAliasedPlaces(path: string, from: string): string[] {
    for (let dir = getParentPath(path); ; dir = getParentPath(dir)) {
      let aliases = this.aliasesIn.get(dir);
      if (aliases === undefined) {
        aliases = this.readAliases(dir);
        this.aliasesIn.set(dir, aliases);
      }
      const places = aliases.flatMap(({ prefix, suffix, targets }) =>
        from.startsWith(prefix) && from.endsWith(suffix) && from.length >= prefix.length + suffix.length
          ? targets.map((target) =>
              target.replace("*", from.slice(prefix.length, from.length - suffix.length)),
            )
          : [],
      );
      if (places.length > 0 || dir === "") return places;
    }
  }

  private readAliases(dir: string): Alias[] {
    const config =
      this.readJsonWithComments(posix.join(dir, "tsconfig.json")) ??
      this.readJsonWithComments(posix.join(dir, "jsconfig.json"));
    const options = config?.compilerOptions;
    if (typeof options !== "object" || options === null) return [];
    const { baseUrl, paths } = options as { baseUrl?: unknown; paths?: unknown };
    const base = posix.join(dir, typeof baseUrl === "string" ? baseUrl : ".");
    const aliases: Alias[] = Object.entries(typeof paths === "object" && paths !== null ? paths : {}).map(
      ([alias, targets]) => {
        const [prefix = "", suffix] = alias.split("*");
        const places = (Array.isArray(targets) ? targets : []).filter((one) => typeof one === "string");
        // Without a star it is one name alone.
        return { prefix, suffix: suffix ?? "", targets: places.map((one) => posix.join(base, one)) };
      },
    );
    if (typeof baseUrl === "string")
      aliases.push({ prefix: "", suffix: "", targets: [posix.join(base, "*")] });
    return aliases;
  }

  private readJsonWithComments(path: string): Record<string, unknown> | null {
    try {
      const text = readFileSync(join(this.root, path), "utf8");
      const plain = text
        .replace(/("(?:[^"\\\n]|\\.)*")|\/\/.*|\/\*[\s\S]*?\*\//g, "$1")
        .replace(/,(\s*[\]}])/g, "$1");
      const parsed: unknown = JSON.parse(plain);
      return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : null;
    } catch {
      return null;
    }
  }

  private findByDots(path: string, from: string, rules: ModuleStyle): Module | typeof external | null {
    const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(from)!;
    const below = rest.replaceAll(".", "/");
    if (dots !== "") {
      let dir = getParentPath(path);
      for (let i = 1; i < dots.length; i++) dir = getParentPath(dir);
      return this.findModuleAt(posix.join(dir, below), rules);
    }
    if (rules.sharesDirectory) return this.findByPackage(below, rules);
    // A name from the root of the sources, wherever that is: the nearest to the file that asks.
    const files = (this.byStem.get(posix.basename(below)) ?? []).filter((file) => hasExtension(file, rules));
    const roots = files.flatMap((file) => {
      const place = /\/(?:__init__|mod|index)\.\w+$/.test(`/${file}`)
        ? getParentPath(file)
        : withoutExtension(file);
      return place === below || place.endsWith(`/${below}`)
        ? [place.slice(0, place.length - below.length)]
        : [];
    });
    const fitting = roots.filter((root) => !this.paths.has(posix.join(root, "__init__.py")));
    const nearest = (fitting.length > 0 ? fitting : []).toSorted(
      (a, b) => measureCommonPrefix(b, path) - measureCommonPrefix(a, path) || a.length - b.length,
    )[0];
    if (nearest !== undefined) return this.findModuleAt(nearest + below, rules);
    const isPackage = this.inDirectory.get(below)?.some((file) => hasExtension(file, rules));
    return isPackage ? { files: [], below } : external;
  }

  /** A package is in all directories of its name: those of sources and of tests. The last part may be a type. */
  private findByPackage(below: string, rules: ModuleStyle): Module | typeof external {
    const dirs = this.byDirectoryName.get(posix.basename(below)) ?? [];
    const files = dirs
      .filter((dir) => dir === below || dir.endsWith(`/${below}`))
      .flatMap((dir) => (this.inDirectory.get(dir) ?? []).filter((file) => hasExtension(file, rules)));
    if (files.length > 0) return { files, below: null };
    const type = posix.basename(below);
    const own = (this.byStem.get(type) ?? []).filter(
      (file) => hasExtension(file, rules) && `/${withoutExtension(file)}`.endsWith(`/${below}`),
    );
    return own.length > 0 ? { files: own, below: null, inside: type } : external;
  }

  private findByDirectory(from: string, rules: ModuleStyle): Module | typeof external {
    const module = this.packages.packages
      .filter(({ kind, name }) => kind === "go" && (from === name || from.startsWith(`${name}/`)))
      .sort((a, b) => b.name.length - a.name.length)[0];
    if (module === undefined) return external;
    const dir = posix.join(module.dir, from.slice(module.name.length + 1)).replace(/^\.$/, "");
    const files = (this.inDirectory.get(dir) ?? []).filter((file) => hasExtension(file, rules));
    return { files, below: null };
  }

  /** `crate.a.b`, `super.a`, `self.a`, another crate's name, or a module next to the file. */
  private findByCrate(
    path: string,
    parts: readonly string[],
    rules: ModuleStyle,
  ): Module | typeof external | null {
    const [first = "", ...rest] = parts;
    let module: Module | null;
    if (first === "crate") module = this.findCrateAt(this.packages.findAround(path)?.dir ?? "", path);
    else if (first === "self" || first === "") module = this.findModuleOfFile(path);
    else if (first === "super") module = this.findModuleAbove(path);
    else {
      const crate = this.packages.packages.find(
        ({ kind, name }) => kind === "cargo" && name.replaceAll("-", "_") === first,
      );
      module =
        this.findModuleWithin(this.findModuleOfFile(path), first, rules) ??
        (crate ? this.findCrateAt(crate.dir, path) : null);
      if (module === null) return external;
    }
    for (const [i, part] of rest.entries()) {
      const next =
        part === "super"
          ? this.findModuleAbove(module?.files[0] ?? path)
          : module && this.findModuleWithin(module, part, rules);
      if (next === null) return module && { ...module, below: null, names: rest.slice(i) };
      module = next;
    }
    return module;
  }

  private findModuleAbove(path: string): Module | null {
    const { below } = this.findModuleOfFile(path);
    const dir = below === null ? "" : getParentPath(below);
    const files = ["mod.rs", "lib.rs", "main.rs"].map((name) => posix.join(dir, name)).concat(`${dir}.rs`);
    const file = files.find((one) => this.paths.has(one));
    return file === undefined ? null : { files: [file], below: dir };
  }

  private findCrateAt(dir: string, path: string): Module | null {
    const files = ["src/lib.rs", "src/main.rs", "lib.rs"].map((name) => posix.join(dir, name));
    const file = files.find((one) => this.paths.has(one));
    if (file !== undefined) return { files: [file], below: getParentPath(file) };
    return path.startsWith(dir) ? { files: [], below: posix.join(dir, "src") } : null;
  }
}

interface Alias {
  prefix: string;
  suffix: string;
  /** With a star for what is between them. */
  targets: string[];
}

function getParentPath(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

const withoutExtension = (path: string) => path.replace(/\.\w+$/, "");
const getFileStem = (path: string) => withoutExtension(posix.basename(path));

function hasExtension(path: string, { extensions }: ModuleStyle): boolean {
  return extensions.includes(path.slice(path.lastIndexOf(".") + 1));
}

function measureCommonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
