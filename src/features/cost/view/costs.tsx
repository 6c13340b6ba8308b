import { useAnswer } from "../../../page/api/use-answer.ts";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Part } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { nameSession } from "../../../page/components/words.ts";
import { linkTo, linkToCommit, linkToSession, route } from "../../../page/router.ts";
import { formatCost, formatTokens } from "../amount-words.ts";
import { costGroups } from "../group-words.ts";
import { describeBasis, describeTotal } from "../words.ts";

/** Rows of the list. */
const maxRows = 10;

/** What sessions cost, in all and by what the address names: by day unless it says otherwise. */
export function Costs({ since }: { since: string | undefined }) {
  const wanted = route.value.query.get("by");
  const by = costGroups.find((one) => one === wanted) ?? "day";
  const { data } = useAnswer("cost", { since, by, limit: maxRows }, { keepsFormer: true });
  if (data === null || data.total.sessions === 0) return null;
  return (
    <Part as="panel" title="What do sessions cost?">
      <p class="faint">{describeTotal(data)}</p>
      <FilterChips
        filters={[
          {
            name: "by",
            label: "By day",
            values: costGroups
              .filter((one) => one !== "day" && one !== "turn")
              .map((one) => [one, `By ${one}`] as const),
          },
        ]}
      />
      <ol class="answers">
        {data.rows.map((row) => (
          <li key={row.name}>
            {data.by === "session" ? (
              <a href={linkToSession(row.name)}>
                <Inline text={nameSession(row.name, row.title)} />
              </a>
            ) : data.by === "branch" || data.by === "model" ? (
              <a class="path" href={linkTo("/sessions", { [data.by]: row.name })}>
                {row.name || "no branch"}
              </a>
            ) : data.by === "commit" && row.name !== "" ? (
              <a href={linkToCommit(row.name)}>
                <Inline text={row.title ?? ""} />
              </a>
            ) : (
              <span class="path">{row.name || "led to no commit"}</span>
            )}
            <span class="row-meta">
              <span>{formatTokens(row.input + row.cache_read + row.cache_write)} tokens read</span>
              <span>{formatCost(row)}</span>
            </span>
          </li>
        ))}
      </ol>
      {describeBasis(data).map((sentence) => (
        <p key={sentence} class="faint">
          {sentence}
        </p>
      ))}
    </Part>
  );
}
