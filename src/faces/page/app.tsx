import { useEffect, useState } from "preact/hooks";
import type { View } from "../../features/views.ts";
import { AskError, lastRefusal, signedOut } from "../../page/api/ask.ts";
import { placeShown } from "../../page/api/place.ts";
import { loadProject, loadProjects, project, projectError } from "../../page/api/project.ts";
import { useAnswer } from "../../page/api/use-answer.ts";
import { follow } from "../../page/api/written.ts";
import { Inline } from "../../page/components/marked.tsx";
import { Empty, Failure, Loading } from "../../page/components/states.tsx";
import { linkTo, parsePathRest, route, type ViewProps } from "../../page/router.ts";
import { Help, Palette } from "./shell/palette.tsx";
import { SideBar } from "./shell/side-bar.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { findView, getLoadedView, loadOthers, loadView } from "./views.ts";

/** The whole page: its frame, and the view at the address. */
export function App() {
  useEffect(() => {
    void loadProject().then(loadProjects).then(follow).then(loadOthers);
  }, []);
  if (signedOut.value) return <SignIn />;
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <ProjectFollower />
      <SideBar />
      <TopBar />
      <main id="main" tabIndex={-1}>
        {projectError.value ? (
          <Failure error={projectError.value} onRetry={() => void loadProject()} />
        ) : placeShown() === null && project.value === null ? (
          <Loading />
        ) : (
          <CurrentView />
        )}
      </main>
      <Help />
      <Palette />
    </>
  );
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
  useEffect(() => {
    const [title, name] = [view?.title ?? "Not found", project.value?.name];
    document.title = [query.get("q"), title, name ?? "Pommel"].filter(Boolean).join(" · ");
  });
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
  return <LoadedView key={view.path} view={view} rest={parsePathRest(path, view.path)} query={query} />;
}

const toWords = (path: string) =>
  parsePathRest(path, "")
    .replace(/[/_-]+/g, " ")
    .trim();

function LoadedView({ view, ...props }: { view: View } & ViewProps) {
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
      <Empty title="Open this page with pm open">
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
