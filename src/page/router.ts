import { computed, signal } from "@preact/signals";
import type { Decision } from "../protocol/decision.ts";
import { placeShown, showPlace } from "./api/place.ts";

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
  // Each step of the browser's history is in a project: going back goes back into it.
  window.addEventListener("popstate", ({ state }: { state: unknown }) => {
    const known = readPlace(state);
    if (known === null) history.replaceState({ ...history.state, place: placeShown() }, "");
    else if (known !== placeShown()) showPlace(known);
  });
  window.addEventListener("hashchange", () => {
    hash.value = location.hash;
  });
}

const readPlace = (state: unknown): string | null =>
  typeof state === "object" && state !== null && "place" in state && typeof state.place === "string"
    ? state.place
    : null;

type Query = Record<string, string | undefined>;

/** The `href` of a view; empty values of the query are left out. */
export function linkTo(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  return `#${path}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}

/** Goes to a link. `replace`: without a step in the browser's history, as for every key of a search. */
export function goTo(link: string, { replace = false } = {}): void {
  const state = { place: placeShown() };
  if (replace) history.replaceState(state, "", link);
  else history.pushState(state, "", link);
  hash.value = link;
}

/** A link into the project at a root: its address names the project where another one is shown. */
export function linkInto(root: string | undefined, link: string): string {
  if (root === undefined || root === placeShown()) return link;
  const { path, query } = readRoute(link);
  return linkTo(path, { ...Object.fromEntries(query), project: root });
}

const encodePath = (text: string) => text.split("/").map(encodeURIComponent).join("/");

/** @param find a text to be marked there */
export const linkToSession = (id: string, turn?: number | null, find?: string) =>
  linkTo(`/session/${encodePath(id)}`, { turn: turn == null ? undefined : String(turn), find });

export const linkToFile = (path: string, line?: number | null, last = line) =>
  linkTo(`/file/${encodePath(path)}${line == null ? "" : `:${line}`}${last === line ? "" : `-${last}`}`);

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
