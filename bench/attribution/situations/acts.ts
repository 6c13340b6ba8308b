import { join } from "node:path";
import { type AgentSession, call, ownerOf, structuredPatch } from "../agent.ts";
import { type Act, change, onFile, pathOf, pieces, someFile } from "../agent-acts.ts";
import { bash, edit, notebookLines, write } from "../agent-tools.ts";
import { languageOf, newIdentifier, prose } from "../code.ts";
import { commitAll, messageOf } from "../commits.ts";
import type { HumanAct } from "../human-acts.ts";
import { human, type Line, newLine, newLines, type Owner, textsOf, untold } from "../lines.ts";
import * as mutate from "../mutate.ts";
import { pass, save, tell, type World } from "../world.ts";
import { installs } from "./packages.ts";

/** What agents and people do that a memory finds hard to follow. */

const wholeCell = /^(\s*)"source": ("(?:[^"\\]|\\.)*")(,?)$/;

const textOf = (lines: readonly Line[]) => textsOf(lines).join("\n");

/** A human changes a file in the middle of something else. */
function humanBeside(world: World, session: AgentSession, path: string): void {
  const { random } = world;
  const lines = session.checkout.files.get(path);
  if (!lines) return;
  const how = "human's line beside an agent's";
  const isAppended = random.chance(0.5) && !path.endsWith(".json");
  const made = isAppended
    ? [...lines, ...newLines(languageOf(path).piece(random), human, how)]
    : mutate.insertStatements(random, path, lines, human, how, 3);
  save(world, session.checkout, path, made, { by: "human" });
  tell(world, `human: at the same time in ${path}`);
}

async function command(
  world: World,
  session: AgentSession,
  text: string | ((owner: Owner) => string),
  run: (owner: Owner) => Promise<string> | string,
  seconds?: [number, number],
  more?: Record<string, unknown>,
): Promise<void> {
  await bash(world, session, typeof text === "string" ? () => text : text, run, seconds, more);
}

/** Another tool that writes: its result says no more than that it did. */
async function otherTool(
  world: World,
  session: AgentSession,
  tool: string,
  path: string,
  inputOf: (owner: Owner) => { input: Record<string, unknown>; lines: readonly Line[] },
): Promise<void> {
  let made: readonly Line[] = [];
  await call(
    world,
    session,
    tool,
    (id) => {
      const { input, lines } = inputOf(ownerOf(session, id));
      made = lines;
      return input;
    },
    () => {
      save(world, session.checkout, path, made, { by: session.uid });
      return { content: "OK", structured: [{ type: "text", text: "OK" }] };
    },
  );
  tell(world, `  ${tool} ${path}`);
}

