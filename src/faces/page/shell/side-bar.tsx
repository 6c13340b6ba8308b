import { isRunning } from "../../../features/sessions/session-words.ts";
import { views } from "../../../features/views.ts";
import { placeShown, showPlace } from "../../../page/api/place.ts";
import { project, projects } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Icon, type IconName } from "../../../page/components/icon.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Time } from "../../../page/components/time.tsx";
import { nameSession } from "../../../page/components/words.ts";
import { goTo, linkTo, linkToSession, route } from "../../../page/router.ts";
import { findView } from "../views.ts";
import { isHelpOpen } from "./keys.ts";
import { switchTheme, type Theme, theme } from "./theme.ts";

const iconOfTheme: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

/** Sessions that are named. */
const sessionsShown = 7;

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
        {views.map((view) =>
          view.nav === null ? null : (
            <a
              key={view.path}
              href={linkTo(view.path)}
              aria-current={view === current ? "page" : undefined}
              title={`${view.title} (g ${view.nav.key})`}
            >
              <Icon name={view.nav.icon} />
              <span class="view-name">{view.title}</span>
            </a>
          ),
        )}
      </nav>
      <LatestSessions />
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

function LatestSessions() {
  const { data } = useAnswer("sessions", project.value === null ? null : { limit: sessionsShown });
  if (!data || data.sessions.length === 0) return null;
  return (
    <section class="latest" aria-label="Latest sessions">
      <h2>Latest sessions</h2>
      <ul>
        {data.sessions.map((session) => (
          <li key={session.id}>
            <a
              href={linkToSession(session.id)}
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

/** The view of all projects, which is chosen as one of them. */
const everything = "/everything";

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
      value={route.value.path === everything ? everything : (shown?.id ?? "")}
      onChange={({ currentTarget: { value } }) => {
        const chosen = known.find(({ id }) => id === value);
        if (chosen) switchProject(chosen.root);
        else if (value === everything) goTo(linkTo(everything));
      }}
    >
      <option value={everything}>Everything</option>
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
export function switchProject(root: string): void {
  showPlace(root);
  if (!findView(route.value.path)?.nav) goTo(linkTo("/"));
  location.reload();
}
