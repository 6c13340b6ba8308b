import { type Act, onFile, pathOf, pieces, someFile } from "./agent-acts.ts";
import { bash } from "./agent-tools.ts";
import { languageOf, newIdentifier } from "./code.ts";
import { formatterOf } from "./formatting.ts";
import { type Line, newLine, newLines } from "./lines.ts";
import { save } from "./world.ts";

/** What an agent does to files by its shell commands. */
export const shellActs: Readonly<Record<string, Act>> = {
  async heredoc(world, session) {
    const path = pathOf(world, session);
    let lines: Line[] = [];
    await bash(
      world,
      session,
      (owner) => {
        lines = pieces(world, path, owner, "heredoc");
        return `cat > ${path} <<'EOF'\n${lines.map(({ text }) => text).join("\n")}\nEOF`;
      },
      () => {
        save(world, session.checkout, path, lines, { by: session.uid });
        return "";
      },
    );
    return true;
  },

  async append(world, session) {
    const path = someFile(world, session);
    if (path === null || path.endsWith(".json")) return false;
    let added: Line[] = [];
    await bash(
      world,
      session,
      (owner) => {
        added = newLines(["", ...languageOf(path).piece(world.random)], owner, "heredoc");
        return `cat >> ${path} << EOF\n${added.map(({ text }) => text).join("\n")}\nEOF`;
      },
      () => {
        save(world, session.checkout, path, [...session.checkout.files.get(path)!, ...added], {
          by: session.uid,
        });
        return "";
      },
    );
    return true;
  },

  /** The transcript contains nothing of what it writes. */
  async generator(world, session) {
    const existing = [...session.checkout.files.keys()].filter((path) => path.startsWith("gen/"));
    const path =
      world.random.chance(0.4) && existing.length > 0
        ? world.random.pick(existing)
        : `gen/${newIdentifier(world.random)}.ts`;
    await bash(
      world,
      session,
      () => `node scripts/generate.mjs ${path}`,
      (owner) => {
        save(world, session.checkout, path, pieces(world, "x.ts", owner, "generator"), { by: session.uid });
        return `wrote ${path}`;
      },
      [1, 8],
    );
    return true;
  },

  /** A word is replaced everywhere in a file. */
  sed: onFile(async (world, session, path) => {
    const { random } = world;
    const lines = session.checkout.files.get(path)!;
    const words = [...new Set(lines.flatMap(({ text }) => text.match(/\b[a-z]+[A-Z_]\w+\b/g) ?? []))];
    if (words.length === 0) return;
    const word = random.pick(words);
    const other = newIdentifier(random);
    const pattern = new RegExp(`\\b${word}\\b`, "g");
    await bash(
      world,
      session,
      () => `sed -i 's/\\b${word}\\b/${other}/g' ${path}`,
      (owner) => {
        const now = lines.map((line) => {
          const text = line.text.replace(pattern, other);
          return text === line.text ? line : newLine(text, owner, "sed");
        });
        save(world, session.checkout, path, now, { by: session.uid });
        return "";
      },
    );
  }),

  /** Runs a formatter over some files, or all. */
  async formatter(world, session) {
    await bash(
      world,
      session,
      () => "npx prettier --write .",
      () => {
        for (const [path, lines] of session.checkout.files) {
          const format = formatterOf(path, world.random);
          if (!format || world.random.chance(0.5)) continue;
          save(world, session.checkout, path, format(lines, world.random), { by: session.uid });
        }
        return "done";
      },
      [1, 5],
    );
    return true;
  },
};
