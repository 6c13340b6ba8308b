import { useEffect, useRef } from "preact/hooks";
import { placeShown, showPlace } from "../api/place.ts";
import { project, projects } from "../api/project.ts";
import { Icon, type IconName } from "../components/icon.tsx";
import { goTo, linkTo, route } from "../router.ts";
import { viewAt, views } from "../views.ts";
import { isHelpOpen, searchBoxId } from "./keys.ts";
import { switchTheme, type Theme, theme } from "./theme.ts";

const iconOfTheme: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

/** The project, the navigation, the search box. */
export function TopBar() {
  const current = viewAt(route.value.path);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the views do not fit beside each other.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return (
    <header class="top-bar">
      <div class="brand">
        <a href={linkTo("/")} aria-label="Pommel">
          <Icon name="pommel" />
        </a>
        <ProjectChoice />
      </div>
      <nav aria-label="Views" ref={nav}>
        {views.map((view) =>
          view.nav === null ? null : (
            <a
              key={view.path}
              href={linkTo(view.path)}
              aria-current={view === current ? "page" : undefined}
              title={`${view.title} (g ${view.nav.key})`}
            >
              <Icon name={view.nav.icon} />
              {view.title}
            </a>
          ),
        )}
      </nav>
      <SearchBox />
      <div class="tools">
        <button
          type="button"
          class="icon-button"
          onClick={switchTheme}
          aria-label={`Theme: ${theme.value}`}
          title={`Theme: ${theme.value}`}
        >
          <Icon name={iconOfTheme[theme.value]} />
        </button>
        <button
          type="button"
          class="icon-button"
          onClick={() => {
            isHelpOpen.value = true;
          }}
          aria-label="Keys"
          title="Keys (?)"
        >
          <Icon name="keyboard" />
        </button>
      </div>
    </header>
  );
}

/** The name of the project that is shown; where there are others, one of them can be chosen. */
function ProjectChoice() {
  const known = projects.value;
  const here = placeShown();
  const shown = known.find(({ checkouts }) => checkouts.some(({ root }) => root === here));
  const name = shown?.name ?? project.value?.name;
  if (known.length === 0 || (known.length === 1 && shown))
    return <span class="project">{name ?? "Pommel"}</span>;
  const isOnlyOne = (called: string) => known.filter((one) => one.name === called).length === 1;
  return (
    <select
      class="project"
      aria-label="Project"
      title={here ?? undefined}
      value={shown?.id ?? ""}
      onChange={(event) => {
        const chosen = known.find(({ id }) => id === event.currentTarget.value);
        if (chosen) switchTo(chosen.root);
      }}
    >
      {!shown && <option value="">{name ?? "Choose a project"}</option>}
      {known.map(({ id, name: called, root }) => (
        <option key={id} value={id}>
          {isOnlyOne(called) ? called : `${called} · ${root}`}
        </option>
      ))}
    </select>
  );
}

/** Loads everything anew: the same view of another project, or its home where the view is of something in this one. */
function switchTo(root: string): void {
  showPlace(root);
  if (!viewAt(route.value.path)?.nav) goTo(linkTo("/"));
  location.reload();
}

/** Searches with every key: the words are the address's. */
function SearchBox() {
  const { path, query } = route.value;
  const isSearch = path === "/search";
  const input = useRef<HTMLInputElement>(null);
  const onInput = () => {
    const words = input.current?.value ?? "";
    const filters = isSearch ? Object.fromEntries(query) : {};
    goTo(linkTo("/search", { ...filters, q: words }), { replace: isSearch });
  };
  return (
    <search>
      <form
        class="search-box"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <Icon name="search" />
        <input
          ref={input}
          id={searchBoxId}
          type="search"
          placeholder="Search code, sessions and commits"
          aria-label="Search code, sessions and commits"
          autocomplete="off"
          spellcheck={false}
          value={isSearch ? (query.get("q") ?? "") : ""}
          onInput={onInput}
        />
        <kbd>/</kbd>
      </form>
    </search>
  );
}
