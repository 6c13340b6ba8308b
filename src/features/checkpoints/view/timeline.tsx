import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { formatRelativeTime } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import type { ViewProps } from "../../../page/router.ts";
import { goTo, linkToCommit, linkToSession } from "../../../page/router.ts";
import {
  axisHeight,
  buildLanes,
  computeTimeSpan,
  draw,
  type Lane,
  labelWidthAt,
  measureLaneHeight,
  type Spot,
  type Window,
} from "./draw.ts";
import "./timeline.css";

/** As many as the daemon lists at most. */
const maxListed = 1000;
const minute = 60_000;
const tenYears = 10 * 365 * 86_400_000;

/** Sessions and the commits they led to, over time. */
export default function Timeline({ query }: ViewProps) {
  const sessions = useAnswer("sessions", { limit: maxListed });
  const commits = useAnswer("checkpoints", { limit: maxListed });
  const by = query.get("by") === "agent" ? "agent" : "branch";
  const lanes = useMemo(
    () =>
      sessions.data && commits.data ? buildLanes(sessions.data.sessions, commits.data.checkpoints, by) : null,
    [sessions.data, commits.data, by],
  );
  const failed = [sessions, commits].find(({ error }) => error !== null);
  if (failed?.error) return <Failure error={failed.error} onRetry={failed.reload} />;
  if (lanes === null) return <Loading rows={8} />;
  if (lanes.length === 0) {
    return (
      <Empty title="Nothing on the timeline yet">
        <p>Sessions and commits show up here once they are recorded.</p>
      </Empty>
    );
  }
  const [shownSessions, shownCommits] = [sessions.data!.sessions.length, commits.data!.checkpoints.length];
  return (
    <>
      <div class="view-head">
        <h1>Timeline</h1>
        <p class="count">
          {formatCount(shownSessions, "session")}, {formatCount(shownCommits, "commit")}
        </p>
        <FilterChips filters={[{ name: "by", label: "By branch", values: [["agent", "By agent"]] }]} />
      </div>
      <Chart key={by} lanes={lanes} />
      <p class="faint">
        Drag to move, Ctrl and the wheel to zoom. With the keyboard: arrows, + and −, 0 for all. Bars are
        sessions, diamonds commits.
        {(sessions.data!.total > shownSessions || commits.data!.total > shownCommits) &&
          ` Only the latest ${maxListed.toLocaleString("en")} of each are shown.`}
      </p>
    </>
  );
}

