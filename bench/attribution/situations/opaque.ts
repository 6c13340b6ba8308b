import { join } from "node:path";
import { type AgentSession, call, ownerOf } from "../agent.ts";
import { type Act, change, onFile, pathOf, pieces, someFile } from "../agent-acts.ts";
import { bash } from "../agent-tools.ts";
import { languageOf, newIdentifier } from "../code.ts";
import { headTree } from "../commits.ts";
import { formatterOf } from "../formatting.ts";
import { human, type Line, newLine, newLines, type Owner, textsOf } from "../lines.ts";
import { pass, reload, save, tell, type World } from "../world.ts";

/** What agents do through tools that say nothing of what they write, and what only copies or formats lines. */

/** A call whose result says no more than that it was done. */
async function opaqueCall(
  world: World,
  session: AgentSession,
  tool: string,
  input: (owner: Owner) => Record<string, unknown>,
  run: (owner: Owner) => void,
): Promise<void> {
  await call(
    world,
    session,
    tool,
    (id) => input(ownerOf(session, id)),
    (id) => {
      run(ownerOf(session, id));
      return { content: "OK", structured: [{ type: "text", text: "OK" }] };
    },
    [0, 3],
  );
  tell(world, `  ${tool}`);
}

/** A copy of lines is whoever's they are. */
const copied = (lines: readonly Line[]): Line[] =>
  lines.map((line) => ({ ...line, id: newLine("", human, "").id, via: "copied by an agent" }));

/** Names that stand in a file. */
const namesIn = (lines: readonly Line[]): string[] => [
  ...new Set(lines.flatMap(({ text }) => text.match(/\b[a-z]+[A-Z_]\w+\b/g) ?? [])),
];

