import {
  type Document,
  doneLine,
  line,
  makeDocument,
  type Paragraph,
  table,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { listThings } from "../../protocol/reading/things.ts";
import type { SyncReport } from "../../sync/report.ts";
import type { NotShared } from "./not-shared.ts";
import type { TeamStatus } from "./share-team.ts";
import type { TrustAnswer } from "./trust.ts";

const standings = { yours: "yours", trusted: "trusted", not_trusted: "not trusted" } as const;

/** Who shared something, and whether agents get their words. */
export function wordTrust(signers: TrustAnswer["signers"]): Document {
  if (signers.length === 0) return [[line("Nobody shared anything with you, and you shared nothing.")]];
  const rows = signers.map(({ key, name, standing, since, sessions, notes }) => [
    standings[standing],
    { text: name.trim() || (key === "unsigned" ? "unsigned words" : "no name") },
    key,
    // What was recorded here came from no key.
    (standing !== "yours" || sessions + notes > 0) &&
      `${formatCount(sessions, "session")}, ${formatCount(notes, "note")}`,
    since > 0 && `since ${new Date(since).toISOString().slice(0, 10)}`,
  ]);
  return [[table([{ title: "" }, { title: "" }, { title: "" }, { title: "" }, { title: "" }], rows)]];
}

/** "2 sessions and 3 checkpoints are not shared yet."; null where all is. */
export function formatNotShared({
  session,
  annotation,
  checkpoint,
  attribution,
  event,
}: NotShared): string | null {
  const counts = {
    sessions: session,
    annotations: annotation,
    checkpoints: checkpoint,
    attributions: attribution,
    events: event,
  };
  const parts = listThings(counts);
  if (parts.length === 0) return null;
  const isOne = Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0) === 1;
  return `${new Intl.ListFormat("en").format(parts)} ${isOne ? "is" : "are"} not shared yet.`;
}

/** What an exchange brought and took, each in a sentence: "Imported: 3 sessions, 12 turns." */
export function wordExchange(parts: readonly (readonly [label: string, what: string])[]): Paragraph {
  const said = parts.filter(([, what]) => what !== "");
  return said.length === 0 ? [line("Nothing new.")] : said.map(([label, what]) => line(`${label}: ${what}.`));
}

/** What became of an exchange through git. */
export function wordSync(report: SyncReport, isDry: boolean): Document {
  const { shared, imported, pushed, trouble, branch, remote, encrypted } = report;
  const did = wordExchange([
    [isDry ? "Would import" : "Imported", listThings(imported).join(", ")],
    [isDry ? "Would share" : pushed ? "Shared" : "Not shared yet", listThings(shared).join(", ")],
  ]);
  const isNothing = listThings(shared).length + listThings(imported).length === 0;
  return makeDocument([
    ...(isNothing && trouble !== null ? [] : did),
    ...(isDry ? [line("Nothing was changed (--dry-run).")] : []),
    ...(!isDry && pushed
      ? [doneLine({ text: branch }, " is at ", { text: remote }, `${encrypted ? ", encrypted" : ""}.`)]
      : []),
  ]);
}

/** Who shares what with a team. */
export function wordTeam({ team, waiting, authors }: TeamStatus): Document {
  const here =
    authors.length === 0 ? [] : [line("Sessions and notes here by: ", { text: authors.join(", ") })];
  if (team === null) return [[line("This project is not shared with a team."), ...here]];
  return [
    [
      line("Shared as ", { text: team.author }, " at ", { text: team.place }),
      line("Project: ", { text: team.project }),
      line(
        team.at === null
          ? "Never exchanged yet: run `pm share team`."
          : `Last exchange: ${formatRelativeTime(team.at)}`,
      ),
      ...(waiting > 0 ? [line(`${formatCount(waiting, "change")} not shared yet`)] : []),
      ...here,
    ],
  ];
}
