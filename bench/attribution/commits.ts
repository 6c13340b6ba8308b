import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prose } from "./code.ts";
import { splitLines } from "./history.ts";
import { adopt, differences, human, type Line, newLine, sameLine, type Tree } from "./lines.ts";
import { blobOf, type Checkout, contentOf, git, pass, reload, tell, type World } from "./world.ts";

/** How commits are made, by git itself. */

export const headTree = (world: World, checkout: Checkout): Tree =>
  world.history.tree(world.history.head(world, checkout));

export const messageOf = ({ random }: World) => prose(random).slice(0, 60);

/** Commits all changes. @returns git's output; null: there was nothing to commit */
export async function commitAll(
  world: World,
  checkout: Checkout,
  {
    how = [],
    by = null,
    message = messageOf(world),
  }: { how?: string[]; by?: string | null; message?: string } = {},
): Promise<string | null> {
  pass(world, 1, 30);
  git(world, checkout, ["add", "-A"]);
  if (git(world, checkout, ["diff", "--cached", "--name-only"]) === "") return null;
  const tree = new Map(checkout.files);
  const said = git(world, checkout, ["commit", "-m", message]);
  tell(world, `${by === null ? "human" : "agent"}: commit ${said.split("\n", 1)[0]}`);
  await world.history.take(world, checkout, { how, by, tree });
  return said;
}

/** Commits some of the hunks; the rest stays for later, or is thrown away. */
export async function commitSome(world: World, checkout: Checkout): Promise<boolean> {
  const { random } = world;
  const before = headTree(world, checkout);
  const staged = new Map(before);
  let isAny = false;
  let isSome = false;
  for (const [path, lines] of checkout.files) {
    const old = before.get(path) ?? [];
    const hunks = differences(old, lines, sameLine);
    const chosen = hunks.filter(() => random.chance(0.6));
    if (chosen.length < hunks.length) isSome = true;
    if (chosen.length === 0) continue;
    const partly: Line[] = [];
    let at = 0;
    for (const { a, b } of chosen) {
      partly.push(...old.slice(at, a[0]), ...lines.slice(...b));
      at = a[1];
    }
    staged.set(path, [...partly, ...old.slice(at)]);
    isAny = true;
  }
  if (!isAny || !isSome) return false;
  pass(world, 10, 90);
  git(world, checkout, ["reset", "-q"]);
  for (const [path, lines] of staged) {
    if (before.get(path) === lines) continue;
    const input = blobOf(world, lines);
    const oid = git(world, checkout, ["hash-object", "-w", "--stdin", "--no-filters"], { input }).trim();
    git(world, checkout, ["update-index", "--add", "--cacheinfo", `100644,${oid},${path}`]);
  }
  if (git(world, checkout, ["diff", "--cached", "--name-only"]) === "") return false;
  git(world, checkout, ["commit", "-q", "-m", messageOf(world)]);
  tell(world, "human: commits some hunks");
  await world.history.take(world, checkout, { how: ["partial commit"], tree: staged });
  if (random.chance(0.3)) {
    pass(world, 5, 60);
    git(world, checkout, ["checkout", "-q", "--", "."]);
    const untracked = [...checkout.files].filter(([path]) => !staged.has(path));
    reload(world, checkout, new Map([...headTree(world, checkout), ...untracked]));
    tell(world, "human: throws the rest away");
  }
  return true;
}

/** Whether a commit was made while Pommel watched and is not a merge. */
const isPlain = ({ history }: World, hash: string) => {
  const commit = history.commits.get(hash);
  return commit !== undefined && commit.parents.length === 1 && !commit.how.has("before");
};

/** @returns git's output; null: there is nothing to amend */
export async function amend(
  world: World,
  checkout: Checkout,
  by: string | null,
  message: string = messageOf(world),
): Promise<string | null> {
  const head = world.history.head(world, checkout);
  if (!isPlain(world, head)) return null;
  const withChanges = world.random.chance(0.6);
  pass(world, 2, 60);
  let tree: Tree = headTree(world, checkout);
  if (withChanges) {
    git(world, checkout, ["add", "-A"]);
    tree = new Map(checkout.files);
  } else {
    git(world, checkout, ["reset", "-q"]);
  }
  const said = git(world, checkout, ["commit", "--amend", "--allow-empty", "-m", message]);
  tell(world, `${by === null ? "human" : "agent"}: amends ${withChanges ? "with changes" : "the message"}`);
  await world.history.take(world, checkout, { how: ["amend"], by, tree });
  return said;
}

export async function ensureClean(world: World, checkout: Checkout): Promise<void> {
  await commitAll(world, checkout);
}

export async function switchTo(
  world: World,
  checkout: Checkout,
  branch: string,
  isNew = false,
): Promise<void> {
  pass(world, 1, 20);
  git(world, checkout, ["checkout", "-q", ...(isNew ? ["-b"] : []), branch]);
  reload(world, checkout, headTree(world, checkout));
  tell(world, `human: switches to ${branch}`);
}

/** A human decides what becomes of every conflict. @returns whether there was any */
export function resolveConflicts(world: World, checkout: Checkout, versions: readonly Tree[]): boolean {
  const listed = git(world, checkout, ["diff", "--name-only", "--diff-filter=U", "-z"]);
  const paths = [...new Set(listed.split("\0").filter((path) => path !== ""))];
  pass(world, 20, 300);
  for (const path of paths) {
    const file = join(checkout.dir, path);
    if (!existsSync(file)) {
      git(world, checkout, ["rm", "-q", "--cached", path], { mayFail: true });
      continue;
    }
    const here = versions.flatMap((tree) => tree.get(path) ?? []);
    const known = versions.map((tree) => tree.get(path)).filter((lines) => lines !== undefined);
    const texts = chosenLines(world, splitLines(readFileSync(file, "utf8")));
    const typed = new Set(texts.filter(({ isTyped }) => isTyped).map(({ text }) => text));
    const lines = adopt(
      texts.map(({ text }) => text),
      known,
    ).map((line) =>
      typed.has(line.text) && !here.some(({ text }) => text === line.text)
        ? newLine(line.text, human, "conflict resolved")
        : line,
    );
    writeFileSync(file, contentOf(world, lines));
    world.history.resolved(world, lines);
    git(world, checkout, ["add", path]);
  }
  if (paths.length > 0) tell(world, `human: resolves conflicts in ${paths.join(", ")}`);
  return paths.length > 0;
}

interface Chosen {
  text: string;
  isTyped: boolean;
}

function chosenLines({ random }: World, texts: readonly string[]): Chosen[] {
  const chosen: Chosen[] = [];
  for (let i = 0; i < texts.length; i++) {
    if (!texts[i]!.startsWith("<<<<<<< ")) {
      chosen.push({ text: texts[i]!, isTyped: false });
      continue;
    }
    const middle = texts.indexOf("=======", i);
    const end = texts.findIndex((text, at) => at > middle && text.startsWith(">>>>>>> "));
    const ours = texts.slice(i + 1, middle);
    const theirs = texts.slice(middle + 1, end);
    const kept = random.weighted<readonly string[]>([
      [ours, 2],
      [theirs, 3],
      [[...ours, ...theirs], 4],
    ]);
    chosen.push(...kept.map((text) => ({ text, isTyped: false })));
    if (random.chance(0.3)) chosen.push({ text: `resolved(${prose(random).slice(0, 30)})`, isTyped: true });
    i = end;
  }
  return chosen;
}
