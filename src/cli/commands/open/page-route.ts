import { pageRoutes } from "../../../client/page-url.ts";
import { PommelError } from "../../../project/errors.ts";

/**
 * The page's own address of a view, as the page's router reads it (src/ui/router.ts).
 * @param place makes a path relative to the project's root
 * @throws PommelError `usage` for an unknown view, or one without what it needs
 */
export function pageRoute(
  view: string | undefined,
  what: readonly string[],
  place: (path: string) => string,
): string {
  const text = what.join(" ").trim();
  const need = (name: string) => {
    if (text === "")
      throw new PommelError("usage", `\`pm open ${view}\` needs ${name}.`, "See `pm open --help`.");
    return text;
  };
  switch (view) {
    case undefined:
    case "home":
      return pageRoutes.home;
    case "sessions":
      return pageRoutes.sessions;
    case "search":
      return pageRoutes.search(text === "" ? {} : { q: text });
    case "session":
      return pageRoutes.session(need("a session's id"));
    case "file": {
      const [, path = "", line] = /^(.*?)(?::(\d+))?$/s.exec(need("a path")) ?? [];
      return pageRoutes.file(place(path), line ?? null);
    }
    case "review":
      return pageRoutes.review(text);
    default:
      throw new PommelError(
        "usage",
        `The page has no view "${view}".`,
        "Choose from: home, search, sessions, session, file, review.",
      );
  }
}
