import { useState } from "preact/hooks";
import { placeShown } from "../../../page/api/place.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Icon, type IconName } from "../../../page/components/icon.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Together } from "../../../page/components/states.tsx";
import { linkTo, linkToFile } from "../../../page/router.ts";
import { answerCards } from "../../answer-cards.ts";

const maxRecent = 6;
type StoredSearches = "searches" | "pinned";
const getStorageKey = (kept: StoredSearches) => `pommel.${kept} ${placeShown() ?? ""}`;

/** What was asked in this project and this browser: lately, the latest first, or pinned. */
const readKept = (kept: StoredSearches): string[] =>
  JSON.parse(localStorage.getItem(getStorageKey(kept)) ?? "[]") as string[];

const writeKept = (kept: StoredSearches, questions: readonly string[]): void =>
  localStorage.setItem(getStorageKey(kept), JSON.stringify(questions));

/** Keeps a search; one that began with less of the same words gives way to it. */
export function rememberSearch(words: string): void {
  const others = readKept("searches").filter((known) => !words.startsWith(known));
  writeKept("searches", [words, ...others].slice(0, maxRecent));
}

/** Keeps a question at hand, or lets it go. */
export function PinButton({ words }: { words: string }) {
  const [pinned, setPinned] = useState(() => readKept("pinned"));
  const isPinned = pinned.includes(words);
  const toggle = () => {
    const next = isPinned ? pinned.filter((one) => one !== words) : [...pinned, words];
    writeKept("pinned", next);
    setPinned(next);
  };
  return <SmallButton onClick={toggle}>{isPinned ? "Unpin" : "Pin"}</SmallButton>;
}

const maxErrors = 3;

/** Before anything is asked: what was pinned and asked lately, questions that this project answers, and what is run here. */
export function Start() {
  const { data } = useAnswer("questions", {});
  const errors = useAnswer("stats", {}).data?.recurring_errors ?? [];
  const kept = (name: StoredSearches) => readKept(name).map((q) => toIdea("search", q));
  return (
    <div class="search-start">
      <h1 class="hidden">Ask</h1>
      <p class="faint">
        Ask what code does, what was decided and why, or what to run, or paste an error message.
      </p>
      <Together>
        <Ideas title="Pinned" ideas={kept("pinned")} />
        <Ideas title="Recent searches" ideas={kept("searches")} />
        <Ideas title="Questions to try" ideas={(data?.questions ?? []).map(toSuggestion)} />
        <Ideas
          title="Errors that keep coming back"
          ideas={errors.slice(0, maxErrors).map(({ error }) => toIdea("terminal", error.split("\n", 1)[0]!))}
        />
        <div class="cards">
          {Object.entries(answerCards).map(([name, Card]) => (
            <Card key={name} words="" />
          ))}
        </div>
      </Together>
    </div>
  );
}

const toIdea = (icon: IconName, text: string): Suggestion => ({ icon, text, href: searchFor(text) });

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
