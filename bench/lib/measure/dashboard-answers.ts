/** A request that a page makes to the API. Its parameters may differ from turn to turn. */
export type Question = (turn: number) => string;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The API requests behind each page, for a ledger that `fillDashboard` has filled. */
export function questions(now: Date, schedules: number): [page: string, name: string, question: Question][] {
  const at = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();
  const job = (turn: number) => {
    const n = 1 + ((turn * 7_919) % schedules);
    return `team-${n % 40}-job-${n}`;
  };
  const busy = (turn: number) => `team-${1 + (turn % 5)}-job-${1 + (turn % 5)}`;
  return [
    ['overview', 'how all is', () => 'v1/overview'],
    ['overview', 'outcomes of a day', () => 'v1/overview/outcomes'],
    ['schedules', 'by next time', () => 'v1/schedule-rows?orderBy=nextFireAt'],
    ['schedules', 'by ID', () => 'v1/schedule-rows?orderBy=scheduleId'],
    ['schedules', 'with a text, few', (turn) => `v1/schedule-rows?orderBy=nextFireAt&text=job-${9_000 + turn}`],
    ['schedules', 'with a text, many', (turn) => `v1/schedule-rows?orderBy=nextFireAt&text=-job-${1 + (turn % 9)}`],
    ['schedules', 'with a text, none', (turn) => `v1/schedule-rows?orderBy=nextFireAt&text=nobody-${turn}`],
    ['schedules', 'of a source', (turn) => `v1/schedule-rows?orderBy=nextFireAt&source=team-${turn % 40}`],
    ['schedules', 'of a task queue', (turn) => `v1/schedule-rows?orderBy=nextFireAt&taskQueue=queue-${turn % 40}`],
    ['schedules', 'failing', () => 'v1/schedule-rows?orderBy=failing'],
    ['schedules', 'late', () => 'v1/schedule-rows?orderBy=late'],
    ['schedules', 'paused', () => 'v1/schedule-rows?orderBy=pausedAt'],
    ['schedule', 'definition', (turn) => `v1/schedules/${job(turn)}`],
    ['schedule', 'strip', (turn) => `v1/strips?scheduleId=${busy(turn)}&errors=true`],
    ['schedule', 'strip of a quiet one', (turn) => `v1/strips?scheduleId=${job(turn)}&errors=true`],
    ['schedule', 'calendar', (turn) => `v1/schedules/${job(turn)}/calendar`],
    ['schedule', 'calendar of a busy one', (turn) => `v1/schedules/${busy(turn)}/calendar`],
    ['schedule', 'firings', (turn) => `v1/schedules/${busy(turn)}/firings`],
    ['schedule', 'versions', (turn) => `v1/schedules/${job(turn)}/versions`],
    ['firing', 'its life', (turn) => `v1/schedules/${job(turn)}/firings/${at(-turn * HOUR)}/life`],
    ['letters', 'causes', () => 'v1/dead-letters/groups'],
    ['letters', 'over time', (turn) => `v1/dead-letters/over-time?days=${14 + (turn % 2)}`],
    ['letters', 'of a cause', (turn) => `v1/dead-letters?state=open&failureType=Failure${turn % 20}&pageSize=50`],
    ['alerts', 'open', () => 'v1/alerts'],
    ['ahead', 'two hours', (turn) => `v1/agenda?from=${at(turn * MINUTE)}&to=${at(turn * MINUTE + 2 * HOUR)}`],
    ['ahead', 'a day', (turn) => `v1/agenda?from=${at(turn * HOUR)}&to=${at(turn * HOUR + DAY)}`],
  ];
}

/** How long the answers took, in milliseconds. */
export interface Answers {
  requests: number;
  first: number;
  p50: number;
  p99: number;
  max: number;
}

/** Send a request again and again, one after the other. @throws {Error} if the API answers with an error */
export async function askOften(url: string, question: Question, requests: number): Promise<Answers> {
  const taken: number[] = [];
  for (let turn = 0; turn < requests; turn++) {
    const begun = performance.now();
    const response = await fetch(`${url}/${question(turn)}`);
    const text = await response.text();
    taken.push(performance.now() - begun);
    if (!response.ok) throw new Error(`${question(turn)}: ${response.status} ${text.slice(0, 300)}`);
  }
  const first = taken[0]!;
  const sorted = taken.sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
  const round = (milliseconds: number) => Math.round(milliseconds * 10) / 10;
  return { requests, first: round(first), p50: round(at(0.5)), p99: round(at(0.99)), max: round(sorted.at(-1)!) };
}
