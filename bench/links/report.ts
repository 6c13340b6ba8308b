import { certain } from "../../src/protocol/reading/evidence.ts";
import type { JudgedCommit, Link } from "./judge.ts";

interface Cost {
  commits: number;
  lookedAt: number;
  seconds: number;
}

export function printLinks(
  judged: readonly JudgedCommit[],
  cost: Cost,
  { links: isAll, wrong }: { links: boolean; wrong: boolean },
): void {
  const links = judged.flatMap((commit) => commit.links.map((link) => ({ ...link, commit })));
  console.log(
    `${cost.lookedAt} of ${cost.commits} commits looked at in ${cost.seconds.toFixed(1)} s ` +
      `(${((1000 * cost.seconds) / Math.max(cost.lookedAt, 1)).toFixed(0)} ms each); ` +
      `${links.length} links of ${judged.filter((commit) => commit.links.length > 0).length} commits`,
  );
  const late = links.filter((link) => link.isLate && link.lines === 0);
  const empty = late.filter(({ how }) => how === "command");
  console.log(
    `more than two hours after the session's last record: without lines ${late.length}, of these without a file ${empty.length}`,
  );

  console.log("\nlinks of commits whose trailers name a session, by what they rest on:");
  const named = links.filter(({ commit }) => commit.named.length > 0);
  const groups: [string, (link: Link) => boolean][] = [
    ["all", () => true],
    ["certain", ({ confidence }) => confidence >= certain],
    ["maybe", ({ confidence }) => confidence < certain],
    ...["lines", "command", "removed", "touched"].map((how): [string, (link: Link) => boolean] => [
      `  ${how}`,
      (link) => link.how === how,
    ]),
  ];
  for (const [name, belongs] of groups) {
    const own = named.filter(belongs);
    const right = own.filter(isNamed).length;
    const share = own.length === 0 ? "" : ` (${(right / own.length).toFixed(3)})`;
    const held = own.filter((link) => isNamed(link) || link.isProven).length;
    console.log(
      `  ${name.padEnd(12)} ${String(own.length).padStart(4)} links, named ${right}${share}; ` +
        `named, or proven by new lines that only its calls had, ${held}${own.length === 0 ? "" : ` (${(held / own.length).toFixed(3)})`}`,
    );
  }

  console.log("\ncommits that name a stored session:");
  const rows: [string, readonly JudgedCommit[]][] = [
    ["all", judged.filter(({ stored }) => stored.length > 0)],
    ["with messages of it shortly before", judged.filter(({ near }) => near.length > 0)],
    ["of these, with a tenth of its lines in it", judged.filter(({ findable }) => findable.length > 0)],
  ];
  for (const [name, all] of rows) {
    const found = all.filter(isFound).length;
    const none = all.filter((commit) => commit.links.length === 0).length;
    console.log(
      `  ${name}: ${all.length}, linked with it ${found} (${(found / all.length).toFixed(3)}), ` +
        `with others only ${all.length - found - none}, with none ${none}`,
    );
  }
  if (isAll) for (const { commit, ...link } of links) console.log(`${titleOf(commit)} ${textOf(link)}`);
  if (wrong) printWrong(judged);
}

const isNamed = ({ session, commit }: Link & { commit: JudgedCommit }) => commit.named.includes(session);
const isFound = ({ links, stored }: JudgedCommit) => links.some(({ session }) => stored.includes(session));

function printWrong(judged: readonly JudgedCommit[]): void {
  for (const commit of judged) {
    const { named, near, links } = commit;
    if (named.length === 0) continue;
    const wrong = links.filter(({ session }) => !named.includes(session));
    const isMissed = near.length > 0 && !isFound(commit);
    if (wrong.length === 0 && !isMissed) continue;
    const parts = [
      ...wrong.map((link) => `not named: ${textOf(link)}${link.isProven ? ", proven by its lines" : ""}`),
      ...(isMissed ? ["missed"] : []),
    ];
    console.log(`${titleOf(commit)} names ${named.map(short).join(", ")}; ${parts.join("; ")}`);
  }
}

const short = (uid: string) => uid.slice(0, 8);
const titleOf = ({ hash, subject }: JudgedCommit) =>
  `${hash.slice(0, 10)} ${subject.slice(0, 50).padEnd(50)}`;

/** What a link rests on, in one line. */
function textOf({ session, lines, how, confidence, turns }: Link): string {
  const by = {
    lines: `wrote ${lines} of its lines`,
    removed: "removed the same lines",
    command:
      confidence === 1
        ? "git printed its hash"
        : confidence >= certain
          ? "ran git commit with its message"
          : "ran git commit then",
    touched: "changed its files in the hour before",
    trailer: "named by another tool",
  }[how];
  const turn = turns.length > 0 ? `, turn ${turns.join(", ")}` : "";
  return `${short(session)} ${by}${turn}${confidence < certain ? " (maybe)" : ""}`;
}
