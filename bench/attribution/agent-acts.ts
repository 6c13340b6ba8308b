import type { AgentSession } from "./agent.ts";
import { bash, edit, multiEdit, notebookEdit, notebookLines, write } from "./agent-tools.ts";
import { identifier, languageOf, languages, newFile, newPath } from "./code.ts";
import { formatterOf } from "./formatting.ts";
import { type Line, newLine, newLines, type Owner } from "./lines.ts";
import * as mutate from "./mutate.ts";
import { git, reload, save, type World } from "./world.ts";

/** An action of an agent. False: it was not possible. */
export type Act = (world: World, session: AgentSession) => Promise<boolean>;

const via = "agent's edit";

/** A file of the checkout that anybody would edit. */
export function someFile(world: World, { checkout }: Pick<AgentSession, "checkout">): string | null {
  const paths = [...checkout.files].filter(([path, lines]) => mutate.isWritable(path) && lines.length < 260);
  return paths.length === 0 ? null : world.random.pick(paths)[0];
}

export function change({ random }: World, path: string, how: string) {
  return (lines: readonly Line[], owner: Owner): Line[] =>
    random.weighted<() => Line[]>([
      [() => mutate.insertPiece(random, path, lines, owner, how), 4],
      [() => mutate.insertStatements(random, path, lines, owner, how, 4), 4],
      [() => mutate.changeLines(random, lines, owner, how, 4), 4],
      [() => mutate.wrapLines(random, path, lines, owner, how), 1],
      [() => mutate.removeLines(random, lines, 4), 1],
    ])();
}

export const onFile =
  (act: (world: World, session: AgentSession, path: string) => Promise<void>): Act =>
  async (world, session) => {
    const path = someFile(world, session);
    if (path === null) return false;
    if (world.random.chance(0.4)) {
      const text = session.checkout.files
        .get(path)!
        .map((line) => `${line.text}\n`)
        .join("");
      session.told.read(`${session.cwd}/${path}`, text);
    }
    await act(world, session, path);
    return true;
  };

export const pathOf = (world: World, session: AgentSession) => {
  let path = newPath(world.random, world.random.pick(languages));
  while (session.checkout.files.has(path)) path = newPath(world.random, world.random.pick(languages));
  return path;
};

export const pieces = (world: World, path: string, owner: Owner, how: string) =>
  newLines(newFile(world.random, languageOf(path), world.random.int(1, 5)), owner, how);

export const acts: Readonly<Record<string, Act>> = {
  edit: onFile((world, session, path) => edit(world, session, path, change(world, path, via))),

  "multi-edit": onFile((world, session, path) => {
    const changes = Array.from({ length: world.random.int(2, 3) }, () => change(world, path, via));
    return multiEdit(world, session, path, changes);
  }),

  async write(world, session) {
    const path = pathOf(world, session);
    await write(world, session, path, (_, owner) => pieces(world, path, owner, "agent's new file"));
    return true;
  },

  "write-over": onFile((world, session, path) =>
    write(world, session, path, (lines, owner) => {
      const one = change(world, path, "agent's file written over");
      return world.random.chance(0.2)
        ? pieces(world, path, owner, "agent's file written over")
        : one(one(lines, owner), owner);
    }),
  ),

  async "notebook-cell"(world, session) {
    const { random } = world;
    const notebooks = [...session.checkout.files.keys()].filter((path) => path.endsWith(".ipynb"));
    const code = () => languageOf("x.ipynb").statements(random);
    if (notebooks.length === 0) {
      const path = `notebooks/${identifier(random)}.ipynb`;
      await write(world, session, path, (_, owner) =>
        notebookLines([code(), code()], (text) => newLine(text, owner, "agent's new file")),
      );
    } else {
      await notebookEdit(world, session, random.pick(notebooks), [...code(), ...code()]);
    }
    return true;
  },

  /** A project whose hook formats after every edit. */
  "hook-formats": onFile((world, session, path) =>
    edit(world, session, path, change(world, path, via), {
      after() {
        const format = formatterOf(path, world.random);
        const lines = session.checkout.files.get(path)!;
        world.now += world.random.int(100, 400);
        if (format) save(world, session.checkout, path, format(lines, world.random), { by: session.uid });
      },
    }),
  ),

  "git-mv": onFile(async (world, session, path) => {
    const { checkout } = session;
    const to = pathOf(world, session).replace(/\.\w+$/, /\.\w+$/.exec(path)![0]);
    if (checkout.files.has(to)) return;
    const isGit = git(world, checkout, ["ls-files", path]) !== "" && world.random.chance(0.7);
    await bash(
      world,
      session,
      () => `${isGit ? "git mv" : "mv"} ${path} ${to}`,
      () => {
        moveFile(world, session, path, to);
        return "";
      },
    );
    if (world.random.chance(0.4)) await edit(world, session, to, change(world, to, via));
  }),

  /** Cuts a block out and puts it somewhere else. */
  "agent-moves": onFile(async (world, session, path) => {
    const { random } = world;
    const { files } = session.checkout;
    const block = mutate.blockIn(random, files.get(path)!, 3, 10);
    if (block === null) return;
    const others = [...files.keys()].filter(
      (other) => other !== path && other.split(".").at(-1) === path.split(".").at(-1),
    );
    const moved = files
      .get(path)!
      .slice(...block)
      .map((line) => ({ ...line, via: "moved by an agent" }));
    const to = others.length > 0 && random.chance(0.6) ? random.pick(others) : path;
    await edit(world, session, path, (lines) => lines.toSpliced(block[0], block[1] - block[0]));
    await edit(world, session, to, (lines) => lines.toSpliced(random.int(1, lines.length), 0, ...moved));
  }),

  /** It takes back what it just did. */
  undo: onFile(async (world, session, path) => {
    const before = session.checkout.files.get(path)!;
    await edit(world, session, path, change(world, path, via));
    await edit(world, session, path, () => before);
  }),

  secret: onFile(async (world, session, path) => {
    const { random } = world;
    // Built here, so that nobody mistakes it for a real one.
    const secret = `ghp_${Array.from({ length: 36 }, () => random.pick([..."abcdefghijkABCDEFGHIJK0123456789"])).join("")}`;
    await edit(world, session, path, (lines, owner) => {
      const texts = [
        `const ${identifier(random)}Token = "${secret}";`,
        ...languageOf(path).statements(random),
      ];
      return lines.toSpliced(random.int(0, lines.length), 0, ...newLines(texts, owner, "secret"));
    });
  }),
};

/** A file gets another name. */
export function moveFile(
  world: World,
  { checkout, uid }: Pick<AgentSession, "checkout" | "uid">,
  from: string,
  to: string,
) {
  const lines = checkout.files.get(from)!;
  save(world, checkout, to, lines, { by: uid });
  save(world, checkout, from, null, { by: "nobody" });
  reload(world, checkout, checkout.files);
}
