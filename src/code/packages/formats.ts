import { parse as parseToml } from "smol-toml";
import * as z from "zod/mini";

/** What a tool that builds several packages in one repository writes down about them. */
export interface PackageFormat {
  /** What `pm code packages` calls it. */
  kind: string;
  /** The file that makes its directory a package, and the package's name in it; null: it names none. */
  manifest: { file: string; nameIn: (text: string) => string | null } | null;
  /** Files that list packages, and the globs of their directories from there; null: this one lists none. */
  lists: readonly { file: string; membersIn: (text: string) => string[] | null }[];
}

/** One row for each tool; nothing else knows of them. Readers may throw: what others wrote may be broken. */
export const packageFormats: readonly PackageFormat[] = [
  {
    kind: "npm",
    manifest: { file: "package.json", nameIn: (text) => nodePackage.parse(JSON.parse(text)).name ?? null },
    lists: [
      {
        file: "package.json",
        membersIn(text) {
          const { workspaces } = nodePackage.parse(JSON.parse(text));
          return Array.isArray(workspaces) ? workspaces : (workspaces?.packages ?? null);
        },
      },
      { file: "pnpm-workspace.yaml", membersIn: (text) => parseYamlList(text, "packages") },
    ],
  },
  {
    kind: "cargo",
    manifest: { file: "Cargo.toml", nameIn: (text) => crate.parse(parseToml(text)).package?.name ?? null },
    lists: [
      { file: "Cargo.toml", membersIn: (text) => listMemberGlobs(crate.parse(parseToml(text)).workspace) },
    ],
  },
  {
    kind: "go",
    manifest: { file: "go.mod", nameIn: (text) => /^module\s+"?([^\s"]+)/m.exec(text)?.[1] ?? null },
    lists: [{ file: "go.work", membersIn: goUses }],
  },
  {
    kind: "maven",
    manifest: {
      file: "pom.xml",
      nameIn: (text) => listElementTexts(keepOwnPart(text), "artifactId")[0] ?? null,
    },
    lists: [{ file: "pom.xml", membersIn: (text) => nullIfEmpty(listElementTexts(text, "module")) }],
  },
  {
    kind: "python",
    manifest: {
      file: "pyproject.toml",
      nameIn(text) {
        const { project, tool } = pyproject.parse(parseToml(text));
        return project?.name ?? tool?.poetry?.name ?? null;
      },
    },
    lists: [
      {
        file: "pyproject.toml",
        membersIn: (text) => listMemberGlobs(pyproject.parse(parseToml(text)).tool?.uv?.workspace),
      },
    ],
  },
  {
    // A project of Gradle's may have no file of its own: settings.gradle names them all.
    kind: "gradle",
    manifest: null,
    lists: ["settings.gradle", "settings.gradle.kts"].map((file) => ({
      file,
      membersIn: parseGradleIncludes,
    })),
  },
];

const strings = z.array(z.string());
const named = z.object({ name: z.optional(z.string()) });
const workspace = z.object({ members: z.optional(strings), exclude: z.optional(strings) });

const nodePackage = z.object({
  name: z.optional(z.string()),
  workspaces: z.optional(z.union([strings, z.object({ packages: z.optional(strings) })])),
});
const crate = z.object({ package: z.optional(named), workspace: z.optional(workspace) });
const pyproject = z.object({
  project: z.optional(named),
  tool: z.optional(
    z.object({
      poetry: z.optional(named),
      uv: z.optional(z.object({ workspace: z.optional(workspace) })),
    }),
  ),
});

/** A workspace without members holds what lies below it. */
function listMemberGlobs(of: z.infer<typeof workspace> | undefined): string[] | null {
  if (of === undefined) return null;
  return [...(of.members ?? ["**"]), ...(of.exclude ?? []).map((glob) => `!${glob}`)];
}

/** The texts of a list under a key at the left margin: all that is needed of pnpm-workspace.yaml. */
function parseYamlList(text: string, key: string): string[] | null {
  const [, inline, block] =
    new RegExp(
      `^${key}:[ \\t]*(?:\\[([^\\]]*)\\]|(?:#.*)?\\r?\\n((?:[ \\t]*(?:-.*|#.*)?\\r?\\n?)*))`,
      "m",
    ).exec(text) ?? [];
  const entries =
    inline?.split(",") ?? block?.match(/^[ \t]*-.*$/gm)?.map((line) => line.replace(/^[ \t]*-/, ""));
  return (
    entries
      ?.map((entry) => /^\s*(?:"([^"]*)"|'([^']*)'|([^\s#]*))/.exec(entry)!)
      .map(([, a, b, c]) => a ?? b ?? c!) ?? null
  );
}

/** `use ./cli` and `use ( ./cli ./api )`. */
function goUses(text: string): string[] {
  const uses = text.replace(/\/\/.*$/gm, "").matchAll(/^use\s+(?:\(([^()]*)\)|(\S+))/gm);
  return [...uses].flatMap(([, block, one]) => (block ?? one!).split(/\s+/).filter(Boolean));
}

/** `include ':core', 'connect:api'` and `include("core")`: a colon is a directory further down. */
function parseGradleIncludes(text: string): string[] {
  const code = without(text.replace(/\/\/.*$/gm, ""), "/*", "*/");
  const lists = code.matchAll(/^[ \t]*include\b[ \t]*\(?\s*(["'][^"'\n]+["'](?:\s*,\s*["'][^"'\n]+["'])*)/gm);
  return [...lists].flatMap(([, list]) =>
    [...list!.matchAll(/["']([^"'\n]+)["']/g)].map(([, path]) =>
      path!.replaceAll(":", "/").replace(/^\//, ""),
    ),
  );
}

/** A pom.xml without what it says of others. */
const keepOwnPart = (text: string) =>
  ["parent", "dependencyManagement", "dependencies", "build", "profiles", "reporting"].reduce(
    (rest, name) => without(rest, `<${name}>`, `</${name}>`),
    text,
  );

/** A text without its parts from one mark to the next other one. In linear time, unlike a pattern: files may be hostile. */
function without(text: string, begin: string, end: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const from = text.indexOf(begin, at);
    const to = from === -1 ? -1 : text.indexOf(end, from + begin.length);
    if (to === -1) return kept.length === 0 ? text : kept.join("") + text.slice(at);
    kept.push(text.slice(at, from));
    at = to + end.length;
  }
}

function listElementTexts(text: string, name: string): string[] {
  const plain = without(text, "<!--", "-->");
  return [...plain.matchAll(new RegExp(`<${name}>\\s*([^<\\s]+)\\s*</${name}>`, "g"))].map(
    ([, value]) => value!,
  );
}

const nullIfEmpty = (found: string[]) => (found.length > 0 ? found : null);
