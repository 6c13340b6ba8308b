import { type HowSeen, recordCommit } from "../../src/attribution/checkpoints/record-commit.ts";
import { listAttributions } from "../../src/store/memory/commits/attributions.ts";
import { findCheckpointOfCommit } from "../../src/store/memory/commits/checkpoints.ts";
import { findCommitByHash } from "../../src/store/memory/commits/commits.ts";
import { type Act, rememberTurn } from "./attribution-fixture.ts";
import { temporaryRepository } from "./checkpoint-fixture.ts";

/** For tests: a repository in which agents work and commits are recorded as they are made. */
export function repositoryWithAgents() {
  const repo = temporaryRepository();
  delete repo.work.attribute;
  const turns = new Map<string, number>();
  const take = async (hash: string, how: HowSeen = { seen: "hook" }) => {
    await recordCommit(repo.work, hash, how);
    return hash;
  };
  return {
    ...repo,
    take,
    /** Since the commit before; of one commit after another every agent's acts are a few seconds later. */
    soon: () => repo.now() + 5000,
    /** The next turn of a session. */
    did(session: string, ...acts: Act[]) {
      const number = (turns.get(session) ?? 0) + 1;
      turns.set(session, number);
      rememberTurn(repo.memory, session, acts, { number, cwd: repo.root });
    },
    commitAndTake: (message: string, files?: Record<string, string | null>) =>
      take(repo.commit(message, files)),
    /** Of each added line of a file, by number: `<session, or who else> <how>`. */
    authors(hash: string, path: string): Record<number, string> {
      const commit = findCommitByHash(repo.memory, hash)!;
      return Object.fromEntries(
        listAttributions(repo.memory, commit.id, path).flatMap(
          ({ firstLine, lastLine, author, sessionUid, how }) =>
            Array.from({ length: lastLine - firstLine + 1 }, (_, i) => [
              firstLine + i,
              `${sessionUid ?? author} ${how}`,
            ]),
        ),
      );
    },
    /** The sessions that a commit is bound to: `<session> <how>`. */
    bound: (hash: string) =>
      (findCheckpointOfCommit(repo.memory, hash)?.sessions ?? []).map(
        ({ sessionUid, how }) => `${sessionUid} ${how}`,
      ),
  };
}
