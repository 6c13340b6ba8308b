import { moveFile, someFile } from "./agent-acts.ts";
import { languageOf, languages, newFile, newPath, prose } from "./code.ts";
import { formatterOf } from "./formatting.ts";
import { human, type Line, newLine, newLines } from "./lines.ts";
import * as mutate from "./mutate.ts";
import { type Checkout, pass, save, tell, type World } from "./world.ts";

/** An action of a human in an editor. False: it was not possible. */
export type HumanAct = (world: World, checkout: Checkout) => boolean;

const by = "human";

/** Saves as an editor does, which may format on the way. */
function saved(world: World, checkout: Checkout, path: string, lines: readonly Line[]): void {
  save(world, checkout, path, lines, { by });
}

const onFile =
  (
    name: string,
    act: (world: World, checkout: Checkout, path: string, lines: readonly Line[]) => readonly Line[],
  ): HumanAct =>
  (world, checkout) => {
    const path = someFile(world, { checkout });
    if (path === null) return false;
    pass(world, 5, 120);
    saved(world, checkout, path, act(world, checkout, path, checkout.files.get(path)!));
    tell(world, `human: ${name} ${path}`);
    return true;
  };

export const humanActs: Readonly<Record<string, HumanAct>> = {
  "human-edits": onFile("edits", ({ random }, _, path, lines) =>
    random.weighted<() => Line[]>([
      [() => mutate.insertPiece(random, path, lines, human, "human's edit"), 4],
      [() => mutate.insertStatements(random, path, lines, human, "human's edit", 3), 4],
      [() => mutate.changeLines(random, lines, human, "human's edit", 3), 4],
      [() => mutate.wrapLines(random, path, lines, human, "human's edit"), 1],
      [() => mutate.removeLines(random, lines, 3), 1],
    ])(),
  ),

  "human-comments": onFile("comments", ({ random }, _, path, lines) => {
    const mark = /\.(py|yaml)$/.test(path) ? "# " : path.endsWith(".md") ? "" : "// ";
    const at = random.int(0, lines.length);
    const indent = mutate.indentOf(lines[at]?.text ?? "");
    return lines.toSpliced(at, 0, newLine(`${indent}${mark}${prose(random)}`, human, "human's edit"));
  }),

  "human-common-lines": onFile("common lines in", ({ random }, _, path, lines) =>
    mutate.insertCommon(random, path, lines, human, "human's common line"),
  ),

  /** A human changes an agent's line. */
  "human-changes-agents": onFile("changes an agent's lines in", ({ random }, _, _path, lines) => {
    const theirs = lines.flatMap((line, i) =>
      line.owner.kind === "agent" && /\w{4,}/.test(line.text) ? [i] : [],
    );
    if (theirs.length === 0) return lines;
    const at = random.pick(theirs);
    const [changed] = mutate.changeLines(random, [lines[at]!], human, "human's change of an agent's line", 1);
    return lines.toSpliced(at, 1, changed!);
  }),

  "human-writes-file"(world, checkout) {
    const language = world.random.pick(languages);
    const path = newPath(world.random, language);
    if (checkout.files.has(path)) return false;
    pass(world, 30, 300);
    saved(
      world,
      checkout,
      path,
      newLines(newFile(world.random, language, world.random.int(1, 3)), human, "human's new file"),
    );
    tell(world, `human: writes ${path}`);
    return true;
  },

  "format-on-save": onFile(
    "formats",
    ({ random }, _, path, lines) => formatterOf(path, random)?.(lines, random) ?? lines,
  ),

  /** Types something, and the editor formats the file in the same save. */
  "edit-and-format": onFile("edits and formats", ({ random }, _, path, lines) => {
    const edited = mutate.insertStatements(random, path, lines, human, "human's edit", 3);
    return formatterOf(path, random)?.(edited, random) ?? edited;
  }),

  "human-moves": onFile("moves a block from", (world, checkout, path, lines) => {
    const { random } = world;
    const block = mutate.blockIn(random, lines, 3, 12);
    if (block === null) return lines;
    const moved = lines.slice(...block).map((line) => ({ ...line, via: "moved by a human" }));
    const left = lines.toSpliced(block[0], block[1] - block[0]);
    const others = [...checkout.files.keys()].filter(
      (other) => other !== path && languageOf(other) === languageOf(path),
    );
    if (others.length === 0 || random.chance(0.5))
      return left.toSpliced(random.int(1, left.length), 0, ...moved);
    const to = random.pick(others);
    const there = checkout.files.get(to)!;
    saved(world, checkout, to, there.toSpliced(random.int(0, there.length), 0, ...moved));
    pass(world, 1, 20);
    return left;
  }),

  /** A copy of an agent's block is still the agent's. */
  "human-pastes": onFile("pastes an agent's block into", (world, checkout, path, lines) => {
    const { random } = world;
    const sources = [...checkout.files].flatMap(([from, there]) =>
      there.flatMap((line, i) =>
        line.owner.kind === "agent" && languageOf(from) === languageOf(path) ? [{ there, i }] : [],
      ),
    );
    if (sources.length === 0) return lines;
    const { there, i } = random.pick(sources);
    let end = i;
    while (end < there.length && end - i < 8 && there[end]!.owner.kind === "agent") end++;
    const copies = there
      .slice(i, end)
      .map((line) => ({ ...line, id: newLine("", human, "").id, via: "pasted by a human" }));
    return lines.toSpliced(random.int(0, lines.length), 0, ...copies);
  }),

  /** Types earlier versions somebody took it out. */
  "human-retypes"(world, checkout) {
    const { random } = world;
    if (world.removed.length === 0) return false;
    const { path, lines } = random.pick(world.removed);
    const now = checkout.files.get(path);
    if (!now || !mutate.isWritable(path)) return false;
    pass(world, 5, 60);
    const start = random.int(0, lines.length - 1);
    const typed = newLines(
      lines.slice(start, start + random.int(1, 3)).map(({ text }) => text),
      human,
      "retyped by a human",
    );
    saved(world, checkout, path, now.toSpliced(random.int(0, now.length), 0, ...typed));
    tell(world, `human: retypes what an agent wrote in ${path}`);
    return true;
  },

  "human-renames"(world, checkout) {
    const path = someFile(world, { checkout });
    if (path === null) return false;
    const to = path.replace(/(\w+)(\.\w+)$/, `$1_${world.random.int(1, 99)}$2`);
    if (checkout.files.has(to)) return false;
    pass(world, 2, 20);
    moveFile(world, { checkout, uid: by }, path, to);
    tell(world, `human: renames ${path} to ${to}`);
    return true;
  },
};
