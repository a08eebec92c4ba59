/** Generates the timelines of docs/choosing.md from the behaviour of schedules: `npx tsx scripts/docs-timelines.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duration } from '@temporalio/common';
import type { SchedulePolicies } from '../core/schedule/policies';
import { type Answer, TestScheduleEnvironment } from '../testing';
import { drawTimeline, type Row } from './lib/draw-timeline';

export const PAGE = join(__dirname, '../docs/choosing.md');

const DAY = '2026-11-25';
const at = (time: string) => `${DAY}T${time}:00Z`;
/** The outage that docs/choosing.md describes. */
const AWAY = { from: Date.parse(at('01:50')), to: Date.parse(at('05:10')) };
/** A time without a trigger, longer than the three days for which the double of Temporal keeps a closed workflow. */
const GONE = { from: Date.parse(at('02:00')), to: Date.parse('2026-11-29T04:00:00Z') };
const OVERLAPS = ['SKIP', 'BUFFER_ONE', 'BUFFER_ALL', 'CANCEL_OTHER', 'TERMINATE_OTHER', 'ALLOW_ALL'] as const;

/** One schedule of a scene. */
interface Player {
  name: string;
  cron: string;
  policies: SchedulePolicies;
  /** Each run of this schedule fails after 20 minutes. */
  fails?: true;
  /** How long each run of this schedule takes. @default as long as the runs of the other schedules */
  takes?: Duration;
}

const hourly = (name: string, policies: SchedulePolicies): Player => ({ name, cron: '0 * * * *', policies });
const daily = (name: string, policies: SchedulePolicies = {}): Player => ({ name, cron: '0 2 * * *', policies });

const OF_A_SLOW_RUN = OVERLAPS.map((overlap) => hourly(overlap, { overlap }));
const BOUNDED = hourly('maxConcurrent: 2', { overlap: 'ALLOW_ALL', maxConcurrent: 2 });
const FAILING: Player = { ...hourly('pauseOnFailure', { pauseOnFailure: true }), fails: true };
const SLOW = [...OF_A_SLOW_RUN, BOUNDED, FAILING];
const OF_AN_OUTAGE = [
  daily('the defaults'),
  daily("catchupWindow: '1 hour'", { catchupWindow: '1 hour' }),
  daily('catchupLimit: 0', { catchupLimit: 0 }),
];
/** Runs that began a day before. */
const STILL_OPEN: Player[] = [
  { ...daily("yesterday's run ends at 03:00"), takes: '25 hours' },
  { ...daily("yesterday's run ends at 06:00"), takes: '28 hours' },
];
const CATCH_UPS = [
  hourly('the defaults', { overlap: 'BUFFER_ALL' }),
  hourly("catchupWindow: '2 hours'", { overlap: 'BUFFER_ALL', catchupWindow: '2 hours' }),
  hourly('catchupLimit: 1', { overlap: 'BUFFER_ALL', catchupLimit: 1 }),
  hourly('catchupLimit: 0', { overlap: 'BUFFER_ALL', catchupLimit: 0 }),
];

/** These schedules are due once, so that the picture shows no later occurrence. */
const UNCERTAIN = (['SKIP', 'START'] as const).map(
  (onUncertain): Player => ({ name: onUncertain, cron: '0 2 25 11 *', policies: { onUncertain } }),
);

type Answers = Map<string, Answer[]>;

/** Run schedules on a virtual clock, by default from 00:30 of the day on. @returns what happened to each */
async function play(
  players: Player[],
  takes: Duration,
  pass: (env: TestScheduleEnvironment) => Promise<unknown>,
  startTime = at('00:30'),
): Promise<Answers> {
  const env = await TestScheduleEnvironment.create({ startTime, database: process.env.DATABASE_URL });
  try {
    env.double('job', { takes });
    env.double('failing', { takes: '20 minutes', outcome: 'failed' });
    for (const [index, { cron, policies, fails, takes: own }] of players.entries()) {
      if (own) env.double(`job ${index}`, { takes: own });
      const workflowType = own ? `job ${index}` : fails ? 'failing' : 'job';
      const action = { type: 'startWorkflow' as const, workflowType, taskQueue: 'jobs' };
      await env.client.create({ scheduleId: `${index}`, spec: { cron }, action, policies });
    }
    await pass(env);
    const answers: Answers = new Map();
    for (const [index, { name }] of players.entries()) answers.set(name, await env.answers(`${index}`));
    return answers;
  } finally {
    await env.teardown();
  }
}

/** A person unpauses the schedule that was paused because its workflow failed. */
async function withAnUnpause(env: TestScheduleEnvironment) {
  await env.advanceTo(at('04:30'));
  await env.client.getHandle(`${SLOW.indexOf(FAILING)}`).unpause();
  await env.advanceTo(at('12:00'));
}

async function withTemporalAway(env: TestScheduleEnvironment) {
  await env.advanceTo(at('01:50'));
  await env.withTemporalDown(() => env.advanceTo(at('05:10')));
  await env.advanceTo(at('09:00'));
}

async function withoutTrigger(env: TestScheduleEnvironment) {
  await env.advanceTo(at('01:50'));
  await env.withoutTrigger(() => env.advanceTo(at('05:10')));
  await env.advanceTo(at('09:00'));
}

/** A trigger dies before it has recorded a start, and none runs until Temporal has forgotten the workflow. */
async function withAForgottenStart(env: TestScheduleEnvironment) {
  env.crashTrigger({ after: 'start' });
  await env.advanceTo(GONE.from);
  await env.withoutTrigger(() => env.advanceTo(GONE.to));
  await env.advanceBy('8 hours');
}

