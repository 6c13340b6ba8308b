/** What happens, and how often. */

type Weights = Readonly<Record<string, number>>;

/** What happens in one repository. */
export interface Plan {
  acts: readonly (readonly [string, number])[];
  humans: readonly (readonly [string, number])[];
  happenings: readonly (readonly [string, number])[];
  /** Of steps in which something happens. Chance. */
  happen: number;
}

/** How often an agent does what, among what it does. */
export const actWeights: Readonly<Record<string, number>> = {
  edit: 30,
  "multi-edit": 5,
  write: 9,
  "write-over": 4,
  "notebook-cell": 2,
  "hook-formats": 3,
  heredoc: 4,
  append: 2,
  generator: 3,
  sed: 3,
  formatter: 1,
  "git-mv": 1.5,
  "agent-moves": 2,
  undo: 1.5,
  secret: 0.7,
  subagent: 2,
  "busy-command": 3,
  "agent-commits": 5,
  "agent-amends": 1,
};

export const humanWeights: Readonly<Record<string, number>> = {
  "human-edits": 10,
  "human-comments": 3,
  "human-common-lines": 2,
  "human-changes-agents": 4,
  "human-writes-file": 3,
  "format-on-save": 3,
  "edit-and-format": 2,
  "human-moves": 2,
  "human-pastes": 0.7,
  "human-retypes": 0.5,
  "human-renames": 0.7,
};

/** What several have a part in, or happens to the repository. */
export const happeningWeights: Readonly<Record<string, number>> = {
  "partial-commit": 5,
  amend: 3,
  rebase: 3,
  squash: 1.5,
  "squash-merge": 1.5,
  merge: 2.5,
  "cherry-pick": 1.5,
  revert: 1,
  stash: 1.5,
  "abandoned-turn": 2,
  worktree: 1.5,
  "other-project": 1,
  "daemon-down": 1,
  pull: 1,
};

/** All that `--only` knows. */
export const happenings = [
  ...Object.keys(actWeights),
  ...Object.keys(humanWeights),
  ...Object.keys(happeningWeights),
];
/** Always simulated, whatever `--only` selects. */
const always = new Set(["edit", "write", "human-edits"]);

/** Everything; or, with `only`, this as often as all the rest, which is the plainest work. */
export function planOf(only: string | null): Plan {
  const weights = (of: Weights): [string, number][] => {
    if (only === null) return Object.entries(of);
    const plain = Object.entries(of).filter(([name]) => name !== only && always.has(name));
    const rest = sum(plain);
    return only in of ? [...plain, [only, Math.max(1, rest)]] : plain;
  };
  const happenings = weights(happeningWeights);
  const share = sum(happenings) / sum(Object.entries(happeningWeights));
  const happen = Math.max(0.22 * share, only === null ? 0 : 0.15);
  return { acts: weights(actWeights), humans: weights(humanWeights), happenings, happen };
}

const sum = (of: readonly (readonly [string, number])[]) => of.reduce((all, [, weight]) => all + weight, 0);
