import {
  caution,
  type Document,
  type DocumentBlock,
  faint,
  faintlyAgo,
  id,
  indentedLine,
  joinParts,
  line,
  makeDocument,
  place,
  quoted,
  strong,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { toHarmlessLine, withoutFrames } from "../../base/text/quotation.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { ChangedFunction } from "./functions.ts";
import type { CheckoutKind, RadarAnswer } from "./operation.ts";

const howToTurnOn = "Agents are not told yet: `pm config set radar.warn true`, then `pm setup`.";

const maxChars = { signature: 160, name: 80 } as const;
/** Functions of a file that are shown. */
const shownFunctions = 12;

type Checkouts = RadarAnswer["checkouts"];

const getName = (root: string): string =>
  root.slice(Math.max(root.lastIndexOf("/"), root.lastIndexOf("\\")) + 1);

/** "worktree fix-42"; "" for the checkout that asks. */
function wordCheckout(root: string, is: CheckoutKind): string {
  if (is === "this") return "";
  return is === "worktree" ? `worktree ${getName(root)}` : `clone ${root}`;
}

/** "worktree fix-42", "this checkout". */
export const wordRoot = (root: string, checkouts: Checkouts): string =>
  wordCheckout(root, findKind(checkouts, root)) || "this checkout";

const findKind = (checkouts: Checkouts, root: string): CheckoutKind =>
  checkouts.find((one) => one.root === root)?.is ?? "clone";

/** "2 agents at work, 1 overlap"; "" where none is at work. */
function describeRadar({ sessions, overlaps }: Pick<RadarAnswer, "sessions" | "overlaps">): string {
  if (sessions.length === 0) return "";
  const met = overlaps.length === 0 ? "" : `, ${formatCount(overlaps.length, "overlap")}`;
  return `${formatCount(sessions.length, "agent")} at work${met}`;
}

/** Who is at work on what, and where two meet. */
export function wordRadar(answer: RadarAnswer): Document {
  const { sessions, overlaps, checkouts, is_on } = answer;
  const where = `in ${formatCount(checkouts.length, "checkout")}`;
  const note = is_on ? [] : [line(faint(howToTurnOn))];
  if (sessions.length === 0) return makeDocument([line(`No agent is at work ${where}.`)]);
  return makeDocument(
    [line(strong(describeRadar(answer)), " ", faint(where))],
    ...sessions.map((session) => wordSession(session, checkouts)),
    ...(overlaps.length === 0
      ? []
      : [
          [{ is: "title", text: "Overlaps" } as const, ...overlaps.map((one) => wordOverlap(one, checkouts))],
        ]),
    note,
  );
}

function wordSession(session: RadarAnswer["sessions"][number], checkouts: Checkouts): DocumentBlock[] {
  const { session_id, title, agent, root, branch, last_at, files } = session;
  const facts = [
    agent,
    root === null ? null : wordRoot(root, checkouts),
    branch === null ? null : `branch ${branch}`,
    faintlyAgo(last_at),
  ];
  return [
    line(id(shortenSessionId(session_id)), "  ", title === null ? null : quoted(title)),
    indentedLine(2, 2, ...joinParts(facts, ", ")),
    ...(files.length === 0 ? [indentedLine(2, 2, faint("nothing uncommitted in a function"))] : []),
    ...files.flatMap((file) => wordFile(file, session.root, checkouts)),
  ];
}

function wordFile(
  { path, root, at, functions }: RadarAnswer["sessions"][number]["files"][number],
  launchedIn: string | null,
  checkouts: Checkouts,
): DocumentBlock[] {
  const elsewhere = root === launchedIn ? "" : wordRoot(root, checkouts);
  return [
    indentedLine(
      2,
      4,
      ...joinParts([place(path), elsewhere === "" ? null : elsewhere, faintlyAgo(at)], "  "),
    ),
    ...functions.slice(0, shownFunctions).flatMap(wordFunction),
    ...(functions.length > shownFunctions
      ? [indentedLine(4, 6, faint(`and ${functions.length - shownFunctions} more`))]
      : []),
  ];
}

type FunctionAtWork = RadarAnswer["sessions"][number]["files"][number]["functions"][number];

function wordFunction({ name, what, signature, former_signature: former }: FunctionAtWork): DocumentBlock[] {
  if (former === null) return [indentedLine(4, 6, `${name}()  `, faint(what))];
  return [
    indentedLine(4, 6, `${name}()  `, faint("new signature")),
    indentedLine(6, 8, faint("now"), "  ", quoted(signature)),
    indentedLine(6, 8, faint("was"), "  ", quoted(former)),
  ];
}

type OverlapAnswer = RadarAnswer["overlaps"][number];

const wordOverlap = (overlap: OverlapAnswer, checkouts: Checkouts): DocumentBlock =>
  indentedLine(
    2,
    4,
    caution(`${overlap.name}()`),
    " ",
    place(overlap.path),
    "  ",
    faint(describeSides(overlap, checkouts)),
  );

/** "8ecde0fc in worktree fix-42 and 1a2b3c4d in this checkout". */
export const describeSides = ({ session_ids, roots }: OverlapAnswer, checkouts: Checkouts): string =>
  session_ids
    .map((session, i) => `${shortenSessionId(session)} in ${wordRoot(roots[i]!, checkouts)}`)
    .join(" and ");

/** For an agent that asks where work stopped: what others have not committed, a line for each function. */
export function wordRadarForAgents(
  { sessions, overlaps, checkouts }: RadarAnswer,
  asker: string | null,
  now = Date.now(),
): string[] {
  const met = new Set(overlaps.map(({ path, name }) => `${path}#${name}`));
  return sessions
    .filter(({ session_id }) => session_id !== asker)
    .flatMap(({ session_id, files }) =>
      files.flatMap(({ path, root, at, functions }) =>
        functions.map((one) => {
          const where = wordRoot(root, checkouts);
          const isMet = met.has(`${path}#${one.name}`) ? ", which another session changed as well" : "";
          const became = one.former_signature === null ? "" : `, new signature ${quote(one.signature)}`;
          return `at work now: ${quoteName(one.name)} in ${toHarmlessLine(path)} ${one.what} ${formatRelativeTime(Date.parse(at), now)} in ${toHarmlessLine(where)}${became}${isMet} [${shortenSessionId(session_id)}]`;
        }),
      ),
    )
    .slice(0, maxLinesForAgents);
}

const maxLinesForAgents = 6;

/** Code keeps its arrows; nothing in it can end the quotation. */
const quote = (signature: string): string =>
  `“${shortenText(
    withoutFrames(signature)
      .replace(/[“”„‟]/g, '"')
      .replaceAll("```", "'''"),
    maxChars.signature,
  )}”`;
const quoteName = (name: string): string => `\`${shortenText(toHarmlessLine(name), maxChars.name)}()\``;

/** A change of a session, as one in another checkout is told of it. */
interface ToldChange extends Pick<ChangedFunction, "what" | "now" | "before" | "isSignatureChanged"> {
  session: string;
  root: string;
}

/**
 * "Another session [8ecde0fc] changed `parse()` in worktree fix-42 ", and what stands behind how long ago that was.
 * @param caller the function that calls it, where it is told of that
 */
export function wordNotice(change: ToldChange, is: CheckoutKind, caller: string | null): [string, string] {
  const { session, root, what, now, before, isSignatureChanged } = change;
  const called =
    caller === null ? quoteName(now.name) : `${quoteName(now.name)}, which ${quoteName(caller)} calls,`;
  const where = toHarmlessLine(wordCheckout(root, is) || "this checkout");
  const became =
    what === "changed" && isSignatureChanged && before !== null
      ? `: its new signature is ${quote(now.signature)}, was ${quote(before.signature)}`
      : "";
  return [
    `Another session [${shortenSessionId(session)}] ${what} ${called} in ${where} `,
    ` (uncommitted)${became}.`,
  ];
}
