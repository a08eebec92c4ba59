import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { expect, inject, it } from 'vitest';
import { useDeployments } from '../../support/deployment/deployments';
import { someSchedule, useLedger } from '../../support/ledger';
import { blocksBetween, wordsOf } from '../../support/pages/page-commands';
import { runCli } from '../../support/processes/child';
import { runCommand } from '../../support/processes/command';

const ledger = useLedger();
const deployments = useDeployments();
const PAGE = readFileSync(join(__dirname, '../../../docs/dead-letters.md'), 'utf8');
const [SCHEDULES, EACH] = [8, 5];
const LONG = { timeout: 240_000 };

const workflowId = () => activityInfo().workflowExecution!.workflowId;

const count = async (condition: string) =>
  (
    await ledger().query<{ letters: number }>(
      `select count(*)::int as letters from escapement.dead_letters where ${condition}`,
    )
  )[0]!.letters;

it('the incident of the page is worked through by its commands while triggers are killed, none lost and none twice', {
  timeout: 900_000,
}, async () => {
  const env = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') };
  const variables: Record<string, string> = {};
  const shell = async (text: string) => {
    const printed: string[] = [];
    for (const line of text.trim().split('\n')) {
      const [, , ...args] = wordsOf(line, variables);
      const { code, stdout, stderr } = await runCommand(args, env);
      expect({ code, stderr }, line).toEqual({ code: 0, stderr: expect.stringMatching(/^(There are more: .*)?$/) });
      printed.push(stdout);
    }
    return printed;
  };
  const [look, first, discard, rest] = blocksBetween(PAGE, '## An incident', '## Many at once').map(({ text }) => text);

  // Every fifth order has a card that has expired.
  const done: string[] = [];
  const broken = {
    pack: async () => `parcel ${done.push(`pack ${workflowId()}`)}`,
    chargeCard: async (parcel: string) => {
      const type = Number(parcel.split(' ')[1]) % 5 === 0 ? 'CardExpired' : 'BankError';
      throw ApplicationFailure.create({ type, message: 'no', nonRetryable: true });
    },
  };
  await deployments().deploy(broken);
  const { taskQueue } = deployments();
  for (let n = 0; n < SCHEDULES; n++) {
    const action = { type: 'startWorkflow', workflowType: 'fulfils', taskQueue } as const;
    const handle = await ledger().client.create(someSchedule({ spec: {}, action, policies: { overlap: 'SKIP' } }));
    for (let firing = 0; firing < EACH; firing++) await handle.trigger('ALLOW_ALL');
  }
  let trigger = runCli(['run'], env);
  await expect.poll(() => count(`state = 'open'`), LONG).toBe(SCHEDULES * EACH);

  const [stats, groups, , planned] = await shell(look!);
  expect(stats).toMatch(/open letters +40/);
  expect(groups!.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^32 +BankError +chargeCard +fulfils +8 /),
    expect.stringMatching(/^8 +CardExpired +chargeCard +fulfils +\d /),
  ]);
  expect(planned).toMatch(/: resume at activity chargeCard\nWould redrive 32 of 32\.$/);

  await deployments().deploy({
    ...broken,
    chargeCard: async () => void done.push(`charge ${workflowId()}`),
  });
  const [tried] = await shell(first!);
  expect(tried).toMatch(/^Redriving 1 of 1\.\n'escapement dead-letter show [-0-9a-f]{36}' shows the result\.$/);
  await expect.poll(() => count(`state = 'resolved'`), LONG).toBe(1);
  variables.TRIED = tried!
    .split(' ')
    .find((word) => word.endsWith("'"))!
    .slice(0, -1);
  expect((await shell('npx escapement dead-letter show "$TRIED"'))[0]).toMatch(/state +resolved/);
  const expired = `failed_step #>> '{failure,type}' = 'CardExpired'`;
  const [letter] = await ledger().query(
    `select letter_id from escapement.dead_letters where ${expired} order by created_at`,
  );
  variables.LETTER = letter!.letter_id;
  expect((await shell(discard!))[0]).toBe('Discarding 8 of 8.');

  expect((await shell(rest!))[0]).toBe('Redriving 32 of 32.');
  for (let death = 0; death < 2; death++) {
    await expect.poll(() => trigger.output.filter((line) => line.includes('redriven')).length, LONG).toBeGreaterThan(5);
    trigger.kill('SIGKILL');
    await trigger.ended();
    trigger = runCli(['run'], env);
  }
  await expect.poll(() => count(`state = 'resolved'`), LONG).toBe(33);
  expect(await count(`state = 'discarded'`)).toBe(7);

  // A resume keeps the parcel that was packed, and the card is charged once.
  const of = (step: string) => done.filter((one) => one.startsWith(step));
  expect([of('pack').length, new Set(of('pack')).size]).toEqual([40, 40]);
  expect([of('charge').length, new Set(of('charge')).size]).toEqual([33, 33]);
  // The next of a schedule was taken up when the one before it had ended.
  const beside = await ledger().query(`select * from (
      select (l.redrive ->> 'carriedOutAt')::timestamptz as begun,
        lag(f.closed_at) over (partition by schedule_id order by l.redrive ->> 'carriedOutAt') as ended
      from escapement.dead_letters l join escapement.firings f using (schedule_id, scheduled_time)
      where l.redrive ? 'carriedOutAt') x where begun < ended`);
  expect(beside).toEqual([]);
  trigger.kill('SIGTERM');
  expect(await trigger.ended()).toMatchObject({ code: 0 });
});
