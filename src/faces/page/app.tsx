import { useEffect, useState } from "preact/hooks";
import { movedTo, type PageView, views } from "../../features/views.ts";
import { AskError, lastRefusal, signedOut } from "../../page/api/ask.ts";
import { isEverywhere, placeShown, showEverywhere, showPlace } from "../../page/api/place.ts";
import { loadProject, loadProjects, project, projectError, projects } from "../../page/api/project.ts";
import { isWaiting, useAnswer } from "../../page/api/use-answer.ts";
import { follow } from "../../page/api/written.ts";
import { Tabs } from "../../page/components/chips.tsx";
import { later } from "../../page/components/later.tsx";
import { Inline } from "../../page/components/marked.tsx";
import { Empty, Failure, Loading } from "../../page/components/states.tsx";
import { goTo, linkTo, parsePathRest, route, type ViewProps } from "../../page/router.ts";
import { Attention, waitingCount } from "./shell/attention.tsx";
import { isHelpOpen, isPaletteOpen } from "./shell/keys.ts";
import { SideBar } from "./shell/side-bar.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { findView, getLoadedView, loadOthers, loadView } from "./views.ts";

const loadPalette = () => import("./shell/palette.tsx");
const Help = later(async () => (await loadPalette()).Help);
const Palette = later(async () => (await loadPalette()).Palette);

/** The whole page: its frame, and the view at the address. */
export function App() {
  useEffect(() => {
    void loadProjects().then(follow).then(loadOthers);
  }, []);
  const place = placeShown();
  useEffect(() => {
    void loadProject();
  }, [place]);
  const isElsewhere = useNamedProject();
  const isKnown = project.value !== null || projectError.value !== null;
  if (signedOut.value) return <SignIn />;
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <ProjectFollower />
      <Attention />
      <SideBar />
      <TopBar />
      <main id="main" tabIndex={-1} aria-busy={isWaiting.value} class={isKnown ? undefined : "early"}>
        {projectError.value ? (
          <Failure error={projectError.value} onRetry={() => void loadProject()} />
        ) : isElsewhere || (place === null && project.value === null) ? (
          <Loading />
        ) : (
          <CurrentView key={`${isEverywhere()} ${place}`} />
        )}
      </main>
      {isHelpOpen.value && <Help />}
      {isPaletteOpen.value && <Palette />}
    </>
  );
}

/** Shows the project that an address names, if it is a known one, or all of them ("all"). @returns whether that is still to be done */
function useNamedProject(): boolean {
  const { path, query } = route.value;
  const named = query.get("project");
  const known = projects.value;
  const isKnown = known.some(({ checkouts }) => checkouts.some(({ root }) => root === named));
  useEffect(() => {
    if (named === null || known.length === 0) return;
    if (isKnown) showPlace(named);
    if (named === "all") showEverywhere(true);
    goTo(linkTo(path, { ...Object.fromEntries(query), project: undefined }), { replace: true });
  }, [named, known]);
  return named !== null && (known.length === 0 || isKnown);
}

/** Keeps what is known of the project up to date: its branches and agents grow with its sessions. */
function ProjectFollower() {
  const { data } = useAnswer("page", project.value === null ? null : {});
  useEffect(() => {
    if (data !== null) project.value = data;
  }, [data]);
  return null;
}

function CurrentView() {
  const { path, query } = route.value;
  const view = findView(path);
  const moved = movedTo[path];
  useEffect(() => {
    if (moved !== undefined) goTo(linkTo(moved, Object.fromEntries(query)), { replace: true });
  }, [moved]);
  const names = [query.get("q"), view?.title ?? "Not found", project.value?.name ?? "Pommel"].filter(Boolean);
  const title = `${waitingCount.value > 0 ? `(${waitingCount.value}) ` : ""}${names.join(" · ")}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (moved !== undefined) return null;
  if (view === null) {
    return (
      <Empty title="Nothing here">
        <p>
          The page has no view at <code>{path}</code>.{" "}
          <a href={linkTo("/search", { q: toWords(path) })}>Search for it</a>, or go{" "}
          <a href={linkTo("/")}>home</a>.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <PlaceTabs view={view} />
      <LoadedView key={view.path} view={view} rest={parsePathRest(path, view.path)} query={query} />
    </>
  );
}

/** The views of the same place, with the words that are asked in any of them. */
function PlaceTabs({ view }: { view: PageView }) {
  const place = view.of ?? view.path;
  const q = route.value.query.get("q") ?? undefined;
  const tabs = views.flatMap(({ path, of = path, tab }) =>
    tab === undefined || of !== place
      ? []
      : [{ href: linkTo(path, { q }), label: tab, isCurrent: path === view.path }],
  );
  return view.tab === undefined ? null : <Tabs label={findView(place)?.title ?? ""} tabs={tabs} />;
}

const toWords = (path: string) =>
  parsePathRest(path, "")
    .replace(/[/_-]+/g, " ")
    .trim();

function LoadedView({ view, ...props }: { view: PageView } & ViewProps) {
  const [error, setError] = useState<AskError | null>(null);
  const [, setLoaded] = useState(false);
  const Content = getLoadedView(view);
  useEffect(() => {
    if (Content) return;
    loadView(view).then(
      () => setLoaded(true),
      () =>
        setError(
          new AskError(
            "internal",
            "This part of the page could not be loaded.",
            "Reload the page: Pommel was updated, or its daemon stopped.",
          ),
        ),
    );
  }, [view]);
  if (error) return <Failure error={error} onRetry={() => location.reload()} />;
  return Content ? <Content {...props} /> : <Loading />;
}

/** For a browser that `pm open` has not signed in. */
function SignIn() {
  return (
    <main class="sign-in">
      <Empty title="This browser is not signed in">
        {lastRefusal && (
          <p>
            {lastRefusal.message} <Inline text={lastRefusal.hint} />
          </p>
        )}
        <p>
          Run <code>pm open</code> in your project. It signs this browser in with a link that works once.
        </p>
      </Empty>
    </main>
  );
}
