import { placeShown } from "../../../page/api/place.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Icon, type IconName } from "../../../page/components/icon.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { linkTo, linkToFile } from "../../../page/router.ts";

const maxRecent = 6;
const getStorageKey = () => `pommel.searches ${placeShown() ?? ""}`;

/** What was searched for in this project and this browser, the latest first. */
const readRecentSearches = (): string[] =>
  JSON.parse(localStorage.getItem(getStorageKey()) ?? "[]") as string[];

/** Keeps a search; one that began with less of the same words gives way to it. */
export function rememberSearch(words: string): void {
  const others = readRecentSearches().filter((known) => !words.startsWith(known));
  localStorage.setItem(getStorageKey(), JSON.stringify([words, ...others].slice(0, maxRecent)));
}

/** Before anything is asked: questions that this project answers, and what was asked lately. */
export function Start() {
  const { data } = useAnswer("questions", {});
  const suggested = (data?.questions ?? []).map(toSuggestion);
  const recent = readRecentSearches().map(
    (words): Suggestion => ({ icon: "search", text: words, href: searchFor(words) }),
  );
  return (
    <div class="search-start">
      <h1 class="hidden">Search</h1>
      <p class="faint">Ask what code does, for a name or an error message, what was decided and why.</p>
      <Ideas title="Worth asking here" ideas={suggested} />
      <Ideas title="Asked lately" ideas={recent} />
    </div>
  );
}

interface Suggestion {
  icon: IconName;
  text: string;
  href: string;
}

const searchFor = (q: string, side = "") => linkTo("/search", { q, in: side });

function toSuggestion({ about, q }: { about: "sessions" | "code" | "line"; q: string }): Suggestion {
  if (about !== "line")
    return { icon: about === "code" ? "code" : "session", text: q, href: searchFor(q, about) };
  const [, path = q, line] = /^(.*):(\d+)$/.exec(q) ?? [];
  return { icon: "decision", text: `Why is ${q} there?`, href: linkToFile(path, Number(line)) };
}

function Ideas({ title, ideas }: { title: string; ideas: readonly Suggestion[] }) {
  if (ideas.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {ideas.map(({ icon, text, href }) => (
          <li key={href}>
            <a data-row href={href}>
              <Icon name={icon} />
              <span>
                <Inline text={text} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
