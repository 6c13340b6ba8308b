import { project } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { makeAuthorFilter, nothingKnown, readAuthorFilter } from "../../../page/components/author-filter.ts";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Worded } from "../../../page/components/document.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { periods } from "../../../page/components/time.tsx";
import type { ViewProps } from "../../../page/router.ts";
import { wordDigest } from "../words.ts";

/** Entries in each list. */
const entriesPerList = 30;

/** What happened lately: `pm digest`. */
export default function Digest({ query }: ViewProps) {
  const [since = "7 days ago", branch, topic] = ["since", "branch", "topic"].map(
    (name) => query.get(name) ?? undefined,
  );
  const by = query.get("by") === "branch" ? ("branch" as const) : undefined;
  const { author, mine } = readAuthorFilter(query);
  const { data, error, reload } = useAnswer(
    "digest",
    {
      since,
      branch,
      topic,
      by,
      author,
      mine,
      limit: entriesPerList,
    },
    { keepsFormer: true },
  );
  const topics = data?.parts.flatMap((part) => part.topics.map(({ value }) => value)) ?? [];
  const whose = makeAuthorFilter(project.value ?? nothingKnown);
  return (
    <>
      <div class="view-head">
        <h1>Digest</h1>
        <FilterChips
          filters={[
            { name: "since", label: "Last 7 days", values: periods },
            {
              name: "by",
              label: "Together",
              values: [
                ["branch", "By branch"],
                ["all", "Together"],
              ],
            },
            { name: "branch", label: "Any branch", values: project.value?.branches ?? [] },
            { ...whose, values: whose.values.filter(([value]) => value !== "*") },
            { name: "topic", label: "Any topic", values: [...new Set(topics)] },
          ]}
        />
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading rows={8} />}
      {data && <Worded document={wordDigest(data, by ?? null)} />}
    </>
  );
}
