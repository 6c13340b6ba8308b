import { useAnswer } from "../../../page/api/use-answer.ts";
import { Part } from "../../../page/components/layout.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkTo } from "../../../page/router.ts";
import { describeSides, wordRoot } from "../words.ts";

/** Entries that are listed. */
const shownFunctions = 8;

/** What agents at work have changed and not committed, those first that two are at; nothing where that is nothing. */
export function BeingChanged() {
  const { data } = useAnswer("radar", {});
  if (data === null) return null;
  const functions = data.sessions.flatMap(({ session_id, files }) =>
    files.flatMap((file) => file.functions.map((one) => ({ ...one, ...file, session_id }))),
  );
  if (functions.length === 0) return null;
  const { overlaps, checkouts } = data;
  const isMet = ({ path, name }: { path: string; name: string }) =>
    overlaps.some((one) => one.path === path && one.name === name);
  const alone = functions.filter((one) => !isMet(one));
  return (
    <Part title={`Functions being changed (${functions.length})`}>
      <ul class="items">
        {overlaps.map((one) => (
          <li key={`${one.path} ${one.name} ${one.session_ids.join()}`}>
            <a data-row href={linkTo(`/session/${encodeURIComponent(one.session_ids[0] ?? "")}`)}>
              <strong>{one.name}()</strong> <span class="path">{one.path}</span>
              <span class="row-meta">
                <strong>overlap: two agents changed it</strong>
                <span>{describeSides(one, checkouts)}</span>
              </span>
            </a>
          </li>
        ))}
        {alone.slice(0, shownFunctions).map(({ session_id, root, path, name, what, at }) => (
          <li key={`${session_id} ${root} ${path} ${name}`}>
            <a data-row href={linkTo(`/session/${encodeURIComponent(session_id)}`)}>
              {name}() <span class="path">{path}</span>
              <span class="row-meta">
                <Time at={at} />
                <span>{what}, not committed</span>
                <span>{wordRoot(root, checkouts)}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {alone.length > shownFunctions && (
        <p class="row-meta">and {formatCount(alone.length - shownFunctions, "more function")}</p>
      )}
    </Part>
  );
}
