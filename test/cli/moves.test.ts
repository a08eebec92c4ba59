import { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { uniqueName, useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';
import { invertingCodec } from '../support/workers/codec';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { environment, nativeSchedule, imported, untilRan } = useMoves(ledger, worker);

it('cut-over says that a schedule is paused as it was only if it has just moved it', async () => {
  const scheduleId = await nativeSchedule({ state: { paused: true, note: 'by a person' } });
  const client = await imported(scheduleId);
  const cutOver = async () => (await runCommand(['cut-over', scheduleId], environment())).stdout;
  expect(await cutOver()).toMatch(/moved +- +paused, as it was$/);
  await client.getHandle(scheduleId).unpause();
  expect(await cutOver()).toMatch(/unchanged +- +-$/);
});

it('import shows on a terminal how many schedules it has read, and clears that line before its output', async () => {
  const scheduleId = await nativeSchedule();
  await imported(scheduleId);
  const isTerminal = process.stderr.isTTY;
  process.stderr.isTTY = true;
  try {
    const args = ['import', '--query', `ScheduleId = '${scheduleId}'`, '--dry-run'];
    const { stderr } = await runCommand(args, environment());
    expect(stderr.endsWith('1 schedule read\r\r\u001b[K\r')).toBe(true);
  } finally {
    process.stderr.isTTY = isTerminal;
  }
});

it('compare says of a schedule out of shadow how to get something to compare', async () => {
  const scheduleId = await nativeSchedule();
  await imported(scheduleId);
  await untilRan(scheduleId, 'native', 1);
  const compare = async (...flags: string[]) =>
    runCommand(['compare', scheduleId, '--start', '2020-01-01', '--end', '2099-01-01', ...flags], environment());
  const { code, stdout } = await compare();
  expect(code).toBe(1);
  expect(stdout).toMatch(/Only schedules in shadow .*--shadow/);
  expect((await compare('--json')).stdout).not.toContain('--shadow');
  // In shadow, an occurrence that only native started was missed here.
  const client = ledger().newClient({ now: undefined as never, namespace: worker().namespace });
  const query = `ScheduleId = '${scheduleId}'`;
  await client.importSchedules({ from: worker().client, query, shadow: true });
  const missed = await compare();
  expect(missed.code).toBe(1);
  expect(missed.stdout).toContain('ONLY THERE');
  expect(missed.stdout).not.toContain('--shadow');
});

it('compare needs no codec for a schedule in shadow with encrypted arguments', async () => {
  const { client: from } = worker();
  const encrypting = new Client({ ...from.options, dataConverter: { payloadCodecs: [invertingCodec] } });
  const scheduleId = uniqueName('encrypted');
  await encrypting.schedule.create({
    scheduleId,
    spec: { intervals: [{ every: '1s' }] },
    action: { type: 'startWorkflow', workflowType: 'naps', taskQueue: 'nobody', args: [0] },
    policies: { overlap: 'ALLOW_ALL' },
  });
  await imported(scheduleId, true, true);
  await untilRan(scheduleId, 'native', 1);
  const range = ['--start', '2020-01-01', '--end', '2099-01-01'];
  const { stdout, stderr } = await runCommand(['compare', scheduleId, ...range], environment());
  await from.schedule.getHandle(scheduleId).delete();
  expect(stderr).toBe('');
  expect(stdout).toContain('ONLY THERE');
  expect(stdout).toContain(' only there, 0 only here, 0 unknown.');
});