export const opaqueActs: Readonly<Record<string, Act>> = {
  /** A language server renames a symbol wherever it stands. */
  "mcp-renames": onFile(async (world, session, path) => {
    const { random } = world;
    const { files } = session.checkout;
    const names = namesIn(files.get(path)!);
    if (names.length === 0) return;
    const name = random.pick(names);
    const other = newIdentifier(random);
    const pattern = new RegExp(`\\b${name}\\b`, "g");
    const [tool, input] = random.pick<[string, Record<string, unknown>]>([
      ["mcp__serena__rename_symbol", { name_path: `Class/${name}`, relative_path: path, new_name: other }],
      ["mcp__lsp__rename", { file: join(session.cwd, path), line: 3, column: 5, newName: other }],
      ["mcp__ide__refactor", { kind: "rename", uri: `file://${join(session.cwd, path)}`, to: other }],
    ]);
    await opaqueCall(
      world,
      session,
      tool,
      () => input,
      (owner) => {
        for (const [each, lines] of files) {
          const now = lines.map((line) => {
            const text = line.text.replace(pattern, other);
            return text === line.text ? line : newLine(text, owner, "renamed by a tool");
          });
          if (now.some((line, i) => line !== lines[i]))
            save(world, session.checkout, each, now, { by: session.uid });
        }
      },
    );
  }),

  /** A tool whose result and input hold nothing of what it writes into a file that it names. */
  "mcp-rewrites": onFile(async (world, session, path) => {
    const [tool, field] = world.random.pick([
      ["mcp__codemod__apply", "target"],
      ["mcp__ast__structural_rewrite", "paths"],
      ["mcp__unknown__xyzzy", "path"],
    ] as const);
    await opaqueCall(
      world,
      session,
      tool,
      () => ({ [field]: field === "paths" ? [path] : join(session.cwd, path), rule: "no-legacy-api" }),
      (owner) => {
        const lines = change(world, path, "rewritten by a tool")(session.checkout.files.get(path)!, owner);
        save(world, session.checkout, path, lines, { by: session.uid });
      },
    );
  }),

  /** An edit whose result holds no patch, of a client that nobody knows. */
  "edit-without-patch": onFile(async (world, session, path) => {
    let made: readonly Line[] = [];
    await call(
      world,
      session,
      "Edit",
      (id) => {
        const before = session.checkout.files.get(path)!;
        made = change(world, path, "edit without a patch")(before, ownerOf(session, id));
        return { file_path: join(session.cwd, path), instructions: "Make it so", code_edit_id: "e1" };
      },
      () => {
        save(world, session.checkout, path, made, { by: session.uid });
        return { content: "Done", structured: { filePath: join(session.cwd, path), structuredPatch: [] } };
      },
    );
  }),

  /** Several files in one call, each with its text. */
  "mcp-writes-many": async (world, session) => {
    const made: { path: string; lines: Line[] }[] = [];
    await opaqueCall(
      world,
      session,
      "mcp__files__write_multiple",
      (owner) => {
        for (let i = 0; i < 2; i++) {
          const path = pathOf(world, session);
          made.push({ path, lines: pieces(world, path, owner, "one of several files") });
        }
        return {
          files: made.map(({ path, lines }) => ({
            path: join(session.cwd, path),
            content: `${textsOf(lines).join("\n")}\n`,
          })),
        };
      },
      () => {
        for (const { path, lines } of made) save(world, session.checkout, path, lines, { by: session.uid });
      },
    );
    return true;
  },

  /** A file of anybody gets a copy. */
  "agent-copies": onFile(async (world, session, path) => {
    const { random } = world;
    const to = pathOf(world, session).replace(/\.\w+$/, /\.\w+$/.exec(path)![0]);
    if (session.checkout.files.has(to)) return;
    const run = () =>
      save(world, session.checkout, to, copied(session.checkout.files.get(path)!), { by: session.uid });
    if (random.chance(0.3)) {
      await opaqueCall(
        world,
        session,
        "mcp__filesystem__copy_file",
        () => ({ source: join(session.cwd, path), destination: join(session.cwd, to) }),
        run,
      );
      return;
    }
    await bash(
      world,
      session,
      () => `mkdir -p $(dirname ${to}) && cp ${path} ${to}`,
      () => {
        run();
        return "";
      },
    );
  }),

  /** A file of somebody else, from outside of the project. */
  "agent-copies-in": async (world, session) => {
    const to = pathOf(world, session);
    const lines = newLines(
      textsOf(pieces(world, to, human, "")),
      { kind: "untold" },
      "copied from elsewhere by an agent",
    );
    await bash(
      world,
      session,
      () => world.random.pick([`cp ~/Downloads/part.txt ${to}`, `pbpaste > ${to}`]),
      () => {
        save(world, session.checkout, to, lines, { by: session.uid });
        return "";
      },
    );
    return true;
  },

  /** An older version of a file comes back. */
  "agent-checks-out": onFile(async (world, session, path) => {
    const before = headTree(world, session.checkout).get(path);
    if (before === undefined || before === session.checkout.files.get(path)) return;
    await bash(
      world,
      session,
      () => `git checkout HEAD -- ${path}`,
      () => {
        reload(world, session.checkout, new Map([...session.checkout.files, [path, before]]));
        return "";
      },
    );
  }),

  /** A formatter behind a script, or a linter that repairs. */
  "formats-by-script": async (world, session) => {
    const { random } = world;
    // What a person typed just before it is still the person's.
    const typed = someFile(world, session);
    if (typed !== null && random.chance(0.7)) {
      const lines = session.checkout.files.get(typed)!;
      const at = random.int(0, lines.length);
      const fresh = newLines(languageOf(typed).piece(random), human, "human's line before a formatter");
      save(world, session.checkout, typed, lines.toSpliced(at, 0, ...fresh), { by: "human" });
      pass(world, 5, 60);
    }
    const command = random.pick([
      "npm run fmt",
      "make fmt",
      "mise run format",
      "npx eslint --fix .",
      "npx biome check --write .",
      "ruff check --fix . && ruff format .",
      "pre-commit run --all-files",
      "just fmt",
      "cargo fmt --all && git diff --stat",
      "npx prettier --write . 2>&1 | tail -5",
    ]);
    await bash(
      world,
      session,
      () => command,
      () => {
        pass(world, 0, 2);
        for (const [path, lines] of session.checkout.files) {
          const format = formatterOf(path, random);
          if (format && random.chance(0.5))
            save(world, session.checkout, path, format(lines, random), { by: session.uid });
        }
        return "done";
      },
      [0, 3],
    );
    return true;
  },
};