/** The line of the picture for a firing or a gap. */
function rowOf(answer: Answer, label?: string): Row {
  if ('from' in answer) {
    const { from, to, count, reason } = answer;
    return { label: label ?? '', due: [from.getTime(), to.getTime()], became: `gap of ${count} (${reason})` };
  }
  const { scheduledTime, linkedAt, closedAt, state, outcome, reason } = answer;
  const due = scheduledTime.getTime();
  return {
    label: label ?? scheduledTime.toISOString().slice(11, 16),
    due: [due, due],
    ...(linkedAt && { runs: [linkedAt.getTime(), closedAt?.getTime() ?? Number.POSITIVE_INFINITY] as const }),
    became: [outcome ?? state, reason === null ? '' : `(${reason})`].join(' ').trim(),
  };
}

interface Picture {
  until: string;
  away?: string;
  latest: string;
}

function draw(answers: Answer[], { until, away, latest }: Picture): string {
  const rows = answers
    .map((answer) => rowOf(answer))
    .filter(({ due }) => due[0] > Date.parse(at('00:59')) && due[0] <= Date.parse(at(latest)));
  return drawTimeline(rows, { from: Date.parse(at('01:00')), to: Date.parse(at(until)), ...awayRow(away) });
}

/** All schedules in one picture, with one line for the occurrence of each. */
function drawTogether(all: Answers, { until, away }: Omit<Picture, 'latest'>): string {
  const rows = [...all]
    .flatMap(([name, answers]) => answers.map((answer) => rowOf(answer, name)))
    .filter(({ due }) => due[0] >= Date.parse(at('01:00')));
  return drawTimeline(rows, { from: Date.parse(at('01:00')), to: Date.parse(at(until)), ...awayRow(away) });
}

function drawUncertain(all: Answers): string {
  const rows = [...all].flatMap(([name, answers]) => answers.map((answer) => rowOf(answer, name)));
  const frame = { from: Date.parse(at('00:00')), to: Date.parse('2026-11-30T00:00:00Z') };
  return drawTimeline(rows, { ...frame, away: { label: 'no trigger', ...GONE }, unit: 'day' });
}

function awayRow(label: string | undefined) {
  return label === undefined ? {} : { away: { label, ...AWAY } };
}

/** Draws each timeline of the page. The keys are the names that the timelines have on the page. */
export async function timelines(): Promise<Map<string, string>> {
  const slow = await play(SLOW, '150 minutes', withAnUnpause);
  const away = await play([...OF_AN_OUTAGE, ...OF_A_SLOW_RUN], '20 minutes', withTemporalAway);
  const alone = await play([...OF_AN_OUTAGE, ...CATCH_UPS.map(renamed)], '20 minutes', withoutTrigger);
  const open = await play(STILL_OPEN, '20 minutes', withTemporalAway, '2026-11-24T01:30:00Z');
  const drawn = new Map<string, string>();
  const firstOf = (answers: Answers) => new Map(OF_AN_OUTAGE.map(({ name }) => [name, answers.get(name)!]));
  drawn.set('02:00, Temporal away', drawTogether(firstOf(away), { until: '06:30', away: 'Temporal away' }));
  drawn.set('02:00, a run open', drawTogether(open, { until: '06:30', away: 'Temporal away' }));
  drawn.set('02:00, no trigger', drawTogether(firstOf(alone), { until: '06:30', away: 'no trigger' }));
  for (const overlap of OVERLAPS) {
    drawn.set(`slow ${overlap}`, draw(slow.get(overlap)!, { until: '11:00', latest: '04:00' }));
    drawn.set(`away ${overlap}`, draw(away.get(overlap)!, { until: '07:00', away: 'Temporal away', latest: '05:30' }));
  }
  drawn.set(BOUNDED.name, draw(slow.get(BOUNDED.name)!, { until: '11:00', latest: '04:00' }));
  drawn.set(FAILING.name, draw(slow.get(FAILING.name)!, { until: '06:00', latest: '05:30' }));
  for (const player of CATCH_UPS) {
    drawn.set(
      `hourly ${player.name}`,
      draw(alone.get(renamed(player).name)!, { until: '07:00', away: 'no trigger', latest: '05:30' }),
    );
  }
  // Each schedule is played alone, since one crash of the trigger affects one start.
  const uncertain: Answers = new Map();
  for (const player of UNCERTAIN) {
    for (const [name, answers] of await play([player], '20 minutes', withAForgottenStart)) uncertain.set(name, answers);
  }
  drawn.set('onUncertain', drawUncertain(uncertain));
  return drawn;
}

/** The same schedule with another name, for a scene that shows its policy twice. */
function renamed(player: Player): Player {
  return { ...player, name: `hourly ${player.name}` };
}

const MARKED = /(<!-- timeline: (.+?) -->\n)[\s\S]*?(\n<!-- end -->)/g;

/** The page with its timelines drawn again. */
export function withTimelines(page: string, drawn: Map<string, string>): string {
  return page.replace(MARKED, (_, start, name, end) => {
    const timeline = drawn.get(name);
    if (timeline === undefined) throw new Error(`there is no timeline '${name}', but ${[...drawn.keys()].join('; ')}`);
    return `${start}\`\`\`text\n${timeline}\n\`\`\`${end}`;
  });
}

/** Names of the timelines that a page shows. */
export function namesOf(page: string): string[] {
  return [...page.matchAll(MARKED)].map(([, , name]) => name!);
}

if (require.main === module) {
  void timelines().then((drawn) => writeFileSync(PAGE, withTimelines(readFileSync(PAGE, 'utf8'), drawn)));
}