function Chart({ lanes }: { lanes: readonly Lane[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const whole = useMemo(() => computeTimeSpan(lanes, Date.now()), [lanes]);
  const window_ = useRef<Window>({ ...whole, top: 0 });
  const spots = useRef<Spot[]>([]);
  const [pointed, setPointed] = useState<{ spot: Spot; x: number; y: number } | null>(null);
  const frame = useRef(0);
  const colourOf = useMemo(() => assignAgentColours(lanes), [lanes]);

  const redraw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (canvas.current === null) return;
      spots.current = draw({ canvas: canvas.current, lanes, window: window_.current, colourOf });
    });
  };
  useEffect(() => {
    const element = canvas.current!;
    const resized = new ResizeObserver(redraw);
    resized.observe(element);
    // The colours change with the theme.
    const themed = new MutationObserver(redraw);
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    const onWheel = (event: WheelEvent) => {
      const { ctrlKey, metaKey, deltaX, deltaY, offsetX } = event;
      if (ctrlKey || metaKey) zoom(Math.exp(deltaY * 0.002), offsetX);
      else if (!move(deltaX, deltaY)) return;
      event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    redraw();
    return () => {
      resized.disconnect();
      themed.disconnect();
      dark.removeEventListener("change", redraw);
      element.removeEventListener("wheel", onWheel);
      cancelAnimationFrame(frame.current);
    };
  }, [lanes]);

  /** @returns whether anything moved: at an end the page scrolls on */
  const move = (x: number, y: number): boolean => {
    const now = window_.current;
    const { clientWidth, clientHeight } = canvas.current!;
    const lanesHeight = lanes.reduce((sum, lane) => sum + measureLaneHeight(lane), 0);
    const top = Math.min(Math.max(0, now.top + y), Math.max(0, lanesHeight - (clientHeight - axisHeight)));
    const time = (x / (clientWidth - labelWidthAt(clientWidth))) * (now.to - now.from);
    const hasMoved = top !== now.top || time !== 0;
    window_.current = { from: now.from + time, to: now.to + time, top };
    setPointed(null);
    redraw();
    return hasMoved;
  };
  const zoom = (factor: number, x?: number) => {
    const { from, to, top } = window_.current;
    const { clientWidth } = canvas.current!;
    const left = labelWidthAt(clientWidth);
    const share = x === undefined ? 0.5 : Math.min(1, Math.max(0, (x - left) / (clientWidth - left)));
    const centre = from + share * (to - from);
    const span = Math.min(tenYears, Math.max(10 * minute, (to - from) * factor));
    window_.current = { from: centre - share * span, to: centre + (1 - share) * span, top };
    setPointed(null);
    redraw();
  };
  const at = (x: number, y: number) =>
    spots.current.findLast(
      (spot) =>
        x >= spot.x - 2 && x <= spot.x + spot.width + 2 && y >= spot.y - 1 && y <= spot.y + spot.height + 1,
    );
  const drag = useRef<{ x: number; y: number; hasMoved: boolean } | null>(null);
  const keys: Readonly<Record<string, () => unknown>> = {
    ArrowLeft: () => move(-80, 0),
    ArrowRight: () => move(80, 0),
    ArrowUp: () => move(0, -60),
    ArrowDown: () => move(0, 60),
    "+": () => zoom(0.7),
    "-": () => zoom(1 / 0.7),
    "0": () => {
      window_.current = { ...whole, top: 0 };
      redraw();
    },
  };
  return (
    <div class="timeline">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a picture that the keyboard moves */}
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="Sessions and commits over time. The list of sessions has the same as text."
        onKeyDown={(event) => {
          const does = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
          if (does === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          does();
        }}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY, hasMoved: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const { offsetX: x, offsetY: y, clientX, clientY } = event;
          if (drag.current !== null) {
            const [dx, dy] = [drag.current.x - clientX, drag.current.y - clientY];
            if (!drag.current.hasMoved && Math.hypot(dx, dy) < 4) return;
            drag.current = { x: clientX, y: clientY, hasMoved: true };
            move(dx, dy);
            return;
          }
          const spot = at(x, y);
          event.currentTarget.style.cursor = spot ? "pointer" : "grab";
          setPointed(spot ? { spot, x, y } : null);
        }}
        onPointerUp={({ offsetX, offsetY }) => {
          const wasClick = drag.current?.hasMoved === false;
          drag.current = null;
          const spot = wasClick ? at(offsetX, offsetY) : undefined;
          if (spot)
            goTo(
              "session" in spot.of ? linkToSession(spot.of.session.id) : linkToCommit(spot.of.commit.commit),
            );
        }}
        onPointerLeave={() => setPointed(null)}
      />
      {pointed && (
        <div
          class="tooltip"
          style={{
            left: `${Math.min(pointed.x + 12, (canvas.current?.clientWidth ?? 400) - 260)}px`,
            top: `${pointed.y + 14}px`,
          }}
        >
          {renderSpot(pointed.spot)}
        </div>
      )}
    </div>
  );
}

function renderSpot({ of }: Spot) {
  if ("commit" in of) {
    const { subject, commit, committed_at, author } = of.commit;
    return (
      <>
        <strong>{subject}</strong>
        <span>
          {commit.slice(0, 8)} · {author} · {formatRelativeTime(committed_at)}
        </span>
      </>
    );
  }
  const { title, id, agent, turns, last_at } = of.session;
  return (
    <>
      <strong>{nameSession(id, title)}</strong>
      <span>
        {agent} · {formatCount(turns, "turn")}
        {last_at !== null && ` · ${formatRelativeTime(last_at)}`}
      </span>
    </>
  );
}

const palette = ["#7c5cd6", "#2f8fc4", "#c8742c", "#b5498f", "#5b8f3d", "#8a7a3a"];

/** A colour for each agent, the first for the one with the most sessions. */
function assignAgentColours(lanes: readonly Lane[]): (agent: string) => string {
  const counts = new Map<string, number>();
  for (const { bars } of lanes) {
    for (const { session } of bars) counts.set(session.agent, (counts.get(session.agent) ?? 0) + 1);
  }
  const agents = [...counts].sort(([, a], [, b]) => b - a).map(([agent]) => agent);
  return (agent) => palette[agents.indexOf(agent) % palette.length] ?? palette[0]!;
}
