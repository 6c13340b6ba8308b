import { existsSync } from "node:fs";
import { join } from "node:path";
import { type AgentSession, endTurn, prompt, startSession } from "./agent.ts";
import { languageOf, prose } from "./code.ts";
import { commitAll, ensureClean, headTree, resolveConflicts } from "./commits.ts";
import { newLines, untold } from "./lines.ts";
import * as mutate from "./mutate.ts";
import { type Checkout, git, pass, reload, save, tell, type World } from "./world.ts";

/** Work done elsewhere that arrives here. */

/** A session in a linked worktree, in parallel with work in the main one. */
export async function linkedWorktree(
  world: World,
  work: (world: World, steps: number) => Promise<void>,
  act: (session: AgentSession) => Promise<void>,
): Promise<void> {
  const { main, random, history } = world;
  await ensureClean(world, main);
  const branch = `side-${random.int(1, 1_000_000)}`;
  const dir = join(world.scratch, branch);
  git(world, main, ["worktree", "add", "-q", "-b", branch, dir]);
  const tree = headTree(world, main);
  const side: Checkout = { dir, files: new Map(tree), mtimes: new Map(), isWatched: false };
  const session = startSession(world, side);
  tell(world, `a session in the worktree ${branch}`);
  for (let turn = random.int(1, 2); turn > 0; turn--) {
    prompt(world, session, prose(random), 0);
    for (let i = random.int(1, 3); i > 0; i--) {
      await act(session);
      if (random.chance(0.5)) await work(world, 1);
    }
    endTurn(world, session);
    await commitAll(world, side);
  }
  await ensureClean(world, side);
  await ensureClean(world, main);
  if (git(world, main, ["rev-list", `main..${branch}`]) === "") return;
  pass(world, 10, 100);
  git(world, main, ["merge", "--no-ff", "-q", branch], { mayFail: true });
  const other = git(world, main, ["rev-parse", branch]).trim();
  const hadConflicts = resolveConflicts(world, main, [headTree(world, main), history.tree(other)]);
  if (hadConflicts) git(world, main, ["commit", "-q", "--no-edit"], { mayFail: true });
  await history.take(world, main, { how: ["merge", ...(hadConflicts ? ["conflict"] : [])] });
  reload(world, main, headTree(world, main));
}

/** A colleague's commits, made without any evidence here. */
export async function pull(world: World): Promise<void> {
  const { main, random, history } = world;
  await ensureClean(world, main);
  const dir = join(world.scratch, "colleague");
  const colleague = { dir, files: new Map(), mtimes: new Map(), isWatched: false } satisfies Checkout;
  const ends = `core.autocrlf=${world.ends === "autocrlf"}`;
  if (!existsSync(dir)) git(world, main, ["clone", "-q", "-c", ends, main.dir, dir]);
  else {
    // History may have been rewritten since.
    git(world, colleague, ["fetch", "-q"]);
    git(world, colleague, ["reset", "-q", "--hard", "origin/main"]);
  }
  const theirs: Checkout = { ...colleague, files: new Map(headTree(world, main)) };
  const paths = [...theirs.files.keys()].filter(mutate.isWritable);
  for (let i = random.int(1, 3); i > 0 && paths.length > 0; i--) {
    const path = random.pick(paths);
    const lines = mutate.insertPiece(random, path, theirs.files.get(path)!, untold, "colleague");
    save(world, theirs, path, lines, { by: "nobody" });
  }
  const path = `src/theirs_${random.int(1, 1_000_000)}.py`;
  save(world, theirs, path, newLines(languageOf(path).piece(random), untold, "colleague"), { by: "nobody" });
  pass(world, 60, 600);
  git(world, theirs, ["add", "-A"]);
  const env = { GIT_AUTHOR_EMAIL: "colleague@example.com", GIT_COMMITTER_EMAIL: "colleague@example.com" };
  git(world, theirs, ["commit", "-q", "-m", prose(random)], { env });
  pass(world, 60, 600);
  git(world, main, ["pull", "-q", "--ff-only", dir, "main"]);
  tell(world, "human: pulls a colleague's commit");
  await history.take(world, main, { how: ["pull"], tree: new Map(theirs.files) });
  reload(world, main, headTree(world, main));
}
