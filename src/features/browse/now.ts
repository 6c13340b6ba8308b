import { padToWidth } from "../../base/text/display-width.ts";
import { formatWhen, shortenId, toOneLine } from "../../terminal/text.ts";
import { describeNow, listNowSessions, type NowSession, nothingNow } from "../now/words.ts";
import { askForChosen, renderSessionHead } from "./sessions.ts";
import { type BrowseSurroundings, type BrowseView, makeSessionPage, type Page } from "./view.ts";

const request = {};

/** Agents at work, what to look at and what is unfinished. */
export function buildNowView(
  { at }: Page & { kind: "now" },
  { answers, screen }: BrowseSurroundings,
): BrowseView {
  const answer = answers.to("now", request);
  const listed = answer?.value === undefined ? [] : listNowSessions(answer.value);
  return {
    title: "Now",
    status: answer?.value === undefined ? "" : describeNow(answer.value),
    content:
      listed.length > 0
        ? {
            kind: "list",
            count: listed.length,
            rowHeight: 2,
            row: (index, width, isChosen) => renderRow(listed[index]!, width, isChosen, screen),
            preview: (index, width) => renderSessionHead(listed[index]!.id, width, answers, screen),
          }
        : { kind: "message", text: answer === null ? "Loading…" : (answer.error ?? nothingNow) },
    target(index) {
      const chosen = listed[index];
      if (chosen === undefined) return {};
      return { opens: makeSessionPage(chosen.id, chosen.turn), copies: chosen.resume ?? chosen.id };
    },
    asks: [{ route: "now", request }, ...askForChosen(listed, at, screen)],
  };
}

const bandColumns = 15;

function renderRow(
  { band, id, head, says, last_at }: NowSession,
  width: number,
  isChosen: boolean,
  screen: BrowseSurroundings["screen"],
): string[] {
  const { colors } = screen;
  const name = toOneLine(head, Math.max(width - bandColumns - 12, 8));
  const when = formatWhen(last_at, screen);
  const about = [when, says].filter((part) => part !== "").join(" | ");
  return [
    [
      isChosen ? colors.prompt("❯ ") : "  ",
      padToWidth(band === "Waits for you" ? colors.warn(band) : colors.dim(band), bandColumns),
      `${colors.id(shortenId(id))}  `,
      isChosen ? colors.bold(name) : name,
    ].join(""),
    colors.dim(" ".repeat(bandColumns + 2) + toOneLine(about, Math.max(width - bandColumns - 2, 8))),
  ];
}
