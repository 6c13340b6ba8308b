/** 16 by 16, drawn with a line of 1.5. */
const paths = {
  pommel: "M4.5 14V2h4.2a3.9 3.9 0 0 1 0 7.8H4.5",
  home: "M2.5 7 8 2.5 13.5 7v6a.5.5 0 0 1-.5.5H9.8V9.7H6.2v3.8H3a.5.5 0 0 1-.5-.5Z",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.3-1.2 3.2 3.2",
  session: "M13.5 9.5a1 1 0 0 1-1 1H6l-3.5 3v-10a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1Z",
  timeline: "M2 3.5h7m-4 4.5h9m-12 4.5h5M2 1v14",
  insights: "M2 13.5h12M4 11V7m4 4V3m4 8V5.5",
  memory:
    "M3 3.5C3 2.4 5.2 1.5 8 1.5s5 .9 5 2v9c0 1.1-2.2 2-5 2s-5-.9-5-2Zm0 0c0 1.1 2.2 2 5 2s5-.9 5-2M3 8c0 1.1 2.2 2 5 2s5-.9 5-2",
  settings: "M2 4.5h6m4 0h2M2 11.5h2m4 0h6M10 2.5v4m-4 3v4",
  event: "M2.5 2v12m0-11h9.5l-2 3 2 3H2.5",
  commit: "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 1.5v4m0 5v4",
  note: "M3.5 2.5h9v7l-4 4h-5Zm9 7h-4v4",
  decision: "M8 14V9.5M8 9.5 3.5 5V2m4.5 7.5L12.5 5V2M2 3.5 3.5 2 5 3.5m6 0L12.5 2 14 3.5",
  terminal: "m3 5 3 3-3 3m5 .5h5",
  folder: "M1.5 12.5v-9h4.6l1.5 1.7h6.9v7.3Z",
  file: "M3.5 1.5h5.4l3.6 3.6v9.4h-9Zm5.2 0v3.8h3.8",
  code: "m5 4.5-3.5 3.5L5 11.5m6-7 3.5 3.5-3.5 3.5",
  context: "M8 2.5v7m0 0L5 6.5m3 3 3-3M2.5 13.5h11",
  health: "M1.5 8.5h3l2-5 3 9 2-4h3",
  sun: "M8 10.7a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM8 1.5v1.3m0 10.4v1.3m6.5-6.5h-1.3M2.8 8H1.5m11.1-4.6-.9.9m-7.4 7.4-.9.9m9.2 0-.9-.9M4.3 4.3l-.9-.9",
  moon: "M13.5 9.6A6 6 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z",
  system: "M2 3h12v8H2Zm4 10.5h4M8 11v2.5",
  keyboard: "M1.5 4h13v8h-13Zm3 5.5h7M4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01",
  external: "M9.5 2.5h4v4m0-4L7 9M6 3.5H2.5v10h10V10",
} as const;
export type IconName = keyof typeof paths;

/** Decoration: what it means stands beside it, or in the label of what holds it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
