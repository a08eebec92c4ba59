import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tailFirings } from '../../cli/firing/firing-watch';
import { print } from '../../cli/output/output';
import { redraw } from '../../cli/output/watch';
import type { Firing } from '../../index';
import { someSchedule, useLedger } from '../support/ledger';
import { runCli } from '../support/processes/child';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const { isTTY, rows } = process.stdout;
let written: string[];

beforeEach(() => {
  written = [];
});

afterEach(() => {
  Object.assign(process.stdout, { isTTY, rows });
  vi.restoreAllMocks();
});

/** Draw each of the `texts`; an Error is thrown. */
async function drawn(...texts: (string | Error)[]): Promise<string[]> {
  const stop = new AbortController();
  const left = [...texts];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  await redraw(
    async () => {
      const next = left.shift()!;
      if (left.length === 0) stop.abort();
      if (next instanceof Error) throw next;
      print(next);
    },
    1,
    stop.signal,
  );
  return written;
}

it('firing list --watch prints each firing as it comes, and again when its state or its stall changes, until Ctrl-C', async () => {
  const handle = await ledger().client.create(someSchedule({ scheduleId: 'hourly' }));
  const former = await handle.trigger('ALLOW_ALL');
  const tail = runCli(['firing', 'list', '--watch', '--json'], { DATABASE_URL: ledger().databaseUrl });
  expect(JSON.parse(await tail.line(/manual/))).toMatchObject({ workflowId: former.workflowId });
  const { workflowId } = await handle.trigger('ALLOW_ALL');
  expect(JSON.parse(await tail.line(new RegExp(`${workflowId}"`)))).toMatchObject({ state: 'buffered' });
  const change = (columns: string) =>
    ledger().query(`update escapement.firings set ${columns} where workflow_id = $1`, [workflowId]);
  await change(`stalled = 'no_worker'`);
  await tail.line(/"no_worker"/);
  await change(`state = 'skipped', reason = 'overlap', stalled = null`);
  await tail.line(/"skipped"/);
  expect(tail.output).toHaveLength(4);
  tail.kill('SIGINT');
  expect(await tail.ended()).toEqual({ code: 0, signal: null });
});

/** What each poll shows, by IDs, where each read has the next of the `answers`; an Error is thrown. */
async function shownOf(...answers: (Firing[] | { firings: Firing[]; nextCursor: string } | Error)[]) {
  const stop = new AbortController();
  const left = [...answers];
  const shown: string[][] = [];
  const read = async () => {
    const answer = left.shift()!;
    if (answer instanceof Error) throw answer;
    return Array.isArray(answer) ? { firings: answer, nextCursor: undefined } : answer;
  };
  await tailFirings(read, 30_000, stop.signal, {
    show: (firings) => {
      shown.push(firings.map((one) => one.scheduleId));
      if (left.length === 0) stop.abort();
    },
    fail: () => {},
  });
  return shown;
}

const firingsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ scheduleId: `${name}-${index}` }) as Firing);

it('firing list --watch shows new firings by the next poll, if a further page of this one cannot be read', async () => {
  const burst = firingsOf('burst', 200);
  const [page, last] = [{ firings: burst, nextCursor: 'next' }, firingsOf('last', 1)];
  const shown = await shownOf([], page, new Error('away'), page, last);
  expect(shown[1]?.sort()).toEqual([...burst, ...last].map((one) => one.scheduleId).sort());
});

it('firing list --watch shows no old firings if all of the newest change at once, as by a pause of a schedule with many', async () => {
  const newest = firingsOf('newest', 200);
  const skipped = newest.map((one) => ({ ...one, state: 'skipped' as const }));
  const shown = await shownOf(newest, { firings: skipped, nextCursor: 'older' }, firingsOf('last', 1));
  expect(shown.map((ids) => ids.length)).toEqual([200, 200, 1]);
});

const ahead = (count: number) =>
  firingsOf('ahead', count).map((one) => ({
    ...one,
    reason: 'excluded' as const,
    scheduledTime: new Date('2099-01-01Z'),
  }));

it.each(['excluded', 'handed over'])(
  'firing list --watch shows a burst behind a firing ahead that is %s',
  async (why) => {
    const [one] = ahead(1).map((first) => (why === 'excluded' ? first : { ...first, reason: null }));
    const [former, burst] = [firingsOf('former', 200), firingsOf('burst', 250)];
    const pages = [
      { firings: [one!, ...burst.slice(0, 199)], nextCursor: 'second' },
      { firings: [...burst.slice(199), ...former.slice(0, 149)], nextCursor: 'older' },
    ];
    const shown = await shownOf([one!, ...former], ...pages);
    expect(shown[1]?.sort()).toEqual(burst.map((each) => each.scheduleId).sort());
  },
);

it('firing list --watch shows new firings, and no old ones, behind a page of occurrences that are excluded ahead', async () => {
  const [excluded, former] = [{ firings: ahead(200), nextCursor: 'second' }, firingsOf('former', 200)];
  const second = { firings: [...firingsOf('news', 1), ...former.slice(0, 199)], nextCursor: 'third' };
  const first = { firings: former, nextCursor: 'third' };
  const shown = await shownOf(excluded, first, excluded, second);
  expect(shown.map((ids) => ids.length)).toEqual([400, 1]);
});

it('firing list --watch does not show a firing again that stays among the newest, however many others come', async () => {
  const stays = firingsOf('stays', 1);
  const [before, after, last] = [firingsOf('before', 20_000), firingsOf('after', 20_000), firingsOf('last', 1)];
  const shown = await shownOf([...stays, ...before], [...stays, ...after], [...stays, ...last]);
  expect(shown.map((ids) => ids.length)).toEqual([20_001, 20_000, 1]);
  expect(shown[2]).toEqual(['last-0']);
});

it('--watch prints a list again when it has changed, where no terminal looks on', async () => {
  // Not due while this runs: the next time is in the list.
  const spec = { cron: '0 0 1 1 *' };
  await ledger().client.create(someSchedule({ scheduleId: 'first', spec }));
  const list = runCli(['schedule', 'list', '--watch'], { DATABASE_URL: ledger().databaseUrl });
  await list.line(/^first/);
  await ledger().client.create(someSchedule({ scheduleId: 'second', spec }));
  await list.line(/^second/);
  expect(list.output.map((line) => line.split(' ')[0])).toEqual(['SCHEDULE', 'first', 'SCHEDULE', 'first', 'second']);
  list.kill('SIGTERM');
  expect(await list.ended()).toEqual({ code: 0, signal: null });
});

it('--watch draws over what it drew on a terminal, cut to its height and width, and shows a failure above it', async () => {
  process.stdout.isTTY = true;
  process.stdout.rows = 5;
  const [first, second, third, last] = await drawn('one\ntwo', 'a\nb\nc\nd\ne', new Error('away\u001b[2J'));
  expect(first).toBe('\u001b[?25l\u001b[?7l\u001b[Hone\u001b[K\ntwo\u001b[K\n\u001b[J');
  expect(second).toContain('c\u001b[K\n… 2 more lines\u001b[K\n\u001b[J');
  expect(third).toContain('escapement: away\\u001b[2J; trying again\u001b[K\n');
  expect(last).toBe('\u001b[?7h\u001b[?25h');
});

it('--watch ends with the first failure', async () => {
  await expect(drawn(new Error('no database'))).rejects.toThrow('no database');
  expect(written).toEqual([]);
  expect(await runCommand(['firing', 'list', '--watch', '--cursor', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("option '--watch' cannot be used with option '--cursor"),
  });
});