export const situationActs: Readonly<Record<string, Act>> = {
  /** A person saves a file within seconds of the agent's write of it. */
  "human-beside": onFile(async (world, session, path) => {
    const { random } = world;
    const isDuring = random.chance(0.5);
    await edit(world, session, path, change(world, path, "agent's edit"), {
      after() {
        if (!isDuring) return;
        world.now += random.int(200, 2500);
        humanBeside(world, session, path);
      },
    });
    if (isDuring) return;
    world.now += random.int(200, 2500);
    humanBeside(world, session, path);
  }),

  /** The patch is in the command, or in a file that was written before. */
  "git-apply": onFile(async (world, session, path) => {
    const { random } = world;
    const before = session.checkout.files.get(path)!;
    let after: readonly Line[] = before;
    const patchOf = (owner: Owner) => {
      after = change(world, path, "git apply")(before, owner);
      const hunks = structuredPatch(before, after).flatMap(
        ({ oldStart, oldLines, newStart, newLines, lines }) => [
          `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
          ...lines,
        ],
      );
      return [`--- a/${path}`, `+++ b/${path}`, ...hunks].join("\n");
    };
    const run = () => {
      save(world, session.checkout, path, after, { by: session.uid });
      return "";
    };
    if (random.chance(0.5)) {
      await command(world, session, (owner) => `git apply - <<'PATCH'\n${patchOf(owner)}\nPATCH`, run);
      return;
    }
    const file = `/tmp/${newIdentifier(random)}.patch`;
    const ownerless: { patch: string } = { patch: "" };
    await command(
      world,
      session,
      (owner) => {
        ownerless.patch = patchOf(owner);
        return `cat > ${file} <<'EOF'\n${ownerless.patch}\nEOF`;
      },
      () => "",
    );
    pass(world, 1, 20);
    await command(world, session, random.pick([`git apply ${file}`, `patch -p1 < ${file}`]), run);
  }),

  /** Written somewhere else first, by the command itself or by a program, and moved. */
  "piece-moved": async (world, session) => {
    const { random } = world;
    const path = pathOf(world, session);
    const piece = `/tmp/${newIdentifier(random)}`;
    let lines: Line[] = [];
    const isGenerated = random.chance(0.6);
    await command(
      world,
      session,
      (owner) => {
        lines = pieces(world, path, owner, isGenerated ? "generated piece" : "heredoc elsewhere");
        return isGenerated
          ? `node scripts/piece.mjs > ${piece}`
          : `cat > ${piece} <<'EOF'\n${textOf(lines)}\nEOF`;
      },
      () => "",
    );
    const writtenAt = world.now - 1000;
    pass(world, 2, 40);
    const move = random.pick(["mv", "cp"]);
    await command(world, session, `mkdir -p $(dirname ${path}) && ${move} ${piece} ${path}`, () => {
      // A file that is moved keeps its time.
      save(world, session.checkout, path, lines, {
        by: session.uid,
        ...(move === "mv" && { mtime: writtenAt }),
      });
      return "";
    });
    return true;
  },

  /** A program writes the file after its call was answered. */
  background: async (world, session) => {
    const { random } = world;
    const path = `gen/${newIdentifier(random)}.ts`;
    const made: { owner: Owner | null } = { owner: null };
    await command(
      world,
      session,
      (owner) => {
        made.owner = owner;
        return `node scripts/generate.mjs --watch ${path}`;
      },
      () => "Command running in background with ID: b1",
      [0, 1],
      { run_in_background: true },
    );
    pass(world, 5, 90);
    if (random.chance(0.4)) {
      const other = someFile(world, session);
      if (other !== null) humanBeside(world, session, other);
    }
    pass(world, 1, 20);
    const lines = pieces(world, "x.ts", made.owner!, "background command");
    save(world, session.checkout, path, lines, { by: session.uid });
    pass(world, 1, 20);
    return true;
  },

  "agent-installs": async (world, session) => {
    const install = installs(world.random);
    await command(
      world,
      session,
      install.command,
      (owner) => {
        for (const [path, lines] of install.files(session.checkout.files, owner, "lock file")) {
          save(world, session.checkout, path, lines, { by: session.uid });
        }
        return "done";
      },
      [1, 12],
    );
    return true;
  },

  /** One command writes a file and commits it. */
  "write-and-commit": async (world, session) => {
    const path = pathOf(world, session);
    const message = messageOf(world);
    let lines: Line[] = [];
    const how = "written and committed at once";
    await command(
      world,
      session,
      (owner) => {
        lines = pieces(world, path, owner, how);
        return `cat > ${path} <<'EOF'\n${textOf(lines)}\nEOF\ngit add -A && git commit -m "${message}"`;
      },
      async () => {
        save(world, session.checkout, path, lines, { by: session.uid });
        return (
          (await commitAll(world, session.checkout, { by: session.parent?.uid ?? session.uid, message })) ??
          ""
        );
      },
    );
    return true;
  },

  /** A generator, and the commit of what it made, in one command. */
  "generate-and-commit": async (world, session) => {
    const path = `gen/${newIdentifier(world.random)}.ts`;
    const message = messageOf(world);
    await command(
      world,
      session,
      `node scripts/generate.mjs ${path} && git add -A && git commit -m "${message}"`,
      async (owner) => {
        const lines = pieces(world, "x.ts", owner, "generator");
        save(world, session.checkout, path, lines, { by: session.uid });
        return (
          (await commitAll(world, session.checkout, { by: session.parent?.uid ?? session.uid, message })) ??
          ""
        );
      },
      [1, 4],
    );
    return true;
  },

  "script-writes": async (world, session) => {
    const path = pathOf(world, session);
    let lines: Line[] = [];
    await command(
      world,
      session,
      (owner) => {
        lines = pieces(world, path, owner, "written by a script");
        return `python3 - <<'PY'\nfrom pathlib import Path\nPath("${path}").write_text('''${textOf(lines)}\n''')\nPY`;
      },
      () => {
        save(world, session.checkout, path, lines, { by: session.uid });
        return "";
      },
    );
    return true;
  },

  /** A tool of an MCP server, with names of its own. */
  "other-tool": async (world, session) => {
    const { random } = world;
    const how = "another tool";
    const old = someFile(world, session);
    if (old === null || random.chance(0.5)) {
      const path = pathOf(world, session);
      const named = random.pick(["path", "file_path", "relative_path"]);
      await otherTool(
        world,
        session,
        random.pick(["mcp__filesystem__write_file", "mcp__ide__create"]),
        path,
        (owner) => {
          const lines = pieces(world, path, owner, how);
          const at = named === "relative_path" ? path : join(session.cwd, path);
          return {
            input: { [named]: at, [random.pick(["content", "text", "contents"])]: `${textOf(lines)}\n` },
            lines,
          };
        },
      );
      return true;
    }
    await otherTool(world, session, "mcp__filesystem__edit_file", old, (owner) => {
      const before = session.checkout.files.get(old)!;
      const at = random.int(0, before.length);
      const made = newLines(languageOf(old).piece(random), owner, how);
      const anchor = before[at]?.text ?? "";
      return {
        input: {
          path: join(session.checkout.dir, old),
          edits: [{ oldText: anchor, newText: `${textOf(made)}\n${anchor}` }],
        },
        lines: before.toSpliced(at, 0, ...made),
      };
    });
    return true;
  },

  /** As Claude Code's own tool writes them: all of a cell as one text. */
  "notebook-text-cell": async (world, session) => {
    const { random } = world;
    const paths = [...session.checkout.files.keys()].filter((path) => path.endsWith(".ipynb"));
    if (paths.length === 0) return false;
    const path = random.pick(paths);
    const python = languageOf("x.ipynb");
    const source = [...python.statements(random), ...python.statements(random), ...python.statements(random)];
    const before = session.checkout.files.get(path)!;
    const end = before.findLastIndex(({ text }) => text === " ],");
    if (end < 1) return false;
    const whole = before.flatMap(({ text }, i) => (wholeCell.test(text) ? [i] : []));
    const replaced = whole.length > 0 && random.chance(0.4) ? random.pick(whole) : null;
    let lines: readonly Line[] = before;
    const new_source = source.join("\n");
    await call(
      world,
      session,
      "NotebookEdit",
      (id) => {
        const made = (text: string) => newLine(text, ownerOf(session, id), "notebook cell as one text");
        const text = `   "source": ${JSON.stringify(new_source)}`;
        const last = before[end - 1]!;
        lines =
          replaced === null
            ? [
                ...before.slice(0, end - 1),
                { ...last, text: "  }," },
                ...[
                  "  {",
                  '   "cell_type": "code",',
                  '   "execution_count": null,',
                  '   "metadata": {},',
                ].map(made),
                ...['   "outputs": [],', text, "  }"].map(made),
                ...before.slice(end),
              ]
            : before.with(replaced, made(text));
        return {
          notebook_path: join(session.cwd, path),
          new_source,
          cell_type: "code",
          edit_mode: replaced === null ? "insert" : "replace",
        };
      },
      () => {
        save(world, session.checkout, path, lines, { by: session.uid });
        return {
          content: `Updated cell with ${new_source}`,
          structured: {
            new_source,
            cell_type: "code",
            language: "python",
            edit_mode: replaced === null ? "insert" : "replace",
            cell_id: "c1",
            error: "",
            notebook_path: join(session.cwd, path),
          },
        };
      },
    );
    tell(world, `  NotebookEdit ${path}`);
    return true;
  },

  notebook: async (world, session) => {
    const { random } = world;
    const path = `notebooks/${newIdentifier(random)}.ipynb`;
    const code = () => languageOf("x.ipynb").statements(random);
    await write(world, session, path, (_, owner) =>
      notebookLines([code(), code(), code()], (text) => newLine(text, owner, "agent's new file")),
    );
    return true;
  },
};

export const humanSituationActs: Readonly<Record<string, HumanAct>> = {
  /** In Jupyter, which writes what a cell printed as well. */
  "human-notebook"(world, checkout) {
    const { random } = world;
    const paths = [...checkout.files.keys()].filter((path) => path.endsWith(".ipynb"));
    if (paths.length === 0) return false;
    const path = random.pick(paths);
    const lines = checkout.files.get(path)!;
    const end = lines.findLastIndex(({ text }) => text === " ],");
    if (end < 1) return false;
    pass(world, 10, 200);
    const source = [...languageOf(path).statements(random), ...languageOf(path).statements(random)];
    const texts = [
      "  {",
      '   "cell_type": "code",',
      `   "execution_count": ${random.int(1, 40)},`,
      '   "metadata": {},',
      '   "outputs": [',
      "    {",
      '     "name": "stdout",',
      '     "output_type": "stream",',
      '     "text": [',
      `      ${JSON.stringify(`${prose(random)}\n`)}`,
      "     ]",
      "    }",
      "   ],",
      '   "source": [',
      ...source.map(
        (line, i) =>
          `    ${JSON.stringify(i < source.length - 1 ? `${line}\n` : line)}${i < source.length - 1 ? "," : ""}`,
      ),
      "   ]",
      "  }",
    ];
    const last = lines[end - 1]!;
    const from = texts.indexOf('   "outputs": [');
    const to = texts.indexOf("   ],");
    const made = texts.map((text, i) =>
      (i >= from && i <= to) || text.includes('"execution_count"')
        ? newLine(text, untold, "what a cell printed")
        : newLine(text, human, "human's notebook cell"),
    );
    const now = [...lines.slice(0, end - 1), { ...last, text: "  }," }, ...made, ...lines.slice(end)];
    save(world, checkout, path, now, { by: "human" });
    tell(world, `human: a cell in ${path}`);
    return true;
  },

  /** Jupyter writes each cell as a list of lines, whoever wrote it, and in whatever form it was. */
  "human-resaves-notebook"(world, checkout) {
    const { random } = world;
    const paths = [...checkout.files].flatMap(([path, lines]) =>
      path.endsWith(".ipynb") && lines.some(({ text }) => wholeCell.test(text)) ? [path] : [],
    );
    if (paths.length === 0) return false;
    const path = random.pick(paths);
    pass(world, 10, 200);
    const now = checkout.files.get(path)!.flatMap((line) => {
      const [, indent = "", literal, end = ""] = wholeCell.exec(line.text) ?? [];
      if (literal === undefined) return [line];
      const source = (JSON.parse(literal) as string).split("\n");
      const texts = source.map(
        (text, i) =>
          `${indent} ${JSON.stringify(i < source.length - 1 ? `${text}\n` : text)}${i < source.length - 1 ? "," : ""}`,
      );
      return [`${indent}"source": [`, ...texts, `${indent}]${end}`].map((text) => ({
        ...newLine(text, line.owner, "saved again by Jupyter"),
        ...(line.isMixed && { isMixed: true as const }),
      }));
    });
    save(world, checkout, path, now, { by: "human" });
    tell(world, `human: saves ${path} again`);
    return true;
  },

  "human-installs"(world, checkout) {
    const install = installs(world.random);
    pass(world, 5, 60);
    for (const [path, lines] of install.files(checkout.files, human, "human's lock file")) {
      save(world, checkout, path, lines, { by: "human" });
    }
    tell(world, `human: ${install.command}`);
    return true;
  },
};
