import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { print } from '../../cli/output/output';
import { redraw } from '../../cli/output/watch';
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

it('--watch draws over what it drew on a terminal, cut to its height, and shows a failure above it', async () => {
  process.stdout.isTTY = true;
  process.stdout.rows = 5;
  const [first, second, third, last] = await drawn('one\ntwo', 'a\nb\nc\nd\ne', new Error('away\u001b[2J'));
  expect(first).toBe('\u001b[?25l\u001b[Hone\u001b[K\ntwo\u001b[K\n\u001b[J');
  expect(second).toContain('c\u001b[K\n… 2 more lines\u001b[K\n\u001b[J');
  expect(third).toContain('escapement: away\\u001b[2J; trying again\u001b[K\n');
  expect(last).toBe('\u001b[?25h');
});

it('--watch ends with the first failure', async () => {
  await expect(drawn(new Error('no database'))).rejects.toThrow('no database');
  expect(written).toEqual([]);
  expect(await runCommand(['firing', 'list', '--watch', '--cursor', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("option '--watch' cannot be used with option '--cursor"),
  });
});
