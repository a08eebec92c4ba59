import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { nextDstChange } from '../../../testing/dst';
import { withCalls } from '../temporal-calls';
import { action, type Complaint, type NativeScene } from './scene';

/** Two people change a schedule at once: one its note, the other one its catch-up window. */
export const updatesAtOnce: Complaint = {
  issue: 'sdk-typescript#1967',
  async native({ client, scheduleId }) {
    const handle = await client.schedule.create({ scheduleId, spec: {}, action: action('echoFiring') });
    let isFirst = true;
    const between = withCalls(client, {
      updateSchedule: async (request: unknown, real: (request: unknown) => unknown) => {
        if (isFirst) {
          isFirst = false;
          await handle.update((previous) => ({ ...previous, state: { ...previous.state, note: 'mine' } }));
        }
        return real(request);
      },
    } as never);
    await between.schedule
      .getHandle(scheduleId)
      .update((previous) => ({ ...previous, policies: { ...previous.policies, catchupWindow: '1 hour' } }));
    const { state, policies } = await handle.describe();
    return keptOf(state.note, policies.catchupWindow);
  },
  async ours({ client, scheduleId }) {
    const handle = await client.create({ scheduleId, spec: {}, action: action('echoFiring') });
    let isFirst = true;
    await handle.update(async (previous) => {
      if (isFirst) {
        isFirst = false;
        await handle.update((other) => ({ ...other, state: { ...other.state, note: 'mine' } }));
      }
      return { ...previous, policies: { ...previous.policies, catchupWindow: '1 hour' } };
    });
    const { state, policies } = await handle.describe();
    return keptOf(state.note, policies.catchupWindow);
  },
};

function keptOf(note: string | undefined, catchupWindow: number): string {
  const kept = [note === 'mine', catchupWindow === 3_600_000].filter(Boolean).length;
  return kept === 2 ? 'both are kept' : `${kept} of 2 is kept, without an error`;
}

const DAY = 24 * 3_600_000;
const ZONE = 'America/New_York';
const [MARCH, NOVEMBER] = comingChanges() as [string, string];

/** The days of the two coming clock changes, the one in March first: the times that are asked for are still to come. */
function comingChanges(): string[] {
  const first = nextDstChange(ZONE, new Date(Date.now() + DAY));
  const days = [first, nextDstChange(ZONE, first)].map((change) => change.toISOString().slice(0, 10));
  return days.sort((a, b) => a.slice(5).localeCompare(b.slice(5)));
}

/** The clock changes on two days: 02:30 does not exist on the first, and 01:30 exists twice on the second. */
export const clockChanges: Complaint = {
  issue: 'temporal#8205',
  async native(scene) {
    const [missing, twice] = await Promise.all([
      matchingTimes(
        { ...scene, scheduleId: `${scene.scheduleId}-a` },
        { cronExpressions: ['30 2 * * *'], timezone: ZONE },
        MARCH,
      ),
      matchingTimes(
        { ...scene, scheduleId: `${scene.scheduleId}-b` },
        { cronExpressions: ['30 1 * * *'], timezone: ZONE },
        NOVEMBER,
      ),
    ]);
    return `02:30 ${often(missing)} in March, 01:30 ${often(twice)} in November`;
  },
  async ours({ client, scheduleId }) {
    const count = async (cron: string, day: string, dst: 'ONCE' | 'LITERAL') => {
      const from = Date.parse(`${day}T05:00Z`);
      const handle = await client.create({
        scheduleId: `${scheduleId}-${dst}-${day}`,
        spec: { cron, timezone: ZONE, dst, startAt: new Date(from), endAt: new Date(from + 3 * DAY) },
        action: action('echoFiring'),
      });
      return often((await handle.nextTimes()).filter((time) => time.getTime() < from + DAY));
    };
    const of = async (dst: 'ONCE' | 'LITERAL') =>
      `${await count('30 2 * * *', MARCH, dst)} and ${await count('30 1 * * *', NOVEMBER, dst)}`;
    return `a choice: ${await of('ONCE')}, or ${await of('LITERAL')}`;
  },
};

const often = ({ length }: Date[]) => ['never', 'once', 'twice'][length] ?? `${length} times`;

/** An interval of 24 hours, over a change of the clock. */
export const dayIntervals: Complaint = {
  issue: 'temporal#10058',
  async native(scene) {
    const times = await matchingTimes(scene, { intervals: [{ every: '24h', offset: '6h' }], timezone: ZONE }, MARCH, 2);
    return movesInWords(times);
  },
  async ours({ client, scheduleId }) {
    const handle = await client.create({
      scheduleId,
      spec: { intervals: [{ every: '24h', offset: '6h' }], timezone: ZONE, startAt: new Date(`${MARCH}T00:00Z`) },
      action: action('echoFiring'),
    });
    return movesInWords(await handle.nextTimes(2));
  },
};

function movesInWords(times: Date[]): string {
  const hour = (time: Date) => new Intl.DateTimeFormat('en', { timeZone: ZONE, hour: 'numeric' }).format(time);
  return new Set(times.map(hour)).size === 1 ? 'keeps its local time' : 'moves by an hour';
}

async function matchingTimes(
  { client, scheduleId }: Pick<NativeScene, 'client' | 'scheduleId'>,
  spec: object,
  day: string,
  days = 1,
): Promise<Date[]> {
  await client.schedule.create({ scheduleId, spec, action: action('echoFiring') });
  const from = Date.parse(`${day}T05:00Z`);
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    ...{ namespace: client.options.namespace, scheduleId },
    ...{ startTime: msToTs(from), endTime: msToTs(from + days * DAY) },
  });
  return startTime.map((time) => new Date(tsToMs(time)));
}
