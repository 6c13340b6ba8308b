import { useState } from "preact/hooks";
import { views } from "../../../features/views.ts";
import { placeShown } from "../../../page/api/place.ts";
import { projects } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Dialog } from "../../../page/components/dialog.tsx";
import { Icon, type IconName } from "../../../page/components/icon.tsx";
import { nameSession } from "../../../page/components/words.ts";
import { goTo, linkTo, linkToCommit, linkToFile, linkToSession } from "../../../page/router.ts";
import { isHelpOpen, isPaletteOpen, keys, paletteWords } from "./keys.ts";
import { sessionsShown, switchProject } from "./side-bar.tsx";
import { switchTheme } from "./theme.ts";

/** Something to go to, or to do. */
interface PaletteChoice {
  icon: IconName;
  title: string;
  about: string;
  run: () => void;
}

const shownCounts = { files: 6, found: 8 } as const;
/** Keys that follow one another faster are one question. Milliseconds. */
const typedMs = 60;

/** Everything by its name: views, projects, files, sessions, commits, and what the page can do. */
export function Palette() {
  const words = paletteWords.value;
  const [at, setAt] = useState(0);
  const choices = [...useLatest(words), ...listActions(words), ...useFound(words)];
  const close = () => {
    isPaletteOpen.value = false;
    paletteWords.value = "";
  };
  const choose = (choice: PaletteChoice | undefined) => {
    if (choice === undefined) return;
    close();
    choice.run();
  };
  const step = (by: number) => setAt((at + by + choices.length) % Math.max(1, choices.length));
  return (
    <Dialog title="Go to" onClose={close}>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label="Go to a view, project, file, session or commit"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={choices.length > 0 ? `choice-${at}` : undefined}
        placeholder="A view, project, file, session or commit"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={words}
        onInput={(event) => {
          paletteWords.value = event.currentTarget.value;
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") step(1);
          else if (event.key === "ArrowUp") step(-1);
          else if (event.key === "Enter") choose(choices[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div id="palette" class="palette" role="listbox" aria-label="Choices">
        {choices.map((choice, i) => (
          <button
            key={`${choice.icon} ${choice.title} ${choice.about}`}
            id={`choice-${i}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onMouseMove={() => setAt(i)}
            onClick={() => choose(choice)}
          >
            <Icon name={choice.icon} />
            <span class="palette-title">{choice.title}</span>
            <span class="faint">{choice.about}</span>
          </button>
        ))}
        {choices.length === 0 && (
          <p class="faint nothing">Nothing found by this name. / searches by words and meaning.</p>
        )}
      </div>
    </Dialog>
  );
}

/** The sessions of the side bar, before anything is typed. */
function useLatest(words: string): PaletteChoice[] {
  const { data } = useAnswer("sessions", words === "" ? { limit: sessionsShown } : null);
  return (data?.sessions ?? []).map(({ id, title, agent }) => ({
    icon: "session",
    title: nameSession(id, title),
    about: agent,
    run: () => goTo(linkToSession(id)),
  }));
}

function listActions(words: string): PaletteChoice[] {
  const all: PaletteChoice[] = [
    ...views.flatMap(({ title, path, nav, tab }) =>
      nav === undefined && tab === undefined
        ? []
        : [{ icon: nav?.icon ?? "file", title, about: "view", run: () => goTo(linkTo(path)) }],
    ),
    ...projects.value
      .filter(({ root }) => root !== placeShown())
      .map(({ name, root }) => ({
        icon: "memory" as const,
        title: name,
        about: root,
        run: () => switchProject(root),
      })),
    { icon: "moon", title: "Switch theme", about: "action", run: switchTheme },
    {
      icon: "keyboard",
      title: "Show keys",
      about: "action",
      run: () => {
        isHelpOpen.value = true;
      },
    },
  ];
  const asked = words.trim().toLowerCase();
  return all
    .filter(({ title }) => title.toLowerCase().includes(asked))
    .slice(0, asked === "" ? undefined : 4);
}

/** What the project has by that name; that of earlier words until the answer is there. */
function useFound(words: string): PaletteChoice[] {
  const q = words.trim();
  const wanted = q !== "";
  const files = useAnswer("files", wanted ? { q, limit: shownCounts.files } : null, {
    keepsFormer: true,
    typedMs,
  }).data;
  const request = { q, only: ["sessions" as const, "commits" as const], limit: shownCounts.found };
  const all = useAnswer("searchAll", wanted ? request : null, { keepsFormer: true, typedMs }).data;
  if (!wanted) return [];
  return [
    ...(files?.files ?? []).map((path): PaletteChoice => {
      const end = path.lastIndexOf("/") + 1;
      return {
        icon: "code",
        title: path.slice(end),
        about: path.slice(0, end),
        run: () => goTo(linkToFile(path)),
      };
    }),
    ...(all?.transcripts?.results ?? []).map(
      ({ session_id, session_title, turn, agent }): PaletteChoice => ({
        icon: "session",
        title: nameSession(session_id, session_title),
        about: agent,
        run: () => goTo(linkToSession(session_id, turn)),
      }),
    ),
    ...(all?.history?.results ?? []).map(
      ({ id, title }): PaletteChoice => ({
        icon: "commit",
        title,
        about: id.slice(0, 8),
        run: () => goTo(linkToCommit(id)),
      }),
    ),
  ];
}

/** The list of keys. */
export function Help() {
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>{key.split(" ").map((part) => (part === "or" ? " or " : <kbd key={part}>{part}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
