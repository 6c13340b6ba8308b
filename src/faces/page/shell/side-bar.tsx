import { type PageView, views } from "../../../features/views.ts";
import { isEverywhere, placeShown, showEverywhere, showPlace } from "../../../page/api/place.ts";
import { project, projects } from "../../../page/api/project.ts";
import { useSessions } from "../../../page/api/use-answer.ts";
import { Icon, type IconName } from "../../../page/components/icon.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Time } from "../../../page/components/time.tsx";
import { nameSession } from "../../../page/components/words.ts";
import { goTo, linkInto, linkTo, linkToSession, route } from "../../../page/router.ts";
import { isRunning } from "../../../protocol/reading/running.ts";
import { findView } from "../views.ts";
import { isHelpOpen } from "./keys.ts";
import { switchTheme, type Theme, theme } from "./theme.ts";

const iconOfTheme: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

/** Sessions that are named. */
export const sessionsShown = 7;

/** The project, the views, and the sessions that were worked in last. */
export function SideBar() {
  const current = findView(route.value.path);
  return (
    <header class="side-bar">
      <div class="brand">
        <a href={linkTo("/")} aria-label="Pommel">
          <Icon name="pommel" />
        </a>
        <ProjectChoice />
      </div>
      <nav aria-label="Views">
        {views.map(({ path, title, nav }) =>
          nav === undefined || nav.isSmall ? null : (
            <a
              key={path}
              href={linkTo(path)}
              aria-current={path === (current?.of ?? current?.path) ? "page" : undefined}
              title={`${title} (g ${nav.key})`}
            >
              <Icon name={nav.icon} />
              <span>{title}</span>
            </a>
          ),
        )}
      </nav>
      <LatestSessions />
      <div class="tools">
        {views.map(({ path, title, nav }) =>
          nav?.isSmall ? (
            <a
              key={path}
              class="icon-button"
              href={linkTo(path)}
              aria-label={title}
              aria-current={path === current?.path ? "page" : undefined}
              title={`${title} (g ${nav.key})`}
            >
              <Icon name={nav.icon} />
              <span class="label">{title}</span>
            </a>
          ) : null,
        )}
        <button
          type="button"
          class="icon-button"
          onClick={switchTheme}
          aria-label={`Theme: ${theme.value}`}
          title={`Theme: ${theme.value}`}
        >
          <Icon name={iconOfTheme[theme.value]} />
          <span class="label">Theme</span>
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
          <span class="label">Keys</span>
        </button>
      </div>
    </header>
  );
}

function LatestSessions() {
  const { data } = useSessions(project.value === null ? null : { limit: sessionsShown });
  if (!data || data.sessions.length === 0) return null;
  return (
    <section class="latest" aria-label="Latest sessions">
      <h2>Latest sessions</h2>
      <ul>
        {data.sessions.map((session) => (
          <li key={session.id}>
            <a
              href={linkInto(session.project, linkToSession(session.id))}
              title={session.title ?? session.id}
              aria-current={route.value.path === `/session/${session.id}` ? "page" : undefined}
            >
              {isRunning(session) && <span class="running" role="img" aria-label="Running" />}
              <span class="latest-title">
                <Inline text={nameSession(session.id, session.title)} />
              </span>
              <Time at={session.last_at} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** All projects, which is chosen as one of them. */
const allProjects = "all";

/** The name of the project that is shown; where there are others, one of them can be chosen, or all of them. */
function ProjectChoice() {
  const known = projects.value;
  const here = placeShown();
  const { path } = route.value;
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
      value={
        isEverywhere() && isOfAll(findView(path)) && path === findView(path)?.path
          ? allProjects
          : (shown?.id ?? "")
      }
      onChange={({ currentTarget: { value } }) => {
        const chosen = known.find(({ id }) => id === value);
        if (chosen) switchProject(chosen.root);
        else if (value === allProjects) switchProject(null);
      }}
    >
      <option value={allProjects}>All projects</option>
      {!shown && <option value="">{name ?? "Choose a project"}</option>}
      {known.map(({ id, name: called, root }) => (
        <option key={id} value={id}>
          {isOnlyOne(called) ? called : `${called} · ${root}`}
        </option>
      ))}
    </select>
  );
}

const isOfAll = (view: PageView | null) => view?.nav !== undefined && !view.nav.isSmall;

/**
 * The same view of another project, or what needs one now where the view is of something in this one.
 * @param root null: of all projects
 */
export function switchProject(root: string | null): void {
  const { path, query } = route.value;
  const view = findView(path);
  const isThere = root === null ? isOfAll(view) : view?.nav;
  showEverywhere(root === null);
  if (root !== null) showPlace(root);
  goTo(isThere && view ? linkTo(root === null ? view.path : path, Object.fromEntries(query)) : linkTo("/"));
}
