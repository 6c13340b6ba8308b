import { computed, signal } from "@preact/signals";
import type { Decision } from "../features/decisions/operation.ts";

/** What an address says to its view. */
export interface ViewProps {
  /** What the path names behind the view's own: `ID` of `/session/ID`. */
  rest: string;
  query: URLSearchParams;
}

/**
 * Addresses are in the fragment: `#/sessions?branch=main`. So they never reach the server, whose paths are the API's, and
 * every view, with its filters, has an address of its own. `pm open` writes them too (src/features/page/pm-open.ts).
 */
export interface Route {
  /** Begins with a slash; not decoded. */
  path: string;
  query: URLSearchParams;
}

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  return { path: path.startsWith("/") ? path : "/", query: new URLSearchParams(query) };
}

const hash = signal(typeof location === "undefined" ? "" : location.hash);

/** Where the reader is. */
export const route = computed(() => readRoute(hash.value));

if (typeof window !== "undefined") {
  window.addEventListener("hashchange", () => {
    hash.value = location.hash;
  });
}

type Query = Record<string, string | undefined>;

/** The `href` of a view; empty values of the query are left out. */
export function linkTo(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  return `#${path}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}

/** Goes to a link. `replace`: without a step in the browser's history, as for every key of a search. */
export function goTo(link: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", link);
  else history.pushState(null, "", link);
  hash.value = link;
}

const encodePath = (text: string) => text.split("/").map(encodeURIComponent).join("/");

/** @param find a text to be marked there */
export const linkToSession = (id: string, turn?: number | null, find?: string) =>
  linkTo(`/session/${encodePath(id)}`, { turn: turn == null ? undefined : String(turn), find });

export const linkToFile = (path: string, line?: number | null) =>
  linkTo(`/file/${encodePath(path)}${line == null ? "" : `:${line}`}`);

/** A part of the memory view, and what of it. */
export const linkToMemory = (part = "", name = "") =>
  linkTo(`/memory/${part}${name === "" ? "" : `/${encodePath(name)}`}`);

export const linkToCommit = (hash: string) => linkTo(`/commit/${encodePath(hash)}`);

/** Where a decision was made: its turn, its commit or its line; null for a note of no session. */
export function linkToDecision({ source, place, session_id, turn }: Decision): string | null {
  if (session_id !== null) return linkToSession(session_id, turn);
  if (place === null) return null;
  if (source === "commit") return linkToCommit(place);
  // The client's memory lies outside of the project.
  if (source === "memory") return null;
  const [, path = "", line] = /^(.*?)(?::(\d+))?$/s.exec(place) ?? [];
  return linkToFile(path, line === undefined ? null : Number(line));
}

/** What a path names behind a view's own, decoded; "" if it makes no sense. */
export function parsePathRest(path: string, prefix: string): string {
  try {
    return decodeURIComponent(path.slice(prefix.length));
  } catch {
    return "";
  }
}
